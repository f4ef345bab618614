import type { PriceCorrection } from '../../../shared/config.ts'
import { toleratedDifference } from '../../../shared/reconciliation.ts'
import type { UsageOfDay } from '../../../shared/reconciliation.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { setField } from '../../config/setField.ts'
import { correctionOf } from '../../money/corrections.ts'
import type { Comparison } from '../../reconcile/compare.ts'
import { nanoPerUsd } from '../../reconcile/invoice.ts'
import type { ModelKey } from '../../reconcile/modelKeys.ts'

/** A price that moved further than this, in either direction, is no correction but another price. */
const largestFactor = 10

/** Digits behind the point of a factor. */
const factorScale = 10_000

/** Factors that the invoice asks for, and models whose factor would be none. */
export interface Factors {
  readonly corrections: readonly (PriceCorrection & { readonly provider: string })[]
  readonly notes: readonly string[]
}

/** What factors are worked out from. */
export interface FactorInput {
  readonly comparison: Comparison
  readonly usage: readonly UsageOfDay[]
  readonly provider: string
  /** UTC day from which they are to hold. */
  readonly from: string
  readonly keyOf: (model: string) => ModelKey
  /** Corrections that are in force: what they did to our figures is taken out first. */
  readonly inForce: readonly PriceCorrection[]
}

/**
 * The factor of each model that both sides know and that differs: invoice divided by what our figure would be without the
 * corrections in force, over all tiers, rounded up to four digits. Models that only one side knows get none: no factor makes
 * a missed call seen.
 */
export function factorsOf(input: FactorInput): Factors {
  const { comparison, provider, from, inForce } = input
  const corrections: (PriceCorrection & { readonly provider: string })[] = []
  const notes: string[] = []
  const models = [...new Set(comparison.models.filter(({ isItem }) => !isItem).map(({ model }) => model))]
  for (const model of models) {
    const rows = comparison.models.filter((one) => !one.isItem && one.model === model)
    const invoice = rows.reduce((sum, one) => sum + one.invoice, 0)
    const local = rows.reduce((sum, one) => sum + one.local, 0)
    const apart = Math.abs(invoice - local)
    if (
      invoice <= 0 ||
      local <= 0 ||
      apart <= toleratedDifference.usd * nanoPerUsd ||
      apart <= 0.01 * Math.max(invoice, local)
    )
      continue
    const names = rows.flatMap(({ localModels }) => localModels)
    const factor =
      Math.ceil((invoice / withoutCorrections(input, model, names, local)) * factorScale - 1e-6) / factorScale
    if (!(factor <= largestFactor && factor >= 1 / largestFactor)) {
      notes.push(
        `${model} differs more than ${largestFactor} times: that is another price or other calls, and no factor is proposed.`,
      )
      continue
    }
    // A name that the table does not know as this model has to be named itself.
    const matches = [...new Set(names.map((name) => (input.keyOf(name).key === model ? model : name)))]
    for (const match of matches) {
      const now = correctionOf(inForce, [provider], [match])(Date.parse(`${from}T00:00:00Z`))
      if (now !== factor) corrections.push({ provider, match, factor, from })
    }
  }
  return { corrections, notes }
}

/** Our figure as it was without the corrections that held on each of its days. */
function withoutCorrections(
  { usage, keyOf, provider, inForce }: FactorInput,
  model: string,
  names: readonly string[],
  local: number,
): number {
  const correctionAt = correctionOf(inForce, [provider], [model, ...names])
  let [counted, base] = [0, 0]
  for (const entry of usage) {
    if (!names.includes(entry.model) && keyOf(entry.model).key !== model) continue
    const factor = correctionAt(Date.parse(`${entry.day}T00:00:00Z`))
    counted += entry.usd
    base += entry.usd / factor
  }
  return counted > 0 ? local * (base / counted) : local
}

/** A configuration text with corrections, or why it cannot have them. */
export type CorrectionsEdit =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problems: readonly string[] }

/**
 * Writes corrections into a configuration text; one for the same provider, model and day takes the place of the older. The
 * result is one that `load` has accepted.
 */
export function withCorrections(
  text: string,
  wanted: readonly PriceCorrection[],
  load: (text: string) => LoadedConfig,
): CorrectionsEdit {
  let loaded = load(text)
  let edited = text
  for (const { provider, match, factor, from } of wanted) {
    if (!loaded.ok) return loaded
    const { corrections } = loaded.config.prices
    const at = corrections.findIndex((one) => one.provider === provider && one.match === match && one.from === from)
    edited =
      at < 0
        ? setField(edited, ['prices', 'corrections', corrections.length], { provider, match, factor, from })
        : setField(edited, ['prices', 'corrections', at, 'factor'], factor)
    loaded = load(edited)
  }
  return loaded.ok ? { ok: true, text: edited } : loaded
}
