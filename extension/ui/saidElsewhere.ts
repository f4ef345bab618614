/** Windows that fail for the same reason give up within this time of each other, in milliseconds. */
const togetherMs = 10 * 60_000

/**
 * Whether what a window noticed at `noticedAtMs` was said by another one, which may have noticed it somewhat earlier, or said it
 * while this one had no focus. `saidAtMs` is 0 where nobody did. Both in milliseconds since the epoch.
 */
export function wasSaidElsewhere(saidAtMs: number, noticedAtMs: number): boolean {
  return saidAtMs > 0 && saidAtMs >= noticedAtMs - togetherMs
}
