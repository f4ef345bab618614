import { nanoFromEur } from '../../shared/money.ts'
import type { NanoEur } from '../../shared/money.ts'
import { RecentMap } from './recentMap.ts'

const slots = 60
const slotMs = 1000

/** Tasks and keys whose last minute is kept. */
const mostRefs = 1000

/** Share of the bound at which a warning is due. */
const warnShare = 0.8

/** What spends: a task or a key. */
export interface Spender {
  readonly scope: 'task' | 'key'
  readonly ref: string
}

/** The last minute of the spender that is nearest to its bound. */
export interface VelocityStanding extends Spender {
  readonly state: 'ok' | 'warn' | 'over'
  /** Settled in the last 60 seconds. */
  readonly spentNanoEur: NanoEur
  /** Bound for 60 seconds. */
  readonly limitNanoEur: NanoEur
  /** Seconds until what was spent first has left the window so far that a call may go out again; 0 where it may now. */
  readonly secondsToNext: number
}

/** Euros of the last 60 seconds by the second. Most tasks spend in few of them, so that only those are kept. */
class SpendWindow {
  #spent: { readonly slot: number; nanoEur: NanoEur }[] = []
  #newest = 0

  add(nowMs: number, nanoEur: NanoEur): void {
    this.#advance(nowMs)
    const last = this.#spent.at(-1)
    if (last?.slot === this.#newest) last.nanoEur += nanoEur
    else this.#spent.push({ slot: this.#newest, nanoEur })
  }

  /** The sum, and the seconds until it is below `limitNanoEur` if nothing is added. */
  read(nowMs: number, limitNanoEur: NanoEur): { readonly spentNanoEur: NanoEur; readonly secondsToNext: number } {
    this.#advance(nowMs)
    const spentNanoEur = this.#spent.reduce((sum, { nanoEur }) => sum + nanoEur, 0)
    let left = spentNanoEur
    let secondsToNext = 0
    for (const { slot, nanoEur } of this.#spent) {
      if (left <= 0 || left < limitNanoEur) break
      left -= nanoEur
      secondsToNext = slots - (this.#newest - slot)
    }
    return { spentNanoEur, secondsToNext }
  }

  /** A clock that steps back changes nothing. */
  #advance(nowMs: number): void {
    const slot = Math.floor(nowMs / slotMs)
    if (slot <= this.#newest) return
    this.#newest = slot
    const [oldest] = this.#spent
    if (oldest === undefined || oldest.slot > slot - slots) return
    this.#spent = this.#spent.filter((spent) => spent.slot > slot - slots)
  }
}

/**
 * How fast tasks and keys spend. Only what is settled counts: reservations are worst cases, often twenty times what a call
 * comes to, and would take a few long answers for a fire. What runs at the same time is bounded by the budgets.
 */
export class VelocityBook {
  readonly #windows = new RecentMap<SpendWindow>(mostRefs)

  /** Counts a settled call for all that spent it. */
  add(spenders: readonly Spender[], nanoEur: NanoEur, nowMs: number): void {
    for (const spender of spenders) this.#windows.use(keyOf(spender), () => new SpendWindow()).add(nowMs, nanoEur)
  }

  /** The spender that is nearest to the bound; null without a bound or a spender. A bound of 0 lets no paid call out. */
  read(spenders: readonly Spender[], eurPerMinute: number | null, nowMs: number): VelocityStanding | null {
    if (eurPerMinute === null) return null
    const limitNanoEur = nanoFromEur(eurPerMinute)
    let nearest: VelocityStanding | null = null
    for (const spender of spenders) {
      const window = this.#windows.peek(keyOf(spender))
      const { spentNanoEur, secondsToNext } = window?.read(nowMs, limitNanoEur) ?? { spentNanoEur: 0, secondsToNext: 0 }
      if (nearest !== null && spentNanoEur <= nearest.spentNanoEur) continue
      const state = velocityState(spentNanoEur, limitNanoEur)
      nearest = { ...spender, state, spentNanoEur, limitNanoEur, secondsToNext }
    }
    return nearest
  }
}

/** `warn` from 80 % of the bound on, `over` once it is used up. */
export function velocityState(spentNanoEur: NanoEur, limitNanoEur: NanoEur): VelocityStanding['state'] {
  if (spentNanoEur >= limitNanoEur) return 'over'
  return spentNanoEur >= limitNanoEur * warnShare ? 'warn' : 'ok'
}

function keyOf({ scope, ref }: Spender): string {
  return `${scope}\n${ref}`
}
