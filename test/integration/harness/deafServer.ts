import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** A port on the loopback interface that takes no connection: neither accepted nor refused. */
export interface DeafServer {
  readonly url: string
  close(): Promise<void>
}

const listener = `
const server = require('node:net').createServer()
server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => console.log(server.address().port))
`

/** How long a connection may hang before it counts as not taken, in milliseconds. */
const hangMs = 300

/**
 * A process that listens and was stopped, with its queue filled up: the system drops what comes then, as a host behind a
 * broken route does.
 */
export async function startDeafServer(): Promise<DeafServer> {
  const child = spawn(process.execPath, ['-e', listener], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString())
  child.kill('SIGSTOP')
  const fillers: Socket[] = []
  const close = async (): Promise<void> => {
    for (const socket of fillers) socket.destroy()
    const ended = once(child, 'close')
    child.kill('SIGKILL')
    await ended
  }
  for (;;) {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('error', () => undefined)
    fillers.push(socket)
    const taken = await Promise.race([once(socket, 'connect').then(() => true), pause(hangMs, false)])
    if (!taken) return { url: `http://127.0.0.1:${port}`, close }
    if (fillers.length > 50) {
      await close()
      throw new Error('The queue of a stopped server does not fill up on this system.')
    }
  }
}
