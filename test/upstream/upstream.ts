import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { objectOf, parseJson } from './json.ts'
import { play } from './play.ts'
import { Watch } from './recorded.ts'
import type { RecordedRequest } from './recorded.ts'
import type { Ask, Memory, Reply } from './reply.ts'
import { errorReply, findRoute } from './routes.ts'
import type { Route } from './routes.ts'
import type { Step } from './step.ts'

/** How the upstream is started. */
export interface UpstreamOptions {
  /** 0 (the default) takes a free port on 127.0.0.1. */
  readonly port?: number
  /** Ollama's context length without `num_ctx`, in tokens; 4096 by default, as on a machine without a large GPU. */
  readonly ollamaContext?: number
  /** `PARAMETER num_ctx` of Ollama models' Modelfiles, by model. */
  readonly ollamaModelfiles?: Readonly<Record<string, number>>
  /** Refuse what the real services refuse: a missing key, a missing version header, `max_tokens` on a reasoning model. */
  readonly strict?: boolean
}

/** Decides what happens with a request; undefined lets it have the default answer. */
export type Script = (request: RecordedRequest) => Step | undefined

/** A server that plays OpenAI, Anthropic, Gemini and Ollama. */
export interface Upstream {
  readonly url: string
  /** Base URLs as the providers' clients and the gate's configuration want them. */
  readonly baseUrls: {
    readonly openai: string
    readonly anthropic: string
    readonly ollama: string
    readonly gemini: string
  }
  /** Every request in order of arrival. */
  readonly requests: readonly RecordedRequest[]
  /** Requests that make a billable answer. */
  readonly generations: readonly RecordedRequest[]
  /** TCP connections that are open now. */
  readonly connections: number
  /** Queues steps; each is used by one request that makes a billable answer, in order of arrival. */
  next(...steps: readonly Step[]): void
  /** Asked for every request that finds no queued step. */
  script(script: Script): void
  /** Resolves once `count` requests (billable ones) have arrived, with the last of them. */
  waitForRequests(count: number, timeoutMs?: number): Promise<RecordedRequest>
  /** Resolves once the request's exchange is over, finished or abandoned. */
  waitForClose(
    request: RecordedRequest,
    timeoutMs?: number,
  ): Promise<{ readonly atMs: number; readonly finished: boolean }>
  /** Forgets requests, steps, script and what the models remember. */
  reset(): void
  /** Ends all connections and the server. */
  close(): Promise<void>
}

/** Starts the playing upstream on 127.0.0.1. */
export async function startUpstream(options: UpstreamOptions = {}): Promise<Upstream> {
  const requests: RecordedRequest[] = []
  const sockets = new Map<Socket, number>()
  const watch = new Watch()
  let steps: Step[] = []
  let script: Script = () => undefined
  let opened = 0
  let ids = 0
  const memory: Memory = {
    responses: new Map(),
    loaded: new Map(),
    ollamaContext: options.ollamaContext ?? 4096,
    ollamaModelfiles: options.ollamaModelfiles ?? {},
    strict: options.strict ?? false,
    nextId: (prefix) => `${prefix}${String((ids += 1)).padStart(12, '0')}`,
  }

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = message.url ?? '/'
    const method = message.method ?? 'GET'
    const route = findRoute(method, path, message.headers)
    const request: RecordedRequest = {
      number: requests.length + 1,
      method,
      path,
      headers: message.headers,
      rawHeaders: message.rawHeaders,
      socketId: sockets.get(message.socket) ?? 0,
      receivedAtMs: Date.now(),
      generates: route.generates,
      body: Buffer.alloc(0),
      json: {},
      closed: null,
    }
    requests.push(request)
    response.once('close', () => {
      request.closed = { atMs: Date.now(), finished: response.writableFinished }
      watch.changed()
    })
    const parts: Buffer[] = []
    for await (const part of message) parts.push(part as Buffer)
    request.body = Buffer.concat(parts)
    request.json = objectOf(parseJson(request.body))
    watch.changed()
    const step = (route.generates ? steps.shift() : undefined) ?? script(request) ?? {}
    const ask: Ask = { body: request.json, headers: message.headers, path, step, memory }
    await play(replyTo(route, ask), step, response)
  }

  function replyTo(route: Route, ask: Ask): Reply {
    const { status, pieces } = ask.step
    // The request may be anything then, and nobody has to make sense of it.
    if (pieces !== undefined) return { kind: 'json', status: 200, headers: {}, body: {} }
    return status === undefined ? route.endpoint(ask) : statusReply(route.provider, ask, status)
  }

  function statusReply(provider: Parameters<typeof errorReply>[0], ask: Ask, status: number): Reply {
    const reply = errorReply(provider, ask, status, `The provider answers ${status}.`)
    return ask.step.errorBody !== undefined && reply.kind === 'json' ? { ...reply, body: ask.step.errorBody } : reply
  }

  const server = createServer((message, response) => {
    handle(message, response).catch((error: unknown) => {
      // A client that leaves while it still sends its body ends here; anything else is a fault of this server.
      if (!response.destroyed && !message.destroyed) response.writeHead(599).end(String(error))
      else response.destroy()
    })
  })
  server.keepAliveTimeout = 60_000
  server.on('connection', (socket) => {
    sockets.set(socket, (opened += 1))
    socket.setNoDelay(true)
    socket.once('close', () => {
      sockets.delete(socket)
      watch.changed()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const generations = () => requests.filter((request) => request.generates)

  return {
    url,
    baseUrls: {
      openai: `${url}/openai/v1`,
      anthropic: `${url}/anthropic`,
      ollama: `${url}/ollama`,
      gemini: `${url}/gemini`,
    },
    requests,
    get generations() {
      return generations()
    },
    get connections() {
      return sockets.size
    },
    next: (...more) => void steps.push(...more),
    script: (chosen) => void (script = chosen),
    waitForRequests: (count, timeoutMs = 10_000) =>
      watch.until(() => generations()[count - 1] ?? null, `request ${count} at the upstream`, timeoutMs),
    waitForClose: (request, timeoutMs = 10_000) =>
      watch.until(() => request.closed, `the end of request ${request.number} at the upstream`, timeoutMs),
    reset() {
      requests.length = 0
      steps = []
      script = () => undefined
      memory.responses.clear()
      memory.loaded.clear()
    },
    async close() {
      for (const socket of sockets.keys()) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
