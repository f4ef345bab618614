import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createCalendar } from '../../../daemon/budget/calendar.ts'

const berlin = 'Europe/Berlin'

function at(iso: string): number {
  return Date.parse(iso)
}

/** Keys of the day at instants, by one calendar. */
function daysOf(zone: string, instants: readonly string[], newestDay: string | null = null): readonly string[] {
  const calendar = createCalendar(() => zone, newestDay)
  return instants.map((iso) => calendar.periods(at(iso)).day)
}

describe('the calendar of the gate', () => {
  it('M03: ends the day at midnight of its zone, whatever zone the machine is in', () => {
    const before = process.env['TZ']
    try {
      for (const machine of ['UTC', 'Asia/Shanghai', 'America/Los_Angeles']) {
        process.env['TZ'] = machine
        const calendar = createCalendar(() => berlin)
        assert.equal(calendar.periods(at('2026-11-30T22:59:59Z')).day, '2026-11-30', machine)
        assert.equal(calendar.periods(at('2026-11-30T23:00:00Z')).day, '2026-12-01', machine)
        assert.equal(calendar.resetsAt('day', at('2026-12-01T12:00:00Z')), '2026-12-02T00:00:00+01:00', machine)
      }
    } finally {
      if (before === undefined) delete process.env['TZ']
      else process.env['TZ'] = before
    }
  })

  it('M04: opens each day once while an hour is skipped and while one comes twice', () => {
    const spring = [
      '2026-03-28T22:59:59Z',
      '2026-03-28T23:00:00Z',
      '2026-03-29T00:59:59Z',
      '2026-03-29T01:00:00Z',
      '2026-03-29T21:59:59Z',
      '2026-03-29T22:00:00Z',
    ]
    assert.deepEqual(daysOf(berlin, spring), [
      '2026-03-28',
      '2026-03-29',
      '2026-03-29',
      '2026-03-29',
      '2026-03-29',
      '2026-03-30',
    ])
    const autumn = [
      '2026-10-24T21:59:59Z',
      '2026-10-24T22:00:00Z',
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:30:00Z',
      '2026-10-25T22:59:59Z',
      '2026-10-25T23:00:00Z',
    ]
    assert.deepEqual(daysOf(berlin, autumn), [
      '2026-10-24',
      '2026-10-25',
      '2026-10-25',
      '2026-10-25',
      '2026-10-25',
      '2026-10-26',
    ])
  })

  it('M05: shows the same end of a window in the status, in refusals, and where the key changes', () => {
    const zones = fc.constantFrom(berlin, 'Asia/Shanghai', 'America/New_York', 'Australia/Lord_Howe', 'UTC')
    const instants = fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2028-01-01T00:00:00Z') })
    fc.assert(
      fc.property(zones, instants, fc.constantFrom('day' as const, 'month' as const), (zone, nowMs, window) => {
        const calendar = createCalendar(() => zone)
        const before = calendar.periods(nowMs)[window]
        const shown = calendar.resetsAt(window, nowMs)
        const refused = calendar.windowEnd({ window }, nowMs)
        assert.equal(refused?.resetsAtIso, shown)
        const seconds = refused.secondsToReset
        assert.ok(seconds >= 1 && Math.abs(nowMs + seconds * 1000 - at(shown)) < 1000)
        if (window === 'day') assert.equal(at(shown), calendar.nextDayStartMs(nowMs))
        assert.equal(calendar.periods(at(shown) - 1)[window], before)
        assert.notEqual(calendar.periods(at(shown))[window], before)
      }),
      { numRuns: 100 },
    )
  })

  it('has no end for the life of a task', () => {
    assert.equal(createCalendar(() => berlin).windowEnd({ window: 'life' }, 0), null)
  })

  it('M04: opens no day a second time when the clock is set back over midnight and the daemon is started again', () => {
    const clock = ['2026-11-30T22:50:00Z', '2026-11-30T23:10:00Z']
    const before = createCalendar(() => berlin)
    for (const iso of clock) before.periods(at(iso))
    const newestDay = before.periods(at('2026-11-30T22:30:00Z')).day
    assert.equal(newestDay, '2026-12-01', 'within one process')
    const after = createCalendar(() => berlin, newestDay)
    assert.deepEqual(after.periods(at('2026-11-30T22:31:00Z')), after.periods(at('2026-11-30T23:31:00Z')))
    assert.equal(after.periods(at('2026-11-30T22:32:00Z')).day, '2026-12-01', 'and in the next')
    assert.equal(after.resetsAt('day', at('2026-11-30T22:32:00Z')), '2026-12-02T00:00:00+01:00')
    assert.equal(after.periods(at('2026-12-01T23:00:00Z')).day, '2026-12-02')
  })

  it('does not wait for the day of a clock that was far ahead', () => {
    assert.deepEqual(daysOf(berlin, ['2026-11-30T12:00:00Z'], '2030-01-01'), ['2026-11-30'])
    assert.deepEqual(daysOf(berlin, ['2026-11-30T12:00:00Z'], '2026-12-06'), ['2026-12-06'])
    assert.deepEqual(daysOf(berlin, ['2026-11-30T12:00:00Z'], '2026-12-09'), ['2026-11-30'])
  })

  it('opens no day a second time when another zone is configured', () => {
    let zone = 'Asia/Shanghai'
    const calendar = createCalendar(() => zone)
    assert.equal(calendar.periods(at('2026-11-30T16:30:00Z')).day, '2026-12-01')
    zone = berlin
    assert.equal(calendar.periods(at('2026-11-30T16:31:00Z')).day, '2026-12-01')
    assert.equal(calendar.periods(at('2026-12-01T23:00:00Z')).day, '2026-12-02')
  })
})
