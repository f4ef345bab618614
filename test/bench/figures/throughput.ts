import { chatCall } from '../bodies.ts'
import { candidateNames } from '../rig.ts'
import type { CandidateName } from '../rig.ts'
import { times } from '../row.ts'
import type { Bench, Row } from '../row.ts'
import { median } from '../statistics.ts'
import { Connection, numbered, requestBytes } from '../wire.ts'
import type { Target } from '../wire.ts'

const clients = 32

/** Calls a second of 32 clients that each send the next call when the last one is answered. */
export async function throughput({ rig, quick }: Bench): Promise<readonly Row[]> {
  const rounds = quick ? 3 : 9
  const roundMs = quick ? 700 : 1500
  const rates = new Map<CandidateName, number[]>(candidateNames.map((name) => [name, []]))
  for (const name of candidateNames) await callsPerSecond(rig.target(name), 1000)
  for (let round = 0; round < rounds; round += 1) {
    for (const name of candidateNames) rates.get(name)?.push(await callsPerSecond(rig.target(name), roundMs))
  }
  const of = (name: CandidateName): number => median(rates.get(name) ?? [])
  // Per round, because what slows a round down slows both.
  const ratio = median((rates.get('tollgate') ?? []).map((rate, round) => rate / (rates.get('peer')?.[round] ?? NaN)))
  return [
    { what: 'throughput direct, 32 clients', value: of('direct'), unit: 'calls/s' },
    { what: 'throughput of forwarding alone', value: of('forward'), unit: 'calls/s' },
    { what: 'throughput of the peer', value: of('peer'), unit: 'calls/s' },
    {
      what: 'throughput of Tollgate',
      value: of('tollgate'),
      unit: 'calls/s',
      compared: `${times(ratio)} the peer's`,
      goal: ">= 2.5 x the peer's",
      ok: ratio >= 2.5,
    },
  ]
}

async function callsPerSecond(target: Target, forMs: number): Promise<number> {
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(target.port)))
  const startedMs = performance.now()
  const endMs = startedMs + forMs
  let calls = 0
  await Promise.all(
    connections.map(async (connection) => {
      // Its own bytes: a socket may still be writing those of another call.
      const next = numbered(requestBytes(target, chatCall()))
      while (performance.now() < endMs) {
        await connection.send(next())
        calls += 1
      }
    }),
  )
  const tookMs = performance.now() - startedMs
  for (const connection of connections) connection.close()
  return (calls / tookMs) * 1000
}
