import assert from 'node:assert/strict'
import { dueBefore, Housekeeping, nextRows } from '../../../daemon/control/housekeeping.ts'
import { LedgerUnavailable } from '../../../daemon/ledger/ledger.ts'
import type { UpkeepAsk } from '../../../daemon/ledger/ledger.ts'

const timezone = 'Europe/Berlin'
const config = { timezone, retention: { callsDays: 2, eventsDays: 1 } }
const noonMs = Date.parse('2026-11-30T12:00:00+01:00')

/** Housekeeping whose steps take the given times; says what each asked for. */
function played(tookMs: readonly number[], upkeep: (ask: UpkeepAsk) => number = ({ mostRows }) => mostRows) {
  const asks: UpkeepAsk[] = []
  let elapsedMs = 0
  const housekeeping = new Housekeeping({
    ledger: {
      upkeep: (ask) => {
        elapsedMs += tookMs[asks.length] ?? 0
        asks.push(ask)
        return upkeep(ask)
      },
    },
    config: () => config,
    nowMs: () => noonMs,
    elapsedMs: () => elapsedMs,
  })
  return { housekeeping, asks }
}

describe('what may go', () => {
  it('lies before a day that begins, as many whole days before today as are kept', () => {
    assert.deepEqual(dueBefore(config, noonMs), {
      callsBeforeMs: Date.parse('2026-11-28T00:00:00+01:00'),
      eventsBeforeMs: Date.parse('2026-11-29T00:00:00+01:00'),
    })
  })

  it('M04: is cut at midnight of the zone on both sides of a change of the clock', () => {
    const before = (now: string): number | null => dueBefore(config, Date.parse(now)).callsBeforeMs
    assert.equal(before('2026-03-30T12:00:00+02:00'), Date.parse('2026-03-28T00:00:00+01:00'))
    assert.equal(before('2026-10-26T12:00:00+01:00'), Date.parse('2026-10-24T00:00:00+02:00'))
  })

  it('is nothing where all is kept', () => {
    const retention = { callsDays: null, eventsDays: null }
    assert.deepEqual(dueBefore({ timezone, retention }, noonMs), { callsBeforeMs: null, eventsBeforeMs: null })
  })
})

describe('housekeeping', () => {
  it('begins with few rows, takes more while steps are short, and fewer after a long one', () => {
    const { housekeeping, asks } = played([1, 1, 30, 7, 7])
    for (let step = 0; step < 5; step += 1) assert.equal(housekeeping.step(), 40)
    assert.deepEqual(
      asks.map(({ mostRows }) => mostRows),
      [100, 200, 400, 200, 200],
    )
    assert.deepEqual({ ...asks[0], mostRows: 0 }, { ...dueBefore(config, noonMs), mostRows: 0 })
  })

  it('never asks for less than 100 rows nor for more than 500', () => {
    assert.equal(nextRows(100, 500), 100)
    assert.equal(nextRows(500, 0.1), 500)
  })

  it('leaves the calls of the moment alone for seconds once it has caught up with them', () => {
    assert.equal(played([1], ({ mostRows }) => mostRows - 1).housekeeping.step(), 2000)
  })

  it('is done for ten minutes when nothing is due, and where the ledger cannot be used', () => {
    assert.equal(played([], () => 0).housekeeping.step(), 600_000)
    const broken = played([], () => {
      throw new LedgerUnavailable('The disk is full.')
    })
    assert.equal(broken.housekeeping.step(), 600_000)
  })
})
