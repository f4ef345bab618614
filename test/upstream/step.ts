import type { JsonObject } from './json.ts'

/** A tool call that the model asks for. */
export interface ToolCall {
  readonly name: string
  readonly arguments: JsonObject
  readonly id?: string
}

/**
 * What the upstream does with one request. Every field is optional; an empty step is a short friendly answer with honest
 * usage numbers. "Chunk" is one piece of generated output (text, thinking or tool arguments), not a frame around it.
 */
export interface Step {
  /** Visible text; sent word by word when the answer is streamed. */
  readonly text?: string
  /** Visible text in exactly these chunks. */
  readonly chunks?: readonly string[]
  /** Length of an invented visible answer, in tokens, one a chunk. */
  readonly outputTokens?: number
  /** Reasoning text before the answer. */
  readonly thinking?: string
  /** Length of invented reasoning, in tokens; eats the output ceiling before the answer does. */
  readonly thinkingTokens?: number
  readonly toolCall?: ToolCall
  /** Answers beyond the request's output ceiling, as a server does that ignores it. */
  readonly ignoreMaxTokens?: boolean
  /** Ollama: the answer repeats what was left of the prompt after the server's cut. */
  readonly echoWindow?: boolean

  /** Everything that the model read, cached parts included; counted from the request when absent. */
  readonly inputTokens?: number
  /** Parts of `inputTokens` that were read from or written to the cache. */
  readonly cacheReadTokens?: number
  readonly cacheWrite5mTokens?: number
  readonly cacheWrite1hTokens?: number
  /** Anthropic: server-side searches that were made. */
  readonly webSearches?: number
  /** Fields laid over the provider's usage object; null, all zeros or no usage at all. */
  readonly usage?: JsonObject | null | 'zeros' | 'missing'
  /** OpenAI chat: cumulative usage on every chunk, null on the last one. */
  readonly usageOnEveryChunk?: boolean
  /** Raw finish reason in the provider's own words. */
  readonly finish?: string
  /** Tier that was really served. */
  readonly serviceTier?: string

  /** Status of an error (or any other) answer, with the provider's error shape unless `errorBody` is given. */
  readonly status?: number
  readonly errorBody?: unknown
  /** Response headers, laid over the provider's own. */
  readonly headers?: Readonly<Record<string, string>>
  /** Location of a 302. */
  readonly redirect?: string
  /** A 200 whose body is exactly this text, with a content type of HTML unless `headers` say otherwise. */
  readonly garbage?: string
  /** A 200 whose body is exactly these bytes, each piece counted as a chunk, with the headers that `headers` says and no others. */
  readonly pieces?: readonly Uint8Array[]
  /** A 200 stream of exactly these frames, each counted as a chunk. */
  readonly frames?: readonly string[]

  /** Silence before the response headers. */
  readonly firstByteDelayMs?: number
  /** Silence between the response headers and the body. */
  readonly bodyDelayMs?: number
  /** Silence before each chunk of a stream. */
  readonly chunkDelayMs?: number
  /** Keep-alives before the first chunk: `event: ping` (Anthropic) or `:` comments. */
  readonly pings?: number
  /** A `:` comment before every chunk. */
  readonly comments?: boolean
  /** The provider's error inside a 200 stream after this many chunks (non-streamed: ignored). */
  readonly midStreamError?: { readonly afterChunks: number; readonly message?: string; readonly type?: string }
  /** Clean end of the body without the terminal event. */
  readonly cutAfterChunks?: number
  /** TCP reset in mid-body. */
  readonly resetAfterChunks?: number
  /** Silence without end in mid-body, until the client leaves. */
  readonly hangAfterChunks?: number
  /** Reads the request and never answers. */
  readonly hangForever?: boolean
  /** Compresses the body, whatever the request accepts. */
  readonly gzip?: boolean
  /** Writes the body in pieces of this many bytes. */
  readonly splitBytes?: number
  /** Line ends of a stream: CRLF, or a lone CR. */
  readonly lineEnd?: '\r\n' | '\r'
}
