import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'

/** What one turn of the agent did, as its SDK saw it. */
export interface Turn {
  readonly client: string
  readonly model: string
  readonly note: string
}

/** Addresses that the agent gets: nothing else tells it that there is a gate. */
export interface AgentAddresses {
  readonly openai: string
  readonly anthropic: string
  readonly ollama: string
}

const sentences = [
  'The build reads every file of the workspace and writes one bundle for the daemon and one for the extension.',
  'A reservation is taken before the call is made, and it is replaced by what was really used once the answer has ended.',
  'The tests start a real process and look at the bytes that reached the other side, because that is where money is spent.',
  'When a window is exhausted the next call is refused, and the sentence says which cap it was and when it opens again.',
]

/** Invented source text of about `tokens` tokens: what an agent that reads files carries along. */
export function fileText(tokens: number): string {
  const lines: string[] = []
  for (let used = 0; used < tokens; used += 25)
    lines.push(`${lines.length + 1}: ${sentences[lines.length % sentences.length] ?? ''}`)
  return lines.join('\n')
}

/**
 * An agent as a developer writes it, on the plain SDKs. Its turns go round: a streamed OpenAI chat, an Anthropic message, a
 * Responses call, embeddings, and a local model. The transcript grows with each turn.
 */
export class Agent {
  readonly #openai: OpenAI
  readonly #anthropic: Anthropic
  readonly #ollama: Ollama
  #turn = 0

  constructor(addresses: AgentAddresses) {
    this.#openai = new OpenAI({ apiKey: 'no-key-needed-here', baseURL: addresses.openai })
    this.#anthropic = new Anthropic({ apiKey: 'no-key-needed-here', baseURL: addresses.anthropic })
    this.#ollama = new Ollama({ host: addresses.ollama })
  }

  /** The next turn; throws whatever the SDK throws. */
  async step(): Promise<Turn> {
    const turn = this.#turn++
    const text = fileText(2500 + turn * 300)
    const kinds = [this.#chat, this.#message, this.#response, this.#local, this.#embed]
    const kind = kinds[turn % kinds.length] ?? this.#chat
    return kind.call(this, text)
  }

  async #chat(text: string): Promise<Turn> {
    const model = 'gpt-5.5'
    const stream = await this.#openai.chat.completions.create({ model, stream: true, messages: this.#ask(text) })
    let pieces = 0
    for await (const part of stream) if (part.choices[0]?.delta.content) pieces += 1
    return { client: 'openai', model, note: `chat, streamed in ${pieces} pieces` }
  }

  async #message(text: string): Promise<Turn> {
    const model = 'claude-sonnet-5'
    const stream = this.#anthropic.messages.stream({ model, max_tokens: 1500, messages: this.#ask(text) })
    const message = await stream.finalMessage()
    return { client: 'anthropic', model, note: `message, ${message.stop_reason ?? 'open'}` }
  }

  async #response(text: string): Promise<Turn> {
    const model = 'gpt-5.5'
    const response = await this.#openai.responses.create({ model, input: text, max_output_tokens: 1500 })
    return { client: 'openai', model, note: `response, ${response.status ?? 'open'}` }
  }

  async #local(text: string): Promise<Turn> {
    const model = 'gemma3:4b'
    const stream = await this.#ollama.chat({ model, messages: this.#ask(text), stream: true })
    let pieces = 0
    for await (const part of stream) if (part.message.content !== '') pieces += 1
    return { client: 'ollama', model, note: `local model, streamed in ${pieces} pieces` }
  }

  async #embed(text: string): Promise<Turn> {
    const model = 'text-embedding-3-small'
    await this.#openai.embeddings.create({ model, input: [text] })
    return { client: 'openai', model: 'embedding-3-small', note: 'embeddings' }
  }

  /** One call to a client of the caller's choice, for what comes after the cap. */
  async one(kind: 'openai' | 'anthropic' | 'ollama'): Promise<Turn> {
    const text = fileText(400)
    if (kind === 'openai') return this.#chat(text)
    return kind === 'anthropic' ? this.#message(text) : this.#local(text)
  }

  #ask(text: string): { role: 'user'; content: string }[] {
    return [{ role: 'user', content: `Here is the file.\n${text}\nWhat should change?` }]
  }
}

/** The sentence that an SDK shows for an error, without what the SDKs put in front. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
