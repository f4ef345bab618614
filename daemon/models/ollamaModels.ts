import { arrayIn, countIn, isObject, objectIn, stringIn } from '../dialects/read.ts'

/** Readers of what an Ollama server says about its models. Its answers are foreign input: anything may be in them. */

/** A model in the server's memory. */
export interface LoadedModel {
  /** Context length of one request, in tokens. */
  readonly window: number
}

/** What `/api/show` tells of a model. */
export interface ShownModel {
  /** `PARAMETER num_ctx` of its Modelfile. */
  readonly numCtx: number | null
  /** The context that it was trained with, in tokens. */
  readonly maximum: number | null
  readonly hasVision: boolean
  /** True for a model that the server only passes requests on for. */
  readonly isRemote: boolean
}

/** Larger numbers are no windows. */
const mostWindowTokens = 1_000_000_000
/** A line of parameters that is longer holds a text and no number. */
const longestParameterLine = 200

/**
 * The model in an answer of `GET /api/ps`: `null` where it is not loaded, `undefined` where this is no such answer. Servers
 * before 0.9 list models without their window, which is then not known either.
 */
export function loadedModel(answer: unknown, model: string): LoadedModel | null | undefined {
  if (!isObject(answer) || !Array.isArray(answer['models'])) return undefined
  const wanted = modelName(model)
  for (const entry of arrayIn(answer, 'models')) {
    if (!isObject(entry)) continue
    const names = [stringIn(entry, 'name'), stringIn(entry, 'model')]
    if (!names.some((name) => name !== null && modelName(name) === wanted)) continue
    const window = windowIn(entry, 'context_length')
    if (window !== null) return { window }
  }
  return null
}

/** An answer of `POST /api/show`; null where it is none. */
export function shownModel(answer: unknown): ShownModel | null {
  if (!isObject(answer)) return null
  const info = objectIn(answer, 'model_info') ?? {}
  const architecture = stringIn(info, 'general.architecture')
  const field = `${architecture ?? ''}.context_length`
  return {
    numCtx: parameter(stringIn(answer, 'parameters') ?? ''),
    maximum: Object.hasOwn(info, field) ? windowIn(info, field) : null,
    hasVision: arrayIn(answer, 'capabilities').includes('vision'),
    isRemote: (stringIn(answer, 'remote_host') ?? '') !== '',
  }
}

/** A name as the server resolves it: without the default registry and namespace, with the default tag, in small letters. */
export function modelName(name: string): string {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/^registry\.ollama\.ai\//, '')
    .replace(/^library\//, '')
  return plain.slice(plain.lastIndexOf('/') + 1).includes(':') ? plain : `${plain}:latest`
}

/** A whole number of tokens that a window can have, or null. */
export function windowIn(object: { readonly [name: string]: unknown }, name: string): number | null {
  const tokens = countIn(object, name)
  return tokens !== null && tokens > 0 && tokens <= mostWindowTokens ? tokens : null
}

/** `num_ctx` of the parameters' lines, of which the last counts. */
function parameter(text: string): number | null {
  let found: number | null = null
  for (const line of text.split('\n')) {
    if (line.length > longestParameterLine) continue
    const [, digits] = /^num_ctx\s+"?(\d{1,9})"?$/.exec(line.trim()) ?? []
    if (digits !== undefined) found = Number(digits) > 0 ? Number(digits) : null
  }
  return found
}
