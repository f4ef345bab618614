import type { Plan } from '../../shared/config.ts'
import type { LoopVerdict, TaskState } from '../tasks/task.ts'
import { narratedTexts } from './narration.ts'
import type { ToolState, TranscriptFacts } from './transcript.ts'

/** The plan's limits on repetition. */
export type LoopLimits = NonNullable<Plan['loop']>

/**
 * Shares of the halting count from which the state is graded: with `maxRepeats` 4 the third equal step warns, the fourth
 * constrains and the fifth halts (K01); with 2 the second warns and the third halts. A single repetition is common in
 * healthy runs and so never costs them their model.
 */
const warnShare = 0.6
const constrainedShare = 0.8

/** Failures of one class in a row, of at least this many different calls, that are an echo (K07). */
const echoedErrors = 5
const echoedCalls = 3

/** Texts that say the same sentence, among the last few (K08). */
const repeatedSentences = 3

/**
 * Judges whether a task runs in circles, from the tool calls that its transcript carries.
 *
 * A step is what the model asked for in one turn together with what came back. A cycle is a tail of the steps in which at
 * most `maxCycle` different ones occur; it counts as often as its rarest step. So a repeated check between different edits is
 * no loop, and a changed result is progress (K03, K04). Parallel calls of one turn count once.
 *
 * Only results in messages from index `sinceMessage` on count: the caller sets it behind whatever opened the task, so that
 * the first call of a task is never halted (K14) and a halt is recoverable (K09).
 */
export function judgeLoop(
  states: readonly ToolState[],
  sinceMessage: number,
  limits: LoopLimits,
  narration: TranscriptFacts['narration'] = [],
): LoopVerdict {
  const window = states.filter(({ message }) => message >= sinceMessage)
  const cycle = longestCycle(stepsOf(window), limits.maxCycle)
  const state = cycle === null ? 'ok' : grade(cycle.repeats, Math.max(1, limits.maxRepeats) + 1)
  const echoes = echoCount(window)
  const sentences = sentenceCount(narration.filter(({ message }) => message >= sinceMessage))
  const hints: LoopVerdict['hints'] = [
    ...(echoes === 0 ? [] : ['error_echo' as const]),
    ...(sentences === 0 ? [] : ['narration' as const]),
  ]
  if (cycle !== null && state !== 'ok') {
    const capped = limits.action === 'warn' ? 'warn' : state
    return { state: capped, tool: cycle.tool, repeats: cycle.repeats, cycleLength: cycle.length, hints }
  }
  if (hints.length === 0) return { state: 'ok', tool: null, repeats: cycle?.repeats ?? 0, cycleLength: 0, hints }
  const tool = echoes === 0 ? null : (window.at(-1)?.tool ?? null)
  return { state: 'warn', tool, repeats: Math.max(echoes, sentences), cycleLength: 0, hints }
}

function grade(repeats: number, haltsAt: number): TaskState {
  if (repeats < 2) return 'ok'
  if (repeats >= haltsAt) return 'halted'
  if (repeats >= constrainedShare * haltsAt) return 'constrained'
  return repeats >= warnShare * haltsAt ? 'warn' : 'ok'
}

interface Step {
  readonly key: string
  readonly tool: string
}

/** Groups the states by turn: between results of one turn no message of the assistant's can stand. */
function stepsOf(states: readonly ToolState[]): Step[] {
  const turns: ToolState[][] = []
  let last: ToolState | undefined
  for (const state of states) {
    const turn = turns.at(-1)
    if (turn !== undefined && last !== undefined && state.message - last.message <= 1) turn.push(state)
    else turns.push([state])
    last = state
  }
  return turns.map((turn) => ({
    key: [...new Set(turn.map(({ callDigest, resultDigest }) => `${callDigest} ${resultDigest}`))].sort().join('\n'),
    tool: turn[0]?.tool ?? '',
  }))
}

interface Cycle {
  readonly repeats: number
  readonly length: number
  readonly tool: string
}

/** The tail that repeats most; of equal ones the shortest cycle. Null without a step. */
function longestCycle(steps: readonly Step[], maxCycle: number): Cycle | null {
  const last = steps.at(-1)
  if (last === undefined) return null
  const counts = new Map<string, number>()
  let best: Cycle = { repeats: 1, length: 1, tool: last.tool }
  for (const { key } of steps.toReversed()) {
    counts.set(key, (counts.get(key) ?? 0) + 1)
    if (counts.size > Math.max(1, maxCycle)) break
    const repeats = Math.min(...counts.values())
    if (repeats > best.repeats) best = { repeats, length: counts.size, tool: last.tool }
  }
  return best
}

/** How many failures of one class end the transcript; 0 where they are no echo. */
function echoCount(states: readonly ToolState[]): number {
  const error = states.at(-1)?.errorDigest ?? null
  if (error === null) return 0
  const from = states.findLastIndex(({ errorDigest }) => errorDigest !== error) + 1
  const echo = states.slice(from)
  const calls = new Set(echo.map(({ callDigest }) => callDigest))
  return echo.length >= echoedErrors && calls.size >= echoedCalls ? echo.length : 0
}

/** In how many of the last texts the most repeated sentence stands; 0 where that is no repetition. */
function sentenceCount(narration: TranscriptFacts['narration']): number {
  const texts = [...new Set(narration.map(({ message }) => message))].slice(-narratedTexts)
  const messages = new Map<string, Set<number>>()
  for (const { message, digest } of narration) {
    if (!texts.includes(message)) continue
    const said = messages.get(digest) ?? new Set()
    messages.set(digest, said.add(message))
  }
  const most = Math.max(0, ...[...messages.values()].map(({ size }) => size))
  return most >= repeatedSentences ? most : 0
}
