import { WebSocket } from 'ws'
import { version } from '../../../shared/build.ts'
import type { ControlMessage, ControlRequest } from '../../../shared/protocol.ts'
import { CommandFailure, findDaemon } from '../daemonClient.ts'
import type { Terminal } from '../terminal.ts'
import { WatchScreen } from './watchScreen.ts'
import { eventLine, watchLine } from './watchText.ts'

/** A control message from the text of a frame; null for what is none. */
function readMessage(text: string): ControlMessage | null {
  try {
    const value: unknown = JSON.parse(text)
    const isMessage = typeof value === 'object' && value !== null && 'event' in value && typeof value.event === 'string'
    return isMessage ? (value as ControlMessage) : null
  } catch {
    return null
  }
}

function later(act: () => void, ms: number): () => void {
  const timer = setTimeout(act, ms)
  return () => clearTimeout(timer)
}

/**
 * `tollgate watch`: the live line until Ctrl+C (0) or the end of the daemon (1). Throws a CommandFailure where there is no
 * daemon to watch.
 */
export async function runWatch(dataDir: string, terminal: Terminal): Promise<number> {
  const record = await findDaemon(dataDir)
  const address = `${record.url.replace(/^http/, 'ws')}/control`
  const socket = new WebSocket(address, {
    headers: { authorization: `Bearer ${record.token}` },
    followRedirects: false,
  })
  const screen = new WatchScreen({
    out: terminal.out,
    columns: terminal.columns,
    nowMs: () => performance.now(),
    later,
  })
  let currency = 'EUR'
  return new Promise((resolve, reject) => {
    let stopped = false
    const stopListening = terminal.onInterrupt(() => {
      stopped = true
      screen.end()
      socket.terminate()
    })
    socket.on('open', () => {
      const hello: ControlRequest = { type: 'hello', client: 'cli', window: `cli-${process.pid}`, version }
      socket.send(JSON.stringify(hello))
    })
    socket.on('message', (data: Buffer) => {
      const message = readMessage(data.toString('utf8'))
      if (message === null || stopped) return
      if (message.event === 'status') {
        currency = message.status.currency
        screen.show(watchLine(message.status))
        return
      }
      const line = eventLine(message, currency)
      if (line !== null) screen.say(line)
    })
    // A failed connection is followed by a close, but its reason is only here.
    socket.on('error', () => {
      if (stopped) return
      stopListening()
      reject(new CommandFailure(`Tollgate at ${record.url} does not let this command watch.`))
    })
    socket.on('close', () => {
      stopListening()
      if (stopped) return resolve(0)
      screen.end()
      terminal.err('The daemon has ended.\n')
      resolve(1)
    })
  })
}
