import type { DialectName } from '../call.ts'
import { anthropicMessages } from './anthropicMessages.ts'
import type { Dialect } from './dialect.ts'
import { geminiEmbed } from './geminiEmbed.ts'
import { geminiGenerate } from './geminiGenerate.ts'
import { ollamaChat } from './ollamaChat.ts'
import { ollamaEmbed } from './ollamaEmbed.ts'
import { ollamaGenerate } from './ollamaGenerate.ts'
import { openaiChat } from './openaiChat.ts'
import { openaiCompletions } from './openaiCompletions.ts'
import { openaiEmbeddings } from './openaiEmbeddings.ts'
import { openaiResponses } from './openaiResponses.ts'

/** Every wire format that has an accounting. A new provider is a file and a line here. */
const dialects: Readonly<Record<DialectName, Dialect>> = {
  'openai-chat': openaiChat,
  'openai-completions': openaiCompletions,
  'openai-responses': openaiResponses,
  'openai-embeddings': openaiEmbeddings,
  'anthropic-messages': anthropicMessages,
  'ollama-chat': ollamaChat,
  'ollama-generate': ollamaGenerate,
  'ollama-embed': ollamaEmbed,
  'gemini-generate': geminiGenerate,
  'gemini-embed': geminiEmbed,
}

/** The wire format of that name. */
export function dialectByName(name: DialectName): Dialect {
  return dialects[name]
}
