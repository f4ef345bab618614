import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { reportGroups } from '../../../shared/report.ts'
import { run } from '../processes.ts'
import { startDaemon } from '../rig.ts'
import type { Daemon } from '../rig.ts'
import { times } from '../row.ts'
import type { Bench, Row } from '../row.ts'
import { median } from '../statistics.ts'
import { Connection, requestBytes } from '../wire.ts'

interface Filled {
  readonly calls: number
  readonly drift: number
  readonly bytesPerCall: number
  readonly removalMs: number
  readonly fullMs: number
  readonly emptyMs: number
}

/**
 * A ledger with a year of calls, a million of them: the status and reports as a client gets them, a reservation compared
 * with that of an empty one, what a call takes on the disk, and what the removal of old calls keeps others waiting.
 */
export async function ledgerSize({ rig, options, quick }: Bench): Promise<readonly Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-bench-ledger-'))
  try {
    const dataDir = path.join(folder, 'full')
    mkdirSync(dataDir)
    const files = [path.join(dataDir, 'ledger.db'), path.join(folder, 'empty.db')]
    const program = path.join(import.meta.dirname, '..', 'ledgerFill.ts')
    const filled = (await run([program, ...files, quick ? '200000' : '1000000', quick ? '300' : '1500'])) as Filled
    if (filled.drift > 0) throw new Error('the ledger that was made does not pass its own check')
    const daemon = await startDaemon(options, rig.upstream.port, dataDir)
    const statusMs = await timeAnswer(daemon, '/api/status', 200)
    const reportsMs: { readonly by: string; readonly tookMs: number }[] = []
    for (const by of reportGroups) reportsMs.push({ by, tookMs: await timeAnswer(daemon, `/api/report?by=${by}`, 40) })
    await daemon.stop()
    const ledger = `a year of ${Math.round(filled.calls / 1000)} k calls`
    const ratio = filled.fullMs / filled.emptyMs
    return [
      { what: `status, ${ledger}`, value: statusMs, unit: 'ms', goal: '<= 5 ms', ok: statusMs <= 5 },
      ...reportsMs.map(({ by, tookMs }) => ({
        what: `30-day report by ${by}, ${ledger}`,
        value: tookMs,
        unit: 'ms',
        goal: '<= 50 ms',
        ok: tookMs <= 50,
      })),
      { what: 'durable reservation, empty ledger', value: filled.emptyMs, unit: 'ms' },
      {
        what: `durable reservation, ${ledger}`,
        value: filled.fullMs,
        unit: 'ms',
        compared: `${times(ratio)} the empty one's`,
        goal: '<= 1.1 x the empty one',
        ok: ratio <= 1.1,
      },
      { what: `size per call, ${ledger}`, value: filled.bytesPerCall, unit: 'bytes' },
      {
        what: 'removal of old calls, p99 of a step',
        value: filled.removalMs,
        unit: 'ms',
        goal: '<= 20 ms',
        ok: filled.removalMs <= 20,
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Median time of an answer of the control interface, in milliseconds. */
async function timeAnswer(daemon: Daemon, address: string, rounds: number): Promise<number> {
  const connection = await Connection.open(daemon.port)
  const target = { port: daemon.port, path: address, headers: { authorization: `Bearer ${daemon.token}` } }
  const request = requestBytes(target, '', 'GET')
  const samples: number[] = []
  for (let round = 0; round < rounds; round += 1) samples.push((await connection.send(request)).totalMs)
  connection.close()
  return median(samples)
}
