import type { DialectName } from '../call.ts'

/**
 * Silent truncation is a success with a wrong answer: prompts of 12,920 and of 38,980 tokens were cut to 2,051 by a window
 * of 4,096, the usage said 2,051 and the client saw status 200. The verdict compares what we estimated with what the
 * server says it read, against a low estimate, because a false alarm costs trust.
 */

/** What the verdict is made from. */
export interface TruncationInput {
  /** Plain count of the prompt's text. */
  readonly textTokens: number
  /** Reported ÷ estimated as it is for this model; 1 while it is not known. */
  readonly ratio: number
  /** Everything the provider says it read, cached parts included; 0 or null where it did not say (I05). */
  readonly reportedInputTokens: number | null
  /** The request's own `num_ctx` and `num_keep`. Not binding: the OpenAI route of Ollama ignores them (I03). */
  readonly numCtx: number | null
  readonly numKeep: number | null
  /** The server is one that may cut prompts in silence, so that its windows' marks count as proof. */
  readonly localServer: boolean
  /** The previous prompt of the same model. */
  readonly previous: { readonly textTokens: number; readonly reported: number } | null
}

/** Whether the provider answered on a cut prompt. */
export type TruncationVerdict =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'truncated'
      /** `certain`: the count carries the mark of a window that the prompt does not fit into. */
      readonly certainty: 'probable' | 'certain'
      readonly estimated: number
      readonly reported: number
      /** The window that the mark belongs to, in tokens. */
      readonly window?: number
    }

/** Below this share of the estimate a report is suspicious: no natural text measured so far falls under 0.65. */
const leastShare = 0.6
/** A gap that small is templates and rounding. */
const leastGapTokens = 256
/** Growth of a prompt below which an equal count says nothing. */
const leastGrowthTokens = 64
/** An estimate this far above a window is no error of counting. */
const clearExcess = 1.25
/** Tokens that Ollama keeps of the front unless the request says otherwise. */
const defaultNumKeep = 4

/** Windows that a server may have without our knowledge: 2,048 to 1,048,576 tokens. */
const commonWindows = Array.from({ length: 10 }, (_, power) => 2048 * 2 ** power)

/** Judges one answered call. */
export function judgeTruncation(input: TruncationInput): TruncationVerdict {
  const reported = input.reportedInputTokens
  if (reported === null || reported <= 0) return { kind: 'none' }
  // A ratio above 1 is not believed here: it would turn an over-estimate into an alarm.
  const expected = input.textTokens * Math.min(1, input.ratio)
  const gap = expected - reported
  if (gap <= 0) return { kind: 'none' }
  const found = { kind: 'truncated', estimated: Math.round(expected), reported } as const
  const window = cutWindow(input, expected, reported)
  if (window !== null) return { ...found, certainty: 'certain', window }
  if (gap <= leastGapTokens) return { kind: 'none' }
  if (reported < leastShare * expected || stoppedGrowing(input, reported)) return { ...found, certainty: 'probable' }
  return { kind: 'none' }
}

/** Tokens that Ollama (0.30.11 and later) lets through for a window and a number of kept tokens. */
export function keptTokens(window: number, keep: number): number {
  const front = Math.min(keep, window - 1)
  return window - Math.max(Math.floor((window - front) / 2), 1)
}

/** The window whose mark the reported count carries, if the prompt is too large for it. */
function cutWindow(input: TruncationInput, expected: number, reported: number): number | null {
  const asked = input.numCtx
  const keep = input.numKeep ?? defaultNumKeep
  if (asked !== null && expected > asked) {
    // Older versions report the whole window, or all but one.
    const whole = reported === asked || reported === asked - 1
    if (whole || isHalf(reported, asked, keep)) return asked
  }
  if (!input.localServer) return null
  for (const window of commonWindows) {
    if (expected <= window) return null
    if (isHalf(reported, window, keep)) return window
    if ((reported === window || reported === window - 1) && expected > clearExcess * window) return window
  }
  return null
}

/** `keep` is one more where the tokenizer puts a mark at the beginning. */
function isHalf(reported: number, window: number, keep: number): boolean {
  const front = keep < 0 ? window : keep
  return reported === keptTokens(window, front) || reported === keptTokens(window, front + 1)
}

/** The same count for a prompt that grew (I02). */
function stoppedGrowing(input: TruncationInput, reported: number): boolean {
  const { previous } = input
  return (
    previous !== null &&
    previous.reported === reported &&
    input.textTokens - previous.textTokens > Math.max(leastGrowthTokens, previous.textTokens * 0.02)
  )
}

/** What is known of an answer's end. */
export interface AnswerEnd {
  readonly dialect: DialectName
  /** Raw finish reason of the provider. */
  readonly finish: string | null
  readonly visibleChars: number
  readonly toolCalls: number
  readonly outputTokens: number
  /** Output ceiling that went upstream; null where nothing is produced. */
  readonly outputCeiling: number | null
}

/** Finish reasons that mean the output limit, over all dialects. */
const limitReasons = new Set([
  'length',
  'model_length',
  'max_tokens',
  'max_output_tokens',
  'model_context_window_exceeded',
])

/**
 * An answer that ended at its output limit: `empty_answer` when all of it was thinking and nothing can be read,
 * `output_limit` when it was merely cut.
 */
export function judgeAnswer(end: AnswerEnd): 'none' | 'empty_answer' | 'output_limit' {
  // A ceiling of 0 asks for nothing but a warm cache.
  if (end.outputCeiling === null || end.outputCeiling === 0) return 'none'
  if (!endedAtLimit(end)) return 'none'
  return end.visibleChars === 0 && end.toolCalls === 0 ? 'empty_answer' : 'output_limit'
}

/** Ollama's emulation of the Responses API says `completed` at the limit too; there the count tells. */
function endedAtLimit(end: AnswerEnd): boolean {
  if (end.finish !== null && limitReasons.has(end.finish.toLowerCase())) return true
  return end.dialect === 'openai-responses' && end.outputCeiling !== null && end.outputTokens >= end.outputCeiling
}
