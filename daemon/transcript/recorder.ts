import { digestCall, digestId, toolNameChars } from './callDigest.ts'
import { errorClass } from './errorClass.ts'
import { narratedTexts, sentencesOf } from './narration.ts'
import { CallPairing } from './pairing.ts'
import type { RunningDigest } from './runningDigest.ts'
import type { TextDigests } from './textDigests.ts'
import type { OpenResult, ToolResult, ToolState, TranscriptFacts, TranscriptRecorder } from './transcript.ts'
import { withoutVolatile } from './volatile.ts'

/** Texts up to this length go into their message's digest as they are, which saves a hash each. */
const inlineChars = 64

/** A payload longer than twice this is told from others by its two ends and its length. */
const payloadEndChars = 16 * 1024

/**
 * Messages at the end of a transcript whose digests are kept: the end of an earlier request is among them. A body of ten
 * megabytes may have a quarter of a million messages, and their digests would be carried to the main thread and looked up.
 */
const keptMessages = 1024

type Role = Parameters<TranscriptRecorder['message']>[0]

/** A recorder for one request. `digests` is shared by all requests of a thread. */
export function createTranscriptRecorder(digests: TextDigests): TranscriptRecorder {
  return new Recorder(digests)
}

class Recorder implements TranscriptRecorder {
  readonly #digests: TextDigests
  readonly #running: RunningDigest
  readonly #chain: string[] = []
  readonly #humans: number[] = []
  readonly #states: ToolState[] = []
  readonly #open: OpenResult[] = []
  readonly #said: { readonly message: number; readonly text: string }[] = []
  readonly #pairing = new CallPairing()
  #longestChars = 0
  #tools: unknown = null
  /** Of the message under way. */
  #role: Role | null = null
  #parts: string[] = []
  #chars = 0
  #hasResult = false

  constructor(digests: TextDigests) {
    this.#digests = digests
    this.#running = digests.newChain()
  }

  message(role: Role): void {
    this.#endMessage()
    this.#role = role
  }

  text(text: string): void {
    if (text === '') return
    this.#chars += text.length
    if (this.#role === 'assistant') {
      this.#said.push({ message: this.#chain.length, text })
      if (this.#said.length > 4 * narratedTexts) this.#said.shift()
    }
    // A clock in a system prompt would make a new conversation of every call.
    this.#parts.push(this.#role === 'system' ? this.#result(text, false).steadyDigest : this.#part(text))
  }

  opaque(value: unknown): void {
    if (value !== undefined && value !== null) this.#parts.push(this.#part(payload(value)))
  }

  toolCall(id: string | null, tool: string, args: unknown): void {
    const { call, chars } = digestCall(this.#digests, tool, args)
    this.#chars += chars
    this.#parts.push(call.callDigest)
    this.#pairing.open(id, call)
  }

  toolResult(id: string | null, tool: string | null, content: unknown, isError: boolean): void {
    this.#hasResult = true
    const texts = resultTexts(content)
    const seen = texts.map((text) => this.#result(text, isError))
    for (const text of texts) this.#chars += text.length
    for (const { digest } of seen) this.#parts.push(digest)
    const call = this.#pairing.answer(id, tool?.slice(0, toolNameChars) ?? null)
    const [only] = seen
    const result: ToolResult = {
      message: this.#chain.length,
      resultDigest:
        only !== undefined && seen.length === 1
          ? only.steadyDigest
          : this.#digests.digestOnce(seen.map(({ steadyDigest }) => steadyDigest).join(' ')),
      errorDigest: seen.find(({ errorDigest }) => errorDigest !== null)?.errorDigest ?? null,
    }
    if (call === null) this.#open.push({ ...result, callId: digestId(this.#digests, id) })
    else this.#states.push({ ...result, ...call })
  }

  tools(offered: unknown): void {
    this.#tools = offered
  }

  facts(): TranscriptFacts {
    this.#endMessage()
    const offersTools = Array.isArray(this.#tools) && this.#tools.length > 0
    const [first] = this.#humans
    const begins = first === this.#chain.length - 1
    const from = this.#chain.length - keptMessages
    const isKept = (at: number): boolean => at >= from || at === first
    return {
      chain: from <= 0 ? this.#chain : this.#chain.map((digest, at) => (isKept(at) ? digest : '')),
      humans: from <= 0 ? this.#humans : this.#humans.filter(isKept),
      toolStates: this.#states,
      openResults: this.#open,
      narration: this.#narration(),
      longestMessageChars: this.#longestChars,
      toolsDigest: offersTools && begins ? this.#digests.digestOnce(payload(this.#tools)) : null,
    }
  }

  /** A message without content leaves the chain where it is: clients drop reasoning from older turns, and nothing changed. */
  #endMessage(): void {
    if (this.#role === null) return
    if (this.#parts.length === 0) this.#chain.push(this.#chain.at(-1) ?? '')
    else {
      if (this.#role === 'human' && !this.#hasResult) this.#humans.push(this.#chain.length)
      this.#running.add(`${this.#role} ${this.#parts.length}`)
      for (const part of this.#parts) this.#running.add(part)
      this.#chain.push(this.#running.toString())
    }
    this.#longestChars = Math.max(this.#longestChars, this.#chars)
    this.#role = null
    this.#parts = []
    this.#chars = 0
    this.#hasResult = false
  }

  #part(text: string): string {
    return text.length <= inlineChars ? text : this.#digests.digestOf(text)
  }

  #result(text: string, isError: boolean): ResultDigests {
    const digest = this.#digests.digestOf(text)
    const note = this.#digests.noteOf(isError ? 'failed ' : 'result ', digest, () => {
      const found = errorClass(text, isError)
      const steady = this.#digests.digestOnce(withoutVolatile(text))
      return found === null ? steady : `${steady} ${this.#digests.digestOnce(found)}`
    })
    const [steadyDigest = '', errorDigest = null] = note.split(' ')
    return { digest, steadyDigest, errorDigest }
  }

  #narration(): TranscriptFacts['narration'] {
    return this.#said
      .slice(-narratedTexts)
      .flatMap(({ message, text }) =>
        sentencesOf(text).map((sentence) => ({ message, digest: this.#digests.digestOnce(sentence) })),
      )
  }
}

interface ResultDigests {
  readonly digest: string
  readonly steadyDigest: string
  readonly errorDigest: string | null
}

/** The texts of a result: a string, blocks with text in any dialect's spelling, or any other value by its JSON. */
function resultTexts(content: unknown): string[] {
  if (typeof content === 'string') return [content]
  if (content === undefined || content === null) return ['']
  if (!Array.isArray(content)) return [payload(content)]
  if (content.length === 0) return ['']
  return content.map((part: unknown) => {
    if (typeof part === 'string') return part
    const text = typeof part === 'object' && part !== null ? (part as Readonly<Record<string, unknown>>)['text'] : null
    return typeof text === 'string' ? text : payload(part)
  })
}

/** JSON of a value, long payloads shortened; where the client put its cache marks is no difference. */
function payload(value: unknown): string {
  if (typeof value === 'string') return shortened(value)
  try {
    return JSON.stringify(value, (name, field: unknown) => {
      if (name === 'cache_control') return undefined
      return typeof field === 'string' ? shortened(field) : field
    })
  } catch {
    // Nested too deep to be spelled out.
    return 'deep'
  }
}

function shortened(text: string): string {
  if (text.length <= 2 * payloadEndChars) return text
  return `${text.length}:${text.slice(0, payloadEndChars)}:${text.slice(-payloadEndChars)}`
}
