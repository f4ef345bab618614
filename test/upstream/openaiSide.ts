import { overridden } from './answer.ts'
import { listOf, numberOf } from './json.ts'
import { countPrompt } from './openaiCompletions.ts'
import { modelOf, openaiHeaders, openaiPrecheck } from './openaiShared.ts'
import type { Ask, Headers, Reply } from './reply.ts'

/** Vectors of a request: one per text, or per list of token ids. Made up, of the asked length. */
export function vectorsOf(input: unknown, dimensions: number): number[][] {
  const list = listOf(input)
  const count = typeof input === 'string' || typeof list[0] === 'number' ? 1 : list.length
  return Array.from({ length: count }, (_, row) =>
    Array.from({ length: dimensions }, (_, column) => (row + column + 1) / 1024),
  )
}

/** `POST /v1/embeddings`; `encoding_format: base64` (the SDK's wish) gives little-endian floats. */
export function openaiEmbeddings(ask: Ask): Reply {
  const refused = openaiPrecheck(ask)
  return refused ?? embeddingsReply(ask, ask.step.inputTokens ?? countPrompt(ask.body['input']), openaiHeaders(ask))
}

/** The answer of an embeddings server. */
export function embeddingsReply(ask: Ask, inputTokens: number, headers: Headers): Reply {
  const vectors = vectorsOf(ask.body['input'], numberOf(ask.body['dimensions']) ?? 8)
  const base64 = ask.body['encoding_format'] === 'base64'
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: base64 ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector,
  }))
  const usage = overridden({ prompt_tokens: inputTokens, total_tokens: inputTokens }, ask.step)
  return { kind: 'json', status: 200, headers, body: { object: 'list', data, model: modelOf(ask), usage } }
}

/** `GET /v1/models` and `/v1/models/{id}`. */
export function openaiModels(ask: Ask): Reply {
  const models = ['gpt-4o-mini', 'gpt-4o', 'gpt-5.5', 'text-embedding-3-small'].map((id) => ({
    id,
    object: 'model',
    created: 1_700_000_000,
    owned_by: 'openai',
  }))
  const name = ask.path.split('?')[0]?.split('/models/')[1]
  const body = name === undefined ? { object: 'list', data: models } : { ...models[0], id: name }
  return { kind: 'json', status: 200, headers: openaiHeaders(ask), body }
}
