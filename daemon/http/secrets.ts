import { hash, timingSafeEqual } from 'node:crypto'

/** Keys of the configuration; there are few, and a reload brings a few more. */
const mostKept = 1000
const kept = new Map<string, Buffer>()

/**
 * Whether a secret that a client gave is the one that is expected. Digests are compared, so that neither the place of a
 * difference nor the length shows in the time. The expected one's digest is kept; a client's never is.
 */
export function secretEquals(given: string, expected: string): boolean {
  let digest = kept.get(expected)
  if (digest === undefined) {
    digest = hash('sha256', expected, 'buffer')
    if (kept.size >= mostKept) kept.clear()
    kept.set(expected, digest)
  }
  return timingSafeEqual(hash('sha256', given, 'buffer'), digest)
}
