import type { DialectName } from '../../../../daemon/call.ts'
import { chat, completions, deepseekBlock, embeddings, openaiBlock, responses, xaiBlock } from './openaiAnswers.ts'
import { gemini, geminiVectors, messages, ollama, ollamaVectors } from './otherAnswers.ts'
import type { Tellable, WriteAnswer } from './told.ts'

/** How a wire format tells a usage. Written from the providers' documentation, and without the readers under test. */
export interface Wire {
  readonly name: string
  readonly dialect: DialectName
  /** The gate's name of the upstream, and the price package's name of its provider. */
  readonly upstream: string
  readonly provider: string
  readonly tells: readonly Tellable[]
  readonly producesOutput: boolean
  readonly answer: WriteAnswer
}

const openaiTells = [
  'cacheRead',
  'cacheWrite5m',
  'reasoning',
  'audioInput',
  'imageInput',
  'audioOutput',
  'imageOutput',
] as const
const geminiTells = [
  'cacheRead',
  'audioCacheRead',
  'reasoning',
  'audioInput',
  'imageInput',
  'audioOutput',
  'imageOutput',
] as const
const plain = { producesOutput: true }

/** Every wire format, and chat once more as the other vendors speak it. */
export const wires: readonly Wire[] = [
  {
    ...plain,
    name: 'chat',
    dialect: 'openai-chat',
    upstream: 'openai',
    provider: 'openai',
    tells: openaiTells,
    answer: chat(openaiBlock),
  },
  {
    ...plain,
    name: 'chat at xAI',
    dialect: 'openai-chat',
    upstream: 'xai',
    provider: 'x-ai',
    tells: ['cacheRead', 'reasoning'],
    answer: chat(xaiBlock),
  },
  {
    ...plain,
    name: 'chat at DeepSeek',
    dialect: 'openai-chat',
    upstream: 'deepseek',
    provider: 'deepseek',
    tells: ['cacheRead', 'reasoning'],
    answer: chat(deepseekBlock),
  },
  {
    ...plain,
    name: 'chat at Mistral',
    dialect: 'openai-chat',
    upstream: 'mistral',
    provider: 'mistral',
    tells: ['cacheRead'],
    answer: chat(openaiBlock),
  },
  {
    ...plain,
    name: 'chat at Groq',
    dialect: 'openai-chat',
    upstream: 'groq',
    provider: 'groq',
    tells: ['cacheRead', 'reasoning'],
    answer: chat(openaiBlock),
  },
  {
    ...plain,
    name: 'completions',
    dialect: 'openai-completions',
    upstream: 'openai',
    provider: 'openai',
    tells: ['cacheRead', 'reasoning'],
    answer: completions,
  },
  {
    ...plain,
    name: 'Responses',
    dialect: 'openai-responses',
    upstream: 'openai',
    provider: 'openai',
    tells: ['cacheRead', 'cacheWrite5m', 'reasoning', 'webSearches', 'fileSearches'],
    answer: responses,
  },
  {
    name: 'embeddings',
    dialect: 'openai-embeddings',
    upstream: 'openai',
    provider: 'openai',
    tells: [],
    producesOutput: false,
    answer: embeddings,
  },
  {
    ...plain,
    name: 'Messages',
    dialect: 'anthropic-messages',
    upstream: 'anthropic',
    provider: 'anthropic',
    tells: ['cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'reasoning', 'webSearches'],
    answer: messages,
  },
  {
    ...plain,
    name: 'Gemini',
    dialect: 'gemini-generate',
    upstream: 'gemini',
    provider: 'google',
    tells: geminiTells,
    answer: gemini,
  },
  {
    name: 'Gemini embeddings',
    dialect: 'gemini-embed',
    upstream: 'gemini',
    provider: 'google',
    tells: ['imageInput'],
    producesOutput: false,
    answer: geminiVectors,
  },
]

/** Ollama's formats, which no price package knows: they are priced by the user. */
export const ollamaWires: readonly Omit<Wire, 'upstream' | 'provider'>[] = [
  { ...plain, name: 'Ollama chat', dialect: 'ollama-chat', tells: [], answer: ollama('message') },
  { ...plain, name: 'Ollama generate', dialect: 'ollama-generate', tells: [], answer: ollama('response') },
  { name: 'Ollama embed', dialect: 'ollama-embed', tells: [], producesOutput: false, answer: ollamaVectors },
]
