import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { largeBodies } from '../bodies.ts'
import type { Bench, Row } from '../row.ts'
import { median, pause } from '../statistics.ts'
import { Connection, requestBytes } from '../wire.ts'

const mostMs = 50

/**
 * How long other clients wait while a body of ten megabytes is worked on: the longest wait of a second client that pings
 * all the time. Every content is sent several times; its median counts, because the machine itself has pauses too.
 */
export async function loopBlock({ rig, quick }: Bench): Promise<readonly Row[]> {
  const repeats = quick ? 2 : 5
  const pinger = await startPinger(rig.daemon.port)
  const target = rig.daemon.chat()
  await pause(300)
  await pinger.longestMs()
  await pause(1000)
  const idleMs = await pinger.longestMs()
  const waits: { readonly name: string; readonly waitMs: number }[] = []
  for (const { name, body } of largeBodies()) {
    const request = requestBytes(target, body)
    const longest: number[] = []
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      await pinger.longestMs()
      const connection = await Connection.open(target.port)
      // Some of these are refused, which is an answer as good as any here.
      await connection.send(request).catch(() => undefined)
      connection.close()
      await pause(100)
      longest.push(await pinger.longestMs())
    }
    waits.push({ name, waitMs: median(longest) })
  }
  pinger.stop()
  const worst = waits.toSorted((left, right) => right.waitMs - left.waitMs)[0]
  return [
    { what: 'longest wait of another client, idle', value: idleMs, unit: 'ms' },
    ...waits.map(({ name, waitMs }) => ({ what: `longest wait beside 10 MB of ${name}`, value: waitMs, unit: 'ms' })),
    {
      what: 'event loop blocked by a 10 MB body',
      value: worst?.waitMs ?? NaN,
      unit: 'ms',
      compared: `worst content: ${worst?.name ?? ''}`,
      goal: `<= ${mostMs} ms`,
      ok: (worst?.waitMs ?? Infinity) <= mostMs,
    },
  ]
}

async function startPinger(port: number): Promise<{ longestMs(): Promise<number>; stop(): void }> {
  const program = path.join(import.meta.dirname, '..', 'pinger.ts')
  const child = spawn(process.execPath, ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', program, String(port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)
  await once(lines, 'line')
  return {
    async longestMs() {
      const answer = once(lines, 'line')
      child.stdin.write('\n')
      return Number((await answer)[0])
    },
    stop: () => void child.kill('SIGKILL'),
  }
}
