import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { ApiError } from '@google/genai'
import { generateText, streamText } from 'ai'
import OpenAI from 'openai'
import type { Gate } from './gate.ts'
import { providerKey } from './gate.ts'

/** One way in which a real SDK calls a model through the gate. */
export interface SdkCall {
  readonly name: string
  /** Name of the dialect as the ledger records it. */
  readonly dialect: string
  readonly upstream: 'openai' | 'anthropic' | 'gemini' | 'ollama'
  readonly streamed: boolean
  /** Makes the call with the SDK's own defaults (retries included). Resolves with the visible text; throws what the SDK throws. */
  readonly run: (gate: Gate) => Promise<string>
}

const prompt = 'How do I name a variable?'
const messages = [{ role: 'user' as const, content: prompt }]
const openaiModel = 'gpt-4o-mini'
const claude = 'claude-haiku-4-5'
const gemini = 'gemini-2.5-flash'
const local = 'gemma3:4b'

const aiOpenai = (gate: Gate) => createOpenAI({ baseURL: `${gate.daemon.base('openai')}/v1`, apiKey: providerKey })
const aiAnthropic = (gate: Gate) =>
  createAnthropic({ baseURL: `${gate.daemon.base('anthropic')}/v1`, apiKey: providerKey })
const openaiOnOllama = (gate: Gate) => new OpenAI({ baseURL: `${gate.daemon.base('ollama')}/v1`, apiKey: 'ollama' })
const anthropicOnOllama = (gate: Gate) => new Anthropic({ baseURL: gate.daemon.base('ollama'), apiKey: 'ollama' })

async function chatStream(client: OpenAI, model: string): Promise<string> {
  let text = ''
  const stream = await client.chat.completions.create({ model, messages, stream: true })
  // As clients in the wild do it: the first choice of every chunk, unasked.
  for await (const part of stream) text += part.choices[0]!.delta.content ?? ''
  return text
}

async function responseStream(client: OpenAI, model: string): Promise<string> {
  let text = ''
  for await (const event of await client.responses.create({ model, input: prompt, stream: true })) {
    if (event.type === 'response.output_text.delta') text += event.delta
    // This SDK does not throw for a failed response: the event is the documented form.
    if (event.type === 'response.failed') throw new Error(event.response.error?.message ?? 'failed without a message')
  }
  return text
}

async function aiStream(model: Parameters<typeof streamText>[0]['model']): Promise<string> {
  let text = ''
  const result = streamText({ model, prompt, onError: () => undefined })
  for await (const part of result.stream) {
    if (part.type === 'text-delta') text += part.text
    if (part.type === 'error') throw part.error
  }
  return text
}

/** This SDK's message is the body of the answer: in a terminal its quotes are read as such. */
async function legible(run: Promise<string>): Promise<string> {
  try {
    return await run
  } catch (fault) {
    if (fault instanceof ApiError) throw new Error(fault.message.replaceAll('\\"', '"'), { cause: fault })
    throw fault
  }
}

async function geminiStream(gate: Gate): Promise<string> {
  let text = ''
  const stream = await gate.gemini().models.generateContentStream({ model: gemini, contents: prompt })
  for await (const part of stream) text += part.text ?? ''
  return text
}

async function geminiVectors(gate: Gate): Promise<string> {
  const ask = { model: 'gemini-embedding-001', contents: [prompt, prompt] }
  return String((await gate.gemini().models.embedContent(ask)).embeddings?.length)
}

const messageText = (message: Anthropic.Message) =>
  message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')

/** Every SDK call that answers with text. */
export const textCalls: readonly SdkCall[] = [
  {
    name: 'openai chat',
    dialect: 'openai-chat',
    upstream: 'openai',
    streamed: false,
    run: async (gate) => {
      const answer = await gate.openai().chat.completions.create({ model: openaiModel, messages })
      return answer.choices[0]!.message.content ?? ''
    },
  },
  {
    name: 'openai chat, streamed',
    dialect: 'openai-chat',
    upstream: 'openai',
    streamed: true,
    run: (gate) => chatStream(gate.openai(), openaiModel),
  },
  {
    name: 'openai completions',
    dialect: 'openai-completions',
    upstream: 'openai',
    streamed: false,
    run: async (gate) => {
      const answer = await gate
        .openai()
        .completions.create({ model: 'gpt-3.5-turbo-instruct', prompt, max_tokens: 2000 })
      return answer.choices[0]!.text
    },
  },
  {
    name: 'openai completions, streamed',
    dialect: 'openai-completions',
    upstream: 'openai',
    streamed: true,
    run: async (gate) => {
      let text = ''
      const ask = { model: 'gpt-3.5-turbo-instruct', prompt, max_tokens: 2000, stream: true } as const
      for await (const part of await gate.openai().completions.create(ask)) text += part.choices[0]!.text
      return text
    },
  },
  {
    name: 'openai responses',
    dialect: 'openai-responses',
    upstream: 'openai',
    streamed: false,
    run: async (gate) => (await gate.openai().responses.create({ model: openaiModel, input: prompt })).output_text,
  },
  {
    name: 'openai responses, streamed',
    dialect: 'openai-responses',
    upstream: 'openai',
    streamed: true,
    run: (gate) => responseStream(gate.openai(), openaiModel),
  },
  {
    name: 'anthropic messages',
    dialect: 'anthropic-messages',
    upstream: 'anthropic',
    streamed: false,
    run: async (gate) =>
      messageText(await gate.anthropic().messages.create({ model: claude, max_tokens: 2000, messages })),
  },
  {
    name: 'anthropic messages, streamed',
    dialect: 'anthropic-messages',
    upstream: 'anthropic',
    streamed: true,
    run: async (gate) =>
      messageText(await gate.anthropic().messages.stream({ model: claude, max_tokens: 2000, messages }).finalMessage()),
  },
  {
    name: 'gemini generateContent',
    dialect: 'gemini-generate',
    upstream: 'gemini',
    streamed: false,
    run: (gate) =>
      legible(
        gate
          .gemini()
          .models.generateContent({ model: gemini, contents: prompt })
          .then(({ text }) => text ?? ''),
      ),
  },
  {
    name: 'gemini generateContent, streamed',
    dialect: 'gemini-generate',
    upstream: 'gemini',
    streamed: true,
    run: (gate) => legible(geminiStream(gate)),
  },
  {
    name: 'ollama chat',
    dialect: 'ollama-chat',
    upstream: 'ollama',
    streamed: false,
    run: async (gate) => (await gate.ollama().chat({ model: local, messages })).message.content,
  },
  {
    name: 'ollama chat, streamed',
    dialect: 'ollama-chat',
    upstream: 'ollama',
    streamed: true,
    run: async (gate) => {
      let text = ''
      for await (const part of await gate.ollama().chat({ model: local, messages, stream: true }))
        text += part.message.content
      return text
    },
  },
  {
    name: 'ollama generate',
    dialect: 'ollama-generate',
    upstream: 'ollama',
    streamed: false,
    run: async (gate) => (await gate.ollama().generate({ model: local, prompt })).response ?? '',
  },
  {
    name: 'ollama generate, streamed',
    dialect: 'ollama-generate',
    upstream: 'ollama',
    streamed: true,
    run: async (gate) => {
      let text = ''
      for await (const part of await gate.ollama().generate({ model: local, prompt, stream: true }))
        text += part.response ?? ''
      return text
    },
  },
  {
    name: 'openai chat on Ollama, streamed',
    dialect: 'openai-chat',
    upstream: 'ollama',
    streamed: true,
    run: (gate) => chatStream(openaiOnOllama(gate), local),
  },
  {
    name: 'openai responses on Ollama, streamed',
    dialect: 'openai-responses',
    upstream: 'ollama',
    streamed: true,
    run: (gate) => responseStream(openaiOnOllama(gate), local),
  },
  {
    name: 'anthropic messages on Ollama, streamed',
    dialect: 'anthropic-messages',
    upstream: 'ollama',
    streamed: true,
    run: async (gate) =>
      messageText(
        await anthropicOnOllama(gate).messages.stream({ model: local, max_tokens: 2000, messages }).finalMessage(),
      ),
  },
  {
    name: 'AI SDK openai chat',
    dialect: 'openai-chat',
    upstream: 'openai',
    streamed: false,
    run: async (gate) => (await generateText({ model: aiOpenai(gate).chat(openaiModel), prompt })).text,
  },
  {
    name: 'AI SDK openai chat, streamed',
    dialect: 'openai-chat',
    upstream: 'openai',
    streamed: true,
    run: (gate) => aiStream(aiOpenai(gate).chat(openaiModel)),
  },
  {
    name: 'AI SDK openai responses',
    dialect: 'openai-responses',
    upstream: 'openai',
    streamed: false,
    run: async (gate) => (await generateText({ model: aiOpenai(gate).responses(openaiModel), prompt })).text,
  },
  {
    name: 'AI SDK openai responses, streamed',
    dialect: 'openai-responses',
    upstream: 'openai',
    streamed: true,
    run: (gate) => aiStream(aiOpenai(gate).responses(openaiModel)),
  },
  {
    name: 'AI SDK anthropic messages',
    dialect: 'anthropic-messages',
    upstream: 'anthropic',
    streamed: false,
    run: async (gate) => (await generateText({ model: aiAnthropic(gate)(claude), prompt })).text,
  },
  {
    name: 'AI SDK anthropic messages, streamed',
    dialect: 'anthropic-messages',
    upstream: 'anthropic',
    streamed: true,
    run: (gate) => aiStream(aiAnthropic(gate)(claude)),
  },
]

/** Every SDK call that answers with vectors; resolves with their number. */
export const vectorCalls: readonly SdkCall[] = [
  {
    name: 'openai embeddings',
    dialect: 'openai-embeddings',
    upstream: 'openai',
    streamed: false,
    run: async (gate) => {
      const answer = await gate.openai().embeddings.create({ model: 'text-embedding-3-small', input: [prompt, prompt] })
      return String(answer.data.length)
    },
  },
  {
    name: 'gemini batchEmbedContents',
    dialect: 'gemini-embed',
    upstream: 'gemini',
    streamed: false,
    run: (gate) => legible(geminiVectors(gate)),
  },
  {
    name: 'ollama embed',
    dialect: 'ollama-embed',
    upstream: 'ollama',
    streamed: false,
    run: async (gate) => {
      const answer = await gate.ollama().embed({ model: 'nomic-embed-text', input: [prompt, prompt] })
      return String(answer.embeddings.length)
    },
  },
]
