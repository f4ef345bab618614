import { chatCall } from '../bodies.ts'
import { residentMb } from '../processes.ts'
import { startDaemon } from '../rig.ts'
import type { Daemon } from '../rig.ts'
import type { Bench, Row } from '../row.ts'
import { median, pause } from '../statistics.ts'
import { Connection, numbered, requestBytes } from '../wire.ts'

const streams = 100
const chunksBeforeTheWait = 20

/** Memory of a daemon of its own: at rest, and with 100 streams that have begun and do not end. */
export async function memory({ rig, options }: Bench): Promise<readonly Row[]> {
  const daemon = await startDaemon(options, rig.upstream.port)
  await pause(2000)
  const idleMb = residentMb(daemon.pid)
  const opened = await openStreams(rig.upstream.port, daemon)
  await pause(1000)
  const busyMb = residentMb(daemon.pid)
  opened.close()
  await daemon.stop()
  return [
    { what: 'memory at rest', value: idleMb, unit: 'MB', goal: '<= 90 MB', ok: idleMb <= 90 },
    { what: 'memory with 100 open streams', value: busyMb, unit: 'MB', goal: '<= 150 MB', ok: busyMb <= 150 },
    { what: 'memory of the peer after this run', value: residentMb(rig.peerPid), unit: 'MB' },
    { what: 'memory of Tollgate after this run', value: residentMb(rig.daemon.pid), unit: 'MB' },
  ]
}

/** From the click to the moment at which the upstream saw the last of 100 connections closed. */
export async function kill({ rig, options, quick }: Bench): Promise<readonly Row[]> {
  const daemon = await startDaemon(options, rig.upstream.port)
  const waits: number[] = []
  for (let round = 0; round < (quick ? 3 : 7); round += 1) {
    const opened = await openStreams(rig.upstream.port, daemon)
    const startedNs = process.hrtime.bigint()
    await control(daemon, '/api/kill')
    const { open, lastClosedNs } = await untilClosed(rig.upstream.port)
    if (open > 0) throw new Error(`${open} streams are still open`)
    waits.push(Number(lastClosedNs - startedNs) / 1e6)
    opened.close()
    await control(daemon, '/api/resume')
  }
  await daemon.stop()
  const value = median(waits)
  const what = `kill switch to the last of ${streams} upstream connections closed`
  return [{ what, value, unit: 'ms', goal: '<= 100 ms', ok: value <= 100 }]
}

async function openStreams(upstreamPort: number, daemon: Daemon): Promise<{ close(): void }> {
  const target = daemon.chat(`?chunks=${chunksBeforeTheWait}&hang`)
  const next = numbered(requestBytes(target, chatCall(true)))
  const connections = await Promise.all(Array.from({ length: streams }, () => Connection.open(target.port)))
  // They end when the kill switch or `close` ends them.
  for (const connection of connections) connection.send(Buffer.from(next())).catch(() => undefined)
  while ((await openAt(upstreamPort)).open < streams) await pause(20)
  await pause(300)
  return { close: () => connections.forEach((connection) => connection.close()) }
}

async function untilClosed(upstreamPort: number): Promise<{ readonly open: number; readonly lastClosedNs: bigint }> {
  const deadlineMs = performance.now() + 5000
  for (;;) {
    const state = await openAt(upstreamPort)
    if (state.open === 0 || performance.now() > deadlineMs) return state
    await pause(5)
  }
}

async function openAt(port: number): Promise<{ readonly open: number; readonly lastClosedNs: bigint }> {
  const connection = await Connection.open(port)
  connection.keepBody = true
  await connection.send(requestBytes({ port, path: '/open', headers: {} }, '', 'GET'))
  connection.close()
  const { open, lastClosedNs } = JSON.parse(connection.body) as { open: number; lastClosedNs: string }
  return { open, lastClosedNs: BigInt(lastClosedNs) }
}

async function control(daemon: Daemon, path: string): Promise<void> {
  const connection = await Connection.open(daemon.port)
  const target = { port: daemon.port, path, headers: { authorization: `Bearer ${daemon.token}` } }
  await connection.send(requestBytes(target, JSON.stringify({ scope: 'global' })))
  connection.close()
}
