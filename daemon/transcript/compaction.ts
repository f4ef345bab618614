import type { DialectName } from '../call.ts'
import type { JsonObject } from '../dialects/dialect.ts'
import type { FieldEdit } from '../dialects/edit.ts'
import { carriedResults } from './compactionResults.ts'
import type { CarriedResult } from './compactionResults.ts'

/**
 * An agent sends its whole transcript with every turn, so that the input of a task grows with the square of its turns. Of
 * all that a constrained task loses only this bends the curve: old tool results give way to a sentence, and what goes out
 * per turn stays about the same (design 3.1).
 *
 * Invariant: where the boundary stands depends on the transcript up to it and to the results since, and on nothing else.
 * A longer transcript of the same conversation therefore never moves it back, what was elided stays elided in the same
 * words, and the provider's cached prefix stays the same until the boundary moves.
 */

/** How much of the results a task keeps. */
export interface CompactionPolicy {
  /** Newest results that are never touched, besides all that the model has not read yet. */
  readonly keepResults: number
  /** Characters of results that stay when the boundary moves. */
  readonly keepChars: number
  /**
   * The boundary moves once the results behind it have more than this many times the characters that would then stay;
   * above 1. The larger, the longer a cached prefix lives and the more each turn carries.
   */
  readonly slack: number
  /** A shorter result stays: the sentence would be as long. */
  readonly minResultChars: number
}

/** About 6,000 tokens of results after the boundary moves, up to 12,000 before it moves again. */
export const compactionPolicy: CompactionPolicy = {
  keepResults: 3,
  keepChars: 24_000,
  slack: 2,
  minResultChars: 400,
}

/** What compaction does to one request. */
export interface Compaction {
  readonly edits: readonly FieldEdit[]
  readonly elidedResults: number
  /** Characters of text in them. */
  readonly elidedChars: number
  /** How many results, counted from the oldest, are old; those among them that are long enough are elided. */
  readonly boundary: number
}

/** Characters that an image weighs: at four per token what a picture of a million pixels costs. */
const imageChars = 6000

/**
 * Elides the old tool results of a request. System, human messages with their images, tool calls and the model's own words
 * stay, each call keeps its result, and a cache breakpoint inside a result stays in its place. Deterministic: the same
 * transcript gives the same edits, also in another process.
 */
export function compact(
  dialect: DialectName,
  body: JsonObject,
  policy: CompactionPolicy = compactionPolicy,
): Compaction {
  const results = carriedResults(dialect, body)
  const boundary = boundaryOf(results, policy)
  const edits: FieldEdit[] = []
  let elidedChars = 0
  for (const result of results.slice(0, boundary)) {
    if (result.replaced === null || weight(result, policy) === 0) continue
    edits.push({ path: result.path, value: result.replaced(sentenceFor(result)) })
    elidedChars += result.textChars
  }
  return { edits, elidedResults: edits.length, elidedChars, boundary }
}

/** Characters that eliding a result would save, roughly; 0 for one that stays. */
function weight({ textChars, images, replaced }: CarriedResult, { minResultChars }: CompactionPolicy): number {
  const chars = textChars + images * imageChars
  return replaced === null || chars < minResultChars ? 0 : chars
}

/** Lets the transcript grow result by result, as it did, and moves the boundary whenever the results behind it are too many. */
function boundaryOf(results: readonly CarriedResult[], policy: CompactionPolicy): number {
  const weights = results.map((result) => weight(result, policy))
  let boundary = 0
  let behind = 0
  /** Where the boundary would go now, and the weight that it would leave behind it. */
  let next = 0
  let wouldStay = 0
  let turnStart = 0
  for (const [index, result] of results.entries()) {
    if (result.turn !== results[turnStart]?.turn) turnStart = index
    behind += weights[index] ?? 0
    wouldStay += weights[index] ?? 0
    const limit = Math.min(turnStart, index + 1 - policy.keepResults)
    while (next < limit && wouldStay > policy.keepChars) {
      wouldStay -= weights[next] ?? 0
      next += 1
    }
    if (behind <= policy.slack * Math.max(policy.keepChars, wouldStay)) continue
    boundary = next
    behind = wouldStay
  }
  return boundary
}

function sentenceFor({ textChars, images }: CarriedResult): string {
  const parts = [
    ...(textChars > 0 ? [counted(textChars, 'character')] : []),
    ...(images > 0 ? [counted(images, 'image')] : []),
  ]
  return `[Tollgate left out ${parts.join(' and ')} of this old tool result to keep the task within its budget.]`
}

function counted(count: number, noun: string): string {
  return `${String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')} ${noun}${count === 1 ? '' : 's'}`
}
