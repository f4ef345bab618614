import type Database from 'better-sqlite3'
import type { CapOverride, Grant, KillSwitch, ScopeRef } from './ledger.ts'

/** Alerts that are remembered in memory, so that a busy window past its alert costs no statement. */
const mostAlerts = 5000

/**
 * What a person sets, and what is said once. These are rare and durable at once, so each is a statement of its own.
 */
export class LedgerSwitches {
  readonly #claimed = new Set<string>()
  readonly #setKill: Database.Statement<[string, string, number]>
  readonly #clearKill: Database.Statement<[string, string]>
  readonly #setOverride: Database.Statement<[string, number | null, number | null]>
  readonly #addGrant: Database.Statement
  readonly #withdrawGrant: Database.Statement<[number]>
  readonly #claim: Database.Statement<[string, string, string, string]>

  constructor(database: Database.Database) {
    this.#setKill = database.prepare(
      `INSERT INTO kills (scope, ref, since_ms) VALUES (?, ?, ?) ON CONFLICT (scope, ref) DO NOTHING`,
    )
    this.#clearKill = database.prepare('DELETE FROM kills WHERE scope = ? AND ref = ?')
    this.#setOverride = database.prepare(
      `INSERT INTO cap_overrides (field, value, until_ms) VALUES (?, ?, ?)
       ON CONFLICT (field) DO UPDATE SET value = excluded.value, until_ms = excluded.until_ms`,
    )
    this.#addGrant = database.prepare(
      `INSERT INTO grants (at_ms, given_by, scope, ref, window, period, nano_eur, tokens, iterations, wall_seconds, until_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    // An end before every time, and not that of now: a clock that is set back must not let it count again.
    this.#withdrawGrant = database.prepare('UPDATE grants SET until_ms = 0 WHERE id = ?')
    this.#claim = database.prepare(
      `INSERT INTO windows (period, scope, ref, window, alerted) VALUES (?, ?, ?, ?, 1)
       ON CONFLICT (period, scope, ref, window) DO UPDATE SET alerted = 1 WHERE alerted = 0`,
    )
  }

  /** A switch that is on already keeps its time. */
  setKill({ scope, ref, sinceMs }: KillSwitch): void {
    this.#setKill.run(scope, ref, Math.round(sinceMs))
  }

  clearKill(scope: KillSwitch['scope'], ref: string): void {
    this.#clearKill.run(scope, ref)
  }

  setCapOverride({ field, value, untilMs }: CapOverride): void {
    this.#setOverride.run(field, value, untilMs === null ? null : Math.round(untilMs))
  }

  addGrant(grant: Grant): number {
    const { atMs, by, scope, ref, window, period, nanoEur, tokens, iterations, wallSeconds, untilMs } = grant
    const { lastInsertRowid } = this.#addGrant.run(
      Math.round(atMs),
      by,
      scope,
      ref,
      window,
      period,
      nanoEur,
      tokens,
      iterations,
      wallSeconds,
      untilMs === null ? null : Math.round(untilMs),
    )
    return Number(lastInsertRowid)
  }

  withdrawGrant(id: number): void {
    this.#withdrawGrant.run(id)
  }

  /** True once per window, across processes: the row's condition decides. */
  claimAlert({ scope, ref, window, period }: ScopeRef): boolean {
    const key = `${window}|${period}|${scope}|${ref}`
    if (this.#claimed.has(key)) return false
    const first = this.#claim.run(period, scope, ref, window).changes > 0
    if (this.#claimed.size >= mostAlerts) this.#claimed.clear()
    this.#claimed.add(key)
    return first
  }
}
