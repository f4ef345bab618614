import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chatCall } from '../bodies.ts'
import { candidateNames } from '../rig.ts'
import type { CandidateName } from '../rig.ts'
import { times } from '../row.ts'
import type { Bench, Row } from '../row.ts'
import { median, quantile } from '../statistics.ts'
import { Connection, numbered, requestBytes } from '../wire.ts'
import type { Target } from '../wire.ts'

/** Calls before the first round, so that every candidate's code is compiled. */
const warmUpCalls = 1500

/**
 * Latency of one client with a chat call of 1.5 KB. The candidates take turns in short rounds, so that what else the
 * machine does meets all of them; each round gives its own quantiles, of which the medians count.
 */
export async function latency({ rig, quick }: Bench): Promise<readonly Row[]> {
  const rounds = quick ? 9 : 40
  const callsPerRound = 250
  const quantiles = new Map<CandidateName, { readonly p50: number[]; readonly p99: number[] }>()
  for (const name of candidateNames) {
    await timeCalls(rig.target(name), warmUpCalls)
    quantiles.set(name, { p50: [], p99: [] })
  }
  const flushes: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    flushes.push(flushMs())
    for (const name of candidateNames) {
      const samples = await timeCalls(rig.target(name), callsPerRound)
      quantiles.get(name)?.p50.push(quantile(samples, 0.5))
      quantiles.get(name)?.p99.push(quantile(samples, 0.99))
    }
  }
  const of = (name: CandidateName, which: 'p50' | 'p99'): number => median(quantiles.get(name)?.[which] ?? [])
  const added = (name: CandidateName, which: 'p50' | 'p99'): number => of(name, which) - of('direct', which)
  return [
    { what: 'flush of 8 KB to this disk, part of each reservation', value: median(flushes), unit: 'ms' },
    { what: 'latency direct, p50', value: of('direct', 'p50'), unit: 'ms' },
    { what: 'latency added by forwarding alone, p50', value: added('forward', 'p50'), unit: 'ms' },
    { what: 'latency added by the peer, p50', value: added('peer', 'p50'), unit: 'ms' },
    { what: 'latency added by the peer, p99', value: added('peer', 'p99'), unit: 'ms' },
    compared('p50', added('tollgate', 'p50'), added('peer', 'p50'), 0.8),
    compared('p99', added('tollgate', 'p99'), added('peer', 'p99'), 1),
  ]
}

/** Milliseconds of each call on one connection, without the one that opens it. */
async function timeCalls(target: Target, calls: number): Promise<number[]> {
  const next = numbered(requestBytes(target, chatCall()))
  const connection = await Connection.open(target.port)
  await connection.send(next())
  const samples: number[] = []
  for (let call = 0; call < calls; call += 1) samples.push((await connection.send(next())).totalMs)
  connection.close()
  return samples
}

/** What the disk takes for a durable write: a busy or slow one is most of what a call costs, and no gateway's doing. */
function flushMs(): number {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-bench-'))
  const file = openSync(path.join(folder, 'flush'), 'w')
  const block = Buffer.alloc(8192, 1)
  const samples: number[] = []
  for (let write = 0; write < 21; write += 1) {
    writeSync(file, block, 0, block.length, 0)
    const startedMs = performance.now()
    fsyncSync(file)
    samples.push(performance.now() - startedMs)
  }
  closeSync(file)
  rmSync(folder, { recursive: true })
  return median(samples)
}

function compared(which: string, value: number, peer: number, most: number): Row {
  return {
    what: `latency added by Tollgate, ${which}`,
    value,
    unit: 'ms',
    compared: `${times(value / peer)} the peer's`,
    goal: `<= ${most} x the peer's`,
    ok: value <= most * peer,
  }
}
