import type Database from 'better-sqlite3'
import type { NewCallRow } from './ledger.ts'

/** Names that are kept in memory; beyond that they are looked up again. */
const mostNames = 5000

/**
 * Small numbers for texts that many calls share: the process that reserved, the line of a call, the set of windows that it
 * was charged to. All methods run under the write lock, so that two processes give a name one number.
 */
export class NameBook {
  readonly #lines = new Map<string, number>()
  readonly #sets = new Map<string, number>()
  readonly #findLine: Database.Statement<unknown[], number>
  readonly #addLine: Database.Statement
  readonly #findSet: Database.Statement<[string], number>
  readonly #addSet: Database.Statement<[string]>
  readonly #members: Database.Statement<[number], string>
  readonly #findOwner: Database.Statement<[string], number>
  readonly #addOwner: Database.Statement<[string]>
  readonly #epoch: string
  #owner: number | null = null

  constructor(database: Database.Database, epoch: string) {
    this.#epoch = epoch
    this.#findLine = database
      .prepare<unknown[], number>(
        `SELECT id FROM lines WHERE day = ? AND month = ? AND tenant = ? AND user = ? AND project IS ? AND client = ?
         AND key_id = ? AND upstream = ? AND dialect = ? AND model = ? AND usd_rate = ? AND rate_as_of = ? AND priced = ?
         AND price IS ? AND billing = ?`,
      )
      .pluck()
    this.#addLine = database.prepare(
      `INSERT INTO lines (day, month, tenant, user, project, client, key_id, upstream, dialect, model, usd_rate,
       rate_as_of, priced, price, billing) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#findSet = database.prepare<[string], number>('SELECT id FROM scope_sets WHERE members = ?').pluck()
    this.#addSet = database.prepare('INSERT INTO scope_sets (members) VALUES (?)')
    this.#members = database.prepare<[number], string>('SELECT members FROM scope_sets WHERE id = ?').pluck()
    this.#findOwner = database.prepare<[string], number>('SELECT id FROM owners WHERE epoch = ?').pluck()
    this.#addOwner = database.prepare('INSERT INTO owners (epoch) VALUES (?)')
  }

  /** Called after a rollback: numbers that were given in the transaction are gone. */
  forget(): void {
    this.#lines.clear()
    this.#sets.clear()
    this.#owner = null
  }

  /** The number of this process. */
  owner(): number {
    this.#owner ??= this.#findOwner.get(this.#epoch) ?? Number(this.#addOwner.run(this.#epoch).lastInsertRowid)
    return this.#owner
  }

  /** The line of a call: one per day and combination of names, rate, price and billing. */
  line(row: NewCallRow): number {
    const columns = [
      row.day,
      row.month,
      row.tenant,
      row.user,
      row.project,
      row.client,
      row.keyId,
      row.upstream,
      row.dialect,
      row.model,
      row.usdRate,
      row.rateAsOf,
      row.priced ? 1 : 0,
      row.price,
      row.billing ?? 'metered',
    ]
    const key = JSON.stringify(columns)
    let id = this.#lines.get(key)
    if (id === undefined) {
      id = this.#findLine.get(...columns) ?? Number(this.#addLine.run(...columns).lastInsertRowid)
      if (this.#lines.size >= mostNames) this.#lines.clear()
      this.#lines.set(key, id)
    }
    return id
  }

  /** The number of a set of windows. */
  scopeSet(windowIds: readonly number[]): number {
    const members = windowIds.join(',')
    let id = this.#sets.get(members)
    if (id === undefined) {
      id = this.#findSet.get(members) ?? Number(this.#addSet.run(members).lastInsertRowid)
      if (this.#sets.size >= mostNames) this.#sets.clear()
      this.#sets.set(members, id)
    }
    return id
  }

  /** The windows of a set. */
  windowIds(set: number): number[] {
    return idsFromMembers(this.#members.get(set) ?? '')
  }
}

/** The numbers in a set's list. */
export function idsFromMembers(members: string): number[] {
  return members === '' ? [] : members.split(',').map(Number)
}
