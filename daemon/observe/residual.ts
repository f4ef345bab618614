import type { InputEstimate } from '../call.ts'

/**
 * Residuals: how reported input relates to our estimate, per upstream and model. Two figures come out of it. `ratio` is a
 * moving average of reported ÷ plain count, for the metric and for the truncation verdict. `factor` corrects the upper
 * bound that is reserved, and stays an upper bound itself: it is loosened only after twenty samples and never below the
 * largest lately seen, and raised at once by a single prompt that was larger than its bound.
 *
 * The caller leaves out calls that say nothing about the estimate: truncated ones (I03, a cut prompt would teach that
 * prompts are small), ones with images, and ones whose input lies on the provider's side.
 */

/** A row of the ledger's residuals. */
export interface ResidualRow {
  readonly upstream: string
  readonly model: string
  readonly ratio: number
  readonly samples: number
}

/** Samples before a bound is loosened. */
const samplesToLoosen = 20
/** The largest of this many latest samples stands for the 99th percentile. */
const rememberedSamples = 100
/** Kept above the largest sample seen. */
const headroom = 1.02
/** A bound is not loosened below this: prompts differ more than twenty samples show. */
const leastFactor = 0.5
/** One report of a server that counts its own tools' text must not freeze a budget. */
const mostFactor = 3
/** Weight of a new sample in the moving average. */
const averageWeight = 0.1
/** Below this many tokens a prompt is mostly template. */
const leastTokens = 256
/** Model names come from clients, so that their number needs a bound. */
const mostModels = 500

interface Entry {
  readonly upstream: string
  readonly model: string
  ratio: number
  samples: number
  /** Reported ÷ upper bound of the latest calls. */
  readonly shares: number[]
  /** The largest of the shares; 0 without one. */
  largestShare: number
}

/** Residuals of all models. Deterministic; no clock, no I/O. */
export class Residuals {
  readonly #entries = new Map<string, Entry>()

  /** Continues from stored rows. Bounds start strict again, because only the averages are stored. */
  constructor(rows: readonly ResidualRow[] = []) {
    for (const { upstream, model, ratio, samples } of rows.slice(-mostModels)) {
      if (!(ratio > 0) || !(samples > 0)) continue
      this.#entries.set(nameOf(upstream, model), { upstream, model, ratio, samples, shares: [], largestShare: 0 })
    }
  }

  /** Factor for the upper estimate of a prompt: 1 until more is known, between 0.5 and 3. */
  factor(upstream: string, model: string): number {
    const entry = this.#entries.get(nameOf(upstream, model))
    if (entry === undefined || entry.shares.length === 0) return 1
    const seen = headroom * entry.largestShare
    const least = entry.shares.length < samplesToLoosen ? 1 : leastFactor
    return Math.min(mostFactor, Math.max(least, seen))
  }

  /** Moving average of reported ÷ plain count; 1 while unknown. */
  ratio(upstream: string, model: string): number {
    return this.#entries.get(nameOf(upstream, model))?.ratio ?? 1
  }

  /** Whether a report of this model was ever compared with an estimate. */
  knows(upstream: string, model: string): boolean {
    return (this.#entries.get(nameOf(upstream, model))?.samples ?? 0) > 0
  }

  /** Learns from a settled call with an exact report. Returns the row to store, or null where nothing was learnt. */
  learn(upstream: string, model: string, estimate: InputEstimate, reportedInputTokens: number): ResidualRow | null {
    const share = reportedInputTokens / estimate.upperTokens
    if (!Number.isFinite(share) || share <= 0) return null
    // Small prompts are mostly template: they teach nothing but that a bound was too low.
    const isSmall = estimate.textTokens < leastTokens
    const isExact = estimate.exact === true
    if (isSmall && (isExact || share <= this.factor(upstream, model))) return null
    const entry = this.#entry(upstream, model)
    // The provider's own count says nothing about the bound that it took the place of.
    if (!isExact) addShare(entry, Math.min(mostFactor, share))
    if (isSmall) return null
    const ratio = reportedInputTokens / estimate.textTokens
    entry.ratio = entry.samples === 0 ? ratio : entry.ratio + averageWeight * (ratio - entry.ratio)
    entry.samples++
    return { upstream, model, ratio: entry.ratio, samples: entry.samples }
  }

  /** All averages, for the ledger and the status. */
  snapshot(): readonly ResidualRow[] {
    return [...this.#entries.values()]
      .filter(({ samples }) => samples > 0)
      .map(({ upstream, model, ratio, samples }) => ({ upstream, model, ratio, samples }))
  }

  /** The entry of a model, as the youngest; the oldest is dropped above the bound. */
  #entry(upstream: string, model: string): Entry {
    const name = nameOf(upstream, model)
    const entry = this.#entries.get(name) ?? { upstream, model, ratio: 1, samples: 0, shares: [], largestShare: 0 }
    this.#entries.delete(name)
    this.#entries.set(name, entry)
    if (this.#entries.size > mostModels) {
      const oldest = this.#entries.keys().next()
      if (oldest.done !== true) this.#entries.delete(oldest.value)
    }
    return entry
  }
}

function addShare(entry: Entry, share: number): void {
  const { shares } = entry
  shares.push(share)
  const left = shares.length > rememberedSamples ? shares.shift() : undefined
  if (share >= entry.largestShare) entry.largestShare = share
  else if (left === entry.largestShare) entry.largestShare = Math.max(...shares)
}

function nameOf(upstream: string, model: string): string {
  return `${upstream}/${model}`
}
