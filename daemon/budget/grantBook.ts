import type { NanoEur } from '../../shared/money.ts'
import type { KeptGrant, ScopeRef } from '../ledger/ledger.ts'

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

/** Grants to one window by when they end, the first end first. The window ends at `endMs`, and all that is left of them with it. */
export function roomsByEnd(
  grants: readonly KeptGrant[],
  endMs: number,
): readonly (Room & { readonly untilMs: number })[] {
  const rooms = new Map<number, Room>()
  for (const grant of grants) {
    const untilMs = Math.min(grant.untilMs ?? endMs, endMs)
    const { nanoEur, tokens } = rooms.get(untilMs) ?? noRoom
    rooms.set(untilMs, { nanoEur: sum(nanoEur, grant.nanoEur), tokens: sum(tokens, grant.tokens) })
  }
  return [...rooms].map(([untilMs, room]) => ({ ...room, untilMs })).sort((left, right) => left.untilMs - right.untilMs)
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
  #grants: readonly KeptGrant[] = []
  #rooms: GrantedRooms = new Map()
  /** No grant ends between these two, so that the sums hold from the one until the other. */
  #sinceMs = -Infinity
  #untilMs = Infinity

  add(grant: KeptGrant): void {
    const isOver = (one: KeptGrant): boolean => one.window === grant.window && one.period < grant.period
    this.#grants = [...this.#grants.filter((one) => !isOver(one)), grant]
    this.#sumUp(grant.atMs)
  }

  /** Takes one back: it counts no more, from now on and whatever the clock says. */
  withdraw(id: number, nowMs: number): void {
    this.#grants = this.#grants.filter((one) => one.id !== id)
    this.#sumUp(nowMs)
  }

  /** The grants of one window that count at a time, oldest first. */
  of(window: ScopeRef, nowMs: number): readonly KeptGrant[] {
    if (this.#grants.length === 0) return this.#grants
    const key = windowKey(window)
    return this.#grants.filter((one) => windowKey(one) === key && (one.untilMs === null || nowMs < one.untilMs))
  }

  /** A grant of any window that counts at a time; undefined for an id that none has, or that has ended. */
  find(id: number, nowMs: number): KeptGrant | undefined {
    return this.#grants.find((one) => one.id === id && (one.untilMs === null || nowMs < one.untilMs))
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
