import type Database from 'better-sqlite3'
import type { TaskCeilings } from '../../shared/protocol.ts'
import type { TaskOrder } from './ledger.ts'
import { soundCount } from './rows.ts'

/** Tasks and sessions whose orders are kept when old ones are removed. */
const mostOrders = 10_000

interface StoredOrder {
  readonly kept_at_ms: number
  readonly stopped_by: string | null
  readonly stopped_at_ms: number | null
  readonly window_from_ms: number | null
  readonly paused_ms: number
  readonly charged_nano: number
  readonly window_charged_nano: number
}

const columns = [
  'kept_at_ms',
  'stopped_by',
  'stopped_at_ms',
  'window_from_ms',
  'paused_ms',
  'charged_nano',
  'window_charged_nano',
] as const

/** What was ordered for tasks. Orders are rare and durable at once, so they share no commit with the calls. */
export class OrderBook {
  readonly #read: Database.Statement<[string, string], StoredOrder>
  readonly #save: (orders: readonly TaskOrder[]) => void
  readonly #ceilings: Database.Statement<[number], { readonly ref: string; readonly ceilings: string }>
  readonly #saveCeilings: Database.Statement<[string, number, string]>
  readonly #forget: Database.Statement<[number]>

  constructor(database: Database.Database) {
    this.#read = database.prepare(
      `SELECT ${columns.join(', ')} FROM task_orders WHERE scope = ? AND ref = ? AND kept_at_ms IS NOT NULL`,
    )
    const save = database.prepare(
      `INSERT INTO task_orders (scope, ref, at_ms, ${columns.join(', ')}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (scope, ref) DO UPDATE SET at_ms = excluded.at_ms, ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    )
    this.#save = database.transaction((orders: readonly TaskOrder[]) => {
      for (const order of orders) save.run(order.scope, order.ref, ...storedColumns(order))
    })
    this.#ceilings = database.prepare(
      `SELECT ref, ceilings FROM task_orders WHERE scope = 'task' AND ceilings IS NOT NULL ORDER BY at_ms DESC LIMIT ?`,
    )
    this.#saveCeilings = database.prepare(
      `INSERT INTO task_orders (scope, ref, at_ms, ceilings) VALUES ('task', ?, ?, ?)
       ON CONFLICT (scope, ref) DO UPDATE SET at_ms = excluded.at_ms, ceilings = excluded.ceilings`,
    )
    this.#forget = database.prepare(
      `DELETE FROM task_orders WHERE at_ms < ? OR rowid IN
       (SELECT rowid FROM task_orders ORDER BY at_ms DESC LIMIT -1 OFFSET ${mostOrders})`,
    )
  }

  read(scope: TaskOrder['scope'], ref: string): TaskOrder | null {
    const row = this.#read.get(scope, ref)
    if (row === undefined) return null
    const by = (['person', 'pause'] as const).find((one) => one === row.stopped_by)
    return {
      scope,
      ref,
      atMs: row.kept_at_ms,
      stop: by === undefined ? null : { by, atMs: row.stopped_at_ms ?? row.kept_at_ms },
      windowFromMs: row.window_from_ms,
      pausedMs: soundCount(row.paused_ms),
      chargedNanoEur: soundCount(row.charged_nano),
      windowChargedNanoEur: soundCount(row.window_charged_nano),
    }
  }

  /** All of them or none. */
  save(orders: readonly TaskOrder[]): void {
    this.#save(orders)
  }

  /** The newest, the newest last. */
  ceilings(most: number): { readonly task: string; readonly ceilings: TaskCeilings }[] {
    return this.#ceilings
      .all(most)
      .map(({ ref, ceilings }) => ({ task: ref, ceilings: JSON.parse(ceilings) as TaskCeilings }))
      .reverse()
  }

  saveCeilings(task: string, ceilings: TaskCeilings, atMs: number): void {
    this.#saveCeilings.run(task, Math.round(atMs), JSON.stringify(ceilings))
  }

  /** What was last changed before a time, and what is beyond the bound. */
  forget(beforeMs: number): void {
    this.#forget.run(Math.round(beforeMs))
  }
}

function storedColumns(order: TaskOrder): readonly (string | number | null)[] {
  const atMs = Math.round(order.atMs)
  return [
    atMs,
    atMs,
    order.stop?.by ?? null,
    order.stop === null ? null : Math.round(order.stop.atMs),
    order.windowFromMs === null ? null : Math.round(order.windowFromMs),
    Math.round(order.pausedMs),
    order.chargedNanoEur,
    order.windowChargedNanoEur,
  ]
}
