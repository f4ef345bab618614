import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { handOverCloseCode } from '../../shared/protocol.ts'
import type { PersonalCapName } from '../../shared/personalCaps.ts'
import type { Addressed, ControlMessage } from '../../shared/protocol.ts'
import type { Gate } from '../gate.ts'
import { takePersonalCaps } from './caps.ts'
import type { Emitted } from '../observe/eventBus.ts'
import { readControlRequest } from './requests.ts'
import { statusReport } from './statusReport.ts'

/** Least time between two statuses of one client, in milliseconds: four a second are enough for an eye. */
const statusIntervalMs = 250

/** A client that does not answer a ping for this long is gone. */
const heartbeatMs = 30_000

/** Bytes that may wait for a client that does not read; beyond that it is dropped and reconnects. */
const mostWaitingBytes = 4 * 1024 * 1024

interface Client {
  readonly socket: WebSocket
  isExtension: boolean
  focusedAt: number
  alive: boolean
}

/** The connections of windows and terminals on `/control`: the whole status first, then events and coalesced statuses. */
export class ControlSocket {
  readonly #gate: Gate
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 })
  readonly #clients = new Set<Client>()
  readonly #heartbeat: NodeJS.Timeout
  #statusTimer: NodeJS.Timeout | null = null
  /** Set while there are clients: an event that nobody hears is not put together. */
  #stopHearing: (() => void) | null = null
  #focusCounter = 0
  /** The ledger, from which a status comes, is closed soon after. */
  #closed = false

  constructor(gate: Gate) {
    this.#gate = gate
    this.#heartbeat = setInterval(() => this.#sweep(), heartbeatMs)
    this.#heartbeat.unref()
  }

  get size(): number {
    return this.#clients.size
  }

  /** Takes over a connection whose Host, Origin and token have been checked. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (connection) => this.#open(connection))
  }

  /** Says goodbye to every client; `forSuccessor`: with the code that tells them to wait for it. */
  close(forSuccessor: boolean): void {
    this.#closed = true
    clearInterval(this.#heartbeat)
    if (this.#statusTimer) clearTimeout(this.#statusTimer)
    for (const client of this.#clients) {
      if (forSuccessor) client.socket.close(handOverCloseCode, 'a successor takes over')
      else client.socket.close(1001, 'the gate is stopping')
    }
    this.#server.close()
  }

  /** Something that the status shows has changed. */
  touch(): void {
    if (this.#closed || this.#clients.size === 0 || this.#statusTimer !== null) return
    this.#statusTimer = setTimeout(() => {
      this.#statusTimer = null
      if (this.#clients.size === 0) return
      const text = JSON.stringify({ event: 'status', status: statusReport(this.#gate) } satisfies ControlMessage)
      for (const client of this.#clients) this.#send(client, text)
      // Outputs of running calls grow without an event.
      if (this.#gate.inFlight.size > 0) this.touch()
    }, statusIntervalMs)
  }

  #open(socket: WebSocket): void {
    const client: Client = { socket, isExtension: false, focusedAt: 0, alive: true }
    this.#clients.add(client)
    this.#stopHearing ??= this.#gate.events.onEvent((event) => this.#tell(event))
    socket.on('message', (data) => this.#hear(client, (data as Buffer).toString('utf8')))
    socket.on('pong', () => (client.alive = true))
    socket.on('close', () => this.#forget(client))
    socket.on('error', () => socket.terminate())
    this.#send(client, JSON.stringify({ event: 'status', status: statusReport(this.#gate) } satisfies ControlMessage))
  }

  #forget(client: Client): void {
    this.#clients.delete(client)
    if (this.#clients.size > 0) return
    this.#stopHearing?.()
    this.#stopHearing = null
  }

  #hear(client: Client, text: string): void {
    const request = readControlRequest(text)
    if (typeof request === 'string') {
      this.#gate.log.warn('a control message was not understood', { problem: request })
      return
    }
    switch (request.type) {
      case 'hello':
        client.isExtension = request.client === 'extension'
        // A gate that did not answer for a while was not there to be told of a stop.
        this.#gate.kills.takeUpPending()
        break
      case 'focus':
        if (request.focused) client.focusedAt = this.#focusCounter += 1
        break
      case 'settings':
        takePersonalCaps(this.#gate, request)
        if (request.refused.length > 0) this.#refuse(client, request.refused)
        this.touch()
        break
    }
  }

  /** Answers a window whose caps this daemon cannot use: only it knows where they come from. */
  #refuse(client: Client, caps: readonly PersonalCapName[]): void {
    this.#gate.log.warn('caps of the settings cannot be used; those before stay', { problem: caps.join(', ') })
    const time = new Date(this.#gate.nowMs()).toISOString()
    const answer: ControlMessage & Addressed = { event: 'caps_refused', time, caps, notify: true }
    this.#send(client, JSON.stringify(answer))
  }

  /** Every client hears an event; one window, the one that was focused last, may show a notification. */
  #tell(event: Emitted): void {
    let chosen: Client | null = null
    for (const client of this.#clients) {
      if (client.isExtension && (chosen === null || client.focusedAt > chosen.focusedAt)) chosen = client
    }
    const silent = JSON.stringify({ ...event, notify: false })
    for (const client of this.#clients)
      this.#send(client, client === chosen ? JSON.stringify({ ...event, notify: true }) : silent)
    this.touch()
  }

  #send(client: Client, text: string): void {
    if (client.socket.readyState !== client.socket.OPEN) return
    if (client.socket.bufferedAmount > mostWaitingBytes) {
      client.socket.terminate()
      return
    }
    client.socket.send(text)
  }

  #sweep(): void {
    this.#gate.kills.takeUpPending()
    // Days, grants and the providers' windows end without an event.
    this.touch()
    for (const client of this.#clients) {
      if (!client.alive) {
        client.socket.terminate()
        continue
      }
      client.alive = false
      client.socket.ping()
    }
  }
}
