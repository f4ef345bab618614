import { statSync } from 'node:fs'
import { nextRows } from '../../daemon/control/housekeeping.ts'
import type { Ledger } from '../../daemon/ledger/ledger.ts'
import { openSqliteLedger } from '../../daemon/ledger/sqlite.ts'
import { median, quantile } from './statistics.ts'
import { callNow, callsOfDay } from './yearOfCalls.ts'

/**
 * Makes a ledger with a year of calls and compares its reservations with those of an empty one. A process of its own,
 * because a commit stops the event loop. Every call is reserved and settled by the ledger itself, whose own check is run at
 * the end. Ten days more than the year are made and then removed, as the daemon removes old calls.
 *
 *   ledgerFill.ts <full ledger.db> <empty ledger.db> <calls of the year> <pairs to time>
 */

const yearDays = 365
const removedDays = 10
const dayMs = 86_400_000
const callsPerCommit = 1000

const [fullFile = '', emptyFile = '', calls = '', pairs = ''] = process.argv.slice(2)
const nowMs = Date.now()

function open(path: string): Ledger {
  return openSqliteLedger({ path, nowMs: Date.now, epoch: `bench ${path}`, log: () => undefined })
}

async function makeDays(ledger: Ledger): Promise<number> {
  const perDay = Math.ceil(Number(calls) / yearDays)
  for (let daysAgo = yearDays + removedDays - 1; daysAgo >= 0; daysAgo -= 1) {
    const made = callsOfDay(nowMs, daysAgo, perDay)
    for (let from = 0; from < made.length; from += callsPerCommit) {
      const part = made.slice(from, from + callsPerCommit)
      await Promise.all(part.map(({ ask }) => ledger.reserve(ask)))
      for (const { end } of part) ledger.settle(end)
    }
  }
  ledger.flush()
  return perDay * yearDays
}

/** Upkeep until nothing is due, in steps of the size that the daemon takes. Returns how long each took, in milliseconds. */
function keepUp(ledger: Ledger, callsBeforeMs: number | null): readonly number[] {
  const steps: number[] = []
  let mostRows = 0
  for (;;) {
    mostRows = nextRows(mostRows, steps.at(-1) ?? Infinity)
    const startedMs = performance.now()
    if (ledger.upkeep({ callsBeforeMs, eventsBeforeMs: null, mostRows }) === 0) return steps
    steps.push(performance.now() - startedMs)
  }
}

async function timeOne(ledger: Ledger): Promise<number> {
  const { ask, end } = callNow(Date.now())
  const startedMs = performance.now()
  await ledger.reserve(ask)
  const tookMs = performance.now() - startedMs
  ledger.settle(end)
  return tookMs
}

const made = open(fullFile)
const count = await makeDays(made)
keepUp(made, null)
made.close()
const bytesPerCall = statSync(fullFile).size / ((count / yearDays) * (yearDays + removedDays))

const full = open(fullFile)
const empty = open(emptyFile)
const fullMs: number[] = []
const emptyMs: number[] = []
for (let pair = 0; pair < Number(pairs); pair += 1) {
  fullMs.push(await timeOne(full))
  emptyMs.push(await timeOne(empty))
}
const removalMs = quantile(keepUp(full, nowMs - (yearDays - 1) * dayMs - 12 * 3_600_000), 0.99)
const drift = full.check().length
full.close()
empty.close()
const result = { calls: count, drift, bytesPerCall, removalMs, fullMs: median(fullMs), emptyMs: median(emptyMs) }
process.stdout.write(`${JSON.stringify(result)}\n`)
