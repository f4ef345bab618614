import type { NanoEur } from '../../shared/money.ts'
import type { CappedScope, WindowChange } from '../ledger/ledger.ts'
import { BoundedMap } from '../transcript/boundedMap.ts'

/** Windows that are remembered. */
const mostWindows = 1000

/**
 * Which windows are near their euro cap, from what settlements told of them: asked for every answer, so that it may cost no
 * look into the ledger. Knows nothing of a window before its first settlement since the start.
 */
export class NearCaps {
  readonly #spent = new BoundedMap<NanoEur>(mostWindows)

  /** Takes note of windows whose totals changed. */
  noted(changes: readonly WindowChange[]): void {
    for (const { scope, totals } of changes) {
      if (scope.capNanoEur !== null) this.#spent.set(nameOf(scope), totals.spentNanoEur)
    }
  }

  /** The first of a call's windows of which `share` of the cap (0 to 1) is spent. */
  among(scopes: readonly CappedScope[], share: number): CappedScope | null {
    return (
      scopes.find(({ capNanoEur, ...scope }) => {
        if (capNanoEur === null || capNanoEur === 0) return false
        return (this.#spent.peek(nameOf(scope)) ?? 0) >= capNanoEur * share
      }) ?? null
    )
  }
}

function nameOf({ scope, ref, window, period }: Omit<CappedScope, 'capNanoEur'>): string {
  return `${scope}\n${ref}\n${window}\n${period}`
}
