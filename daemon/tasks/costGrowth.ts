import type { NanoEur } from '../../shared/money.ts'
import { BoundedMap } from '../transcript/boundedMap.ts'

/** Calls whose mean is compared: the first of a task with its latest. */
const compared = 10

/** Factor at which growth is said for the first time; after that at each further doubling. */
const leastGrowth = 2

/** Tasks that are followed. */
const mostTasks = 1000

/** How much dearer the calls of a task have become. */
export interface Growth {
  /** Mean of the latest calls divided by that of the first, at least 2. */
  readonly factor: number
  readonly firstNanoEur: NanoEur
  readonly latestNanoEur: NanoEur
  readonly calls: number
}

interface Followed {
  calls: number
  firstSum: NanoEur
  readonly latest: NanoEur[]
  nextFactor: number
}

/**
 * Notices a task whose calls become dearer and dearer (A22: an agent that was resumed all night carried 270,000 tokens at
 * first and 888,000 at last, for answers of a few tokens). Only says so: the ceilings stop it.
 */
export class CostGrowth {
  readonly #tasks = new BoundedMap<Followed>(mostTasks)

  /** Counts a settled call. The growth where it passed the next factor, else null. */
  add(task: string, nanoEur: NanoEur): Growth | null {
    const known = this.#tasks.get(task)
    const followed = known ?? { calls: 0, firstSum: 0, latest: [], nextFactor: leastGrowth }
    if (known === undefined) this.#tasks.set(task, followed)
    followed.calls += 1
    if (followed.calls <= compared) {
      followed.firstSum += nanoEur
      return null
    }
    followed.latest.push(nanoEur)
    if (followed.latest.length > compared) followed.latest.shift()
    if (followed.latest.length < compared || followed.firstSum === 0) return null
    const latestSum = followed.latest.reduce((sum, one) => sum + one, 0)
    const factor = latestSum / followed.firstSum
    if (factor < followed.nextFactor) return null
    while (followed.nextFactor <= factor) followed.nextFactor *= leastGrowth
    return {
      factor,
      firstNanoEur: Math.round(followed.firstSum / compared),
      latestNanoEur: Math.round(latestSum / compared),
      calls: followed.calls,
    }
  }
}
