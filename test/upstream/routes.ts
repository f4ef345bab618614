import { anthropicCount, anthropicError, anthropicMessages, anthropicModels } from './anthropic.ts'
import { geminiCount, geminiEmbed, geminiEmptyList, geminiError, geminiGenerate, geminiModels } from './gemini.ts'
import { applyTemplate, tokenize } from './localCounters.ts'
import {
  ollamaV1Chat,
  ollamaV1Completions,
  ollamaV1Embeddings,
  ollamaV1Messages,
  ollamaV1Models,
  ollamaV1Responses,
} from './ollamaEmulations.ts'
import { ollamaChat, ollamaEmbed, ollamaError, ollamaGenerate, ollamaSide } from './ollamaNative.ts'
import { openaiChat } from './openaiChat.ts'
import { openaiCompletions } from './openaiCompletions.ts'
import { openaiInputTokens, openaiResponseById, openaiResponses } from './openaiResponses.ts'
import { openaiEmbeddings, openaiModels } from './openaiSide.ts'
import { openaiError } from './openaiShared.ts'
import type { Ask, Endpoint, Reply } from './reply.ts'
import { vendorEndpoints } from './vendors.ts'

/** The provider that a path belongs to. */
export type Provider = 'openai' | 'anthropic' | 'ollama' | 'gemini'

/** One endpoint. `generates`: it makes a billable answer, so that queued steps are meant for it. */
export interface Route {
  readonly provider: Provider
  readonly generates: boolean
  readonly endpoint: Endpoint
}

type Table = Readonly<Record<string, readonly [Endpoint, boolean]>>

const tables: Readonly<Record<Provider, Table>> = {
  openai: {
    'POST /v1/chat/completions': [openaiChat, true],
    'POST /v1/completions': [openaiCompletions, true],
    'POST /v1/responses': [openaiResponses, true],
    'POST /v1/responses/input_tokens': [openaiInputTokens, false],
    'POST /v1/embeddings': [openaiEmbeddings, true],
    'POST /tokenize': [tokenize, false],
    'POST /apply-template': [applyTemplate, false],
    'GET /v1/models': [openaiModels, false],
    'GET /v1/models/*': [openaiModels, false],
    'GET /v1/responses/*': [openaiResponseById, false],
    'DELETE /v1/responses/*': [openaiResponseById, false],
    ...vendorEndpoints,
  },
  anthropic: {
    'POST /v1/messages': [anthropicMessages, true],
    'POST /v1/messages/count_tokens': [anthropicCount, false],
    'GET /v1/models': [anthropicModels, false],
    'GET /v1/models/*': [anthropicModels, false],
  },
  ollama: {
    'POST /api/chat': [ollamaChat, true],
    'POST /api/generate': [ollamaGenerate, true],
    'POST /api/embed': [ollamaEmbed, true],
    'GET /api/tags': [ollamaSide, false],
    'GET /api/ps': [ollamaSide, false],
    'GET /api/version': [ollamaSide, false],
    'POST /api/show': [ollamaSide, false],
    'GET /': [ollamaSide, false],
    'HEAD /': [ollamaSide, false],
    'POST /v1/chat/completions': [ollamaV1Chat, true],
    'POST /v1/completions': [ollamaV1Completions, true],
    'POST /v1/responses': [ollamaV1Responses, true],
    'POST /v1/messages': [ollamaV1Messages, true],
    'POST /v1/embeddings': [ollamaV1Embeddings, true],
    'GET /v1/models': [ollamaV1Models, false],
  },
  gemini: {
    'GET /v1beta/models': [geminiModels, false],
    'GET /v1beta/models/*': [geminiModels, false],
    'GET /v1beta/cachedContents': [geminiEmptyList, false],
    'GET /v1beta/files': [geminiEmptyList, false],
    'POST generateContent': [geminiGenerate, true],
    'POST streamGenerateContent': [geminiGenerate, true],
    'POST embedContent': [geminiEmbed, true],
    'POST batchEmbedContents': [geminiEmbed, true],
    'POST countTokens': [geminiCount, false],
  },
}

/**
 * Finds the endpoint of a request. Paths start with `/openai`, `/anthropic`, `/ollama` or `/gemini`; without such a prefix the
 * path and the headers tell the provider. Gemini's calls are found by the method behind the model's name.
 */
export function findRoute(method: string, path: string, headers: Ask['headers']): Route {
  const clean = path.split('?')[0] ?? ''
  const named = /^\/(openai|anthropic|ollama|gemini)(\/.*)?$/.exec(clean)
  const given = (named ? named[2] : clean) ?? '/'
  const provider = (named?.[1] as Provider | undefined) ?? guessProvider(given, headers)
  // Google's versions differ in nothing that is played here.
  const rest = provider === 'gemini' ? given.replace(/^\/v1(?:alpha)?(?=\/)/, '/v1beta') : given
  const table = tables[provider]
  const call = /^\/v\d\w*\/(?:models|publishers\/google\/models)\/[^/]+(?::|%3A)(\w+)$/i.exec(rest)?.[1]
  const found = table[`${method} ${call ?? rest}`] ?? table[`${method} ${rest.replace(/\/[^/]+$/, '/*')}`]
  if (found) return { provider, generates: found[1], endpoint: found[0] }
  return {
    provider,
    generates: false,
    endpoint: (ask) => errorReply(provider, ask, 404, `Unknown request URL: ${method} ${clean}`),
  }
}

function guessProvider(path: string, headers: Ask['headers']): Provider {
  if (path === '/' || path.startsWith('/api/')) return 'ollama'
  if (path.startsWith('/v1beta/')) return 'gemini'
  return path.startsWith('/v1/messages') || headers['anthropic-version'] !== undefined ? 'anthropic' : 'openai'
}

/** An error in the provider's own shape. */
export function errorReply(provider: Provider, ask: Ask, status: number, message: string): Reply {
  if (provider === 'gemini') return geminiError(status, message)
  if (provider === 'anthropic') return anthropicError(ask, status, message)
  return provider === 'openai' ? openaiError(ask, status, message) : ollamaError(status, message)
}
