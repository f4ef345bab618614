import type { IncomingMessage } from 'node:http'
import { nanoFromEur } from '../../shared/money.ts'
import type { CallFacts, ReceivedCall } from '../call.ts'
import type { Gate } from '../gate.ts'
import { leastCeiling } from '../guards/outputCeiling.ts'
import { upstreamHeaders } from '../http/headers.ts'
import { LedgerUnavailable } from '../ledger/ledger.ts'
import type { CappedScope } from '../ledger/ledger.ts'
import type { Counted } from '../models/countBook.ts'
import { exactCounter } from '../models/exactCounters.ts'
import type { CountQuestion, ExactCounter } from '../models/exactCounters.ts'
import { isNearLimit } from '../models/nearLimit.ts'
import type { LimitedAsk } from '../models/nearLimit.ts'
import type { TieredPriceList } from '../money/table.ts'
import { isStart } from '../tasks/storm.ts'
import { taskLimits } from './place.ts'
import { termsOf, worstCase } from './terms.ts'

/** Milliseconds that a call waits for its count, all questions together. */
const timeLimitMs = 2000

/** A count below this share of the plain count of the text is none: a relay that leaves out system and tools (H03). */
const leastShare = 0.6

/** Providers bill a few tokens more or less than their own counters say. */
const leastMarginTokens = 8
const marginPercent = 1

type ClientHeaders = Pick<IncomingMessage, 'rawHeaders' | 'headers'>

/**
 * The facts with the provider's own count in place of our estimate, where the plan wants it, a counter exists and its count
 * could decide: at the first call of a task that comes near a limit, and always where the provider keeps a part of the
 * input, which nobody can estimate (A12). A kept part of which no answer told the size is counted under every plan: the
 * largest window would have to be reserved for it. It is a side question like any other: never charged, reserved, recorded or taken
 * for an iteration. Without an answer in time the estimate holds.
 */
export async function countExactly(
  gate: Gate,
  request: ClientHeaders,
  received: ReceivedCall,
  facts: CallFacts,
  prices: TieredPriceList,
): Promise<CallFacts> {
  if (received.identity.plan.estimator !== 'exact' && gate.growth.knows(facts)) return facts
  const counter = exactCounter(received, facts)
  if (counter === null) return facts
  const { hiddenInput, estimate } = facts
  if (hiddenInput === null && !(isFirstCall(gate, received, facts) && isNear(gate, received, facts, prices))) {
    return facts
  }
  const headers = counterHeaders(request)
  const ask = {
    digest: gate.counts.digest(received.body, counter.name, received.upstream.baseUrl, ...deciding(headers)),
    counter: counter.name,
    keep: hiddenInput === null || hiddenInput.previousResponseId !== null,
  }
  const tokens = await gate.counts.count(ask, () => putQuestions(gate, counter, headers))
  if (tokens === null || tokens < estimate.textTokens * leastShare) return facts
  const margin = Math.max(leastMarginTokens, Math.ceil((tokens * marginPercent) / 100))
  return { ...facts, estimate: { ...estimate, upperTokens: tokens + margin, exact: true } }
}

/**
 * The facts of a request that was made smaller, with the count of the whole one where that is the lower of two bounds: what
 * was only taken from does not count more. Another model may count otherwise.
 */
export function stillCounted(whole: CallFacts, smaller: CallFacts): CallFacts {
  const { exact, upperTokens } = whole.estimate
  if (exact !== true || smaller.model !== whole.model) return smaller
  // An estimate leaves out what the provider keeps, and is no bound then.
  if (smaller.hiddenInput === null && smaller.estimate.upperTokens <= upperTokens) return smaller
  return { ...smaller, estimate: { ...smaller.estimate, upperTokens, exact } }
}

function isFirstCall(gate: Gate, received: ReceivedCall, facts: CallFacts): boolean {
  const { explicitTask } = received
  return isStart(facts.transcript) || (explicitTask !== null && gate.memory.tasks.windowStartMs(explicitTask) === null)
}

/** Whether the estimate comes near one of the limits that a single call can break. */
function isNear(gate: Gate, received: ReceivedCall, facts: CallFacts, prices: TieredPriceList): boolean {
  const { plan } = received.identity
  const terms = termsOf(gate, prices, received, facts)
  const input = terms.estimatedInputTokens
  const { least, most } = outputSpan(received, facts, terms.config.budgets.minOutputTokens)
  const cost = (output: number): number => worstCase(terms, facts, received.receivedAtMs, output)
  const { explicitTask } = received
  const limits = explicitTask === null ? plan.task : taskLimits(gate, explicitTask, plan.task)
  const maxEur = limits?.maxEur ?? null
  const asks: LimitedAsk[] = [
    { least: input, most: input, limit: limits?.maxInputTokens ?? null },
    { least: input, most: input, limit: plan.maxConversationTokens },
    { least: cost(least), most: cost(most), limit: maxEur === null ? null : nanoFromEur(maxEur) },
    ...tokenRooms(gate, terms.scopes).map((limit) => ({ least: input + least, most: input + most, limit })),
  ]
  return isNearLimit(asks)
}

/** The shortest and the longest answer that the call may be let through with, over all choices. */
function outputSpan(
  { dialect, identity: { plan } }: ReceivedCall,
  facts: CallFacts,
  minOutputTokens: number,
): { readonly least: number; readonly most: number } {
  const { producesOutput, requestedOutputTokens, choices } = facts
  if (!producesOutput) return { least: 0, most: 0 }
  const longest = Math.min(requestedOutputTokens ?? plan.defaultOutputTokens, plan.maxOutputTokens ?? Infinity)
  const least = Math.max(minOutputTokens, leastCeiling(dialect, facts))
  return { least: Math.min(least, longest) * choices, most: longest * choices }
}

/** Tokens that are left in the windows that cap them. */
function tokenRooms(gate: Gate, scopes: readonly CappedScope[]): readonly number[] {
  try {
    return scopes.flatMap((scope) => {
      if (scope.capTokens === null) return []
      const { spentTokens, reservedTokens } = gate.ledger.totals(scope)
      return [scope.capTokens - spentTokens - reservedTokens]
    })
  } catch (fault) {
    // The call will be refused for it in a moment.
    if (fault instanceof LedgerUnavailable) return []
    throw fault
  }
}

/** Headers that are the gate's own in a question, or would make it pass for the call itself. */
const replaced: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'content-type', 'idempotency-key'])

/** The client's headers, key and betas among them, as the call itself will carry them. */
function counterHeaders({ rawHeaders, headers }: ClientHeaders): readonly string[] {
  const kept: string[] = []
  const own = upstreamHeaders(rawHeaders, headers.connection)
  for (let at = 0; at + 1 < own.length; at += 2) {
    const name = own[at] ?? ''
    if (!replaced.has(name.toLowerCase())) kept.push(name, own[at + 1] ?? '')
  }
  return [...kept, 'accept', 'application/json', 'content-type', 'application/json']
}

/** Headers that a count depends on: whose account it is, and which betas. */
const decidingNames = /^(?:authorization|(?:x-(?:goog-)?)?api-key|anthropic-|openai-)/i

function deciding(headers: readonly string[]): readonly string[] {
  return headers.flatMap((name, at) =>
    at % 2 === 0 && decidingNames.test(name) ? [`${name.toLowerCase()}: ${headers[at + 1] ?? ''}`] : [],
  )
}

/** Statuses by which a server says that it has no counter, or will not use it now. */
const counterless: ReadonlySet<number> = new Set([404, 405, 429])

async function putQuestions(gate: Gate, counter: ExactCounter, headers: readonly string[]): Promise<Counted> {
  const deadlineMs = gate.nowMs() + timeLimitMs
  let question = firstQuestion(counter)
  while (question !== null) {
    const { path, body, read } = question
    // The clock may be set back meanwhile.
    const timeoutMs = Math.min(timeLimitMs, deadlineMs - gate.nowMs())
    if (timeoutMs <= 0) return { kind: 'failed' }
    const reply = await gate.ask({ upstream: counter.upstream, path, method: 'POST', headers, body, timeoutMs })
    if (reply === null || reply.status >= 500 || counterless.has(reply.status)) return { kind: 'failed' }
    if (reply.status < 200 || reply.status > 299) return { kind: 'none' }
    const said = read(reply.value)
    if (typeof said === 'number') return { kind: 'count', tokens: said }
    if (said === null) return { kind: 'failed' }
    question = said
  }
  return { kind: 'none' }
}

function firstQuestion(counter: ExactCounter): CountQuestion | null {
  try {
    return counter.question()
  } catch (fault) {
    // Nested too deeply to be written anew: the estimate will do.
    if (fault instanceof RangeError) return null
    throw fault
  }
}
