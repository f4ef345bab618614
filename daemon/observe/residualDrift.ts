import { BoundedMap } from '../transcript/boundedMap.ts'
import type { ResidualRow } from './residual.ts'

/** A ratio that moved away from what it was for long. */
export interface ResidualDrift {
  readonly upstream: string
  readonly model: string
  readonly ratio: number
  readonly average: number
}

/** Reports of a model before its average means something. */
const leastSamples = 30

/** Weight of a new ratio in the long average: about the last hundred reports. */
const averageWeight = 0.01

/** How far a ratio may be from its average, as a share of it. */
const mostMove = 0.15

/** Model names come from clients. */
const mostModels = 500

/**
 * Compares a model's residual with its own longer average: a new tokenizer behind an old name, a server that began to cut
 * prompts, or an estimate that no longer fits. The short average itself is `Residuals`'.
 */
export class ResidualDrifts {
  readonly #averages = new BoundedMap<{ average: number; samples: number }>(mostModels)

  /** Takes a row that was just learnt; the drift where its ratio is out of line, null otherwise. */
  learned({ upstream, model, ratio }: ResidualRow): ResidualDrift | null {
    const name = `${upstream}/${model}`
    const known = this.#averages.get(name)
    if (known === undefined) {
      this.#averages.set(name, { average: ratio, samples: 1 })
      return null
    }
    const { average, samples } = known
    known.samples += 1
    known.average += Math.max(1 / known.samples, averageWeight) * (ratio - average)
    if (samples < leastSamples || Math.abs(ratio - average) <= mostMove * average) return null
    return { upstream, model, ratio, average }
  }
}
