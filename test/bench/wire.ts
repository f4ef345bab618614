import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { callNumber } from './bodies.ts'

/**
 * A client that costs next to nothing, so that what is measured is the gateway: one keep-alive socket, requests that are
 * bytes already, answers that are only looked at as far as their end has to be found.
 */

/** Where calls go and what they carry besides the body. */
export interface Target {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** Times of one exchange, in milliseconds from the moment that its bytes were written. */
export interface Timing {
  readonly firstBodyByteMs: number
  readonly totalMs: number
}

/** The bytes of a request. */
export function requestBytes(target: Target, body: string | Buffer, method = 'POST'): Buffer {
  const bytes = Buffer.from(body as string)
  const headers = {
    host: `127.0.0.1:${target.port}`,
    'content-type': 'application/json',
    authorization: 'Bearer sk-bench',
    'user-agent': 'bench/1',
    ...target.headers,
    ...(method === 'GET' ? {} : { 'content-length': String(bytes.length) }),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${target.path} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes])
}

let lastNumber = 0

/**
 * The same request with another number each time, so that no message is one that was seen before: what a gateway remembers
 * of earlier calls must not make them cheaper than they are.
 */
export function numbered(request: Buffer): () => Buffer {
  const at = request.indexOf(callNumber)
  return () => {
    lastNumber += 1
    request.write(String(lastNumber).padStart(callNumber.length, '0'), at, 'latin1')
    return request
  }
}

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

interface Waiting {
  readonly startedMs: number
  readonly resolve: (timing: Timing) => void
  readonly reject: (fault: Error) => void
}

/** One connection; one request at a time. */
export class Connection {
  readonly #socket: Socket
  #waiting: Waiting | null = null
  #head: Buffer | null = Buffer.alloc(0)
  #chunked = false
  #bytesLeft = 0
  #tail: Buffer = Buffer.alloc(0)
  #firstBodyByteMs = NaN
  /** The body of the last answer, kept where `keepBody` is set. */
  body = ''
  keepBody = false

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', (fault) => this.#fail(fault))
    socket.on('close', () => this.#fail(new Error('the connection was closed')))
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect({ host: '127.0.0.1', port })
    await once(socket, 'connect')
    return new Connection(socket)
  }

  /** Sends a request and resolves at the end of its answer. Rejects for every status but 200. */
  send(request: Buffer): Promise<Timing> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(new Error('the server closed the connection while it was idle'))
        return
      }
      this.#head = Buffer.alloc(0)
      this.#tail = Buffer.alloc(0)
      this.#firstBodyByteMs = NaN
      this.body = ''
      this.#waiting = { startedMs: performance.now(), resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#waiting = null
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    if (this.#head === null) return this.#readBody(chunk)
    const head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk])
    const end = head.indexOf(headEnd)
    if (end < 0) {
      this.#head = head
      return
    }
    this.#head = null
    const text = head.toString('latin1', 0, end + 2).toLowerCase()
    if (!text.startsWith('http/1.1 200')) return this.#fail(new Error(head.toString('utf8').slice(0, 600)))
    const length = /\r\ncontent-length: (\d+)/.exec(text)?.[1]
    this.#chunked = length === undefined
    this.#bytesLeft = Number(length ?? 0)
    if (head.length > end + headEnd.length || !this.#chunked) this.#readBody(head.subarray(end + headEnd.length))
  }

  #readBody(bytes: Buffer): void {
    const waiting = this.#waiting
    if (waiting === null) return
    if (bytes.length > 0 && Number.isNaN(this.#firstBodyByteMs)) {
      this.#firstBodyByteMs = performance.now() - waiting.startedMs
    }
    if (this.keepBody) this.body += bytes.toString('utf8')
    if (this.#chunked) {
      this.#tail = bytes.length >= lastChunk.length ? bytes.subarray(-lastChunk.length) : this.#join(bytes)
      if (!this.#tail.equals(lastChunk)) return
    } else {
      this.#bytesLeft -= bytes.length
      if (this.#bytesLeft > 0) return
    }
    this.#waiting = null
    waiting.resolve({ firstBodyByteMs: this.#firstBodyByteMs, totalMs: performance.now() - waiting.startedMs })
  }

  #join(bytes: Buffer): Buffer {
    return Buffer.from(Buffer.concat([this.#tail, bytes]).subarray(-lastChunk.length))
  }

  #fail(fault: Error): void {
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.reject(fault)
  }
}
