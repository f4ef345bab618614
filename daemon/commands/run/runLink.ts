import { setTimeout as wait } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import type { ControlMessage, DiscoveryRecord } from '../../../shared/protocol.ts'
import { openControlSocket, readControlMessage } from '../controlSocket.ts'
import { CommandFailure, findDaemon } from '../daemonClient.ts'

/** Pause before a lost connection is tried again, in milliseconds. */
const retryEveryMs = 1000

/** Longest wait for the first message of a connection, in milliseconds. */
const firstMessageLimitMs = 5000

/** What a link tells. */
export interface LinkListener {
  readonly onMessage: (message: ControlMessage) => void
  /** The daemon is back, perhaps as another process: what happened meanwhile is not known. */
  readonly onReturn: (record: DiscoveryRecord) => void
}

/** A connection to `/control` that comes back by itself until it is closed. */
export interface Link {
  readonly close: () => void
}

/**
 * Opens the connection and resolves once the daemon has spoken, so that nothing that follows is missed. Throws a CommandFailure
 * where it does not let us in. A connection that is lost later is tried for as long as the link is open.
 */
export async function openLink(dataDir: string, record: DiscoveryRecord, listener: LinkListener): Promise<Link> {
  const closing = new AbortController()
  let socket = await connected(record, listener)
  if (socket === null) {
    // Another daemon may have taken its place just now.
    const current = await findDaemon(dataDir)
    socket = await connected(current, listener)
    if (socket !== null) listener.onReturn(current)
  }
  if (socket === null) throw new CommandFailure(`Tollgate at ${record.url} does not let this command listen.`)
  const keepUp = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      if (socket !== null) await closed(socket)
      socket = null
      await wait(retryEveryMs, undefined, { signal: closing.signal })
      try {
        const current = await findDaemon(dataDir)
        socket = await connected(current, listener)
        if (socket !== null) listener.onReturn(current)
      } catch (failure) {
        if (!(failure instanceof CommandFailure)) throw failure
      }
    }
  }
  // Ends by the abort of a pause.
  keepUp()
    .catch(() => undefined)
    .finally(() => socket?.terminate())
  return {
    close: () => {
      closing.abort()
      socket?.terminate()
    },
  }
}

/** A connection over which the first message has come; null where none is to be had. */
function connected(record: DiscoveryRecord, listener: LinkListener): Promise<WebSocket | null> {
  return new Promise((resolve) => {
    const socket = openControlSocket(record, 'run', firstMessageLimitMs)
    const tooLate = setTimeout(() => socket.terminate(), firstMessageLimitMs)
    socket.on('message', (data: Buffer) => {
      clearTimeout(tooLate)
      const message = readControlMessage(data)
      if (message !== null) listener.onMessage(message)
      resolve(socket)
    })
    // A failed connection is closed as well.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(tooLate)
      resolve(null)
    })
  })
}

function closed(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState === socket.CLOSED) resolve()
    else socket.once('close', () => resolve())
  })
}
