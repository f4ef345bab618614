import { gzipSync } from 'node:zlib'
import type { ServerResponse } from 'node:http'
import type { Headers, Reply } from './reply.ts'
import { chunk } from './reply.ts'
import type { Frame } from './reply.ts'
import type { Step } from './step.ts'
import { Writer } from './writer.ts'

/** Puts a reply on the wire with the delays and faults of its step. Resolves when the response is over or abandoned. */
export async function play(reply: Reply, step: Step, response: ServerResponse): Promise<void> {
  const writer = new Writer(response, step)
  if (step.hangForever === true) return writer.hang()
  await writer.sleep(step.firstByteDelayMs)
  if (writer.closed) return
  if (step.redirect !== undefined) return end(response, 302, { location: step.redirect, ...step.headers }, '')
  if (step.garbage !== undefined) {
    return end(
      response,
      step.status ?? 200,
      { 'content-type': 'text/html; charset=utf-8', ...step.headers },
      step.garbage,
    )
  }
  if (step.pieces !== undefined) return playPieces(step.pieces, step, response, writer)
  if (reply.kind === 'json') await playJson(reply, step, response, writer)
  else await playStream(reply.frames, { ...reply.headers, ...step.headers }, reply.errorFrame, step, response, writer)
}

function end(response: ServerResponse, status: number, headers: Headers, body: string): void {
  response.writeHead(status, headers)
  response.end(body)
}

async function playPieces(
  pieces: readonly Uint8Array[],
  step: Step,
  response: ServerResponse,
  writer: Writer,
): Promise<void> {
  response.writeHead(step.status ?? 200, step.headers)
  for (const [at, piece] of pieces.entries()) {
    if (await writer.faults(at)) return
    await writer.write(piece)
  }
  if (!(await writer.faults(pieces.length))) await writer.end()
}

async function playJson(
  reply: Extract<Reply, { kind: 'json' }>,
  step: Step,
  response: ServerResponse,
  writer: Writer,
): Promise<void> {
  const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
  const body = step.gzip === true ? gzipSync(text) : Buffer.from(text)
  const broken = step.cutAfterChunks !== undefined
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    ...reply.headers,
    ...(step.gzip === true ? { 'content-encoding': 'gzip' } : {}),
    // A body that ends early on purpose must not announce its length, else HTTP itself would show the fault.
    ...(broken ? {} : { 'content-length': String(body.length) }),
    ...step.headers,
  })
  response.flushHeaders()
  await writer.sleep(step.bodyDelayMs)
  // Four parts, so that "after n chunks" has a meaning for a body that is one piece.
  const size = Math.max(1, Math.ceil(body.length / 4))
  for (let part = 0; part < 4; part += 1) {
    if (await writer.faults(part)) return
    await writer.write(body.subarray(part * size, (part + 1) * size))
  }
  await writer.end()
}

async function playStream(
  frames: Iterable<Frame>,
  headers: Headers,
  errorFrame: (message: string, type: string) => string,
  step: Step,
  response: ServerResponse,
  writer: Writer,
): Promise<void> {
  response.writeHead(step.status ?? 200, {
    'cache-control': 'no-cache',
    ...(step.gzip === true ? { 'content-encoding': 'gzip' } : {}),
    ...headers,
  })
  response.flushHeaders()
  await writer.sleep(step.bodyDelayMs)
  let chunks = 0
  for (const { text, chunk: counts } of step.frames?.map(chunk) ?? frames) {
    if (counts) {
      if (await writer.faults(chunks)) return
      const error = step.midStreamError
      if (error?.afterChunks === chunks) {
        await writer.write(
          errorFrame(
            error.message ?? 'The server had an error while processing your request.',
            error.type ?? 'server_error',
          ),
        )
        return writer.end()
      }
      await writer.sleep(step.chunkDelayMs)
      if (step.comments === true) await writer.write(': PROCESSING\n\n')
      chunks += 1
    }
    if (writer.closed) return
    await writer.write(text)
  }
  if (!(await writer.faults(chunks))) await writer.end()
}
