import { LedgerUnavailable } from '../ledger/ledger.ts'
import type { CappedScope, Ledger, ReservationAsk, ReservationResult, ScopeRef } from '../ledger/ledger.ts'
import { windowKey } from './grantBook.ts'

type Refused = Extract<ReservationResult, { kind: 'refused' }>

/** A call that was not answered yet. Its ask is another one after its caps have changed. */
interface Pending {
  ask: ReservationAsk
}

interface Waiter {
  readonly pending: Pending
  readonly resolve: (result: ReservationResult) => void
  readonly reject: (fault: unknown) => void
  last: Refused
  timer: NodeJS.Timeout | null
  trying: boolean
}

/** Most scopes whose exhaustion is remembered. */
const mostMemos = 1000

/**
 * Asks the ledger, and lets a call wait for its siblings where only their reservations stand in its way: worst-case holds
 * fill a budget long before the money is spent. Waiters are asked again in the order in which they came.
 *
 * A window's spent total only grows, so a scope that was spent once is refused from memory afterwards: a client that keeps
 * asking costs no transaction (A15).
 */
export class Admission {
  readonly #ledger: Ledger
  readonly #pending = new Set<Pending>()
  readonly #waiters: Waiter[] = []
  readonly #spent = new Map<string, Refused>()
  #isRecording = true

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    ledger.onFreed(() => this.#retry())
  }

  /** Resolves with the ledger's answer; a `held` refusal only after `waitMs`, or when `signal` aborts. */
  async admit(ask: ReservationAsk, waitMs: number, signal: AbortSignal): Promise<ReservationResult> {
    const remembered = this.#fromMemory(ask)
    if (remembered !== null) return remembered
    const pending: Pending = { ask }
    this.#pending.add(pending)
    try {
      const result = await this.#reserve(pending)
      if (result.kind === 'admitted') return result
      if (result.reason === 'spent') this.#remember(result)
      if (result.reason === 'spent' || waitMs <= 0 || signal.aborted) return result
      return await this.#wait(pending, result, waitMs, signal)
    } finally {
      this.#pending.delete(pending)
    }
  }

  /** Caps have changed: `capped` tells those of now, and the calls that wait are tried again with them. */
  recap(capped: (scope: ScopeRef) => CappedScope): void {
    for (const pending of this.#pending) pending.ask = { ...pending.ask, scopes: pending.ask.scopes.map(capped) }
    this.#retry()
  }

  #wait(pending: Pending, refused: Refused, waitMs: number, signal: AbortSignal): Promise<ReservationResult> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { pending, resolve, reject, last: refused, timer: null, trying: false }
      const giveUp = (): void => {
        // A try that is under way decides for itself; its answer must not be lost, or its money would stay reserved.
        if (!waiter.trying) this.#leave(waiter, waiter.last)
        else waiter.timer = setTimeout(giveUp, 10)
      }
      waiter.timer = setTimeout(giveUp, waitMs)
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiters.push(waiter)
    })
  }

  get waiting(): number {
    return this.#waiters.length
  }

  /** False after a reservation that the ledger could not write, until one that it could: a full disk can still be read. */
  get isRecording(): boolean {
    return this.#isRecording
  }

  async #reserve(pending: Pending): Promise<ReservationResult> {
    const { ask } = pending
    try {
      const result = await this.#ledger.reserve(ask)
      this.#isRecording = true
      // A refusal by caps that have changed meanwhile is none.
      return result.kind === 'refused' && pending.ask !== ask ? await this.#reserve(pending) : result
    } catch (fault) {
      if (fault instanceof LedgerUnavailable) this.#isRecording = false
      throw fault
    }
  }

  #retry(): void {
    for (const waiter of this.#waiters) {
      if (waiter.trying) continue
      waiter.trying = true
      this.#reserve(waiter.pending).then(
        (result) => {
          waiter.trying = false
          if (result.kind === 'refused' && result.reason === 'held') waiter.last = result
          else this.#leave(waiter, result)
        },
        (fault: unknown) => {
          this.#remove(waiter)
          waiter.reject(fault)
        },
      )
    }
  }

  #leave(waiter: Waiter, result: ReservationResult): void {
    if (this.#remove(waiter)) waiter.resolve(result)
  }

  #remove(waiter: Waiter): boolean {
    if (waiter.timer !== null) clearTimeout(waiter.timer)
    const at = this.#waiters.indexOf(waiter)
    if (at < 0) return false
    this.#waiters.splice(at, 1)
    return true
  }

  #remember(refused: Refused): void {
    if (this.#spent.size >= mostMemos) this.#spent.clear()
    this.#spent.set(memoKey(refused.scope, refused.unit), refused)
  }

  #fromMemory(ask: ReservationAsk): Refused | null {
    if (this.#spent.size === 0) return null
    for (const scope of ask.scopes) {
      for (const unit of ['eur', 'tokens'] as const) {
        const memo = this.#spent.get(memoKey(scope, unit))
        if (memo === undefined) continue
        const cap = unit === 'eur' ? scope.capNanoEur : scope.capTokens
        const spent = unit === 'eur' ? memo.totals.spentNanoEur : memo.totals.spentTokens
        const least = unit === 'eur' ? ask.cost(ask.minOutputTokens) : ask.inputTokens + ask.minOutputTokens
        const free = unit === 'eur' && ask.cost(ask.outputTokens) === 0
        if (cap !== null && !free && spent + least > cap) return { ...memo, scope, requested: least }
      }
    }
    return null
  }
}

function memoKey(scope: ScopeRef, unit: 'eur' | 'tokens'): string {
  return `${windowKey(scope)}\n${unit}`
}
