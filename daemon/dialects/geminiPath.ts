import { remembering } from '../memo.ts'
import type { ModelInPath } from './dialect.ts'

/** A call as its path says it: `/v1beta/models/gemini-2.5-pro:streamGenerateContent`. */
export interface GeminiCall {
  readonly version: string
  /** What stands before the model's own name: `models`, or Vertex's `projects/p/locations/l/publishers/google/models`. */
  readonly collection: string
  /** Tuned models and endpoints keep their collection, so that none is taken for the model of the same name. */
  readonly model: string
  readonly method: string
}

/** A version as the first part of a path: `v1`, `v1beta`, `v1alpha`, `v1beta1`. */
export const geminiVersion = /^v\d+(?:(?:alpha|beta)\d*)?$/

const modelCall =
  /^\/(v\d+(?:(?:alpha|beta)\d*)?)\/((?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/google\/models|models|tunedModels|endpoints))\/([^/]+):([A-Za-z]+)$/

/** Longest name that is taken for a model's; names come from clients. */
const mostModelChars = 512

/** Reads a normalised path, escapes and a query allowed. Null for one that is no call of a model. */
export function geminiCall(path: string): GeminiCall | null {
  return readPath(path.split('?', 1)[0] ?? '')
}

/** Where a Gemini request names its model. */
export const modelInGeminiPath: ModelInPath = {
  modelOf: (path) => geminiCall(path)?.model ?? null,
  withModel(path, model) {
    const call = geminiCall(path)
    if (call === null) return path
    const queryAt = path.indexOf('?')
    const query = queryAt < 0 ? '' : path.slice(queryAt)
    const collection = call.collection.replace(/(?:tunedModels|endpoints)$/, (kind) =>
      kind === 'endpoints' ? 'publishers/google/models' : 'models',
    )
    const name = encodeURIComponent(model.replace(/^models\//, ''))
    return `/${call.version}/${collection}/${name}:${call.method}${query}`
  },
}

/** True where the answer comes in parts: as events with `alt=sse`, else as one JSON array. */
export function streams(call: GeminiCall): boolean {
  return call.method === 'streamGenerateContent'
}

const readPath = remembering<GeminiCall | null>(500, (plain) => {
  const found = modelCall.exec(unescaped(plain))
  const [, version, collection, name, method] = found ?? []
  if (version === undefined || collection === undefined || name === undefined || method === undefined) return null
  if (name.length > mostModelChars || /[\u0000-\u001f\u007f]/.test(name)) return null
  const kind = collection.slice(collection.lastIndexOf('/') + 1)
  return { version, collection, model: kind === 'models' ? name : `${kind}/${name}`, method }
})

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
