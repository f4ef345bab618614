import assert from 'node:assert/strict'
import { applyEdits } from '../../../daemon/dialects/edit.ts'
import { readRankFile } from '../../../daemon/tokens/rankFiles.ts'
import { Tokenizer } from '../../../daemon/tokens/tokenizer.ts'
import { compact } from '../../../daemon/transcript/compaction.ts'
import { agentRequest, agentTurns } from './agentRun.ts'

/**
 * An agent that reads a file of 1,500 to 9,000 characters in each of 60 turns. Tokens are
 * those of o200k_base for all text, and what the format puts around messages and calls. Prices are those of a model at 3 dollars per million input tokens and 0.92 euros per dollar; the messages
 * that are the same as in the turn before count as read from the provider's cache, at a tenth.
 */
const turnCount = 60
const eurPerToken = (3 * 0.92) / 1e6
const cacheReadFactor = 0.1

const dialect = 'openai-chat'
const turns = agentTurns(turnCount)
const tokenizer = new Tokenizer(readRankFile)
const known = new Map<string, number>()

/** Tokens around a message and around a call. */
const perMessage = 4
const perCall = 10

function tokensOf(text: string): number {
  const tokens = known.get(text) ?? tokenizer.count('o200k_base', text)
  known.set(text, tokens)
  return tokens
}

function messageTokens({ content, tool_calls: calls = [] }: ChatMessage): number {
  const called = calls.map(({ function: { name, arguments: args } }) => tokensOf(name + args) + perCall)
  return perMessage + tokensOf(content) + total(called)
}

interface ChatMessage {
  readonly content: string
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[]
}

interface Run {
  readonly name: string
  /** Input of each turn. */
  readonly inputTokens: readonly number[]
  readonly cachedTokens: readonly number[]
  /** Bodies as they went out. */
  readonly bodies: readonly string[]
  /** Turns in which the boundary moved. */
  readonly moves: number
}

/** Plays the run; from turn `from` on the task is constrained. */
function play(name: string, from: number): Run {
  const inputTokens: number[] = []
  const cachedTokens: number[] = []
  const bodies: string[] = []
  const boundaries = new Set<number>()
  let before: readonly string[] = []
  for (let turn = 0; turn < turnCount; turn += 1) {
    const body = agentRequest(dialect, turns.slice(0, turn))
    const compaction = turn >= from ? compact(dialect, body) : null
    if (compaction !== null) boundaries.add(compaction.boundary)
    const sent = applyEdits(Buffer.from(JSON.stringify(body)), compaction?.edits ?? []).toString()
    const { tools, messages } = JSON.parse(sent) as {
      readonly tools: unknown
      readonly messages: readonly ChatMessage[]
    }
    const pieces = messages.map((message) => JSON.stringify(message))
    const tokens = messages.map(messageTokens)
    const changed = pieces.findIndex((piece, index) => piece !== before[index])
    const toolTokens = tokensOf(JSON.stringify(tools))
    inputTokens.push(toolTokens + total(tokens))
    cachedTokens.push(turn === 0 ? 0 : toolTokens + total(tokens.slice(0, changed < 0 ? tokens.length : changed)))
    bodies.push(sent)
    before = pieces
  }
  return { name, inputTokens, cachedTokens, bodies, moves: Math.max(0, boundaries.size - 1) }
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

function costEur(run: Run, factor: number): number {
  return (total(run.inputTokens) - total(run.cachedTokens) * (1 - factor)) * eurPerToken
}

function row({ inputTokens, cachedTokens, moves, ...run }: Run): readonly string[] {
  const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
  const at = [20, 40, 60].map((turn) => whole(Math.max(...inputTokens.slice(turn - 20, turn))))
  const all = total(inputTokens)
  const share = `${((100 * total(cachedTokens)) / all).toFixed(1)} %`
  const costs = [cacheReadFactor, 1].map((factor) =>
    costEur({ ...run, inputTokens, cachedTokens, moves }, factor).toFixed(2),
  )
  return [run.name, ...at, whole(all), share, String(moves), ...costs]
}

function printTable(runs: readonly Run[]): void {
  const head = ['60 turns', '1-20', '21-40', '41-60', 'input tokens', 'cached', 'moves', 'EUR', 'EUR no cache']
  const rows = [head, ...runs.map(row)]
  const widths = head.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  const lines = rows.map((cells) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  )
  console.log(`\n${lines.map((line) => `    ${line}`).join('\n')}\n`)
}

describe('60 turns of an agent that reads and reads', () => {
  const plain = play('without compaction', Infinity)
  const compacted = play('with compaction', 0)
  const late = play('constrained from turn 30', 29)
  before(() => printTable([plain, compacted, late]))

  /** Tokens that a turn adds, on average over these turns. */
  const growth = ({ inputTokens }: Run, from: number, to: number): number =>
    ((inputTokens[to - 1] ?? 0) - (inputTokens[from - 1] ?? 0)) / (to - from)
  const most = ({ inputTokens }: Run, from: number, to: number): number => Math.max(...inputTokens.slice(from - 1, to))

  it('without compaction the input of a turn grows without end, and the total with its square', () => {
    assert.ok(growth(plain, 40, 60) > 0.8 * growth(plain, 5, 25))
    assert.ok(total(plain.inputTokens) > 3.4 * total(plain.inputTokens.slice(0, 30)))
  })
  it('with compaction the input of a turn stops growing, and the total grows by the turn', () => {
    assert.ok(most(compacted, 41, 60) < 1.1 * most(compacted, 21, 40))
    assert.ok(most(compacted, 41, 60) < 0.2 * most(plain, 41, 60))
    const quarter = (at: number): number => total(compacted.inputTokens.slice(at * 15, at * 15 + 15))
    assert.ok(quarter(3) < 1.2 * quarter(1), `${quarter(1)} ${quarter(3)}`)
    assert.ok(total(compacted.inputTokens) < 0.25 * total(plain.inputTokens))
  })
  it('leaves in an old turn only the call and a sentence, a twentieth of what the turn was', () => {
    const least = (from: number, to: number): number => Math.min(...compacted.inputTokens.slice(from - 1, to))
    const leftPerTurn = (least(51, 60) - least(21, 30)) / 30
    assert.ok(leftPerTurn < growth(plain, 20, 60) / 20, String(leftPerTurn))
  })
  it('costs less, also where the provider reads an unchanged prefix from its cache at a tenth', () => {
    assert.ok(costEur(compacted, cacheReadFactor) < 0.6 * costEur(plain, cacheReadFactor))
    assert.ok(costEur(compacted, 1) < 0.3 * costEur(plain, 1))
    assert.ok(costEur(late, cacheReadFactor) < costEur(plain, cacheReadFactor))
  })
  it('keeps the prefix of the turn before byte for byte, but for the few turns in which the boundary moves', () => {
    const rewritten = compacted.bodies.filter((body, index) => {
      const previous = compacted.bodies[index - 1]
      return previous !== undefined && !body.startsWith(previous.slice(0, -']}'.length))
    })
    assert.equal(rewritten.length, compacted.moves)
    assert.ok(compacted.moves >= 5 && compacted.moves <= turnCount / 4, String(compacted.moves))
  })
})
