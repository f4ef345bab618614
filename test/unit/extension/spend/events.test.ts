import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { DaemonEvent } from '../../../../extension/ui/eventFields.ts'
import { dayOf, mostOfKind, noEvents, ofDay, readEvents, withEvents } from '../../../../extension/ui/spendEvents.ts'
import { event } from './parts.ts'

describe('the events that the Spend view keeps', () => {
  it('are refusals and warnings, by code and by kind', () => {
    const kept = withEvents(noEvents, [
      event('call_started'),
      event('call_settled'),
      event('refused', { code: 'killed' }),
      event('refused', { code: 'velocity' }),
      event('truncated', { model: 'a' }),
      event('granted'),
    ])
    assert.deepEqual([...kept.keys()], ['refused killed', 'refused velocity', 'truncated'])
  })

  it('are the same object after events that are not kept', () => {
    assert.equal(withEvents(noEvents, [event('call_started')]), noEvents)
  })

  it('are there once, whether they were heard, read or both, in whatever order', () => {
    const times = fc.integer({ min: 0, max: 30 }).map((second) => new Date(second * 1000).toISOString())
    const refusals = fc.array(
      fc.record({ time: times, call: fc.constantFrom('a', 'b', 'c'), code: fc.constantFrom('killed', 'velocity') }),
    )
    fc.assert(
      fc.property(refusals, refusals, (heard, past) => {
        const events = (list: typeof heard): DaemonEvent[] => list.map((fields) => ({ event: 'refused', ...fields }))
        const kept = withEvents(withEvents(noEvents, events(heard)), events(past))
        const all = [...kept.values()].flat()
        const names = (list: readonly Record<string, unknown>[]): string[] =>
          list.map(({ time, call, code }) => JSON.stringify([time, call, code]))
        assert.deepEqual(names(all).sort(), [...new Set(names([...heard, ...past]))].sort())
        for (const list of kept.values()) {
          assert.deepEqual(
            list.map(({ time }) => time),
            list.map(({ time }) => time).sort(),
          )
        }
      }),
    )
  })

  it('are bounded for each kind, so that a client in a loop pushes out only its own', () => {
    const burst = Array.from({ length: mostOfKind + 100 }, () => event('refused', { code: 'killed' }))
    const kept = withEvents(withEvents(noEvents, [event('truncated', { model: 'a' })]), burst)
    assert.equal(kept.get('refused killed')?.length, mostOfKind)
    assert.equal(kept.get('refused killed')?.at(-1), burst.at(-1))
    assert.equal(kept.get('truncated')?.length, 1)
  })

  it('of one day are those of the zone, over a clock change too', () => {
    assert.equal(dayOf('2026-10-25T22:30:00.000Z', 'Europe/Berlin'), '2026-10-25')
    assert.equal(dayOf('2026-10-25T23:30:00.000Z', 'Europe/Berlin'), '2026-10-26')
    assert.equal(dayOf('2026-11-30T23:30:00.000Z', 'Nowhere/City'), '2026-11-30')
    assert.equal(dayOf('no time', 'UTC'), '')
    const kept = withEvents(noEvents, [event('refused', { code: 'killed' })])
    assert.equal(ofDay(kept, '2026-11-30', 'UTC'), kept)
    assert.equal(ofDay(kept, '2026-12-01', 'UTC').size, 0)
  })

  it('are read from an answer of the daemon, and from nothing else', () => {
    const good = { id: 1, event: 'refused', time: '2026-11-30T11:00:00.000Z', code: 'killed' }
    assert.deepEqual(readEvents({ events: [good, { event: 'a_new_thing', time: good.time }, null, 3] }), [good])
    fc.assert(fc.property(fc.anything(), (answer) => Array.isArray(readEvents(answer))))
  })
})
