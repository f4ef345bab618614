import { noUsage, totalTokens, type Usage } from '../../shared/usage.ts'
import type { Settlement } from './ledger.ts'

/** What is held for a call until it ends. */
export interface Held {
  readonly reservedNanoEur: number
  /** Worst case of a call whose price is only shown. */
  readonly listNanoEur: number
  readonly reservedTokens: number
  readonly estimatedInputTokens: number
}

/** What a call is charged with at its end. */
export interface Charge {
  readonly usage: Usage
  readonly costNanoEur: number
  /** Charged to no window. */
  readonly listNanoEur: number
  readonly tokens: number
  /** False where the figures of the settlement could not be used and the reservation stays spent. */
  readonly sound: boolean
}

const nothing: Charge = { usage: noUsage, costNanoEur: 0, listNanoEur: 0, tokens: 0, sound: true }

/**
 * The charge of a settlement. A released call is charged nothing. Figures that are no finite numbers >= 0 are a fault of
 * ours or of the provider and never "0 spent": the whole reservation is charged instead.
 */
export function chargeOf(settlement: Settlement, held: Held): Charge {
  if (settlement.settlement === 'released') return nothing
  const { usage, costNanoEur, listNanoEur = 0 } = settlement
  const whole: Usage = {
    input: Math.ceil(usage.input),
    cacheRead: Math.ceil(usage.cacheRead),
    cacheWrite5m: Math.ceil(usage.cacheWrite5m),
    cacheWrite1h: Math.ceil(usage.cacheWrite1h),
    output: Math.ceil(usage.output),
    reasoning: Math.ceil(usage.reasoning),
    audioInput: Math.ceil(usage.audioInput),
    audioCacheRead: Math.ceil(usage.audioCacheRead),
    audioOutput: Math.ceil(usage.audioOutput),
    imageInput: Math.ceil(usage.imageInput),
    imageOutput: Math.ceil(usage.imageOutput),
    webSearches: Math.ceil(usage.webSearches),
    fileSearches: Math.ceil(usage.fileSearches),
    codeContainers: Math.ceil(usage.codeContainers),
  }
  const cost = Math.ceil(costNanoEur)
  const listPrice = Math.ceil(listNanoEur)
  const tokens = totalTokens(whole)
  if (!isCount(cost) || !isCount(listPrice) || !isCount(tokens) || !Object.values(whole).every(isCount)) {
    return { ...worstCase(held), sound: false }
  }
  return { usage: whole, costNanoEur: cost, listNanoEur: listPrice, tokens, sound: true }
}

/** Everything that was held: the input as it was estimated, the rest as output. */
export function worstCase(held: Held): Charge {
  const input = Math.min(held.estimatedInputTokens, held.reservedTokens)
  return {
    usage: { ...noUsage, input, output: held.reservedTokens - input },
    costNanoEur: held.reservedNanoEur,
    listNanoEur: held.listNanoEur,
    tokens: held.reservedTokens,
    sound: true,
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}
