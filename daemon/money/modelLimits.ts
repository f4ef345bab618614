import { remembering } from '../memo.ts'
import { candidates } from './modelNames.ts'

/**
 * The most output tokens of well-known models, so that a ceiling that is put in never exceeds what the model takes: a
 * provider answers that with an error. Sources: the model data of `gpt-tokenizer` 4.0, and the model pages of Anthropic and
 * Google. First match wins; a name that is not listed is unknown and stays unlimited.
 */
const limits: readonly (readonly [RegExp, number])[] = [
  [/^computer-use/, 1024],
  [/^gpt-4o(?:-mini)?-(?:transcribe|tts)/, 2000],
  [/^gpt-4o(?:-mini)?-realtime|^gpt-4o-2024-05-13|^gpt-realtime/, 4096],
  [/^gpt-3\.5|^gpt-35|^gpt-4-turbo|^gpt-4-(?:0125|1106)/, 4096],
  [/^gpt-4(?:-0314|-0613)?$/, 8192],
  [/^gpt-5(?:\.[1-3])?-chat/, 16_384],
  [/^(?:chatgpt-)?gpt-4o|^chatgpt-4o|^gpt-4\.5|^gpt-audio/, 16_384],
  [/^gpt-4\.1/, 32_768],
  [/^o1-preview/, 32_768],
  [/^o1-mini/, 65_536],
  [/^o[134](?:-|$)|^codex-mini/, 100_000],
  [/^gpt-5-pro/, 272_000],
  [/^gpt-5(?:[.-]|$)/, 128_000],
  [/^gpt-oss/, 131_072],
  [/^claude-3-(?:opus|sonnet|haiku)/, 4096],
  [/^claude-3[.-]5-/, 8192],
  [/^claude-3[.-]7-sonnet/, 64_000],
  [/^claude-opus-4(?:-[01])?(?:-?\d{8}|@\d{8})?$|^claude-opus-4-[01](?:[-@]|$)/, 32_000],
  [/^claude-(?:sonnet-4|haiku-4-5|opus-4-5)/, 64_000],
  [/^claude-opus-4-[678]|^claude-(?:opus|sonnet|haiku|fable)-5(?:-|$)/, 128_000],
  [/^gemini-(?:1\.|2\.0-(?!flash-thinking)|pro(?:-|$))/, 8192],
  [/^gemini-2\.5-flash-image/, 32_768],
  [/^gemini-(?:2\.[05]|3)/, 65_536],
]

/** Servers that run what they are given; a name there need not mean the model of that name. */
const localUpstreams = new Set(['ollama', 'lmstudio', 'vllm', 'llamacpp'])

/** Most output tokens of a model, or null where that is not known. */
export function modelMaxOutput(upstreamName: string, model: string): number | null {
  return localUpstreams.has(upstreamName) ? null : limitByName(model)
}

const limitByName = remembering<number | null>(1000, (model) => {
  const name = candidates(model).at(-1) ?? model
  return limits.find(([pattern]) => pattern.test(name))?.[1] ?? null
})
