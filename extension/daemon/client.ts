import { WebSocket } from 'ws'
import type { RawData } from 'ws'
import { eventNames, handOverCloseCode } from '../../shared/protocol.ts'
import type { ControlMessage, ControlRequest, DiscoveryRecord } from '../../shared/protocol.ts'

/** Times in milliseconds: handshake, and how long a silent connection is trusted. */
const handshakeMs = 3000
const heartbeatMs = 15_000

/** Largest control message, in bytes. */
const maxPayload = 8 << 20

/** Who hears of a connection. */
export interface ControlListener {
  opened(): void
  message(message: ControlMessage): void
  /** Called once, whatever ended it. `handedOver`: the daemon said that a successor comes. */
  closed(reason: string, handedOver: boolean): void
}

/** One WebSocket to `/control`. It does not reconnect: the supervisor decides what follows. */
export interface ControlClient {
  /** Dropped silently when the connection is not open; the supervisor sends its state again at the next one. */
  send(request: ControlRequest): void
  close(): void
}

/** Opens the control connection of a daemon. */
export function openControl(record: Pick<DiscoveryRecord, 'port' | 'token'>, listener: ControlListener): ControlClient {
  const socket = new WebSocket(`ws://127.0.0.1:${record.port}/control`, {
    headers: { authorization: `Bearer ${record.token}` },
    handshakeTimeout: handshakeMs,
    perMessageDeflate: false,
    maxPayload,
  })
  let alive = true
  let failure = ''
  const heartbeat = setInterval(() => {
    if (socket.readyState !== WebSocket.OPEN) return
    if (!alive) return socket.terminate()
    alive = false
    socket.ping()
  }, heartbeatMs)

  socket.on('open', () => listener.opened())
  socket.on('pong', () => {
    alive = true
  })
  socket.on('message', (data: RawData) => {
    alive = true
    const message = parseControlMessage(textOf(data))
    if (message !== undefined) listener.message(message)
  })
  socket.on('error', (error) => {
    failure = error.message
  })
  socket.once('close', (code) => {
    clearInterval(heartbeat)
    listener.closed(failure, code === handOverCloseCode)
  })
  return {
    send(request) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(request))
    },
    close() {
      socket.close(1000)
      // A daemon that hangs would keep the close handshake open.
      setTimeout(() => socket.terminate(), 500).unref()
    },
  }
}

/** A control message, or undefined for what this version does not know: a newer daemon may say more. */
export function parseControlMessage(text: string): ControlMessage | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { event, status, time } = value as { event?: unknown; status?: unknown; time?: unknown }
  if (event === 'status') return isStatus(status) ? (value as ControlMessage) : undefined
  const known = typeof time === 'string' && eventNames.some((name) => name === event)
  return known ? (value as ControlMessage) : undefined
}

/** Checks the parts that are drawn without a further check. */
function isStatus(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const status = value as Record<string, unknown>
  const spends = [status['today'], status['month']]
  const lists = [status['models'], status['inFlight'], status['tasks'], status['kills'], status['pacing']]
  return (
    spends.every((spend) => typeof (spend as { spentEur?: unknown } | undefined)?.spentEur === 'number') &&
    lists.every((list) => Array.isArray(list))
  )
}

function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString('utf8')
  return Array.isArray(data) ? Buffer.concat(data).toString('utf8') : Buffer.from(data).toString('utf8')
}
