import { decode, encode } from 'gpt-tokenizer'
import { listOf, objectOf, textOf } from './json.ts'

/** Text is text: `<|endoftext|>` in a prompt is no special token. */
const asText = { disallowedSpecial: new Set<string>() }

/** A long run without a break makes the encoder quadratic; such a text is counted in slices (one token more per cut). */
function slices(text: string): readonly string[] {
  return /\S{400}|\s{400}/.test(text) ? (text.match(/[\s\S]{1,400}/g) ?? []) : [text]
}

/** Token ids of a text (o200k). */
export function tokenIds(text: string): number[] {
  return slices(text).flatMap((slice) => encode(slice, asText))
}

/** The text of token ids. */
export function textOfTokens(ids: readonly number[]): string {
  return decode([...ids])
}

/** Number of tokens of a text (o200k). */
export function countTokens(text: string): number {
  return text === '' ? 0 : tokenIds(text).length
}

/** Number of tokens of a JSON value as it is serialised; 0 for what is absent. */
export function countJson(value: unknown): number {
  return value === undefined || value === null ? 0 : countTokens(JSON.stringify(value))
}

/** Tokens of one image when the request does not say more. */
export const imageTokens = 768

/**
 * Tokens of a message's content in any dialect: text, a list of parts, or nested tool results. Images count as
 * `imageTokens` and never as their base64 text.
 */
export function countContent(content: unknown): number {
  if (typeof content === 'string') return countTokens(content)
  let tokens = 0
  for (const part of listOf(content)) {
    const { type, text, content: inner, input } = objectOf(part)
    if (typeof part === 'string') tokens += countTokens(part)
    else if (typeof text === 'string') tokens += countTokens(text)
    else if (textOf(type).includes('image') || textOf(type).includes('file') || type === 'document')
      tokens += imageTokens
    else if (inner !== undefined) tokens += countContent(inner)
    else tokens += countJson(input)
  }
  return tokens
}

/** OpenAI's framing: 3 tokens a message, its role, its content, its tool calls, and 3 that open the answer. */
export function countMessages(messages: unknown): number {
  let tokens = 3
  for (const message of listOf(messages)) {
    const { content, tool_calls: toolCalls } = objectOf(message)
    tokens += 4 + countContent(content) + countJson(toolCalls)
  }
  return tokens
}
