import type { ServerResponse } from 'node:http'

/**
 * Closes the client's connection without the end of the body, so that no client takes it for complete (F08). What was passed
 * on goes out first: a connection that is destroyed drops what still waits in it, and a client that reads slowly missed the
 * end of what its provider had sent. A client that takes nothing is waited for no longer than `graceMs`.
 */
export function tear(response: ServerResponse, graceMs: number): void {
  if (response.writableFinished || response.destroyed) return
  if (response.writableEnded || response.writableLength === 0) {
    response.destroy()
    return
  }
  const timer = setTimeout(() => response.destroy(), graceMs).unref()
  response.once('close', () => clearTimeout(timer))
  // Nothing is written; it only has its turn behind everything else.
  response.write('', () => response.destroy())
}
