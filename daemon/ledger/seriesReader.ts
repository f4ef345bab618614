import type Database from 'better-sqlite3'
import { seqFromMs } from './callBook.ts'
import type { BucketSums, SeriesFilter } from './ledger.ts'
import { inPeriod, keptSince, lineSums, sumsFrom } from './reportReader.ts'
import type { SumColumns } from './reportReader.ts'

/** Length of the buckets that calls are summed up in: no zone's hours begin between two of them. */
export const quarterMs = 900_000

const callSums = `count(*), sum(iif(l.priced, 0, 1)), sum(c.input), sum(c.cache_read),
  sum(c.cache_write_5m + c.cache_write_1h), sum(c.output), sum(c.cost_nano), sum(c.list_nano)`

/** Reads sums over time. The columns are those of a report, so that both add up to the same. */
export class SeriesReader {
  readonly #database: Database.Database

  constructor(database: Database.Database) {
    this.#database = database
  }

  /** Sums per day or month and name, from sums. */
  series({ by, unit, fromDay, toDay }: SeriesFilter & { readonly unit: 'day' | 'month' }): BucketSums<string>[] {
    return this.#database
      .prepare<[object], readonly [string, string | null, ...SumColumns]>(
        `SELECT ${unit}, ${by}, ${lineSums} FROM lines WHERE ${inPeriod} GROUP BY 1, 2 HAVING sum(calls) > 0`,
      )
      .raw()
      .all({ fromDay, toDay })
      .map(([bucket, name, ...sums]) => ({ bucket, name, sums: sumsFrom(sums) }))
  }

  /** The same per quarter of an hour, of the calls that were reserved in a slice of time. */
  quarters(
    { by, fromDay, toDay }: SeriesFilter,
    slice: { readonly sinceMs: number; readonly untilMs: number | null },
  ): BucketSums<number>[] {
    return this.#database
      .prepare<[object], readonly [number, string | null, ...SumColumns]>(
        // NOT INDEXED and the order of the join leave the primary key, which is the order in time.
        `SELECT c.received_at_ms / ${quarterMs}, l.${by}, ${callSums}
         FROM calls c NOT INDEXED CROSS JOIN lines l ON l.id = c.line
         WHERE c.seq >= :since AND c.seq < :until AND c.settlement <> 'released' AND l.${inPeriod} GROUP BY 1, 2`,
      )
      .raw()
      .all({
        fromDay,
        toDay,
        since: seqFromMs(slice.sinceMs),
        until: slice.untilMs === null ? Number.MAX_SAFE_INTEGER : seqFromMs(slice.untilMs),
      })
      .map(([bucket, name, ...sums]) => ({ bucket, name, sums: sumsFrom(sums) }))
  }

  callsKeptSince(): string | null {
    return this.#database.prepare<[], string>(keptSince).pluck().get() ?? null
  }
}
