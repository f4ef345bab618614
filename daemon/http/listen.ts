import type { Server } from 'node:http'

/** A successor may start while its predecessor still closes its sockets. */
const retryMs = 250
const retries = 20

/** Both loopback addresses; IPv6 is left out where the machine has none. */
export interface Listening {
  readonly port: number
  readonly close: () => void
  readonly closeIdle: () => void
}

/** The port is taken by a program that is not ours to end. */
export class PortTaken extends Error {
  override name = 'PortTaken'
}

/** Binds 127.0.0.1 and ::1 on one port; 0 picks a free one. */
export async function listen(
  createDoor: () => Server,
  port: number,
  wait: (ms: number) => Promise<void>,
): Promise<Listening> {
  const first = createDoor()
  for (let tries = 0; ; tries += 1) {
    const fault = await bind(first, '127.0.0.1', port)
    if (fault === null) break
    if (fault !== 'EADDRINUSE' || tries >= retries || port === 0) throw new PortTaken(fault)
    await wait(retryMs)
  }
  const address = first.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  const second = createDoor()
  const servers = (await bind(second, '::1', bound)) === null ? [first, second] : [first]
  return {
    port: bound,
    close: () => servers.forEach((server) => server.close()),
    closeIdle: () => servers.forEach((server) => server.closeAllConnections()),
  }
}

function bind(server: Server, host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const onError = (fault: NodeJS.ErrnoException): void => {
      server.off('listening', onListening)
      resolve(fault.code ?? 'unknown')
    }
    const onListening = (): void => {
      server.off('error', onError)
      resolve(null)
    }
    server.once('error', onError).once('listening', onListening)
    server.listen({ host, port, ipv6Only: host === '::1' })
  })
}
