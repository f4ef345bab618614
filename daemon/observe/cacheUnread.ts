import type { Usage } from '../../shared/usage.ts'
import { BoundedMap } from '../transcript/boundedMap.ts'

const windowMs = 600_000

/** Writes that are no longer a coincidence. */
const leastWrites = 3

/** Fewer tokens than this cost too little to speak of. */
const mostUnreadTokens = 10_000

/** Pairs of model and key that are watched; model names come from clients. */
const mostWatched = 500

/** Writes that are kept of one pair. */
const mostKept = 200

/** A cache that is written and not read. */
export interface UnreadCache {
  readonly writes: number
  readonly tokens: number
  /** Some of it was written for an hour, which costs twice and not 1.25 times the price of plain input. */
  readonly forAnHour: boolean
}

interface Write {
  readonly atMs: number
  readonly tokens: number
  readonly forAnHour: boolean
}

interface Watched {
  lastReadMs: number
  readonly writes: Write[]
}

/**
 * Watches what calls of one model and key write to the provider's cache and read from it (G09). A read in the last ten
 * minutes ends the suspicion: the cache is of use, whatever else is written.
 */
export class CacheUse {
  readonly #watched = new BoundedMap<Watched>(mostWatched)

  /** Counts a settled call; the waste where there is one now, null otherwise. `name` tells upstream, model and key. */
  add(
    name: string,
    usage: Pick<Usage, 'cacheRead' | 'cacheWrite5m' | 'cacheWrite1h'>,
    nowMs: number,
  ): UnreadCache | null {
    const tokens = usage.cacheWrite5m + usage.cacheWrite1h
    let watched = this.#watched.get(name)
    if (watched === undefined) {
      if (tokens === 0) return null
      watched = { lastReadMs: -Infinity, writes: [] }
      this.#watched.set(name, watched)
    }
    const { writes } = watched
    if (usage.cacheRead > 0) {
      watched.lastReadMs = nowMs
      writes.length = 0
      return null
    }
    if (tokens === 0 || nowMs - watched.lastReadMs < windowMs) return null
    writes.push({ atMs: nowMs, tokens, forAnHour: usage.cacheWrite1h > 0 })
    while (writes.length > mostKept || nowMs - (writes[0]?.atMs ?? nowMs) >= windowMs) writes.shift()
    const total = writes.reduce((sum, write) => sum + write.tokens, 0)
    if (writes.length < leastWrites || total <= mostUnreadTokens) return null
    return { writes: writes.length, tokens: total, forAnHour: writes.some((write) => write.forAnHour) }
  }
}
