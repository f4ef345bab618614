import type { DialectName } from '../call.ts'
import type { JsonObject } from '../dialects/dialect.ts'
import type { EditPath, EditValue } from '../dialects/edit.ts'
import { listField, objectField } from '../dialects/geminiFields.ts'
import { arrayIn, isObject, stringIn } from '../dialects/read.ts'

/** One tool result of a transcript, as far as compaction needs it. */
export interface CarriedResult {
  /** Where its content stands in the body. */
  readonly path: EditPath
  /** Results with the same number came back together, between two answers of the model. */
  readonly turn: number
  readonly textChars: number
  readonly images: number
  /** The content with a sentence in its place, in the form that it has; null where it must stay as it is. */
  readonly replaced: ((sentence: string) => EditValue) | null
}

/** The results of the client's own tools in a request, oldest first. What the provider's tools returned is its own. */
export function carriedResults(dialect: DialectName, body: JsonObject): readonly CarriedResult[] {
  const results = new Results()
  switch (dialect) {
    case 'openai-chat':
    case 'ollama-chat':
      for (const [index, message] of arrayIn(body, 'messages').entries()) {
        if (!isObject(message)) continue
        const { role } = message
        if (role === 'assistant') results.answered()
        else if (role === 'tool' || role === 'function') results.add(['messages', index, 'content'], message['content'])
      }
      break
    case 'anthropic-messages':
      for (const [index, message] of arrayIn(body, 'messages').entries()) {
        if (!isObject(message)) continue
        if (message['role'] === 'assistant') results.answered()
        for (const [place, block] of arrayIn(message, 'content').entries()) {
          if (!isObject(block) || block['type'] !== 'tool_result') continue
          results.add(['messages', index, 'content', place, 'content'], block['content'])
        }
      }
      break
    case 'openai-responses':
      for (const [index, item] of arrayIn(body, 'input').entries()) {
        if (!isObject(item)) continue
        const type = stringIn(item, 'type') ?? 'message'
        if (responsesResults.has(type)) results.add(['input', index, 'output'], item['output'])
        else if (type !== 'message' || item['role'] === 'assistant') results.answered()
      }
      break
    case 'gemini-generate':
      for (const [index, content] of arrayIn(body, 'contents').entries()) {
        if (!isObject(content)) continue
        if (content['role'] === 'model') results.answered()
        for (const [place, part] of arrayIn(content, 'parts').entries()) {
          if (!isObject(part) || objectField(part, 'functionResponse') === null) continue
          const name = part['functionResponse'] === undefined ? 'function_response' : 'functionResponse'
          const response = objectField(part, 'functionResponse') ?? {}
          // Pictures of a result stand beside it, and its text may speak of them.
          const isPlain = listField(response, 'parts').length === 0
          results.addObject(
            ['contents', index, 'parts', place, name, 'response'],
            isPlain ? response['response'] : null,
          )
        }
      }
      break
    case 'gemini-embed':
    case 'openai-completions':
    case 'openai-embeddings':
    case 'ollama-generate':
    case 'ollama-embed':
      break
  }
  return results.all
}

/** Results whose output is text or a list of parts. A computer's screenshot and a shell's records have forms of their own. */
const responsesResults: ReadonlySet<string> = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'apply_patch_call_output',
])

const textParts: ReadonlySet<unknown> = new Set(['text', 'input_text'])
const imageParts: ReadonlySet<unknown> = new Set(['image', 'image_url', 'input_image'])

class Results {
  readonly all: CarriedResult[] = []
  #turn = 0

  /** The model said something: it has read what came before. */
  answered(): void {
    if (this.all.at(-1)?.turn === this.#turn) this.#turn += 1
  }

  add(path: EditPath, content: unknown): void {
    this.all.push({ path, turn: this.#turn, ...readContent(content) })
  }

  /** Gemini's results are objects, most of them with one text in it. */
  addObject(path: EditPath, response: unknown): void {
    this.all.push({ path, turn: this.#turn, ...readObject(response) })
  }
}

type Content = Pick<CarriedResult, 'textChars' | 'images' | 'replaced'>

const fixed: Content = { textChars: 0, images: 0, replaced: null }

function readContent(content: unknown): Content {
  if (typeof content === 'string') return { textChars: content.length, images: 0, replaced: (sentence) => sentence }
  if (!Array.isArray(content)) return fixed
  let textChars = 0
  let images = 0
  let textType = 'text'
  let mark: unknown
  for (const part of content as readonly unknown[]) {
    // Documents can be cited, tool references load tools: later messages may depend on any part that is not plain.
    if (!isObject(part)) return fixed
    const { type, text } = part
    if (textParts.has(type) && typeof text === 'string') textChars += text.length
    else if (imageParts.has(type)) images += 1
    else return fixed
    if (type === 'input_text' || type === 'input_image') textType = 'input_text'
    mark = part['cache_control'] ?? mark
  }
  return { textChars, images, replaced: (sentence) => [{ type: textType, text: sentence, ...cacheControl(mark) }] }
}

function readObject(response: unknown): Content {
  if (!isObject(response)) return fixed
  const [first, ...others] = Object.entries(response)
  if (first !== undefined && others.length === 0 && typeof first[1] === 'string') {
    const [name, text] = first
    return { textChars: text.length, images: 0, replaced: (sentence) => ({ [name]: sentence }) }
  }
  const textChars = JSON.stringify(response).length
  return { textChars, images: 0, replaced: (sentence) => ({ output: sentence }) }
}

/** The client's cache breakpoint stays where it set it. */
function cacheControl(mark: unknown): { readonly cache_control?: EditValue } {
  return mark === undefined ? {} : { cache_control: mark as EditValue }
}
