import type { NanoUsd } from '../../shared/money.ts'
import type { Usage } from '../../shared/usage.ts'
import { noUsage, totalInput } from '../../shared/usage.ts'
import type { AnswerCall } from '../transcript/callDigest.ts'
import { SpokenText } from '../streams/spokenText.ts'
import type { AnswerFacts, JsonObject } from './dialect.ts'
import { isObject, wordIn } from './read.ts'
import type { UsagePart } from './usageParts.ts'

/** Most different tool calls and choices that are told apart; more of them are counted as one. */
const mostTracked = 4096

/**
 * What one answer has told so far. A reader writes into it while the settlement may look at any moment, so that whether a
 * figure is known is worked out when it is asked for: a zero is only known to be one while nothing was delivered (B04, I05).
 */
export class AnswerRecord implements AnswerFacts {
  usage: Usage | null = null
  finish: string | null = null
  terminal = false
  deliveredChars = 0
  deliveredWords = 0
  deliveredWideChars = 0
  visibleChars = 0
  toolCalls = 0
  model: string | null = null
  serviceTier: Readonly<Record<string, string>> = {}
  parts: readonly UsagePart[] = []
  reportedNanoUsd: NanoUsd | null = null
  /** Set where a format has a last report that is not its last event. */
  lastReportCame = false
  streamError: string | null = null
  responseId: string | null = null
  calls: readonly AnswerCall[] | null = null
  /** The provider stated its input, and it was no guess. */
  inputReported = false
  /** The provider stated its output, and it was no placeholder. */
  outputReported = false
  /** A prompt of no tokens is what the provider meant: nothing was run. */
  nothingRun = false
  #afterSpace = true
  readonly #spoken = new SpokenText()
  readonly #toolCallKeys = new Set<string>()

  get inputKnown(): boolean {
    if (!this.inputReported || this.usage === null) return false
    return totalInput(this.usage) > 0 || this.nothingRun
  }

  get outputKnown(): boolean {
    if (!this.outputReported || this.usage === null) return false
    return this.usage.output > 0 || this.deliveredChars === 0
  }

  get usageIsFinal(): boolean {
    return this.inputKnown && this.outputKnown && (this.terminal || this.lastReportCame)
  }

  /** Text that the user sees. */
  addVisible(text: unknown): void {
    if (typeof text !== 'string') return
    this.#deliver(text)
    this.visibleChars += text.length
  }

  /** Text that the user sees, of a model that may have left its reasoning in it. */
  addSpoken(text: unknown): void {
    if (typeof text !== 'string') return
    this.#deliver(text)
    this.#spoken.push(text)
    this.visibleChars = this.#spoken.visibleChars
  }

  /** Reasoning and tool arguments: billed, but nothing to read. */
  addHidden(text: unknown): void {
    if (typeof text === 'string') this.#deliver(text)
  }

  #deliver(text: string): void {
    this.deliveredChars += text.length
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      const space = code <= 0x20
      if (code >= 0x2e80) this.deliveredWideChars += 1
      if (!space && this.#afterSpace) this.deliveredWords += 1
      this.#afterSpace = space
    }
  }

  /** Counts a tool call once, however many pieces it comes in. */
  addToolCall(key: string): void {
    if (this.#toolCallKeys.has(key)) return
    if (this.#toolCallKeys.size < mostTracked) this.#toolCallKeys.add(key)
    this.toolCalls += 1
  }

  setModel(model: unknown): void {
    if (typeof model === 'string' && model !== '' && model !== this.model) this.model = model.slice(0, 512)
  }

  /** Keeps the price-relevant fields that the provider says it served. */
  setTiers(from: JsonObject, names: readonly string[]): void {
    for (const name of names) {
      const value = from[name]
      if (typeof value !== 'string' || value === '' || this.serviceTier[name] === value) continue
      this.serviceTier = { ...this.serviceTier, [name]: value.slice(0, 64) }
    }
  }

  /** Class or code of an error object, never its text, which may quote the prompt. The first one counts (F07). */
  setError(error: unknown): void {
    if (error === undefined || error === null || error === false || this.streamError !== null) return
    const word = isObject(error) ? (wordIn(error, 'code') ?? wordIn(error, 'type') ?? wordIn(error, 'status')) : null
    this.streamError = word ?? 'error'
  }

  /** Web searches that were seen passing, where the usage names none or fewer. */
  atLeastWebSearches(searches: number): void {
    this.atLeast('webSearches', searches)
  }

  /** Uses of a provider's own tool that were seen passing, where the usage names none or fewer. */
  atLeast(tool: 'webSearches' | 'fileSearches' | 'codeContainers', uses: number): void {
    if (uses > (this.usage?.[tool] ?? 0)) this.usage = { ...(this.usage ?? noUsage), [tool]: uses }
  }
}
