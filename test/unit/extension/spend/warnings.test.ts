import assert from 'node:assert/strict'
import { anomalyKinds } from '../../../../shared/codes.ts'
import type { SpendNode } from '../../../../extension/ui/spendNode.ts'
import type { DaemonEvent } from '../../../../extension/ui/eventFields.ts'
import { spend, status } from '../support.ts'
import { drawn, event, row } from './parts.ts'

function warnings(...events: DaemonEvent[]): readonly SpendNode[] {
  return row(drawn({}, events), 'warnings').children
}

/** Title, and the lines below it: what happened and what helps. */
function said(...events: DaemonEvent[]): readonly string[] {
  const node = warnings(...events)[0]!
  return [node.label, ...node.children.map(({ label }) => label)]
}

describe('warnings in the Spend view', () => {
  it('I01: compare what was sent with what was read, and say what helps on that route', () => {
    const cut = { model: 'qwen3:4b', upstream: 'ollama', estimated: 12_920, reported: 2051 }
    assert.deepEqual(said(event('truncated', { ...cut, ollama: true })), [
      'Truncated prompt: qwen3:4b',
      'qwen3:4b read only 2,051 of about 12,920 tokens: the rest of the prompt was dropped.',
      'Raise num_ctx in the request, or set OLLAMA_CONTEXT_LENGTH where Ollama starts.',
    ])
    assert.match(said(event('truncated', { ...cut, ollama: false }))[2] ?? '', /^This route cannot set num_ctx/)
  })

  it('A06: say why the spend is higher after a crash of the gate', () => {
    assert.deepEqual(said(event('orphaned', { calls: 1, eur: 0.42 })).slice(0, 2), [
      'The gate was cut off',
      '1 call was running when the gate ended. It counts with the most it can have cost: €0.42.',
    ])
    assert.match(said(event('orphaned', { calls: 3, eur: 0.42 }))[1] ?? '', /^3 calls were running/)
  })

  it('say of the others what happened and what helps', () => {
    const model = 'o4-mini'
    assert.deepEqual(said(event('empty_answer', { model, outputTokens: 256, finish: 'length' })), [
      'Empty answer: o4-mini',
      'o4-mini used 256 output tokens and wrote no visible text.',
      'Raise max_tokens of the request, or let the model think less.',
    ])
    assert.match(said(event('output_limit', { model, outputTokens: 2000 }))[1] ?? '', /its limit of 2,000 output/)
    const over = { model, estimated: 38_980, window: 4096 }
    assert.equal(
      said(event('over_window', over))[1],
      'About 38,980 tokens were sent to o4-mini, which reads 4,096 at once.',
    )
    assert.match(said(event('over_window', { ...over, upstream: 'ollama' }))[2] ?? '', /num_ctx/)
    assert.match(said(event('over_window', { ...over, upstream: 'lmstudio' }))[2] ?? '', /shorter prompt/)
    assert.match(
      said(event('degraded', { model, to: 'ollama/qwen3:4b' }))[1] ?? '',
      /: ollama\/qwen3:4b answers instead of/,
    )
    assert.match(said(event('degraded', { model, to: 'cache' }))[1] ?? '', /equal earlier calls/)
    assert.equal(said(event('residual_drift', { model, reason: 'Twice as many.' }))[1], 'Twice as many.')
    assert.equal(
      said(event('price_drift', { provider: 'openai', drift: 1.12 }))[1],
      'openai invoiced 112% of what was counted here.',
    )
    assert.match(said(event('price_drift', { provider: 'openai', drift: null }))[1] ?? '', /were not counted here/)
    assert.match(
      said(event('config_rejected', { problems: ['budgets.userDaily.eur: must be a number.'] }))[1] ?? '',
      /The last good one holds\. budgets\.userDaily\.eur: must be a number\.$/,
    )
  })

  it('tell each kind of anomaly in its own words, with the figures and what helps', () => {
    const about = { scope: 'task', ref: 'shop-3', task: 'shop-3', model: 'gpt-4.1', reason: 'In English.' }
    const unusual = (kind: string, fields: Record<string, unknown>): readonly string[] =>
      said(event('anomaly', { kind, ...about, ...fields }))
    assert.deepEqual(unusual('velocity', { eurPerMinute: 0.81, limit: 0.5 }), [
      'Fast spending: gpt-4.1',
      'Task shop-3 spent €0.81 in one minute; the plan allows €0.50.',
    ])
    assert.deepEqual(unusual('velocity', { scope: 'key', ref: 'k', eurPerMinute: 0.81, limit: 0.5 }), [
      'Fast spending: gpt-4.1',
      'Key k spent €0.81 in one minute; the plan allows €0.50.',
    ])
    assert.deepEqual(unusual('cost_growth', { factor: 4, eurPerCall: 0.08, firstEurPerCall: 0.02 }), [
      'Calls grow dearer: gpt-4.1',
      'Task shop-3: a call costs €0.08 now and cost €0.02 at first, because the conversation grows.',
      'Start a new conversation, or let the client compact this one.',
    ])
    assert.deepEqual(unusual('hour_spend', { model: null, eur: 4.1, medianEur: 0.4, factor: 10.3 }), [
      'Dear hour',
      'The last hour cost €4.10. Half of the active hours of 30 days cost less than €0.40.',
      'See under Tasks what spends it.',
    ])
    assert.deepEqual(unusual('refusals', { model: null, refusals: 40, usual: 1.5, code: 'velocity' }), [
      'Many refusals',
      '40 calls were refused in 5 minutes, most often: Spent too fast. Usually it is 1.5.',
    ])
    assert.deepEqual(unusual('cache_unread', { writes: 4, tokens: 48_000 }).slice(1), [
      '4 calls in 10 minutes wrote 48,000 tokens to the cache and read none. That costs more than no cache.',
      'Keep the start of the prompt the same, or leave out cache_control.',
    ])
    assert.deepEqual(said(event('residual_drift', { ...about, ratio: 2.04, average: 1.02 })).slice(1), [
      'The provider reports 204% of the estimated input now, and 102% on the long average.',
      'See whether prompts are cut, or the model behind the name has changed.',
    ])
  })

  it('tell an anomaly without figures in the words of the daemon, which is older or newer', () => {
    const titles = anomalyKinds
      .filter((kind) => kind !== 'ledger_drift' && kind !== 'residual_drift')
      .map((kind) => {
        const [title, says] = said(event('anomaly', { kind, reason: `Because of ${kind}.` }))
        assert.equal(says, `Because of ${kind}.`)
        return title
      })
    assert.equal(new Set(titles).size, 5)
    assert.deepEqual(said(event('anomaly', { kind: 'from_the_future', reason: 'Odd.' })), ['Unusual', 'Odd.'])
  })

  it('are one row for each model and provider, that counts; the latest first', () => {
    const rows = warnings(
      event('empty_answer', { model: 'a', upstream: 'openai', outputTokens: 1, time: '2026-11-30T11:00:00.000Z' }),
      event('truncated', {
        model: 'b',
        upstream: 'ollama',
        estimated: 9,
        reported: 2,
        time: '2026-11-30T11:10:00.000Z',
      }),
      event('empty_answer', { model: 'a', upstream: 'openai', outputTokens: 7, time: '2026-11-30T11:20:00.000Z' }),
      event('empty_answer', { model: 'a', upstream: 'groq', outputTokens: 7, time: '2026-11-30T10:20:00.000Z' }),
    )
    assert.deepEqual(
      rows.map(({ label }) => label),
      ['Empty answer: a', 'Truncated prompt: b', 'Empty answer: a'],
    )
    assert.match(rows[0]!.description, /^2× · /)
    assert.match(rows[0]!.children[0]!.label, /used 7 output/)
  })

  it('say that a prompt was cut, and not also that it might be', () => {
    const about = { model: 'qwen3:4b', upstream: 'ollama', estimated: 12_920 }
    const rows = warnings(
      event('over_window', { ...about, call: 'one', window: 4096 }),
      event('truncated', { ...about, call: 'one', reported: 2051 }),
      event('over_window', { ...about, call: 'two', window: 4096 }),
    )
    assert.deepEqual(rows.map(({ label, description }) => [label, description.includes('×')]).sort(), [
      ['Prompt over the window: qwen3:4b', false],
      ['Truncated prompt: qwen3:4b', false],
    ])
  })

  it('speak the remedy as one, and open the calls of the task', () => {
    const node = warnings(event('empty_answer', { model: 'a', outputTokens: 1, task: 'shop-3' }))[0]!
    assert.match(node.children[1]!.spoken, /^What to do: /)
    assert.deepEqual([node.task, node.menu], ['shop-3', ['calls']])
  })

  it('hold what is so now in front, for as long as it is', () => {
    const integrity = { ...status().integrity, ledgerDrift: 2, usdRateStale: true, usdRateAsOf: '2026-09-01' }
    const nodes = drawn({ today: spend({ unpricedCalls: 1 }), integrity }, [
      event('empty_answer', { model: 'a', outputTokens: 1 }),
      event('anomaly', { kind: 'ledger_drift', windows: 2 }),
    ])
    assert.deepEqual(
      row(nodes, 'warnings').children.map(({ label }) => label),
      ['Ledger differs', 'Unknown price', 'Old exchange rate', 'Empty answer: a'],
    )
    assert.match(row(nodes, 'warning/now/rate/says').label, /is of Sep 1, 2026\./)
  })

  it('beyond fifteen are behind a closed row', () => {
    const many = Array.from({ length: 40 }, (_, index) =>
      event('empty_answer', { model: `m${index}`, outputTokens: 1 }),
    )
    assert.equal(warnings(...many).length, 16)
  })
})
