import { setTimeout as pause } from 'node:timers/promises'

/** Looks again every few milliseconds until `look` finds something; rejects at the deadline and says what was missing. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | null> | T | null,
  timeoutMs = 10_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const found = await look()
    if (found !== null) return found
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}.`)
    await pause(10)
  }
}
