/**
 * What one call used, in tokens. The buckets are disjoint except `reasoning`, which lies inside `output`, so that
 * `input + cacheRead + cacheWrite5m + cacheWrite1h` is everything the model read, whatever the provider's own convention.
 */
export interface Usage {
  /** Uncached input tokens. */
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
  /** All output tokens, reasoning included. */
  readonly output: number
  /** The part of `output` that was reasoning. */
  readonly reasoning: number
  /** Audio tokens inside `input`, inside `cacheRead` and inside `output`, priced by their own rate. */
  readonly audioInput: number
  readonly audioCacheRead: number
  readonly audioOutput: number
  /** Image tokens inside `input` and inside `output`, priced by their own rate where the model has one. */
  readonly imageInput: number
  readonly imageOutput: number
  /** Server-side web searches, charged by the request. */
  readonly webSearches: number
  /** Server-side searches in stored files, charged by the request. */
  readonly fileSearches: number
  /** Containers in which the provider ran code, charged by the piece. */
  readonly codeContainers: number
}

/** No tokens at all. */
export const noUsage: Usage = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
  audioInput: 0,
  audioCacheRead: 0,
  audioOutput: 0,
  imageInput: 0,
  imageOutput: 0,
  webSearches: 0,
  fileSearches: 0,
  codeContainers: 0,
}

/** Every token that the model read: the size of the prompt. */
export function totalInput(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h
}

/** Every token of the call, as token budgets count them. */
export function totalTokens(usage: Usage): number {
  return totalInput(usage) + usage.output
}
