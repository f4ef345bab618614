import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Gate } from './gate.ts'
import { judgeHost } from './guards/host.ts'
import { judgeOrigin } from './guards/origin.ts'
import { answerControl, fail, health } from './control/api.ts'
import type { ControlActions } from './control/api.ts'
import type { ControlSocket } from './control/socket.ts'
import { LedgerUnavailable } from './ledger/ledger.ts'
import { describeFault } from './observe/log.ts'
import { runCall } from './pipeline.ts'
import { sendRefusal } from './http/refuse.ts'
import { secretEquals } from './http/secrets.ts'

/** Longer than any client's pool keeps an idle connection, so that it is the client that closes it and no call meets a reset. */
const keepAliveMs = 75_000
const headersMs = 15_000

/** Everything a request may meet. */
export interface Doors {
  readonly gate: Gate
  readonly control: ControlSocket
  readonly actions: ControlActions
}

/**
 * The servers of both loopback addresses share one request handler. Where what stands behind them is still being made ready,
 * requests wait for it; a client that leaves meanwhile has asked for nothing.
 */
export function createDoor(ready: Doors | Promise<Doors>): Server {
  const server = createServer({
    keepAliveTimeout: keepAliveMs,
    headersTimeout: headersMs,
    requestTimeout: 0,
    noDelay: true,
  })
  /** The newest answer of each connection. */
  const answers = new WeakMap<Duplex, ServerResponse>()
  let present = ready instanceof Promise ? null : ready
  const enter = (socket: Duplex, step: (doors: Doors) => void): void => {
    if (present !== null) return step(present)
    void Promise.resolve(ready).then((doors) => {
      present = doors
      if (!socket.destroyed) step(doors)
    })
  }
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    answers.set(request.socket, response)
    enter(request.socket, (doors) => {
      receive(doors, request, response).catch((fault: unknown) => onFault(doors.gate, request, response, fault))
    })
  }
  server.on('request', onRequest)
  // Without this listener Node answers 100 by itself, before the key was looked at (G04).
  server.on('checkContinue', onRequest)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() === 'websocket') {
      socket.on('error', () => socket.destroy())
      enter(socket, (doors) => upgrade(doors, request, socket, head))
    } else {
      server.emit('connection', withoutUpgrade(request, socket, head))
    }
  })
  server.on('clientError', (fault: NodeJS.ErrnoException, socket: Duplex) => {
    const answer = answers.get(socket)
    // Inside an answer that has begun, a status line would pass for a part of it.
    const isQuiet = answer === undefined || answer.writableFinished || !answer.headersSent
    if (isQuiet && socket.writable) closeWith(socket, faultStatus(fault.code), '')
    else socket.destroy()
  })
  return server
}

/** The answer to bytes that are no request. */
function faultStatus(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return '431 Request Header Fields Too Large'
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return '408 Request Timeout'
    default:
      return '400 Bad Request'
  }
}

/** Headers by which a client offers another protocol. */
const upgradeHeaders: ReadonlySet<string> = new Set(['upgrade', 'connection', 'http2-settings'])

/**
 * The connection as it was before a request that offers HTTP/2, without the offer: Java's client makes it with every
 * request, and a server that does not take it up answers as if it had not been made.
 */
function withoutUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Duplex {
  const lines = [`${request.method ?? 'GET'} ${request.url ?? '/'} HTTP/1.1`]
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] ?? ''
    if (!upgradeHeaders.has(name.toLowerCase())) lines.push(`${name}: ${request.rawHeaders[at + 1] ?? ''}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  return socket
}

async function receive(doors: Doors, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { gate } = doors
  const forbidden =
    judgeHost(request.headers.host, gate.port()) ??
    judgeOrigin(request.headers.origin, header(request, 'sec-fetch-site'))
  if (forbidden !== null) {
    gate.metrics.refused(forbidden.code)
    const context = { callId: gate.newCallId(), dialect: null, userAgent: '', policy: 'semantic' } as const
    return sendRefusal(request, response, forbidden, context)
  }
  const url = request.url ?? '/'
  if (url === '/healthz') {
    const body = JSON.stringify(health(gate))
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(body)
    return
  }
  if (url === '/metrics' || url.startsWith('/api/') || url.startsWith('/metrics?')) {
    if (!hasToken(request, gate.token)) {
      return fail(
        response,
        401,
        'invalid_token',
        'The control token is missing or wrong. It is in daemon.json in the data directory.',
      )
    }
    await answerControl(gate, doors.actions, request, response)
    // An order may change what the windows show and yet be no event: a charge, ceilings of a task.
    if (request.method === 'POST') doors.control.touch()
    return
  }
  if (url === '/control') return fail(response, 426, 'upgrade_required', '/control is a WebSocket.')
  const leave = gate.inFlight.enter()
  try {
    await runCall(gate, request, response)
  } finally {
    // What a slow client has not taken yet would be lost with its connection.
    if (!response.destroyed && response.writableLength > 0) response.once('close', leave)
    else leave()
  }
}

/** `/control` is the only WebSocket. A model call over one could not be accounted for; 426 makes Codex fall back to HTTP. */
function upgrade(doors: Doors, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { gate } = doors
  const forbidden =
    judgeHost(request.headers.host, gate.port()) ??
    judgeOrigin(request.headers.origin, header(request, 'sec-fetch-site'))
  if (forbidden !== null) {
    gate.metrics.refused(forbidden.code)
    return endUpgrade(socket, '403 Forbidden', forbidden.message)
  }
  if (request.url !== '/control') {
    return endUpgrade(
      socket,
      '426 Upgrade Required',
      'Tollgate accounts for calls over HTTP only. Use the HTTP form of this endpoint.',
    )
  }
  if (!hasToken(request, gate.token))
    return endUpgrade(socket, '401 Unauthorized', 'The control token is missing or wrong.')
  doors.control.accept(request, socket, head)
}

function endUpgrade(socket: Duplex, status: string, message: string): void {
  closeWith(socket, status, JSON.stringify({ error: { message, type: 'tollgate_refusal', code: 'unsupported' } }))
}

/** How long a client may take to read a last answer before its connection is closed. */
const lastAnswerMs = 2000

/** Writes a whole answer to a connection that no server reads any more, and closes it whether the client does or not. */
function closeWith(socket: Duplex, status: string, body: string): void {
  const type = body === '' ? '' : 'content-type: application/json\r\n'
  const head = `HTTP/1.1 ${status}\r\n${type}x-should-retry: false\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}`
  socket.end(`${head}\r\n\r\n${body}`)
  const timer = setTimeout(() => socket.destroy(), lastAnswerMs).unref()
  socket.once('close', () => clearTimeout(timer))
}

/** A fault of ours: the answer says that, and nothing of the fault's text, which may quote the request. */
function onFault(gate: Gate, request: IncomingMessage, response: ServerResponse, fault: unknown): void {
  gate.log.error('a request failed inside the gate', describeFault(fault))
  // The client has its whole answer, or the rest is on its way.
  if (response.writableEnded) return
  if (response.headersSent) {
    response.destroy()
    return
  }
  const message =
    fault instanceof LedgerUnavailable
      ? fault.message
      : 'The gate itself failed on this request. See its log; the request was not repeated.'
  const context = {
    callId: gate.newCallId(),
    dialect: null,
    userAgent: request.headers['user-agent'] ?? '',
    policy: gate.config().refusals,
  }
  sendRefusal(request, response, { code: 'ledger_unavailable', message }, context)
}

function hasToken(request: IncomingMessage, token: string): boolean {
  const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  return secretEquals(given, token)
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}
