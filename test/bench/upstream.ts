import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/**
 * A provider that answers at once and costs as little as possible, in a process of its own: an OpenAI chat completion, or a
 * stream of them where the request asks for one. It reads just enough of HTTP/1.1 for that.
 *
 * The path's query says how it streams: `chunks` events, each in a write of its own, as fast as they go; with `hang` the
 * stream stays open after them. `GET /open` tells how many streams are open and when the last of them was closed.
 */

const usage = { prompt_tokens: 380, completion_tokens: 24, total_tokens: 404 }
const about = { id: 'chatcmpl-bench', created: 1_767_225_600, model: 'gpt-4o-mini-2024-07-18' }
const answer = JSON.stringify({
  ...about,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'It is done. '.repeat(8) }, finish_reason: 'stop' }],
  usage,
})
const answerBytes = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`,
)
const streamHead = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
)
const streamEnd = Buffer.from('0\r\n\r\n')

function event(fields: object): Buffer {
  const text = `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', ...fields })}\n\n`
  return coded(text)
}

function coded(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
}

const delta = event({ choices: [{ index: 0, delta: { content: ' token' }, finish_reason: null }] })
const finish = Buffer.concat([
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  event({ choices: [], usage }),
  coded('data: [DONE]\n\n'),
  streamEnd,
])

const open = new Set<Socket>()
let lastClosedNs = 0n

function stream(socket: Socket, chunks: number, hangs: boolean): void {
  open.add(socket)
  let sent = 0
  const next = (): void => {
    if (socket.destroyed) return
    if (sent === chunks) {
      if (hangs) return
      open.delete(socket)
      socket.write(finish)
      return
    }
    socket.write(sent === 0 ? Buffer.concat([streamHead, delta]) : delta)
    sent += 1
    if (socket.writableNeedDrain) socket.once('drain', next)
    else setImmediate(next)
  }
  next()
}

function answerRequest(socket: Socket, head: string, body: Buffer): void {
  if (head.startsWith('GET /open')) {
    const text = JSON.stringify({ open: open.size, lastClosedNs: String(lastClosedNs) })
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`)
    return
  }
  if (!body.includes('"stream":true')) {
    socket.write(answerBytes)
    return
  }
  stream(socket, Number(/[?&]chunks=(\d+)/.exec(head)?.[1] ?? 8), head.includes('hang'))
}

/** Bytes of a body in which `"stream":true` is looked for. */
const searchedBytes = 200

const server = createServer({ noDelay: true }, (socket) => {
  let head: string | null = null
  let start = Buffer.alloc(0)
  let bytesLeft = 0
  socket.on('data', (chunk) => {
    let bytes = chunk
    while (bytes.length > 0) {
      if (head === null) {
        const all = start.length === 0 ? bytes : Buffer.concat([start, bytes])
        const end = all.indexOf('\r\n\r\n')
        if (end < 0) {
          start = Buffer.from(all)
          return
        }
        head = all.toString('latin1', 0, end)
        bytesLeft = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
        bytes = all.subarray(end + 4)
        start = Buffer.alloc(0)
      }
      const part = bytes.subarray(0, bytesLeft)
      if (start.length < searchedBytes) start = Buffer.concat([start, part.subarray(0, searchedBytes)])
      bytesLeft -= part.length
      bytes = bytes.subarray(part.length)
      if (bytesLeft > 0) return
      const asked = head
      const body = start
      head = null
      start = Buffer.alloc(0)
      answerRequest(socket, asked, body)
    }
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    if (open.delete(socket)) lastClosedNs = process.hrtime.bigint()
  })
})

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`)
})
