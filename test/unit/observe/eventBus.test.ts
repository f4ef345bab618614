import assert from 'node:assert/strict'
import { EventBus } from '../../../daemon/observe/eventBus.ts'
import type { Emitted } from '../../../daemon/observe/eventBus.ts'
import type { Ledger } from '../../../daemon/ledger/ledger.ts'
import { unavailableLedger } from '../../../daemon/ledger/unavailableLedger.ts'

describe('the event bus', () => {
  let nowMs = 0
  let kept: string[] = []
  let events: EventBus

  beforeEach(() => {
    nowMs = Date.parse('2026-11-30T10:00:00Z')
    kept = []
    const ledger: Ledger = {
      ...unavailableLedger('not used here'),
      recordEvent: (event, atMs) => kept.push(`${event.event} at ${atMs}`),
    }
    events = new EventBus(ledger, () => nowMs)
  })

  it('lists events with their time and their fields, newest last, from a time on', () => {
    events.emit('killed', { scope: 'global' })
    nowMs += 1000
    events.emit('resumed', { scope: 'global', lifted: 1 })
    const later = { id: 2, event: 'resumed', time: '2026-11-30T10:00:01.000Z', scope: 'global', lifted: 1 }
    assert.deepEqual(events.list({ sinceMs: 0, limit: 10 }).at(-1), later)
    assert.deepEqual(events.list({ sinceMs: nowMs, limit: 10 }), [later])
    assert.deepEqual(events.list({ sinceMs: 0, limit: 1 }), [later])
  })

  it('lists the newest events of one name, however many others came after', () => {
    for (const code of ['killed', 'velocity', 'overrun']) events.emit('refused', { code })
    for (let call = 0; call < 20; call += 1) events.emit('call_started', { call })
    const codes = events.list({ sinceMs: 0, limit: 2, names: ['refused'] }).map((event) => event['code'])
    assert.deepEqual(codes, ['velocity', 'overrun'])
  })

  it('keeps the one warning of the morning, however many calls and refusals come after it', () => {
    events.emit('truncated', { model: 'a' })
    events.emit('refused', { code: 'model_not_allowed' })
    for (let call = 0; call < 9000; call += 1) {
      events.emit('call_started', { call })
      events.emit('refused', { code: 'task_halted', call })
      events.emit('call_settled', { call })
    }
    const names = ['refused', 'truncated']
    const all = events.list({ sinceMs: 0, limit: 100_000, names })
    assert.deepEqual(
      all.slice(0, 2).map(({ event, code }) => [event, code]),
      [
        ['truncated', undefined],
        ['refused', 'model_not_allowed'],
      ],
    )
    assert.ok(all.length > 1000 && all.length < 1500, `${all.length}`)
  })

  it('lists page by page what is before an event that is known, without a gap and without a double', () => {
    for (let at = 0; at < 25; at += 1) events.emit(at % 3 === 0 ? 'refused' : 'empty_answer', { at })
    const pages: unknown[][] = []
    for (let beforeId = Infinity; ;) {
      const page = events.list({ sinceMs: 0, limit: 10, names: ['refused', 'empty_answer'], beforeId })
      if (page.length === 0) break
      pages.unshift(page.map((event) => event['at']))
      beforeId = page[0]!.id
    }
    assert.deepEqual(
      pages.flat(),
      Array.from({ length: 25 }, (_, at) => at),
    )
    assert.equal(pages.length, 3)
  })

  it('goes on after what an earlier daemon kept', () => {
    events.restore([{ id: 41, event: 'killed', time: '2026-11-29T10:00:00.000Z', scope: 'global' }])
    events.emit('resumed', {})
    const [restored, next] = events.list({ sinceMs: 0, limit: 10 })
    assert.deepEqual(restored, { id: 41, event: 'killed', time: '2026-11-29T10:00:00.000Z', scope: 'global' })
    assert.equal(next?.id, 42)
  })

  it('tells a listener until it stops listening', () => {
    const heard: Emitted[] = []
    const stop = events.onEvent((event) => heard.push(event))
    events.emit('call_started', { call: 'a' })
    stop()
    events.emit('call_started', { call: 'b' })
    assert.deepEqual(heard, [{ event: 'call_started', time: '2026-11-30T10:00:00.000Z', call: 'a' }])
  })

  it('keeps what is worth it in the ledger, and one refusal of a kind a minute', () => {
    events.emit('call_settled', { call: 'a' })
    for (const scope of ['user', 'user', 'tenant']) events.emit('refused', { code: 'budget_exhausted', scope })
    assert.deepEqual(kept, [`refused at ${nowMs}`, `refused at ${nowMs}`])
    nowMs += 60_000
    events.emit('refused', { code: 'budget_exhausted', scope: 'user' })
    assert.equal(kept.length, 3)
  })

  it('keeps each of several tasks and projects that the same budget refuses within a minute', () => {
    for (const task of ['a', 'b', 'a']) events.emit('refused', { code: 'budget_exhausted', scope: 'user', task })
    events.emit('refused', { code: 'budget_exhausted', scope: 'user', project: 'shop' })
    assert.equal(kept.length, 3)
  })

  it('keeps no more than 200 refusals a minute of a client that names another task each time', () => {
    const refuse = (calls: number): void => {
      for (let call = 0; call < calls; call += 1) events.emit('refused', { code: 'killed', task: `${nowMs}-${call}` })
    }
    refuse(1500)
    nowMs += 30_000
    refuse(1500)
    assert.equal(kept.length, 200)
    nowMs += 30_000
    refuse(1)
    assert.equal(kept.length, 201)
    nowMs -= 3_600_000
    refuse(1)
    assert.equal(kept.length, 202, 'the clock was set back')
    assert.equal(events.list({ sinceMs: 0, limit: 5000, names: ['refused'] }).length >= 1000, true)
  })
})
