import type { CallFacts, DialectName, InputEstimate, Refusal } from '../../../daemon/call.ts'
import type {
  AnswerFacts,
  AnswerForm,
  DescribeContext,
  JsonObject,
  MediaPart,
  TokenCounter,
} from '../../../daemon/dialects/dialect.ts'
import { dialectByName } from '../../../daemon/dialects/registry.ts'
import { createTranscriptRecorder } from '../../../daemon/transcript/recorder.ts'
import { TextDigests } from '../../../daemon/transcript/textDigests.ts'

/** Notes what a dialect feeds it; a token is three characters. */
export class RecordingCounter implements TokenCounter {
  readonly texts: string[] = []
  readonly values: unknown[] = []
  readonly parts: MediaPart[] = []
  structureTokens = 0
  exactTokens = 0

  text(text: string): void {
    this.texts.push(text)
  }
  json(value: unknown): void {
    this.values.push(value)
  }
  structure(tokens: number): void {
    this.structureTokens += tokens
  }
  media(part: MediaPart): void {
    this.parts.push(part)
  }
  exact(tokens: number): void {
    this.exactTokens += tokens
  }
  /** Everything that was counted as text, JSON included. */
  get allText(): string {
    return [...this.texts, ...this.values.map((value) => JSON.stringify(value))].join('\n')
  }
  estimate(): InputEstimate {
    const textTokens = Math.ceil(this.allText.length / 3)
    const mediaTokens = this.parts.length * 1000
    return { textTokens, mediaTokens, upperTokens: textTokens + mediaTokens + this.structureTokens + this.exactTokens }
  }
}

export interface Described {
  readonly facts: CallFacts
  readonly counter: RecordingCounter
}

/** Describes a request as it would come to OpenAI's own API unless said otherwise. */
export function describeRequest(
  dialect: DialectName,
  body: JsonObject,
  context: Partial<DescribeContext> = {},
): Described {
  const counter = new RecordingCounter()
  const facts = dialectByName(dialect).describe(body, {
    upstreamName: 'openai',
    upstreamBaseUrl: 'https://api.openai.com/v1',
    path: pathOf(dialect),
    ollamaEmulation: false,
    counter,
    transcript: createTranscriptRecorder(new TextDigests('salt')),
    ...context,
  })
  return { facts, counter }
}

/** A path as the dialect's clients call it. */
function pathOf(dialect: DialectName): string {
  if (dialect === 'gemini-generate') return '/v1beta/models/m:generateContent'
  return dialect === 'gemini-embed' ? '/v1beta/models/m:embedContent' : '/v1/chat/completions'
}

/** A local Ollama server, spoken to in another format. */
export const onOllama: Partial<DescribeContext> = {
  upstreamName: 'ollama',
  upstreamBaseUrl: 'http://127.0.0.1:11434',
  ollamaEmulation: true,
}

/** Facts of the smallest request of a dialect. */
export function smallestFacts(dialect: DialectName, context: Partial<DescribeContext> = {}): CallFacts {
  return describeRequest(
    dialect,
    { model: 'm', messages: [], input: 'x', prompt: 'x', contents: [], content: {} },
    context,
  ).facts
}

/** Lets a dialect read an answer that arrives in the given pieces. */
export function readPieces(
  dialect: DialectName,
  form: AnswerForm,
  pieces: readonly Uint8Array[],
  facts: CallFacts = smallestFacts(dialect),
): AnswerFacts {
  const reader = dialectByName(dialect).reader(form, facts)
  for (const piece of pieces) reader.push(piece)
  reader.end()
  return reader.facts
}

/** Lets a dialect read an answer that arrives at once. */
export function readAnswer(dialect: DialectName, form: AnswerForm, text: string, facts?: CallFacts): AnswerFacts {
  return readPieces(dialect, form, [Buffer.from(text)], facts)
}

/** What a reader found, as plain data for comparison. */
export function plain(facts: AnswerFacts): JsonObject {
  return {
    usage: facts.usage,
    inputKnown: facts.inputKnown,
    outputKnown: facts.outputKnown,
    finish: facts.finish,
    terminal: facts.terminal,
    deliveredChars: facts.deliveredChars,
    deliveredWords: facts.deliveredWords,
    visibleChars: facts.visibleChars,
    toolCalls: facts.toolCalls,
    model: facts.model,
    serviceTier: facts.serviceTier,
    streamError: facts.streamError,
    responseId: facts.responseId,
    calls: facts.calls,
  }
}

/** Server-sent events of the OpenAI kind. */
export function dataEvents(...chunks: readonly unknown[]): string {
  return chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('')
}

/** Server-sent events with a name, which is also their `type`. */
export function namedEvents(...chunks: readonly { readonly type: string; readonly [key: string]: unknown }[]): string {
  return chunks.map((chunk) => `event: ${chunk.type}\ndata: ${JSON.stringify(chunk)}\n\n`).join('')
}

/** One JSON value a line. */
export function jsonLines(...chunks: readonly unknown[]): string {
  return chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join('')
}

/** A refusal with every field. */
export const budgetRefusal: Refusal = {
  code: 'budget_exhausted',
  message: 'Daily spending budget of user ada is used up: 9.98 of 10.00 EUR.',
  scope: 'user',
  scopeRef: 'ada',
  window: 'day',
  unit: 'eur',
  kind: 'spent',
  limit: 10,
  spent: 9.95,
  reserved: 0.03,
  requested: 0.12,
  resetsAt: '2026-12-01T00:00:00+01:00',
  retryAfterSeconds: 4558,
  also: ['rate_limited'],
}
