import type { Server } from 'node:http'

/** How long a port may be taken by one that is about to leave, in milliseconds. */
const longestWaitMs = 5000
/** Pause between two looks where it is not known who has the port, in milliseconds. */
const pauseMs = 250
/** The same where the one that has it is about to close it. */
const successorPauseMs = 1

/** Both loopback addresses; IPv6 is left out where the machine has none. */
export interface Listening {
  readonly port: number
  readonly close: () => void
  readonly closeIdle: () => void
}

/** The port, or the system's code of why it cannot be bound. */
export type Bound =
  { readonly ok: true; readonly listening: Listening } | { readonly ok: false; readonly fault: string }

/** How to listen. */
export interface ListenOptions {
  /** 0 picks a free one. */
  readonly port: number
  /** Whether the one that has the port now is about to close it. */
  readonly succeeds: boolean
  readonly wait: (ms: number) => Promise<void>
  /** A clock that nobody sets. */
  readonly nowMs: () => number
}

/** Binds 127.0.0.1 and ::1 on one port. One that is taken may become free: it is tried for five seconds. */
export async function listen(createDoor: () => Server, options: ListenOptions): Promise<Bound> {
  const { port, succeeds, wait, nowMs } = options
  const untilMs = nowMs() + longestWaitMs
  const first = createDoor()
  for (;;) {
    const fault = await bind(first, '127.0.0.1', port)
    if (fault === null) break
    if (fault !== 'EADDRINUSE' || nowMs() >= untilMs || port === 0) return { ok: false, fault }
    await wait(succeeds ? successorPauseMs : pauseMs)
  }
  const address = first.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  const second = createDoor()
  // In this order they are closed: a successor looks for the last one and wants both.
  const servers = (await bind(second, '::1', bound)) === null ? [second, first] : [first]
  const listening = {
    port: bound,
    close: () => servers.forEach((server) => server.close()),
    closeIdle: () => servers.forEach((server) => server.closeAllConnections()),
  }
  return { ok: true, listening }
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
