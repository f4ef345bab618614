import assert from 'node:assert/strict'
import { capNotice, exhaustedCap, isExhausted, settingOfCap, truncationNotice } from '../../../extension/ui/notices.ts'
import type { DaemonEvent } from '../../../extension/ui/notices.ts'
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
})
