import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import type { Ledger, NewCallRow } from '../../../../daemon/ledger/ledger.ts'
import type { Names } from '../../../../daemon/ledger/rescue/references.ts'
import { defaults } from '../../../../daemon/config/defaults.ts'
import { LedgerUpkeep } from '../../../../daemon/ledger/upkeep.ts'
import { openLedger, sampleAsk, sampleScopes, sampleSettlement } from '../sample.ts'

/** Names that stand in for lost ones; those of the sample calls differ, so that a test sees which were taken. */
export const standIns: Names = {
  tenant: 'general',
  user: 'me',
  timezone: 'Europe/Berlin',
  currency: { code: 'EUR', usdRate: 0.5, asOf: '2026-11-15' },
  budgets: defaults.budgets,
}

/** Bytes of a ledger's page. */
export const pageBytes = 2048

/** Reserves and settles so many calls, of two models and three tasks, and leaves `open` more of them open. */
export async function fill(
  ledger: Ledger,
  settled: number,
  open = 0,
  at: Partial<Pick<NewCallRow, 'receivedAtMs' | 'day' | 'month'>> = {},
): Promise<void> {
  const { day = '2026-11-30', month = '2026-11' } = at
  const asks = Array.from({ length: settled + open }, (_, call) => {
    const task = call % 4 === 0 ? null : `task-${call % 3}`
    const life = {
      scope: 'task',
      ref: task ?? '',
      window: 'life',
      period: '-',
      capNanoEur: null,
      capTokens: null,
    } as const
    return sampleAsk({
      scopes: [
        ...sampleScopes().map((scope) => ({ ...scope, period: scope.window === 'day' ? day : month })),
        ...(task === null ? [] : [life]),
      ],
      row: { task, model: `model-${call % 2}`, ...at },
    })
  })
  // Some to a commit, so that the journal has several.
  for (let from = 0; from < asks.length; from += 10) {
    const batch = asks.slice(from, from + 10)
    await Promise.all(batch.map((ask) => ledger.reserve(ask)))
    for (const ask of batch) if (asks.indexOf(ask) < settled) ledger.settle(sampleSettlement(ask.callId))
    ledger.flush()
  }
}

/** A closed ledger with so many settled calls and open ones. */
export async function filledLedger(
  path: string,
  settled: number,
  open = 0,
  at: Parameters<typeof fill>[3] = {},
): Promise<void> {
  const ledger = openLedger(path)
  await fill(ledger, settled, open, at)
  ledger.close()
}

/** What the daemon does when it has time: sums of tasks, and calls before a time removed. */
export function keepUp(path: string, callsBeforeMs: number | null): void {
  const database = new Database(path)
  const upkeep = new LedgerUpkeep(database)
  while (upkeep.step({ callsBeforeMs, eventsBeforeMs: null, mostRows: 7 }) > 0);
  database.close()
}

/** The files as a process that was killed leaves them, in another folder; `path` is open and goes on. */
export function asIfKilled(path: string, copy: string): void {
  mkdirSync(dirname(copy), { recursive: true })
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix)
}

/** Changes a file in place. */
export function patch(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path)
  change(bytes)
  writeFileSync(path, bytes)
}

/** Overwrites whole pages, numbered from 1. */
export function wipePages(path: string, pages: readonly number[], byte = 0xa5): void {
  patch(path, (bytes) => {
    for (const page of pages) bytes.fill(byte, (page - 1) * pageBytes, page * pageBytes)
  })
}

/** Runs SQL behind the ledger's back. */
export function tamper(path: string, sql: string): void {
  const database = new Database(path)
  database.pragma('foreign_keys = OFF')
  database.exec(sql)
  database.close()
}

/** Puts a value into a strict column that takes no such value, as a damaged page would. */
export function force(path: string, table: string, change: string): void {
  const rewrite = (sql: string): void => {
    const database = new Database(path)
    database.unsafeMode()
    database.pragma('writable_schema = ON')
    database.prepare(`UPDATE sqlite_schema SET sql = ${sql} WHERE name = ?`).run(table)
    database.close()
  }
  rewrite("replace(sql, ') STRICT', ')')")
  tamper(path, `UPDATE ${table} SET ${change}`)
  rewrite("sql || ' STRICT'")
}

/** Pages of a table's tree, by SQLite's own account. */
export function pagesOf(path: string, table: string, kind: 'leaf' | 'internal' = 'leaf'): readonly number[] {
  const database = new Database(path, { readonly: true })
  const pages = database
    .prepare<[string, string], number>('SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY pageno')
    .pluck()
    .all(table, kind)
  database.close()
  return pages
}

/** Rows of a query in a ledger. */
export function query(path: string, sql: string): readonly Readonly<Record<string, unknown>>[] {
  const database = new Database(path, { readonly: true })
  const rows = database.prepare<[], Record<string, unknown>>(sql).all()
  database.close()
  return rows
}
