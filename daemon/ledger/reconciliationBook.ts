import type Database from 'better-sqlite3'
import type { ReconciliationSummary } from '../../shared/reconciliation.ts'
import { seqFromMs } from './callBook.ts'
import type { KeptReconciliation, Ledger, UtcDaySums } from './ledger.ts'
import { soundCount } from './rows.ts'

type Period = Parameters<Ledger['usageByUtcDay']>[0]
type Slice = Parameters<Ledger['usageByUtcDay']>[1]

/** Reconciliations that are kept of one provider and unit. */
const mostKept = 20

/** Providers and units that are read. */
const mostRead = 100

const counted = ['calls', 'nanoEur', 'estimatedNanoEur', 'inputTokens', 'outputTokens'] as const

/** Our side of a reconciliation, and what reconciliations came to. They leave every call as it was. */
export class ReconciliationBook {
  readonly #usage: Database.Statement<[number, number, number, number], UtcDaySums>
  readonly #oldest: Database.Statement<[], number>
  readonly #save: (summary: ReconciliationSummary, atMs: number) => void
  readonly #newest: Database.Statement<[number], { readonly atMs: number; readonly body: string }>

  constructor(database: Database.Database) {
    // Released calls reached no provider, and those of subscriptions are on no invoice by the token.
    this.#usage = database.prepare(
      `SELECT c.received_at_ms / 86400000 AS day, l.upstream, l.model, c.response_model AS responseModel, c.tier,
         l.usd_rate AS usdRate, count(*) AS calls, sum(c.cost_nano) AS nanoEur,
         sum(iif(c.settlement = 'exact', 0, c.cost_nano)) AS estimatedNanoEur,
         sum(c.input + c.cache_read + c.cache_write_5m + c.cache_write_1h) AS inputTokens, sum(c.output) AS outputTokens,
         sum(c.web_searches) AS webSearches, sum(c.file_searches) AS fileSearches, sum(c.code_containers) AS codeContainers
       FROM calls c NOT INDEXED JOIN lines l ON l.id = c.line
       WHERE c.seq >= ? AND c.seq < ? AND c.received_at_ms >= ? AND c.received_at_ms < ?
         AND c.settlement IS NOT NULL AND c.settlement <> 'released' AND l.billing <> 'subscription'
       GROUP BY c.received_at_ms / 86400000, l.upstream, l.model, c.response_model, c.tier, l.usd_rate`,
    )
    this.#oldest = database.prepare<[], number>('SELECT received_at_ms FROM calls ORDER BY seq LIMIT 1').pluck()
    const insert = database.prepare('INSERT INTO reconciliations (at_ms, provider, unit, body) VALUES (?, ?, ?, ?)')
    const prune = database.prepare(
      `DELETE FROM reconciliations WHERE provider = ? AND unit = ? AND id NOT IN
       (SELECT id FROM reconciliations WHERE provider = ? AND unit = ? ORDER BY id DESC LIMIT ${mostKept})`,
    )
    this.#save = database.transaction((summary: ReconciliationSummary, atMs: number) => {
      const { provider, unit } = summary
      insert.run(Math.round(atMs), provider, unit, JSON.stringify(summary))
      prune.run(provider, unit, provider, unit)
    })
    this.#newest = database.prepare(
      `SELECT at_ms AS atMs, body FROM reconciliations
       WHERE id IN (SELECT max(id) FROM reconciliations GROUP BY provider, unit) ORDER BY id DESC LIMIT ?`,
    )
  }

  usage({ fromMs, toMs }: Period, { sinceMs, untilMs }: Slice): readonly UtcDaySums[] {
    const untilSeq = untilMs === null ? Number.MAX_SAFE_INTEGER : seqFromMs(untilMs)
    const rows = this.#usage.all(seqFromMs(sinceMs), untilSeq, fromMs, toMs)
    for (const row of rows) for (const name of counted) soundCount(row[name])
    return rows
  }

  oldestCallMs(): number | null {
    return this.#oldest.get() ?? null
  }

  save(summary: ReconciliationSummary, atMs: number): void {
    this.#save(summary, atMs)
  }

  newest(): readonly KeptReconciliation[] {
    return this.#newest
      .all(mostRead)
      .map(({ atMs, body }) => ({ atMs, summary: JSON.parse(body) as ReconciliationSummary }))
  }
}
