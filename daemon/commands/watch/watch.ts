import { handOverCloseCode } from '../../../shared/protocol.ts'
import type { DiscoveryRecord } from '../../../shared/protocol.ts'
import { openControlSocket, readControlMessage } from '../controlSocket.ts'
import { acrossSuccession, CommandFailure, DaemonAway, findDaemon } from '../daemonClient.ts'
import type { Terminal } from '../terminal.ts'
import { WatchScreen } from './watchScreen.ts'
import { eventLine, watchLine } from './watchText.ts'

function later(act: () => void, ms: number): () => void {
  const timer = setTimeout(act, ms)
  return () => clearTimeout(timer)
}

/**
 * `tollgate watch`: the live line until Ctrl+C (0) or the end of the daemon (1); where another one takes its place, it goes on
 * with that one. Throws a CommandFailure where there is no daemon to watch.
 */
export async function runWatch(dataDir: string, terminal: Terminal): Promise<number> {
  let record = await findDaemon(dataDir)
  const screen = new WatchScreen({
    out: terminal.out,
    columns: terminal.columns,
    nowMs: () => performance.now(),
    later,
  })
  const interrupt = new AbortController()
  const stopListening = terminal.onInterrupt(() => interrupt.abort())
  try {
    while ((await follow(record, screen, interrupt.signal)) === handOverCloseCode) {
      record = await acrossSuccession(() => findDaemon(dataDir))
    }
  } catch (failure) {
    // The successor did not come.
    if (!(failure instanceof DaemonAway)) throw failure
  } finally {
    stopListening()
    screen.end()
  }
  if (interrupt.signal.aborted) return 0
  terminal.err('The daemon has ended.\n')
  return 1
}

/** Shows what one daemon says. Resolves with the closing code; rejects with a CommandFailure where it lets nobody watch. */
function follow({ url, token }: DiscoveryRecord, screen: WatchScreen, interrupted: AbortSignal): Promise<number> {
  const socket = openControlSocket({ url, token }, 'cli')
  let currency = 'EUR'
  return new Promise((resolve, reject) => {
    const stop = (): void => socket.terminate()
    if (interrupted.aborted) stop()
    interrupted.addEventListener('abort', stop)
    socket.on('message', (data: Buffer) => {
      const message = readControlMessage(data)
      if (message === null || interrupted.aborted) return
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
      if (!interrupted.aborted) reject(new CommandFailure(`Tollgate at ${url} does not let this command watch.`))
    })
    socket.on('close', (code) => {
      interrupted.removeEventListener('abort', stop)
      resolve(code)
    })
  })
}
