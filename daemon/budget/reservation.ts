import type { CappedScope, ReservationAsk, ReservationResult, WindowTotals } from '../ledger/ledger.ts'

/**
 * The arithmetic of a reservation. Invariant: after an admission, for each capped scope and unit,
 * `spent + reserved + asked <= cap`. It was learned from gates that compare each call with what is left and forget the
 * calls that are still running (A01, A02), and from one that took a cap of 0 for no cap (A13).
 */

/** The part of an ask that the arithmetic reads. */
export type Demand = Pick<ReservationAsk, 'inputTokens' | 'outputTokens' | 'minOutputTokens' | 'cost'>

/** A scope of the call with its totals at this moment, read under the ledger's write lock. */
export interface Standing {
  readonly scope: CappedScope
  readonly totals: WindowTotals
}

type Refused = Extract<ReservationResult, { kind: 'refused' }>

/** What one output ceiling asks of every scope. */
interface Amount {
  readonly nanoEur: number
  readonly tokens: number
}

/**
 * Admits the demand at the largest output ceiling that every scope has room for, between `minOutputTokens` and
 * `outputTokens`, so that a cap is usable to its last cent. Refuses with the scope that stands in the way; one that is
 * spent is named before one that is only held, because waiting for the latter would not help.
 *
 * Throws a RangeError for figures that are no safe integers >= 0: what cannot be counted is not admitted.
 */
export function decideReservation(demand: Demand, standings: readonly Standing[]): ReservationResult {
  const full = amountAt(demand, demand.outputTokens)
  if (standings.every((standing) => fits(standing, full))) return admitted(demand.outputTokens, full)

  const leastOutput = Math.min(demand.minOutputTokens, demand.outputTokens)
  const least = amountAt(demand, leastOutput)
  const refused = findRefusal(standings, least, full)
  if (refused !== null) return refused

  // `fits` at `low`, not at `high`: the cost is monotone, so the border between them is the exact answer.
  let low = leastOutput
  let high = demand.outputTokens
  let best = least
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2)
    const amount = amountAt(demand, middle)
    if (standings.every((standing) => fits(standing, amount))) {
      low = middle
      best = amount
    } else {
      high = middle
    }
  }
  return admitted(low, best)
}

function admitted(outputTokens: number, amount: Amount): ReservationResult {
  return { kind: 'admitted', outputTokens, reservedNanoEur: amount.nanoEur, reservedTokens: amount.tokens }
}

function amountAt(demand: Demand, outputTokens: number): Amount {
  const amount = { nanoEur: demand.cost(outputTokens), tokens: demand.inputTokens + outputTokens }
  if (!isCount(amount.nanoEur) || !isCount(amount.tokens) || !isCount(demand.inputTokens) || !isCount(outputTokens)) {
    throw new RangeError(
      `cannot reserve ${demand.inputTokens} input and ${outputTokens} output tokens at ${amount.nanoEur} nano-euro`,
    )
  }
  return amount
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function fits({ scope, totals }: Standing, amount: Amount): boolean {
  return (
    fitsEur(scope, totals.spentNanoEur, totals.reservedNanoEur, amount.nanoEur) &&
    fitsTokens(scope, totals.spentTokens, totals.reservedTokens, amount.tokens)
  )
}

/** A call that costs nothing passes every euro cap, the exhausted and the one of 0 alike: local models go on (A13). */
function fitsEur(scope: CappedScope, spent: number, reserved: number, asked: number): boolean {
  return scope.capNanoEur === null || asked === 0 || asked <= scope.capNanoEur - spent - reserved
}

/** No call passes a token cap of 0, not even one that is said to need no token. */
function fitsTokens(scope: CappedScope, spent: number, reserved: number, asked: number): boolean {
  return scope.capTokens === null || (scope.capTokens > 0 && asked <= scope.capTokens - spent - reserved)
}

function findRefusal(standings: readonly Standing[], least: Amount, full: Amount): Refused | null {
  let held: Refused | null = null
  for (const { scope, totals } of standings) {
    if (!fitsEur(scope, totals.spentNanoEur, totals.reservedNanoEur, least.nanoEur)) {
      const reason = fitsEur(scope, totals.spentNanoEur, 0, least.nanoEur) ? 'held' : 'spent'
      const refused: Refused = { kind: 'refused', reason, scope, unit: 'eur', totals, requested: full.nanoEur }
      if (reason === 'spent') return refused
      held ??= refused
    }
    if (!fitsTokens(scope, totals.spentTokens, totals.reservedTokens, least.tokens)) {
      const reason = fitsTokens(scope, totals.spentTokens, 0, least.tokens) ? 'held' : 'spent'
      const refused: Refused = { kind: 'refused', reason, scope, unit: 'tokens', totals, requested: full.tokens }
      if (reason === 'spent') return refused
      held ??= refused
    }
  }
  return held
}
