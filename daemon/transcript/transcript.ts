/**
 * What a request's message list tells besides its size, without a word of it: digests are salted per process, so that they
 * can be compared with each other and with nothing else.
 */
export interface TranscriptFacts {
  /**
   * Running digest after each message: `chain[i]` stands for messages 0 to i. A later request of the same conversation has
   * an earlier request's last digest in its chain. Empty for messages far from the end, the first person's excepted.
   */
  readonly chain: readonly string[]
  /** Indexes of messages that may be a person's: role user and no tool result in them. The first, and those near the end. */
  readonly humans: readonly number[]
  /** Tool calls with their results, in order. */
  readonly toolStates: readonly ToolState[]
  /** Results whose calls are not in the request, in order: the provider keeps those, or the client has dropped them. */
  readonly openResults: readonly OpenResult[]
  /** Digests of the assistant's visible sentences, normalised, with the index of their message; for repeated narration. */
  readonly narration: readonly { readonly message: number; readonly digest: string }[]
  /** Characters of the longest single message. */
  readonly longestMessageChars: number
  /** Digest of the tools on offer; null where there are none, and where the request does not begin a conversation. */
  readonly toolsDigest: string | null
}

/** What a tool gave. */
export interface ToolResult {
  /** Index of the message that holds the result. */
  readonly message: number
  /** Digest of the result, volatile parts (times, durations, pids, temporary paths) taken out. */
  readonly resultDigest: string
  /** Class of an error result (`exit 128`, `timeout`), digested; null where the result is no error. */
  readonly errorDigest: string | null
}

/** One tool call and what came back. */
export interface ToolState extends ToolResult {
  readonly tool: string
  /** Digest of tool and canonical arguments. */
  readonly callDigest: string
}

/** A result that came back without its call. */
export interface OpenResult extends ToolResult {
  /** Digest of the id by which it names its call; null where it names none. */
  readonly callId: string | null
}

/** Collects `TranscriptFacts` while a dialect describes a request. One per request. */
export interface TranscriptRecorder {
  /** Begins the next message. `human`: role user (or its like); it stays one only while no tool result is recorded in it. */
  message(role: 'system' | 'human' | 'assistant' | 'tool'): void
  /** Visible text of the message under way; part of its digest and, for the assistant, its narration. */
  text(text: string): void
  /** Anything else that tells two messages apart (an image's payload): only its digest counts. Reasoning is
   * left out, because clients drop it from older turns. */
  opaque(value: unknown): void
  /** `args` is an object, or its JSON text. */
  toolCall(id: string | null, tool: string, args: unknown): void
  /** Pairs with the call of the same id; without one, with the oldest call of that tool (or of any) without a result. */
  toolResult(id: string | null, tool: string | null, content: unknown, isError: boolean): void
  /** The tools that the request offers, whatever their form. */
  tools(offered: unknown): void
  facts(): TranscriptFacts
}

/** Facts of a request without messages (embeddings, plain completions). */
export const noTranscript: TranscriptFacts = {
  chain: [],
  humans: [],
  toolStates: [],
  openResults: [],
  narration: [],
  longestMessageChars: 0,
  toolsDigest: null,
}
