import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { constants, createGzip } from 'node:zlib'
import type { Gzip } from 'node:zlib'
import type { Step } from './step.ts'

/** Writes to one response: line ends, compression, small pieces, backpressure, and the scripted ways to break off. */
export class Writer {
  readonly #response: ServerResponse
  readonly #step: Step
  #gzip: Gzip | null = null
  readonly #left = new AbortController()

  constructor(response: ServerResponse, step: Step) {
    this.#response = response
    this.#step = step
    response.once('close', () => this.#left.abort())
  }

  /** The client is gone or the response has been ended. */
  get closed(): boolean {
    return this.#left.signal.aborted || this.#response.destroyed
  }

  /** Waits, or until the client leaves. */
  async sleep(ms: number | undefined): Promise<void> {
    if (ms === undefined || ms <= 0 || this.closed) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, ms)
      const { signal } = this.#left
      function done(): void {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done)
    })
  }

  /** Waits until the client leaves. */
  async hang(): Promise<void> {
    if (!this.closed) await once(this.#response, 'close')
  }

  /** Breaks off if the step says so after this many chunks; true when nothing more may be written. */
  async faults(chunks: number): Promise<boolean> {
    if (this.closed) return true
    if (this.#step.hangAfterChunks === chunks) {
      await this.hang()
      return true
    }
    if (this.#step.resetAfterChunks === chunks) {
      // A reset discards what the reader's kernel still holds, so the reader gets a moment to take the bytes of before.
      await this.sleep(25)
      this.#response.socket?.resetAndDestroy()
      return true
    }
    if (this.#step.cutAfterChunks !== chunks) return false
    await this.end()
    return true
  }

  /** Writes text (with the step's line ends) or bytes, and waits for the socket where it is full. */
  async write(data: string | Uint8Array): Promise<void> {
    const { lineEnd, splitBytes } = this.#step
    const text = typeof data === 'string' && lineEnd !== undefined ? data.replaceAll('\n', lineEnd) : data
    let bytes = Buffer.from(text as Uint8Array)
    if (bytes.length === 0) return
    if (this.#step.gzip === true && typeof data === 'string') bytes = await this.#compress(bytes)
    const size = splitBytes ?? bytes.length
    for (let at = 0; at < bytes.length && !this.closed; at += size) {
      if (!this.#response.write(bytes.subarray(at, at + size))) await this.#drained()
      if (splitBytes !== undefined) await nextTurn()
    }
  }

  /** Ends the body; a response that the client has left is left alone. */
  async end(): Promise<void> {
    if (this.closed) return
    const gzip = this.#gzip
    if (gzip !== null) {
      gzip.end()
      for await (const rest of gzip) this.#response.write(rest)
    }
    this.#response.end()
    await Promise.race([once(this.#response, 'close'), once(this.#response, 'finish')])
  }

  /** Compresses one write of a stream and flushes it, so that the reader can decode it at once. */
  async #compress(bytes: Buffer): Promise<Buffer<ArrayBuffer>> {
    const gzip = (this.#gzip ??= createGzip({ flush: constants.Z_SYNC_FLUSH }))
    await new Promise<void>((resolve) => gzip.write(bytes, () => resolve()))
    return compressedSoFar(gzip)
  }

  async #drained(): Promise<void> {
    // The signal takes the listener away again where the client leaves; a long answer waits many times.
    await once(this.#response, 'drain', { signal: this.#left.signal }).catch(() => undefined)
  }
}

function compressedSoFar(gzip: Gzip): Buffer<ArrayBuffer> {
  const part: unknown = gzip.read()
  return Buffer.from(part instanceof Uint8Array ? part : [])
}
