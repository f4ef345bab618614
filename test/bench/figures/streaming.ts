import { chatCall } from '../bodies.ts'
import { candidateNames } from '../rig.ts'
import type { CandidateName } from '../rig.ts'
import { times } from '../row.ts'
import type { Bench, Row } from '../row.ts'
import { median } from '../statistics.ts'
import { Connection, numbered, requestBytes } from '../wire.ts'

const longChunks = 500

/**
 * What a stream pays: the delay of its first byte, and the time that each further chunk adds to the whole. The upstream
 * writes chunks as fast as they go, each on its own; a proxy that falls behind reads several at once, so that the whole may
 * even take less time than direct.
 */
export async function streaming({ rig, quick }: Bench): Promise<readonly Row[]> {
  const short = await measure(rig.target.bind(rig), '?chunks=4', quick ? 6 : 20, 60)
  const long = await measure(rig.target.bind(rig), `?chunks=${longChunks}`, quick ? 4 : 12, 12)
  const first = (name: CandidateName): number => short(name, 'firstBodyByteMs') - short('direct', 'firstBodyByteMs')
  const chunkUs = (name: CandidateName): number =>
    ((long(name, 'totalMs') - long('direct', 'totalMs') - first(name)) / longChunks) * 1000
  return [
    { what: 'first streamed byte, added by forwarding alone', value: first('forward'), unit: 'ms' },
    {
      what: 'first streamed byte, added by Tollgate',
      value: first('tollgate'),
      unit: 'ms',
      compared: `${times(first('tollgate') / first('peer'))} the peer's`,
      goal: '<= 0.5 ms',
      ok: first('tollgate') <= 0.5,
    },
    { what: 'chunk of a stream direct', value: (long('direct', 'totalMs') / longChunks) * 1000, unit: 'us' },
    { what: 'chunk of a stream, added by forwarding alone', value: chunkUs('forward'), unit: 'us' },
    { what: 'chunk of a stream, added by the peer', value: chunkUs('peer'), unit: 'us' },
    {
      what: 'chunk of a stream, added by Tollgate',
      value: chunkUs('tollgate'),
      unit: 'us',
      goal: '<= 20 us',
      ok: chunkUs('tollgate') <= 20,
    },
  ]
}

type Result = (name: CandidateName, which: 'firstBodyByteMs' | 'totalMs') => number

async function measure(
  targetOf: Bench['rig']['target'],
  query: string,
  rounds: number,
  callsPerRound: number,
): Promise<Result> {
  const samples = new Map<CandidateName, { readonly firstBodyByteMs: number[]; readonly totalMs: number[] }>()
  for (const name of candidateNames) samples.set(name, { firstBodyByteMs: [], totalMs: [] })
  // The first rounds compile the code of each candidate.
  const warmUpRounds = 3
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const name of candidateNames) {
      const target = targetOf(name, query)
      const next = numbered(requestBytes(target, chatCall(true)))
      const connection = await Connection.open(target.port)
      for (let call = 0; call <= callsPerRound; call += 1) {
        const { firstBodyByteMs, totalMs } = await connection.send(next())
        // The first call of a connection pays for the connection.
        if (round < 0 || call === 0) continue
        samples.get(name)?.firstBodyByteMs.push(firstBodyByteMs)
        samples.get(name)?.totalMs.push(totalMs)
      }
      connection.close()
    }
  }
  return (name, which) => median(samples.get(name)?.[which] ?? [])
}
