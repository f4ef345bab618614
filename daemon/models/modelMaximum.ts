import { remembering } from '../memo.ts'
import { candidates } from '../money/modelNames.ts'

/**
 * Windows of well-known providers' models, in tokens, each the largest that the name can have: prompts that are larger
 * cannot fit under any option of the request. Sources: the model data of `gpt-tokenizer` 4.0 and of `genai-prices` 0.1.8.
 * First match wins; a name that is not listed is unknown.
 */
const maxima: readonly (readonly [RegExp, number])[] = [
  [/^gpt-3\.5|^gpt-35/, 16_385],
  [/^gpt-4(?:-0314|-0613)?$/, 8192],
  [/^gpt-4-(?:turbo|0125|1106)/, 128_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-4o/, 128_000],
  [/^o1-(?:mini|preview)/, 128_000],
  [/^o[134](?:-|$)|^codex-mini/, 200_000],
  [/^gpt-5(?:\.[12])?(?:-|$)/, 400_000],
  [/^claude-3|^claude-haiku-4-5/, 200_000],
  // With a beta header, or without one since 4.6.
  [/^claude-(?:sonnet|opus)-4/, 1_000_000],
  [/^gemini-1\.5-pro|^gemini-pro-1\.5/, 2_097_152],
  [/^gemini-(?:1\.5-flash|2\.|3)/, 1_048_576],
  [/^gemini-embedding-001/, 2048],
]

/** The largest window of a provider's model, or null where that is not known. */
export const modelMaximum = remembering<number | null>(1000, (model) => {
  const name = candidates(model).at(-1) ?? model
  return maxima.find(([pattern]) => pattern.test(name))?.[1] ?? null
})
