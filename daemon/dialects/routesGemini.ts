import { geminiCall, geminiVersion } from './geminiPath.ts'
import type { DialectName } from '../call.ts'
import { unknownEndpoint, unsupported } from './routeTable.ts'
import type { Request, Route } from './routeTable.ts'

/** Methods of a model that are metered. */
const metered: ReadonlyMap<string, DialectName> = new Map<string, DialectName>([
  ['generateContent', 'gemini-generate'],
  ['streamGenerateContent', 'gemini-generate'],
  ['embedContent', 'gemini-embed'],
  ['batchEmbedContents', 'gemini-embed'],
])

/** Methods of a model that run none. */
const counters: ReadonlySet<string> = new Set(['countTokens', 'computeTokens'])

/** Methods of a model that are billed by rules that the gate does not have. */
const uncounted: Readonly<Record<string, string>> = {
  batchGenerateContent: 'Batches',
  asyncBatchEmbedContent: 'Batches',
  bidiGenerateContent: 'The Live API',
  predict: 'Image generation',
  predictLongRunning: 'Video generation',
}

/**
 * Resources that may be read and deleted, and what making or changing them costs. Files cost nothing; a cache is billed by the hour
 * from the moment it is made.
 */
const resources: Readonly<Record<string, string | null>> = {
  models: null,
  tunedModels: 'Fine-tuning',
  files: null,
  cachedContents: 'The storage of cached contents',
  batches: 'Batches',
  operations: null,
  fileSearchStores: 'File search stores',
  corpora: 'Stored corpora',
}

/** Resources of which the gate refuses everything, because what they start is billed elsewhere. */
const refused: Readonly<Record<string, string>> = {
  interactions: 'The Interactions API',
  auth_tokens: 'The Live API',
  authTokens: 'The Live API',
  ws: 'The Live API',
  openai: "Gemini's OpenAI-compatible API",
}

/**
 * Paths of a Gemini upstream, of Google's own API and of Vertex. The version may be present, missing and doubled; the model
 * stands in the path, as `models/{model}:{method}`, whose colon may be escaped.
 */
export function geminiRoute(request: Request): Route {
  const { method, query } = request
  const isUpload = request.parts[0] === 'upload'
  const own = isUpload ? request.parts.slice(1) : request.parts
  const firstName = own.findIndex((part) => !geminiVersion.test(part))
  const at = firstName < 0 ? own.length : firstName
  const version = own[at - 1] ?? 'v1beta'
  const parts = own.slice(at)
  const path = `/${version}/${parts.join('/')}${query}`
  const call = geminiCall(path)
  if (call !== null && method === 'POST') {
    const dialect = metered.get(call.method)
    if (dialect !== undefined) return unreadable(query) ?? { kind: 'metered', dialect, path }
    if (counters.has(call.method)) return { kind: 'free', path }
    return uncountedMethod(request, call.method)
  }
  const kind = parts[0] ?? ''
  if (isUpload) return kind === 'files' ? { kind: 'free', path: `/upload${path}` } : unknownEndpoint(request, parts)
  if (Object.hasOwn(refused, kind)) {
    const hint = kind === 'openai' ? ' Add it to upstreams as one with dialect openai.' : ''
    return unsupported(`${refused[kind] ?? ''} cannot be accounted for by the gate.${hint}`)
  }
  // Vertex puts its resources below a project.
  const resource = kind === 'projects' && parts[2] === 'locations' ? (parts[4] ?? '') : kind
  const ofVertex = resource === 'publishers' ? 'models' : resource
  if (!Object.hasOwn(resources, ofVertex)) return unknownEndpoint(request, parts)
  const idle = method === 'GET' || method === 'HEAD' || method === 'DELETE'
  const cancels = method === 'POST' && /(?::|%3a)cancel$/i.test(parts.at(-1) ?? '')
  const family = resources[ofVertex] ?? null
  if (idle || cancels || (ofVertex === 'files' && method === 'POST')) return { kind: 'free', path }
  return family === null
    ? unknownEndpoint(request, parts)
    : unsupported(`${family} cannot be accounted for by the gate; reading and deleting is.`)
}

/** Google's servers also answer in formats that are no JSON. What cannot be read cannot be accounted for. */
function unreadable(query: string): Route | null {
  const form = /[?&](?:\$|%24)?alt=([^&]*)/i.exec(query)?.[1]?.toLowerCase() ?? 'json'
  if (form === 'json' || form === 'sse' || form === '') return null
  return unsupported('An answer in a format other than alt=json and alt=sse cannot be accounted for by the gate.')
}

function uncountedMethod(request: Request, method: string): Route {
  const family = Object.hasOwn(uncounted, method) ? uncounted[method] : undefined
  const endpoint = `${method.slice(0, 40)} at ${request.upstreamName}`
  return unsupported(
    family === undefined
      ? `${endpoint} is not an endpoint whose cost the gate can account for.`
      : `${family} cannot be accounted for by the gate (${endpoint}).`,
  )
}
