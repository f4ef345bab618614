import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run } from '../processes.ts'
import { startDaemon } from '../rig.ts'
import { times } from '../row.ts'
import type { Bench, Row } from '../row.ts'
import { median } from '../statistics.ts'
import { Connection, requestBytes } from '../wire.ts'

interface Filled {
  readonly calls: number
  readonly drift: number
  readonly fullMs: number
  readonly emptyMs: number
}

/** A ledger with a million calls: the status as a client gets it, and a reservation compared with that of an empty one. */
export async function ledgerSize({ rig, options, quick }: Bench): Promise<readonly Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-bench-ledger-'))
  try {
    const dataDir = path.join(folder, 'full')
    mkdirSync(dataDir)
    const files = [path.join(dataDir, 'ledger.db'), path.join(folder, 'empty.db')]
    const program = path.join(import.meta.dirname, '..', 'ledgerFill.ts')
    const filled = (await run([program, ...files, quick ? '200000' : '1000000', quick ? '300' : '1500'])) as Filled
    if (filled.drift > 0) throw new Error('the ledger that was made does not pass its own check')
    const statusMs = await timeStatus(options, rig.upstream.port, dataDir)
    const thousands = `${Math.round(filled.calls / 1000)} k calls`
    const ratio = filled.fullMs / filled.emptyMs
    return [
      { what: `status, ledger with ${thousands}`, value: statusMs, unit: 'ms', goal: '<= 5 ms', ok: statusMs <= 5 },
      { what: 'durable reservation, empty ledger', value: filled.emptyMs, unit: 'ms' },
      {
        what: `durable reservation, ledger with ${thousands}`,
        value: filled.fullMs,
        unit: 'ms',
        compared: `${times(ratio)} the empty one's`,
        goal: '<= 1.1 x the empty one',
        ok: ratio <= 1.1,
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function timeStatus(options: Bench['options'], upstreamPort: number, dataDir: string): Promise<number> {
  const daemon = await startDaemon(options, upstreamPort, dataDir)
  const connection = await Connection.open(daemon.port)
  const target = { port: daemon.port, path: '/api/status', headers: { authorization: `Bearer ${daemon.token}` } }
  const request = requestBytes(target, '', 'GET')
  const samples: number[] = []
  for (let call = 0; call < 200; call += 1) samples.push((await connection.send(request)).totalMs)
  connection.close()
  await daemon.stop()
  return median(samples)
}
