import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import type { Dispatcher } from 'undici'

/**
 * The least that a proxy on node:http and undici can do: it reads the body, sends it on and passes the answer back. What a
 * gateway adds to this is the price of what it does.
 */

const upstream = process.argv[2] ?? ''
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, pipelining: 1 })
const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host', 'content-length'])

function forward(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const headers: string[] = []
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] ?? ''
    if (!hopByHop.has(name.toLowerCase())) headers.push(name, request.rawHeaders[at + 1] ?? '')
  }
  const method: Dispatcher.HttpMethod = request.method ?? 'POST'
  dispatcher.dispatch(
    { origin: upstream, path: request.url ?? '/', method, headers, body },
    {
      onRequestStart: () => undefined,
      onResponseStart(_, status, answerHeaders) {
        const kept = Object.entries(answerHeaders).filter(([name]) => !hopByHop.has(name) || name === 'content-length')
        response.writeHead(status, Object.fromEntries(kept))
      },
      onResponseData(controller, chunk) {
        if (response.write(chunk)) return
        controller.pause()
        response.once('drain', () => controller.resume())
      },
      onResponseEnd: () => void response.end(),
      onResponseError: () => void response.destroy(),
    },
  )
}

const server = createServer({ noDelay: true, keepAliveTimeout: 75_000 }, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => forward(request, response, Buffer.concat(chunks)))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`)
})
