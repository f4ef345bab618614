import assert from 'node:assert/strict'
import type { DaemonEvent } from '../../../extension/ui/eventFields.ts'
import {
  capChoices,
  capNotice,
  exhaustedCap,
  isExhausted,
  settingOfCap,
  truncationNotice,
} from '../../../extension/ui/notices.ts'
import { figures, spend, status, text } from './support.ts'

const time = '2026-11-30T12:00:00.000Z'

function truncated(fields: Record<string, unknown> = {}): DaemonEvent {
  return {
    event: 'truncated',
    time,
    model: 'qwen3:4b',
    upstream: 'ollama',
    estimated: 12_920,
    reported: 2051,
    ...fields,
  }
}

function noticeOf(event: DaemonEvent, workspace = 'shop', today = '2026-11-30') {
  return truncationNotice(event, workspace, today, text, figures)
}

describe('the truncation warning', () => {
  it('names both numbers and what to do about it (I01)', () => {
    assert.equal(
      noticeOf(truncated({ ollama: true }))?.message,
      'qwen3:4b answered on a truncated prompt: about 12,920 tokens were sent, 2,051 were read. ' +
        'Raise num_ctx in the request, or OLLAMA_CONTEXT_LENGTH of the server.',
    )
  })

  it('does not recommend num_ctx where the route ignores it', () => {
    assert.match(noticeOf(truncated({ ollama: false }))?.message ?? '', /cannot set num_ctx: use \/api\/chat/)
    assert.match(noticeOf(truncated({ upstream: 'vllm' }))?.message ?? '', /Send a shorter prompt/)
  })

  it('is one per model, workspace and day', () => {
    const key = noticeOf(truncated())?.key
    assert.equal(noticeOf(truncated({ estimated: 38_980 }))?.key, key)
    assert.notEqual(noticeOf(truncated({ model: 'other' }))?.key, key)
    assert.notEqual(noticeOf(truncated(), 'blog')?.key, key)
    assert.notEqual(noticeOf(truncated(), 'shop', '2026-12-01')?.key, key)
  })

  it('is not made up when a number is missing (I02)', () => {
    assert.equal(noticeOf(truncated({ reported: null })), undefined)
  })
})

describe('the notification of a reached cap', () => {
  const refusal = (fields: Record<string, unknown> = {}): DaemonEvent => ({
    event: 'refused',
    time,
    code: 'budget_exhausted',
    kind: 'spent',
    scope: 'user',
    scopeRef: 'me',
    window: 'day',
    resetsAt: '2026-12-01T00:00:00+01:00',
    ...fields,
  })

  it('is about spent budgets, not about those held by running calls', () => {
    assert.ok(isExhausted(refusal()))
    assert.ok(!isExhausted(refusal({ kind: 'held' })))
    assert.ok(!isExhausted(refusal({ code: 'rate_limited' })))
  })

  it('takes the limit from the event, else from the status', () => {
    assert.equal(exhaustedCap(refusal({ limit: 3 }), status())?.limit, 3)
    assert.equal(exhaustedCap(refusal(), status())?.limit, 10)
    assert.equal(exhaustedCap(refusal({ window: 'month' }), status())?.limit, 150)
    assert.equal(exhaustedCap(refusal(), status({ today: spend({ capEur: null }) })), undefined)
  })

  it('names cap, owner and end of the window, once per window', () => {
    const cap = exhaustedCap(refusal(), status())!
    const notice = capNotice(refusal(), cap, Date.parse(time), text, figures)
    assert.match(notice.message, /^The model budget is used up: €10\.00 a day for you\. Calls are refused until .+\.$/)
    const later = refusal({ resetsAt: '2026-12-02T00:00:00+01:00' })
    assert.equal(capNotice(refusal(), cap, 0, text, figures).key, notice.key)
    assert.notEqual(capNotice(later, cap, 0, text, figures).key, notice.key)
  })

  it('leads to the setting that raises it, where there is one', () => {
    const eur = { unit: 'eur', limit: 10, resetsAtMs: null } as const
    assert.equal(settingOfCap(refusal(), eur), 'tollgate.caps.dailyEur')
    const month = refusal({ scope: 'tenant', window: 'month' })
    assert.equal(settingOfCap(month, { ...eur, unit: 'tokens' }), 'tollgate.caps.monthlyTokens')
    assert.equal(settingOfCap(refusal({ scope: 'project' }), eur), undefined)
  })

  it('offers a fifth of the cap more for today, and the setting', () => {
    const eur = { unit: 'eur', limit: 10, resetsAtMs: null } as const
    const choices = capChoices(refusal(), eur, text, figures)
    assert.deepEqual(
      choices.map(({ title }) => title),
      ['Allow €2.00 Today', 'Raise…', 'Show Why'],
    )
    assert.deepEqual(choices[0]!.step, {
      kind: 'allow',
      grant: { scope: 'user', ref: 'me', eur: 2, by: 'extension' },
      done: '€2.00 more are allowed until midnight. The cap itself is unchanged.',
    })
    assert.deepEqual(choices[1]!.step, { kind: 'openSetting', setting: 'tollgate.caps.dailyEur' })
  })

  it('A13: offers nothing more where a cap of 0 refuses every paid call, nor for tokens, nor for the account', () => {
    const titles = (event: DaemonEvent, unit: 'eur' | 'tokens', limit: number): readonly string[] =>
      capChoices(event, { unit, limit, resetsAtMs: null }, text, figures).map(({ title }) => title)
    assert.deepEqual(titles(refusal(), 'eur', 0), ['Raise…', 'Show Why'])
    assert.deepEqual(titles(refusal(), 'tokens', 6000), ['Raise…', 'Show Why'])
    assert.deepEqual(titles(refusal({ scope: 'tenant', window: 'month' }), 'eur', 150), ['Raise…', 'Show Why'])
    assert.deepEqual(titles(refusal({ scope: 'model', scopeRef: 'claude-opus-*' }), 'eur', 3), ['Show Why'])
  })
})
