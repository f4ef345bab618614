import type { CallFacts, DialectName, InputEstimate, Refusal } from '../call.ts'
import type { NanoUsd } from '../../shared/money.ts'
import type { Usage } from '../../shared/usage.ts'
import type { AnswerCall } from '../transcript/callDigest.ts'
import type { TranscriptRecorder } from '../transcript/transcript.ts'
import type { UsagePart } from './usageParts.ts'

/** A value that came out of JSON.parse; narrowed by the readers in `read.ts`. */
export type JsonObject = { readonly [key: string]: unknown }

/** What a dialect may ask while it describes a request. Pure: no file, network or clock. */
export interface DescribeContext {
  readonly upstreamName: string
  /** Base URL, because api.openai.com wants another ceiling field than the servers that imitate it. */
  readonly upstreamBaseUrl: string
  /** Path below the base URL without its query: some formats name the model there. */
  readonly path: string
  readonly ollamaEmulation: boolean
  readonly counter: TokenCounter
  readonly transcript: TranscriptRecorder
}

/** Counts the parts of a request. One instance per request; see `daemon/tokens/estimate.ts`. */
export interface TokenCounter {
  /** Visible text of any length. Counted as text whatever it contains. */
  text(text: string): void
  /** A JSON value that the model reads (tool schema, structured output): counted from its serialisation. */
  json(value: unknown): void
  /** Fixed tokens of roles, separators and templates; only in the upper bound. */
  structure(tokens: number): void
  /** Image, file or audio, bounded by its dimensions or by the documented maximum; never as base64 text, never 0. */
  media(part: MediaPart): void
  /** Token ids given as numbers (embeddings, completions): count = length. */
  exact(tokens: number): void
  /** What all the parts come to so far. A dialect asks once, after it has fed the whole request. */
  estimate(): InputEstimate
}

/** A part that is not text. */
export interface MediaPart {
  readonly kind: 'image' | 'file' | 'audio' | 'video' | 'unknown'
  /** Base64 payload if the request carries one; only its first bytes are looked at. */
  readonly base64?: string | undefined
  readonly mimeType?: string | undefined
  readonly detail?: 'low' | 'high' | 'auto' | 'original' | undefined
}

/** What the copy of an answer has told so far. */
export interface AnswerFacts {
  /** Last usage seen, merged as the dialect demands (cumulative, maximum per field); null while none was seen. */
  readonly usage: Usage | null
  /** False while only a guess or a part was seen: Anthropic's message_start, Ollama's missing counts. */
  readonly inputKnown: boolean
  readonly outputKnown: boolean
  /** Raw finish reason of the provider. */
  readonly finish: string | null
  /** The dialect's own terminal event was seen, so that the end is a clean one. */
  readonly terminal: boolean
  /** Characters of text, reasoning and tool arguments delivered; the floor of a settlement. */
  readonly deliveredChars: number
  /** Those of it from U+2E80 on (Chinese, Japanese, Korean, emoji): up to one token each. */
  readonly deliveredWideChars: number
  /** Words of it: each is at least one token, so that an answer with more words than reserved tokens runs over. */
  readonly deliveredWords: number
  readonly visibleChars: number
  readonly toolCalls: number
  readonly model: string | null
  readonly serviceTier: Readonly<Record<string, string>>
  /** Parts of `usage` that are priced by themselves; what they leave of it is the answering model's. Mostly empty. */
  readonly parts: readonly UsagePart[]
  /** What the provider says it charged, in nano-dollar; null where it says nothing. */
  readonly reportedNanoUsd: NanoUsd | null
  /** The report on what is billed has come as a whole, even where the terminal event has not. */
  readonly usageIsFinal: boolean
  /** An error object inside a 200 stream: the provider's own class or code. */
  readonly streamError: string | null
  /** Id that later requests may name as `previous_response_id`. */
  readonly responseId: string | null
  /**
   * Tool calls that such a request brings the results of. Null where they are not known: the answer is not over or not
   * stored, they were too many to keep, or the format has no such requests.
   */
  readonly calls: readonly AnswerCall[] | null
}

/** Reads a copy of one answer's bytes. Never throws, never holds bytes back, bounded in memory. */
export interface AnswerReader {
  push(chunk: Uint8Array): void
  end(): void
  readonly facts: AnswerFacts
}

/** How the bytes of the answer are framed: by its content type, and a stream of one JSON array by what was asked for. */
export type AnswerForm = 'json' | 'sse' | 'ndjson' | 'json-array'

/** A format whose requests name their model in the path and not in the body. Paths may have a query. */
export interface ModelInPath {
  /** The model of a path, or null where it names none. */
  modelOf(path: string): string | null
  /** The same path with another model; as it is where it names none. */
  withModel(path: string, model: string): string
}

/** One wire format. One file each, registered in `registry.ts`. */
export interface Dialect {
  readonly name: DialectName
  /** Where the model stands, if not in the body's own field `model`. */
  readonly modelInPath?: ModelInPath
  /** Streams may come as one JSON array, whose content type is that of a plain answer. */
  readonly streamsJsonArrays?: true
  /** Reads a parsed request. Throws InvalidRequest with a sentence that names the field. */
  describe(body: JsonObject, context: DescribeContext): CallFacts
  reader(form: AnswerForm, facts: CallFacts): AnswerReader
  /** Body of a refusal in the shape that the dialect's SDKs show; `status` is the one that will be sent. */
  refusalBody(refusal: Refusal, status: number, callId: string): JsonObject
  /** Well-formed terminal error for an answer that has begun; closes the stream, never a clean end. */
  terminalError(refusal: Refusal, form: AnswerForm, callId: string): string
}

/** The request cannot be read: becomes the refusal `invalid_request`. */
export class InvalidRequest extends Error {
  override name = 'InvalidRequest'
}
