import assert from 'node:assert/strict'
import type { LoopVerdict } from '../../../daemon/tasks/task.ts'
import { healthyRuns } from '../../fixtures/transcripts/healthyRuns.ts'
import { loops } from '../../fixtures/transcripts/loops.ts'
import { replay } from '../../fixtures/transcripts/replay.ts'
import type { Replayed } from '../../fixtures/transcripts/replay.ts'
import type { Client, Scenario } from '../../fixtures/transcripts/scenario.ts'
import { signals } from '../../fixtures/transcripts/signals.ts'

const clients: readonly Client[] = ['claude-code', 'codex', 'openai-agent', 'ollama-agent', 'gemini-agent']
const corpus = [...loops, ...healthyRuns, ...signals]

describe('the corpus of transcripts', () => {
  const seen = new Map<Scenario, Replayed>()
  before(() => {
    for (const scenario of corpus) seen.set(scenario, replay(scenario))
  })
  const outcome = (scenario: Scenario): Replayed => seen.get(scenario)!

  it('is large enough to mean something, and prints what became of each run', () => {
    assert.ok(corpus.length >= 40)
    assert.equal(new Set(corpus.map(({ name }) => name)).size, corpus.length)
    const rows = corpus.map((scenario) => {
      const { haltedAfter, verdicts } = outcome(scenario)
      const warned = verdicts.findIndex(({ state }) => state !== 'ok')
      const verdict = haltedAfter === null ? (warned < 0 ? 'passed' : 'warned') : `halted after ${haltedAfter}`
      return `  ${scenario.client.padEnd(13)}${verdict.padEnd(17)}${scenario.name}`
    })
    const missed = loops.filter((scenario) => outcome(scenario).haltedAfter === null).length
    const falseHalts = [...healthyRuns, ...signals].filter((scenario) => outcome(scenario).haltedAfter !== null).length
    const warned = healthyRuns.filter((scenario) =>
      outcome(scenario).verdicts.some(({ state }) => state !== 'ok'),
    ).length
    console.log(
      [
        '',
        ...rows,
        `  ${loops.length - missed} of ${loops.length} loops halted, ${falseHalts} of ${healthyRuns.length + signals.length}` +
          ` other runs halted, ${warned} of ${healthyRuns.length} healthy runs warned`,
      ].join('\n'),
    )
  })

  for (const scenario of loops) {
    it(`halts after ${scenario.haltsAfter} calls: ${scenario.name}`, () => {
      assert.equal(outcome(scenario).haltedAfter, scenario.haltsAfter)
      assert.notEqual(outcome(scenario).verdicts.at(-1)!.tool, null)
    })
  }

  for (const scenario of healthyRuns) {
    it(`lets pass: ${scenario.name}`, () => {
      const { haltedAfter, verdicts } = outcome(scenario)
      assert.equal(haltedAfter, null)
      assert.ok(verdicts.every(({ state, hints }) => state !== 'constrained' && hints.length === 0))
    })
  }

  for (const scenario of signals) {
    it(`warns and does no more: ${scenario.name}`, () => {
      const { haltedAfter, verdicts } = outcome(scenario)
      assert.equal(haltedAfter, null)
      assert.deepEqual(verdicts.at(-1)!.hints, scenario.hints)
      assert.ok(verdicts.every(({ state }) => state === 'ok' || state === 'warn'))
    })
  }

  for (const scenario of corpus) {
    it(`K11: judges alike in Chat, Responses, Messages, Ollama's chat and Gemini: ${scenario.name}`, () => {
      const states = clients.map((client) => replay(scenario, client).verdicts.map(({ state }) => state))
      for (const other of states.slice(1)) assert.deepEqual(other, states[0])
    })
  }

  for (const scenario of corpus) {
    it(`K11: judges alike where the provider keeps the history: ${scenario.name}`, () => {
      const carried = replay(scenario, 'codex')
      const kept = replay(scenario, 'codex', 'kept by the provider')
      assert.equal(kept.haltedAfter, carried.haltedAfter)
      assert.equal(kept.tasks, carried.tasks)
      // What the assistant said stays with the provider; its repetition only ever warns.
      const withoutNarration = ({ state, hints, ...rest }: LoopVerdict): unknown =>
        hints.includes('narration') ? 'narration' : { state, hints, ...rest }
      for (const [at, verdict] of carried.verdicts.entries()) {
        if (verdict.hints.includes('narration')) assert.notEqual(kept.verdicts[at]!.state, 'halted')
        else assert.deepEqual(withoutNarration(kept.verdicts[at]!), withoutNarration(verdict))
      }
    })
  }
})
