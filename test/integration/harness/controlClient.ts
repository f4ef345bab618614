import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { ControlMessage, ControlRequest } from '../../../shared/protocol.ts'
import type { Status } from '../../../shared/status.ts'
import type { Daemon } from './daemon.ts'
import { eventually } from './eventually.ts'

/** One connection to `/control`, as a window or a terminal holds it. */
export interface ControlClient {
  /** Everything that came, in order. */
  readonly messages: readonly ControlMessage[]
  send(request: ControlRequest): void
  sendText(text: string): void
  /** Waits for an event of that name that `accepts` agrees to, from the `from`-th message on. */
  event(
    name: string,
    accepts?: (message: Readonly<Record<string, unknown>>) => boolean,
    from?: number,
  ): Promise<Readonly<Record<string, unknown>>>
  /** Waits for a status that `accepts` agrees to. */
  status(accepts: (status: Status) => boolean): Promise<Status>
  readonly closed: Promise<number>
  close(): void
}

/** Connects with the daemon's token. */
export async function connectControl(daemon: Daemon): Promise<ControlClient> {
  const socket = new WebSocket(`${daemon.url.replace(/^http/, 'ws')}/control`, {
    headers: { authorization: `Bearer ${daemon.token}` },
  })
  const messages: ControlMessage[] = []
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString('utf8')) as ControlMessage))
  socket.on('error', () => undefined)
  const closed = once(socket, 'close').then(([code]) => code as number)
  await once(socket, 'open')
  return {
    messages,
    send: (request) => socket.send(JSON.stringify(request)),
    sendText: (text) => socket.send(text),
    event: (name, accepts = () => true, from = 0) =>
      eventually(`the event ${name} on /control`, () => {
        const found = messages.slice(from).find((message) => message.event === name && accepts({ ...message }))
        return found === undefined ? null : { ...found }
      }),
    status: (accepts) =>
      eventually('a status on /control', () => {
        for (const message of messages) if (message.event === 'status' && accepts(message.status)) return message.status
        return null
      }),
    closed,
    close: () => socket.terminate(),
  }
}
