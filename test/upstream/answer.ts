import type { Step } from './step.ts'
import { countJson, countTokens } from './tokens.ts'

/** What the model "generated": pieces in the order of generation, and what a provider would report about them. */
export interface Answer {
  readonly thinking: readonly string[]
  readonly text: readonly string[]
  /** Whether the tool call of the step fitted the ceiling. */
  readonly callsTool: boolean
  /** Reasoning included. */
  readonly outputTokens: number
  readonly reasoningTokens: number
  /** The output ceiling ended it. */
  readonly cut: boolean
}

/** The answer of an empty step, about 40 tokens. */
export const friendlyAnswer =
  'Hello from the playing provider. Every number that you see here is counted and not billed, so feel free to ask again; ' +
  'I will give the same short and friendly answer each time you do.'

/** Short words that are one token each with their leading blank. */
const words = [' the', ' little', ' river', ' and', ' a', ' long', ' way', ' to', ' the', ' sea']

function inventedWords(tokens: number): readonly string[] {
  return Array.from({ length: tokens }, (_, position) => words[position % words.length] ?? ' the')
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? []
}

interface Pieces {
  readonly list: readonly string[]
  /** Tokens of one piece where every piece has the same number. */
  readonly each: number | null
}

/** Takes pieces until `room` tokens are used. A piece that fits only in part is taken, as its first token would be. */
function takeWhileRoom(pieces: Pieces, room: number): { taken: readonly string[]; tokens: number; cut: boolean } {
  const taken: string[] = []
  let tokens = 0
  for (const piece of pieces.list) {
    if (tokens >= room) return { taken, tokens, cut: true }
    taken.push(piece)
    tokens += pieces.each ?? countTokens(piece)
  }
  return tokens > room ? { taken, tokens: room, cut: true } : { taken, tokens, cut: false }
}

function visiblePieces(step: Step): Pieces {
  if (step.chunks !== undefined) return { list: step.chunks, each: null }
  if (step.text !== undefined) return { list: wordsOf(step.text), each: null }
  if (step.outputTokens !== undefined) return { list: inventedWords(step.outputTokens), each: 1 }
  if (step.thinkingTokens !== undefined || step.toolCall !== undefined) return { list: [], each: 1 }
  return { list: wordsOf(friendlyAnswer), each: null }
}

/**
 * Composes the answer of one choice. `ceiling` is the request's output limit in tokens (reasoning counts against it), or
 * null where the request sets none that the server understands.
 */
export function composeAnswer(step: Step, ceiling: number | null): Answer {
  const limit = step.ignoreMaxTokens === true || ceiling === null ? Number.POSITIVE_INFINITY : ceiling
  const thoughts: Pieces =
    step.thinkingTokens === undefined
      ? { list: wordsOf(step.thinking ?? ''), each: null }
      : { list: inventedWords(Math.min(step.thinkingTokens, limit + 1)), each: 1 }
  const thinking = takeWhileRoom(thoughts, limit)
  const text = takeWhileRoom(visiblePieces(step), limit - thinking.tokens)
  const used = thinking.tokens + text.tokens
  const toolTokens = step.toolCall === undefined ? 0 : countJson(step.toolCall.arguments) + 8
  const callsTool = step.toolCall !== undefined && used + toolTokens <= limit
  return {
    thinking: thinking.taken,
    text: text.taken,
    callsTool,
    outputTokens: used + (callsTool ? toolTokens : 0),
    reasoningTokens: thinking.tokens,
    cut: thinking.cut || text.cut || (step.toolCall !== undefined && !callsTool),
  }
}

/** The usage object after the step's overrides: undefined where the field has to be left out. */
export function overridden(usage: object, step: Step): object | null | undefined {
  if (step.usage === undefined) return usage
  if (step.usage === null) return null
  if (step.usage === 'missing') return undefined
  if (step.usage === 'zeros') return zeros(usage)
  return { ...usage, ...step.usage }
}

function zeros(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([name, field]: [string, unknown]) => [
      name,
      typeof field === 'number' ? 0 : typeof field === 'object' && field !== null ? zeros(field) : field,
    ]),
  )
}
