import { listOf, numberOf, objectOf, textOf } from './json.ts'
import type { Ask, Memory } from './reply.ts'
import { countContent, countJson, countTokens, imageTokens, textOfTokens, tokenIds } from './tokens.ts'

/** What is left of a prompt after Ollama's silent cut. All lengths in tokens. */
export interface Cut {
  /** Tokens that the model reads, and that the usage field reports. */
  readonly sent: number
  /** Tokens kept at the front. */
  readonly keep: number
  readonly truncated: boolean
}

/**
 * Ollama's cut inside the runner since v0.30.11: a prompt of `prompt` tokens (BOS counted) against a window of `context`
 * keeps `num_keep` tokens of the front and fills up to half of the rest with the tail.
 */
export function cutPrompt(prompt: number, context: number, numKeep: number, addsBos: boolean): Cut {
  const wanted = (numKeep < 0 ? prompt : numKeep) + (addsBos ? 1 : 0)
  const keep = Math.min(wanted, context - 1)
  if (prompt <= context - 1) return { sent: prompt, keep, truncated: false }
  return { sent: context - Math.max(Math.floor((context - keep) / 2), 1), keep, truncated: true }
}

/** Whether the model's tokenizer puts a BOS token in front. */
export function addsBos(model: string): boolean {
  return !/^(qwen|gpt-oss|deepseek|phi)/.test(model)
}

/** Tokens around each message that a chat template adds. */
const templateTokens = 4

interface Rendered {
  readonly role: string
  readonly text: string
  readonly tokens: number
  readonly images: number
}

/** A request's prompt as the server renders it: one entry per message, in order. */
export function renderMessages(messages: unknown, splitParts: boolean): readonly Rendered[] {
  return listOf(messages).flatMap((message) => {
    const { role, content, images, tool_calls: toolCalls } = objectOf(message)
    // The OpenAI layer turns every part of a content array into a message of its own.
    const contents = splitParts && Array.isArray(content) ? (content as unknown[]).map((part) => [part]) : [content]
    return contents.map((one, position) => ({
      role: textOf(role, 'user'),
      text:
        typeof one === 'string'
          ? one
          : listOf(one)
              .map((part) => textOf(objectOf(part)['text']))
              .join(''),
      tokens: templateTokens + countContent(one) + (position === 0 ? countJson(toolCalls) : 0),
      images: position === 0 ? listOf(images).length : 0,
    }))
  })
}

/** Training context of every model here. */
export const modelContext = 131_072

/** The window that a model is loaded with for a request: its `num_ctx`, the Modelfile's, the server's; bounded by the model. */
export function contextFor(memory: Memory, model: string, numCtx: number | null): number {
  return Math.min(modelContext, Math.max(4, numCtx ?? memory.ollamaModelfiles[model] ?? memory.ollamaContext))
}

/** What the server makes of a prompt: the tokens that were read, or the error of `truncate: false`. */
export interface Windowed {
  readonly promptTokens: number
  readonly error: string | null
  /** Text that the model still sees. */
  readonly seen: string
}

/** Both stages of Ollama's cut on a rendered conversation. `toolTokens` ride along with every stage. */
export function windowed(ask: Ask, rendered: readonly Rendered[], toolTokens: number): Windowed {
  const options = objectOf(ask.body['options'])
  const model = textOf(ask.body['model'])
  const context = contextFor(ask.memory, model, numberOf(options['num_ctx']))
  ask.memory.loaded.set(model, context)
  const bos = addsBos(model) ? 1 : 0
  const size = (list: readonly Rendered[]) =>
    list.reduce((sum, message) => sum + message.tokens + message.images * imageTokens, bos + toolTokens)
  const whole = ask.step.inputTokens ?? size(rendered)
  if (ask.body['truncate'] === false && whole > context - 1) {
    const error = 'the prompt is longer than the context length currently available to the model'
    return { promptTokens: whole, error, seen: '' }
  }
  // Stage 1, whole messages: the oldest go first, system messages stay, the last message always stays.
  let kept = rendered
  for (let from = 1; size(kept) > context && from < rendered.length; from += 1) {
    kept = rendered.filter((message, position) => position >= from || message.role === 'system')
  }
  const prompt = ask.step.inputTokens ?? size(kept)
  // Stage 2, inside the runner; with images llama-server refuses instead of cutting.
  const cut = cutPrompt(prompt, context, numberOf(options['num_keep']) ?? 4, bos === 1)
  const text = kept.map((message) => message.text).join('\n')
  if (!cut.truncated) return { promptTokens: prompt, error: null, seen: text }
  if (kept.some((message) => message.images > 0)) {
    const message = `request (${prompt} tokens) exceeds the available context size (${context} tokens), try increasing it`
    const inner = { code: 400, message, type: 'exceed_context_size_error', n_prompt_tokens: prompt, n_ctx: context }
    return { promptTokens: prompt, error: JSON.stringify({ error: inner }), seen: '' }
  }
  const ids = ask.step.echoWindow === true ? tokenIds(text) : []
  const tail = cut.sent - cut.keep
  const seen = `${textOfTokens(ids.slice(0, cut.keep))}${textOfTokens(tail > 0 ? ids.slice(-tail) : [])}`
  return { promptTokens: cut.sent, error: null, seen }
}

/** A prompt without messages (`/api/generate`) as one rendered message. */
export function renderPrompt(prompt: string, system: string, images: unknown): readonly Rendered[] {
  const user = {
    role: 'user',
    text: prompt,
    tokens: templateTokens + countTokens(prompt),
    images: listOf(images).length,
  }
  if (system === '') return [user]
  return [{ role: 'system', text: system, tokens: templateTokens + countTokens(system), images: 0 }, user]
}
