import { WebSocket } from 'ws'
import { version } from '../../shared/build.ts'
import type { ControlMessage, ControlRequest, DiscoveryRecord } from '../../shared/protocol.ts'

/** Opens a connection to `/control` of a daemon and says hello; `name` tells this client from others. Whoever asks waits for the rest. */
export function openControlSocket(
  { url, token }: Pick<DiscoveryRecord, 'url' | 'token'>,
  name: string,
  handshakeTimeoutMs?: number,
): WebSocket {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/control`, {
    headers: { authorization: `Bearer ${token}` },
    followRedirects: false,
    ...(handshakeTimeoutMs === undefined ? {} : { handshakeTimeout: handshakeTimeoutMs }),
  })
  socket.on('open', () => {
    const hello: ControlRequest = { type: 'hello', client: 'cli', window: `${name}-${process.pid}`, version }
    socket.send(JSON.stringify(hello))
  })
  return socket
}

/** A control message from a frame of text; null for what is none. */
export function readControlMessage(frame: Buffer): ControlMessage | null {
  try {
    const value: unknown = JSON.parse(frame.toString('utf8'))
    const isMessage = typeof value === 'object' && value !== null && 'event' in value && typeof value.event === 'string'
    return isMessage ? (value as ControlMessage) : null
  } catch {
    return null
  }
}
