import type Database from 'better-sqlite3'

/** An event that waits to be written. */
export interface NewEvent {
  readonly event: string
  readonly atMs: number
  /** The event's own fields as JSON, taken when it was recorded. */
  readonly body: string
}

/** Events that are kept: the newest. */
export const mostEvents = 10_000

/** Old events go in groups, so that most events cost no deletion. */
const pruneEvery = 256

/** Writes events. Runs inside a transaction. */
export class EventBook {
  readonly #insert: Database.Statement<[number, string, string]>
  readonly #prune: Database.Statement<[number]>

  constructor(database: Database.Database) {
    this.#insert = database.prepare('INSERT INTO events (at_ms, event, body) VALUES (?, ?, ?)')
    this.#prune = database.prepare('DELETE FROM events WHERE id <= ?')
  }

  save(events: readonly NewEvent[]): void {
    for (const { atMs, event, body } of events) {
      const id = Number(this.#insert.run(Math.round(atMs), event, body).lastInsertRowid)
      if (id % pruneEvery === 0) this.#prune.run(id - mostEvents)
    }
  }
}
