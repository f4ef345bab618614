import type { UpstreamDialect } from '../../shared/config.ts'
import { remembering } from '../memo.ts'

/**
 * Models whose tokenizers behave alike. Only OpenAI's vocabularies are public in full; the others are bounded by a margin
 * over o200k that was measured on prose, code, JSON and a dozen scripts with the tokenizers that are public.
 */
export type ModelFamily =
  | 'openai'
  | 'openai-cl100k'
  | 'claude-old'
  | 'claude-new'
  | 'gemini'
  | 'gemma'
  | 'qwen'
  | 'llama'
  | 'deepseek'
  | 'mistral'
  | 'unknown'

/** How a family's count is bounded from the o200k count of the same text. */
export interface FamilyMargin {
  /** Factor on the count. */
  readonly factor: number
  /**
   * Tokens added per digit: these tokenizers give each digit a token where o200k takes up to three together. The same
   * covers hexadecimal text and UUIDs.
   */
  readonly perDigit: number
  /**
   * Whether cl100k is counted too for text beyond ASCII, and the larger count taken: that absorbs nearly all of what these
   * tokenizers need more than o200k for other scripts. For ASCII the two differ by 2 % at most, which the factor covers.
   */
  readonly alsoCl100k: boolean
}

/** Margins per family. */
export const familyMargins: Readonly<Record<ModelFamily, FamilyMargin>> = {
  openai: { factor: 1.03, perDigit: 0, alsoCl100k: false },
  'openai-cl100k': { factor: 1.03, perDigit: 0, alsoCl100k: true },
  'claude-old': { factor: 1.35, perDigit: 0, alsoCl100k: true },
  'claude-new': { factor: 1.75, perDigit: 0, alsoCl100k: true },
  gemini: { factor: 1.25, perDigit: 0.67, alsoCl100k: true },
  gemma: { factor: 1.25, perDigit: 0.67, alsoCl100k: true },
  qwen: { factor: 1.12, perDigit: 0.67, alsoCl100k: true },
  llama: { factor: 1.1, perDigit: 0, alsoCl100k: true },
  deepseek: { factor: 1.12, perDigit: 0, alsoCl100k: true },
  mistral: { factor: 1.2, perDigit: 0, alsoCl100k: true },
  unknown: { factor: 1.35, perDigit: 0.67, alsoCl100k: true },
}

/** First match wins. Names as they appear anywhere in a model id, behind provider prefixes and before quantisation tags. */
const byName: readonly (readonly [RegExp, ModelFamily])[] = [
  [/claude-(?:v?[12](?:\D|$)|instant|3)|claude-[234][.-]\d?-?(?:opus|sonnet|haiku)/, 'claude-old'],
  [/claude-(?:opus|sonnet|haiku)-[34](?:$|[@:[-](?:0$|[1-6](?:\D|$)|\d{8}|latest))/, 'claude-old'],
  [/claude-(?:opus|sonnet|haiku)-4\.[0-6](?:\D|$)/, 'claude-old'],
  [/claude/, 'claude-new'],
  [/gemma/, 'gemma'],
  [/gemini|learnlm/, 'gemini'],
  [/deepseek.*(?:distill|r1-?:).*llama|deepseek.*llama/, 'llama'],
  [/deepseek.*qwen/, 'qwen'],
  [/deepseek/, 'deepseek'],
  [/qwen|qwq/, 'qwen'],
  [/mistral|mixtral|codestral|devstral|magistral|ministral|pixtral|voxtral/, 'mistral'],
  [/llama/, 'llama'],
  [/gpt-oss|gpt-4o|gpt-4\.[15]|chatgpt-4o|(?:^|\/)o[134](?:-|$)|gpt-[5-9]|codex-mini|computer-use/, 'openai'],
  [/gpt-4|gpt-3|gpt-35|text-embedding|davinci|babbage|ada-002/, 'openai-cl100k'],
]

const familyByName = remembering<ModelFamily | null>(1000, (model) => {
  const name = model.toLowerCase()
  return byName.find(([pattern]) => pattern.test(name))?.[1] ?? null
})

/** The family of a model. An unknown name at Anthropic's or Google's own server is taken for their newest. */
export function modelFamily(model: string, upstreamName: string, dialect: UpstreamDialect): ModelFamily {
  const named = familyByName(model)
  if (named !== null) return named
  if (upstreamName === 'anthropic' || dialect === 'anthropic') return 'claude-new'
  if (upstreamName === 'gemini' || dialect === 'gemini') return 'gemini'
  if (upstreamName === 'openai') return 'openai'
  return 'unknown'
}

/** Upper bound for a counted text: never more tokens than bytes, because every byte is a token of each vocabulary. */
export function upperTokens(
  family: ModelFamily,
  text: { readonly tokens: number; readonly digits: number; readonly utf8Bytes: number },
): number {
  const margin = familyMargins[family]
  const counted = text.tokens + Math.ceil(margin.perDigit * text.digits)
  return Math.min(text.utf8Bytes, Math.ceil(counted * margin.factor))
}
