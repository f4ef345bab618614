import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  MonotoneDay,
  dayKey,
  isoWithOffset,
  monthKey,
  nextDayStartMs,
  nextMonthStartMs,
} from '../../../daemon/budget/windows.ts'

const berlin = 'Europe/Berlin'
const hourMs = 3_600_000

function at(iso: string): number {
  return Date.parse(iso)
}

describe('calendar windows', () => {
  it('M03: resets at local midnight of the configured zone, wherever the machine stands', () => {
    assert.equal(dayKey(at('2026-11-30T22:59:59.999Z'), berlin), '2026-11-30')
    assert.equal(dayKey(at('2026-11-30T23:00:00Z'), berlin), '2026-12-01')
    assert.equal(dayKey(at('2026-11-30T15:59:59Z'), 'Asia/Shanghai'), '2026-11-30')
    assert.equal(dayKey(at('2026-11-30T16:00:00Z'), 'Asia/Shanghai'), '2026-12-01')
    assert.equal(nextDayStartMs(at('2026-11-30T00:00:00Z'), 'Asia/Shanghai'), at('2026-11-30T16:00:00Z'))
  })

  it('M04: counts the day on which the clock goes forward as one day of 23 hours', () => {
    const start = at('2026-03-29T00:00:00+01:00')
    const end = nextDayStartMs(start, berlin)
    assert.equal(end - start, 23 * hourMs)
    assert.equal(dayKey(start - 1, berlin), '2026-03-28')
    assert.equal(dayKey(start, berlin), '2026-03-29')
    assert.equal(dayKey(end - 1, berlin), '2026-03-29')
    assert.equal(dayKey(end, berlin), '2026-03-30')
  })

  it('M04: counts the day on which an hour comes twice as one day of 25 hours', () => {
    const start = at('2026-10-25T00:00:00+02:00')
    const end = nextDayStartMs(start, berlin)
    assert.equal(end - start, 25 * hourMs)
    assert.equal(dayKey(at('2026-10-25T02:30:00+02:00'), berlin), '2026-10-25')
    assert.equal(dayKey(at('2026-10-25T02:30:00+01:00'), berlin), '2026-10-25')
    assert.equal(dayKey(end, berlin), '2026-10-26')
  })

  it('M04: knows zones whose day does not begin at midnight', () => {
    const start = nextDayStartMs(at('2024-04-25T12:00:00Z'), 'Africa/Cairo')
    assert.equal(isoWithOffset(start, 'Africa/Cairo'), '2024-04-26T01:00:00+03:00')
  })

  it('M05: writes the end of a window with the offset that holds there', () => {
    const now = at('2026-11-30T04:27:35Z')
    assert.equal(isoWithOffset(nextDayStartMs(now, berlin), berlin), '2026-12-01T00:00:00+01:00')
    const march = at('2026-03-10T10:00:00Z')
    assert.equal(isoWithOffset(nextMonthStartMs(march, berlin), berlin), '2026-04-01T00:00:00+02:00')
    assert.equal(isoWithOffset(at('2026-07-01T00:00:00Z'), 'America/St_Johns'), '2026-06-30T21:30:00-02:30')
  })

  it('M05: shows as reset exactly the instant at which the key changes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: at('2024-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') }),
        fc.constantFrom(berlin, 'Asia/Shanghai', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'),
        (ms, zone) => {
          const dayEnd = nextDayStartMs(ms, zone)
          assert.equal(dayKey(dayEnd - 1, zone), dayKey(ms, zone))
          assert.ok(dayKey(dayEnd, zone) > dayKey(ms, zone))
          const monthEnd = nextMonthStartMs(ms, zone)
          assert.equal(monthKey(monthEnd - 1, zone), monthKey(ms, zone))
          assert.ok(monthKey(monthEnd, zone) > monthKey(ms, zone))
          assert.ok(dayEnd > ms && dayEnd - ms <= 25 * hourMs)
          assert.equal(at(isoWithOffset(ms, zone)), Math.floor(ms / 1000) * 1000)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('skips, merges and repeats no day in a year', () => {
    const days: string[] = []
    for (let ms = at('2026-01-01T00:00:00+01:00'); days.length < 365; ms = nextDayStartMs(ms, berlin)) {
      days.push(dayKey(ms, berlin))
    }
    const expected = Array.from({ length: 365 }, (_, day) =>
      new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
    )
    assert.deepEqual(days, expected)
  })

  it('throws for a zone that does not exist', () => {
    assert.throws(() => dayKey(0, 'Europe/Atlantis'), RangeError)
  })
})

describe('a day that never goes back', () => {
  it('stays in the latest day when the clock is set back', () => {
    const day = new MonotoneDay(berlin)
    assert.equal(day.at(at('2026-11-30T23:30:00Z')).day, '2026-12-01')
    assert.equal(day.at(at('2026-11-30T10:00:00Z')).day, '2026-12-01')
    assert.equal(day.at(at('2026-11-30T10:00:00Z')).month, '2026-12')
    assert.equal(day.at(at('2026-12-01T23:00:00Z')).day, '2026-12-02')
  })

  it('stays behind no day of the ledger after a restart', () => {
    const day = new MonotoneDay(berlin, '2026-12-03')
    const windows = day.at(at('2026-11-30T10:00:00Z'))
    assert.equal(windows.day, '2026-12-03')
    assert.equal(windows.nextDayStartMs, at('2026-12-04T00:00:00+01:00'))
    assert.equal(new MonotoneDay(berlin, '2026-11-01').at(at('2026-11-30T10:00:00Z')).day, '2026-11-30')
  })

  it('gives keys that only grow for any walk of the clock', () => {
    const instants = fc.array(fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') }), {
      maxLength: 20,
    })
    fc.assert(
      fc.property(instants, (clock) => {
        const day = new MonotoneDay(berlin)
        let last = ''
        for (const ms of clock) {
          const windows = day.at(ms)
          assert.ok(windows.day >= last)
          assert.ok(windows.nextDayStartMs > ms)
          last = windows.day
        }
      }),
      { numRuns: 50 },
    )
  })
})
