import { History } from '../bodies.ts'
import type { CandidateName } from '../rig.ts'
import { times } from '../row.ts'
import type { Bench, Row } from '../row.ts'
import { median, pause } from '../statistics.ts'
import { Connection, requestBytes } from '../wire.ts'

const historyBytes = 1_000_000
const compared = ['direct', 'forward', 'peer', 'tollgate'] as const satisfies readonly CandidateName[]

/**
 * The turn of an agent that carries a megabyte of history and adds one message: the time that a gateway adds, as a multiple
 * of what `JSON.parse` takes for the same body on the same machine.
 */
export async function history({ rig, quick }: Bench): Promise<readonly Row[]> {
  const turns = quick ? 12 : 40
  const warmUpTurns = 6
  const transcript = new History(historyBytes)
  const samples = new Map<CandidateName, number[]>(compared.map((name) => [name, []]))
  const parseMs: number[] = []
  const lanes = await Promise.all(
    compared.map(async (name) => ({ name, connection: await Connection.open(rig.target(name).port) })),
  )
  for (let turn = -warmUpTurns; turn < turns; turn += 1) {
    const body = transcript.next()
    for (const { name, connection } of lanes) {
      const request = requestBytes(rig.target(name), body)
      const { totalMs } = await connection.send(request)
      if (turn >= 0) samples.get(name)?.push(totalMs)
      // An agent's turns do not follow at once; garbage of the last one is nobody else's time.
      await pause(5)
    }
    const bytes = Buffer.from(body)
    const startedMs = performance.now()
    JSON.parse(bytes.toString('utf8'))
    if (turn >= 0) parseMs.push(performance.now() - startedMs)
  }
  for (const { connection } of lanes) connection.close()
  const added = (name: CandidateName): number => median(samples.get(name) ?? []) - median(samples.get('direct') ?? [])
  const parse = median(parseMs)
  return [
    { what: 'JSON.parse of 1 MB of history', value: parse, unit: 'ms' },
    { what: '1 MB turn direct', value: median(samples.get('direct') ?? []), unit: 'ms' },
    { what: '1 MB turn, added by forwarding alone', value: added('forward'), unit: 'ms' },
    { what: '1 MB turn, added by the peer', value: added('peer'), unit: 'ms' },
    {
      what: '1 MB turn, added by Tollgate',
      value: added('tollgate'),
      unit: 'ms',
      compared: `${times(added('tollgate') / parse)} JSON.parse`,
      goal: '<= 2.5 x JSON.parse',
      ok: added('tollgate') <= 2.5 * parse,
    },
  ]
}
