import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import type { Daemon } from './daemon.ts'
import { providerKey } from './gate.ts'

/** A tool that the agent runs when the model asks for it. */
export type Tool = (name: string, args: unknown) => Promise<string> | string

/**
 * An agent as people write it: it calls the model, runs the tool that the model asks for, appends both to its history, and
 * calls again until the model answers with text. Nothing in it knows of the gate but the base URL.
 */
export interface SdkAgent {
  /** What it holds of the conversation, in its SDK's own form. */
  readonly history: readonly unknown[]
  /** A message from the person, or from the harness that plays one. */
  say(text: string): void
  /** Works until the model is done, and resolves with its text. Throws what the SDK throws. */
  run(tool: Tool): Promise<string>
}

/** How an agent reaches the gate. */
export interface AgentOptions {
  readonly daemon: Daemon
  /** Explicit task in the base URL. */
  readonly task?: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Model calls after which an agent gives up by itself: what an unguarded loop was seen to make. */
export const patience = 41

const schema = { type: 'object' as const, properties: { page: { type: 'number' } } }
const described = { name: 'read_page', description: 'Reads a page of the manual.' }

function base(options: AgentOptions, upstream: string): string {
  const { daemon, task, key } = options
  return daemon.base(upstream, { ...(task === undefined ? {} : { task }), ...(key === undefined ? {} : { key }) })
}

function openaiOf(options: AgentOptions): OpenAI {
  const { headers = {} } = options
  return new OpenAI({ apiKey: providerKey, baseURL: `${base(options, 'openai')}/v1`, defaultHeaders: headers })
}

async function turns(turn: () => Promise<string | null>): Promise<string> {
  for (let made = 0; made < patience; made += 1) {
    const text = await turn()
    if (text !== null) return text
  }
  return 'I give up.'
}

/** Chat completions with the `openai` package. */
export function chatAgent(options: AgentOptions, model = 'gpt-4o-mini'): SdkAgent {
  const client = openaiOf(options)
  const history: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = []
  const tools = [{ type: 'function' as const, function: { ...described, parameters: schema } }]
  return {
    history,
    say: (content) => void history.push({ role: 'user', content }),
    run: (tool) =>
      turns(async () => {
        const ask = { model, max_completion_tokens: 200, tools, messages: history }
        const message = (await client.chat.completions.create(ask)).choices[0]!.message
        history.push(message)
        for (const call of message.tool_calls ?? []) {
          if (call.type !== 'function') continue
          const content = await tool(call.function.name, JSON.parse(call.function.arguments))
          history.push({ role: 'tool', tool_call_id: call.id, content })
        }
        return message.tool_calls === undefined ? (message.content ?? '') : null
      }),
  }
}

/** The Responses API with the `openai` package; the history is the client's own. */
export function responsesAgent(options: AgentOptions): SdkAgent {
  const client = openaiOf(options)
  const history: OpenAI.Responses.ResponseInputItem[] = []
  const tools = [{ type: 'function' as const, strict: false, ...described, parameters: schema }]
  return {
    history,
    say: (content) => void history.push({ role: 'user', content }),
    run: (tool) =>
      turns(async () => {
        const ask = { model: 'gpt-4o-mini', max_output_tokens: 200, tools, input: history, store: false }
        const response = await client.responses.create(ask)
        // The SDK's own recipe; its types of items differ in one that no model of this test makes.
        history.push(...(response.output as OpenAI.Responses.ResponseInputItem[]))
        const calls = response.output.filter((item) => item.type === 'function_call')
        for (const call of calls) {
          const output = await tool(call.name, JSON.parse(call.arguments))
          history.push({ type: 'function_call_output', call_id: call.call_id, output })
        }
        return calls.length === 0 ? response.output_text : null
      }),
  }
}

/** Streamed messages with `@anthropic-ai/sdk`. */
export function messagesAgent(options: AgentOptions): SdkAgent {
  const { headers = {} } = options
  const client = new Anthropic({ apiKey: providerKey, baseURL: base(options, 'anthropic'), defaultHeaders: headers })
  const history: Anthropic.MessageParam[] = []
  const tools = [{ ...described, input_schema: schema }]
  return {
    history,
    say: (content) => void history.push({ role: 'user', content }),
    run: (tool) =>
      turns(async () => {
        const ask = { model: 'claude-haiku-4-5', max_tokens: 200, tools, messages: history }
        const { content } = await client.messages.stream(ask).finalMessage()
        history.push({ role: 'assistant', content })
        const results: Anthropic.ToolResultBlockParam[] = []
        for (const block of content) {
          if (block.type !== 'tool_use') continue
          results.push({ type: 'tool_result', tool_use_id: block.id, content: await tool(block.name, block.input) })
        }
        if (results.length === 0) return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
        history.push({ role: 'user', content: results })
        return null
      }),
  }
}

/** A local model with the `ollama` package. */
export function ollamaAgent(options: AgentOptions): SdkAgent {
  const client = new Ollama({ host: base(options, 'ollama'), headers: { ...options.headers } })
  const history: { role: string; content: string; tool_name?: string }[] = []
  const tools = [{ type: 'function', function: { ...described, parameters: { ...schema, required: [] } } }]
  return {
    history,
    say: (content) => void history.push({ role: 'user', content }),
    run: (tool) =>
      turns(async () => {
        const { message } = await client.chat({ model: 'gemma3:4b', tools, messages: history })
        history.push(message)
        for (const { function: call } of message.tool_calls ?? []) {
          const content = await tool(call.name, call.arguments)
          history.push({ role: 'tool', content, tool_name: call.name })
        }
        return message.tool_calls === undefined ? message.content : null
      }),
  }
}

/** One agent per wire format. */
export const sdkAgents = [
  { name: 'openai, chat completions', make: chatAgent },
  { name: 'openai, responses', make: responsesAgent },
  { name: '@anthropic-ai/sdk, streamed', make: messagesAgent },
  { name: 'ollama', make: ollamaAgent },
] as const

/** The error that a call ended with; fails where it did not. */
export async function faultOf(call: Promise<unknown>): Promise<Error> {
  const fault: unknown = await call.then(
    (value) => new TypeError(`expected a refusal, and got ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
  if (!(fault instanceof Error) || fault instanceof TypeError) throw fault
  return fault
}

/** Status and code of an SDK's error, wherever the SDK keeps them. */
export function codeOf(fault: Error): { readonly status: unknown; readonly code: unknown } {
  if (fault instanceof OpenAI.APIError) return { status: fault.status, code: fault.code }
  if (fault instanceof Anthropic.APIError) {
    return { status: fault.status, code: (fault.headers as Headers | undefined)?.get('x-tollgate-code') ?? null }
  }
  return { status: (fault as { status_code?: unknown }).status_code, code: null }
}
