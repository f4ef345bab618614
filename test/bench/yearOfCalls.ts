import { dayKey, monthKey } from '../../daemon/budget/windows.ts'
import type { CappedScope, ReservationAsk, Settlement } from '../../daemon/ledger/ledger.ts'
import { noUsage } from '../../shared/usage.ts'

/**
 * A team's year: five people, eight projects, six models, agents that make a dozen calls a task. Everything is drawn from
 * one seed, so that two runs make the same ledger but for its dates, which end today.
 */

const zone = 'Europe/Berlin'
const dayMs = 86_400_000
const callsPerTask = 12
/** A cap that is checked on each call and never reached. */
const wideNano = 1e15

const users = [
  ['ada', 'OpenAI/JS'],
  ['grace', 'claude-cli'],
  ['linus', 'OpenAI/Python'],
  ['barbara', 'claude-cli'],
  ['edsger', 'ollama-js'],
] as const
const projects = ['shop', 'search', 'billing', 'docs', 'mobile', 'data', 'ops', null] as const
/** Model, upstream, nano-euro per input and per output token. */
const models = [
  ['gpt-5.5', 'openai', 1150, 9200],
  ['claude-sonnet-5', 'anthropic', 2760, 13_800],
  ['claude-opus-5', 'anthropic', 4600, 23_000],
  ['gpt-4o-mini', 'openai', 138, 552],
  ['claude-haiku-4-5', 'anthropic', 920, 4600],
  ['qwen3:4b', 'ollama', 0, 0],
] as const

/** One call of the year: its ask and its end. */
export interface GeneratedCall {
  readonly ask: ReservationAsk
  readonly end: Settlement
}

/** A number from 0 to below 1, the same sequence for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The calls of one day, oldest first. `daysAgo` is 0 for today. */
export function callsOfDay(nowMs: number, daysAgo: number, count: number): readonly GeneratedCall[] {
  const random = seeded(daysAgo + 1)
  const calls: GeneratedCall[] = []
  // The last call of a day is a minute before the time of day that it is now.
  const stepMs = (8 * 3_600_000) / count
  let task = ''
  let [person, project, main] = [0, 0, 0]
  for (let at = 0; at < count; at += 1) {
    if (at % callsPerTask === 0) {
      task = `run-${daysAgo}-${at / callsPerTask}`
      person = Math.floor(random() * users.length)
      project = Math.floor(random() * projects.length)
      main = (project + Math.floor(random() * 2)) % models.length
    }
    const receivedAtMs = Math.round(nowMs - daysAgo * dayMs - 60_000 - (count - at) * stepMs)
    const model = random() < 0.8 ? main : 3
    calls.push(callOf({ receivedAtMs, task, person, project: projects[project] ?? null, model, random }))
  }
  return calls
}

/** A call of today, a little dearer than nothing, for the timing of one reservation. */
export function callNow(nowMs: number): GeneratedCall {
  return callOf({
    receivedAtMs: nowMs,
    task: 'timed',
    person: 0,
    project: 'shop',
    model: 0,
    random: seeded(Math.round(nowMs)),
  })
}

let made = 0

function callOf(facts: {
  readonly receivedAtMs: number
  readonly task: string
  readonly person: number
  readonly project: string | null
  readonly model: number
  readonly random: () => number
}): GeneratedCall {
  const { receivedAtMs, task, project, random } = facts
  const [user, client] = users[facts.person] ?? users[0]
  const [model, upstream, inputNano, outputNano] = models[facts.model] ?? models[0]
  const day = dayKey(receivedAtMs, zone)
  const month = monthKey(receivedAtMs, zone)
  const caps = { capNanoEur: wideNano, capTokens: null }
  const scopes: readonly CappedScope[] = [
    { scope: 'user', ref: `personal/${user}`, window: 'day', period: day, ...caps },
    { scope: 'tenant', ref: 'personal', window: 'day', period: day, ...caps },
    { scope: 'tenant', ref: 'personal', window: 'month', period: month, ...caps },
    ...(project === null ? [] : [{ scope: 'project', ref: project, window: 'day', period: day, ...caps } as const]),
    { scope: 'task', ref: task, window: 'life', period: '-', capNanoEur: null, capTokens: null },
  ]
  made += 1
  const callId = `call_8f3a1c6e52${made.toString(36).padStart(6, '0')}`
  const input = 400 + Math.floor(random() * 12_000)
  const cacheRead = random() < 0.6 ? Math.floor(input * random()) : 0
  const output = 20 + Math.floor(random() * 900)
  const ask: ReservationAsk = {
    callId,
    scopes,
    inputTokens: input,
    outputTokens: 4096,
    minOutputTokens: 256,
    cost: (most) => input * inputNano + most * outputNano,
    row: {
      receivedAtMs,
      day,
      month,
      tenant: 'personal',
      user,
      project,
      task,
      session: `${task.slice(0, 7)}-session`,
      client,
      keyId: 'default',
      upstream,
      dialect: upstream === 'anthropic' ? 'anthropic-messages' : 'openai-chat',
      model,
      stream: true,
      isRetry: false,
      estimatedInputTokens: input,
      usdRate: 0.92,
      rateAsOf: '2026-11-01',
      priced: true,
      price: null,
    },
  }
  const end: Settlement = {
    callId,
    settlement: 'exact',
    outcome: 'ok',
    usage: { ...noUsage, input: input - cacheRead, cacheRead, output },
    costNanoEur: (input - cacheRead) * inputNano + output * outputNano,
    status: 200,
    finish: 'stop',
    responseModel: model,
    settledAtMs: receivedAtMs + 2400,
    durationMs: 2400,
    firstByteMs: 400,
    warnings: [],
  }
  return { ask, end }
}
