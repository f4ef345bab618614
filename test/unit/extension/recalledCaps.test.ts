import assert from 'node:assert/strict'
import { isCapEvent, pastCapEvents, recalledCaps } from '../../../extension/ui/recalledCaps.ts'
import { status } from './support.ts'

const time = '2026-11-30T12:00:00.000Z'
const refused = {
  event: 'refused',
  time,
  code: 'budget_exhausted',
  kind: 'spent',
  scope: 'user',
  scopeRef: 'me',
  window: 'day',
  unit: 'eur',
  limit: 0.94,
}
const limits = (events: unknown): readonly number[] => recalledCaps({ events }, status()).map(({ limit }) => limit)

describe('caps that a window has not seen refusing', () => {
  it('are shown by it as by the others', () => {
    assert.deepEqual(limits([{ event: 'call_started', time }, refused, refused]), [0.94])
  })

  it('are over once a call went out, or more was allowed', () => {
    for (const event of ['call_started', 'granted', 'caps_changed']) {
      assert.deepEqual(limits([refused, { event, time, scope: 'user', ref: 'me', window: 'day' }]), [], event)
      assert.ok(isCapEvent(event))
    }
  })

  it('are none where the daemon answers something else', () => {
    for (const events of [undefined, 'none', [null, { event: 'refused' }]]) assert.deepEqual(limits(events), [])
  })

  it('are asked for since the daemon started, and by the events that count', () => {
    assert.equal(
      pastCapEvents(1796034700488),
      '/api/events?event=refused,call_started,caps_changed,granted&since=1796034700488&limit=200',
    )
  })
})
