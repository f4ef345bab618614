import type { Answer } from './answer.ts'
import type { JsonObject } from './json.ts'
import type { Step } from './step.ts'

/** One write of a stream. */
export interface Frame {
  readonly text: string
  /** True for generated output: the step's chunk counters count these. */
  readonly chunk: boolean
}

/** What a provider answers, before it is played onto a socket with the step's delays and faults. */
export type Reply =
  | { readonly kind: 'json'; readonly status: number; readonly headers: Headers; readonly body: unknown }
  | {
      readonly kind: 'stream'
      readonly headers: Headers
      readonly frames: Iterable<Frame>
      /** The provider's error inside a stream; empty where the provider swallows it. */
      readonly errorFrame: (message: string, type: string) => string
    }

/** Response headers by lower-case name. */
export type Headers = Readonly<Record<string, string>>

/** What a server remembers between requests. */
export interface Memory {
  /** Input and output tokens behind each `response` id: what `previous_response_id` carries along. */
  readonly responses: Map<string, { readonly tokens: number; readonly body: unknown }>
  /** Ollama: context length of each loaded model. */
  readonly loaded: Map<string, number>
  /** Ollama: context length without `options.num_ctx`, in tokens. */
  readonly ollamaContext: number
  /** Ollama: `PARAMETER num_ctx` of the models' Modelfiles. */
  readonly ollamaModelfiles: Readonly<Record<string, number>>
  /** Refuses what the real services refuse: a missing key, `max_tokens` on a reasoning model. */
  readonly strict: boolean
  nextId: (prefix: string) => string
}

/** One request as a provider sees it. */
export interface Ask {
  readonly body: JsonObject
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly path: string
  readonly step: Step
  readonly memory: Memory
}

/** A provider's endpoint: pure apart from its memory. */
export type Endpoint = (ask: Ask) => Reply

/** A frame of server-sent events. */
export function sse(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** A line of newline-delimited JSON. */
export function line(data: unknown): string {
  return `${JSON.stringify(data)}\n`
}

/** A frame that is generated output. */
export function chunk(text: string): Frame {
  return { text, chunk: true }
}

/** A frame around the output. */
export function frame(text: string): Frame {
  return { text, chunk: false }
}

/** Seconds since the epoch, as OpenAI stamps its objects. */
export function epochSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** The finish reason of an answer in the words of a provider. */
export function finishOf(
  answer: Answer,
  step: Step,
  names: { readonly stop: string; readonly length: string; readonly tool: string },
): string {
  if (step.finish !== undefined) return step.finish
  if (answer.cut) return names.length
  return answer.callsTool ? names.tool : names.stop
}
