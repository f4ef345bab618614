import type { CallFacts } from '../call.ts'
import { isObject } from './read.ts'

/** Collects the longest lifetime that the `cache_control` marks of a request ask for; writes cost by it (D04). */
export class CacheAsk {
  longest: CallFacts['cacheWrite'] = 'none'

  /** Looks at one block, tool or request. */
  see(holder: { readonly [key: string]: unknown }): void {
    const mark = holder['cache_control']
    if (!isObject(mark)) return
    if (mark['ttl'] === '1h') this.longest = '1h'
    else if (this.longest === 'none') this.longest = '5m'
  }
}
