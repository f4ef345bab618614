import { connect } from 'node:net'

/** An answer as its bytes were on the wire. */
export interface RawAnswer {
  readonly head: string
  readonly status: number
  readonly body: Buffer
  /** The connection was closed without the end that the head promised (no final chunk, too few bytes). */
  readonly torn: boolean
}

/**
 * Writes bytes to a socket and reads until the other side closes it: for what `fetch` would hide or refuse to send. Every
 * part is written as soon as the one before has left; a part may also be a function that waits.
 */
export function rawExchange(
  url: string,
  parts: readonly (string | Uint8Array | ((soFar: () => string) => Promise<void>))[],
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      void send().catch(reject)
    })
    const soFar = () => Buffer.concat(received).toString('latin1')
    async function send(): Promise<void> {
      for (const part of parts) {
        if (socket.destroyed) return
        if (typeof part === 'function') await part(soFar)
        else await new Promise<void>((sent) => socket.write(part, () => sent()))
      }
    }
    socket.on('data', (data) => received.push(data))
    // A reset is a way to close as well: what came before it counts.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(parseAnswer(Buffer.concat(received))))
  })
}

function parseAnswer(bytes: Buffer): RawAnswer {
  const split = bytes.indexOf('\r\n\r\n')
  // An interim answer stands before the one that counts; its lines stay in the head.
  if (bytes.subarray(0, 10).toString('latin1') === 'HTTP/1.1 1') {
    const { head, ...final } = parseAnswer(bytes.subarray(split + 4))
    return { ...final, head: `${bytes.subarray(0, split).toString('latin1')}\r\n\r\n${head}` }
  }
  const head = bytes.subarray(0, split < 0 ? bytes.length : split).toString('latin1')
  const body = split < 0 ? Buffer.alloc(0) : bytes.subarray(split + 4)
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0)
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  if (length !== undefined) return { head, status, body, torn: body.length < Number(length) }
  return { head, status, ...dechunk(body) }
}

/** Takes the chunked transfer coding off. */
function dechunk(coded: Buffer): { readonly body: Buffer; readonly torn: boolean } {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = coded.indexOf('\r\n', at)
    if (lineEnd < 0) return { body: Buffer.concat(parts), torn: true }
    const size = Number.parseInt(coded.subarray(at, lineEnd).toString('latin1'), 16)
    if (Number.isNaN(size)) return { body: Buffer.concat(parts), torn: true }
    if (size === 0) return { body: Buffer.concat(parts), torn: false }
    parts.push(coded.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}

/** A POST with `connection: close`, ready to be written to a socket. */
export function rawPost(
  url: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): readonly Uint8Array[] {
  const { host, pathname, search } = new URL(url)
  const bytes = Buffer.from(body as Uint8Array)
  const all = {
    host,
    connection: 'close',
    'content-type': 'application/json',
    ...('transfer-encoding' in headers ? {} : { 'content-length': String(bytes.length) }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return [Buffer.from(`POST ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes]
}

/** One answer of a connection that stays open. */
export interface PipelinedAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Writes POSTs with these bodies into one connection without waiting, and resolves with their answers in order. */
export function pipelined(url: string, bodies: readonly string[]): Promise<readonly PipelinedAnswer[]> {
  const { host, hostname, port, pathname } = new URL(url)
  return new Promise((resolve, reject) => {
    const answers: PipelinedAnswer[] = []
    let received = Buffer.alloc(0)
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      for (const body of bodies) {
        const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`
        socket.write(head + body)
      }
    })
    socket.on('data', (data) => {
      received = Buffer.concat([received, data])
      for (;;) {
        const split = received.indexOf('\r\n\r\n')
        if (split < 0) break
        const head = received.subarray(0, split).toString('latin1')
        const length = /content-length: (\d+)/i.exec(head)?.[1]
        if (length === undefined) {
          reject(new Error(`an answer without a length: ${head}`))
          socket.destroy()
          return
        }
        const end = split + 4 + Number(length)
        if (received.length < end) break
        const body = received.subarray(split + 4, end).toString('utf8')
        answers.push({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), head, body })
        received = received.subarray(end)
      }
      if (answers.length === bodies.length) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answers))
  })
}
