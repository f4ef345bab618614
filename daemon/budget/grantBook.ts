import type { NanoEur } from '../../shared/money.ts'
import type { Grant, ScopeRef } from '../ledger/ledger.ts'

/** What people gave to one window on top of its cap. */
export interface Room {
  readonly nanoEur: NanoEur
  readonly tokens: number
}

/** Grants in force at one moment, summed up for each window that has any. */
export type GrantedRooms = ReadonlyMap<string, Room>

const noRoom: Room = { nanoEur: 0, tokens: 0 }

/** What is granted to a window. */
export function roomOf(granted: GrantedRooms, window: ScopeRef): Room {
  // Most of the time nobody has granted anything, and every call asks for several windows.
  return granted.size === 0 ? noRoom : (granted.get(windowKey(window)) ?? noRoom)
}

/** One text for one window of one scope. */
export function windowKey({ scope, ref, window, period }: ScopeRef): string {
  return `${scope}\n${ref}\n${window}\n${period}`
}

/**
 * Grants to windows, so that no call has to ask the ledger for them. A grant counts for the period that it names and for no
 * other: the next day begins with the configured cap. Grants to tasks are the task book's.
 */
export class GrantBook {
  #grants: readonly Grant[] = []
  #rooms: GrantedRooms = new Map()
  /** No grant ends between these two, so that the sums hold from the one until the other. */
  #sinceMs = -Infinity
  #untilMs = Infinity

  add(grant: Grant): void {
    const isOver = (one: Grant): boolean => one.window === grant.window && one.period < grant.period
    this.#grants = [...this.#grants.filter((one) => !isOver(one)), grant]
    this.#sumUp(grant.atMs)
  }

  /** The sums at a time; the same map as long as nothing changes. */
  inForce(nowMs: number): GrantedRooms {
    if (nowMs < this.#sinceMs || nowMs >= this.#untilMs) this.#sumUp(nowMs)
    return this.#rooms
  }

  #sumUp(nowMs: number): void {
    const rooms = new Map<string, Room>()
    this.#sinceMs = -Infinity
    this.#untilMs = Infinity
    for (const grant of this.#grants) {
      const endMs = grant.untilMs ?? Infinity
      if (endMs <= nowMs) {
        this.#sinceMs = Math.max(this.#sinceMs, endMs)
        continue
      }
      this.#untilMs = Math.min(this.#untilMs, endMs)
      const key = windowKey(grant)
      const { nanoEur, tokens } = rooms.get(key) ?? noRoom
      rooms.set(key, { nanoEur: sum(nanoEur, grant.nanoEur), tokens: sum(tokens, grant.tokens) })
    }
    this.#rooms = rooms
  }
}

/** A sum that would lose digits stops below: a limit becomes lower than it was meant to be, never higher. */
export function sum(left: number, right: number): number {
  return Math.min(left + right, Number.MAX_SAFE_INTEGER)
}
