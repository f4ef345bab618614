import assert from 'node:assert/strict'
import { Coalescer, leastIntervalMs } from '../../../../extension/dashboard/coalescer.ts'
import { noData } from '../../../../extension/dashboard/data.ts'
import { dataParts, readParts } from '../../../../extension/dashboard/reading.ts'
import type { DataPart } from '../../../../extension/dashboard/reading.ts'
import { defaultView } from '../../../../extension/dashboard/view.ts'
import { data, series, seriesRow } from './sample.ts'

describe('the reading of the dashboard', () => {
  const answers: Readonly<Record<string, unknown>> = {
    '/api/series?unit=day&by=model&days=30': series([seriesRow('a', [1])]),
    '/api/report?by=task&days=30&limit=50': { rows: [{ name: 'dear task/1', calls: 2 }] },
    '/api/events?event=refused&limit=1000': { events: [] },
    '/api/calls?task=dear%20task%2F1&limit=500': { calls: [] },
  }
  let asked: string[] = []
  const ask = (path: string): Promise<unknown> => {
    asked.push(path)
    return path in answers ? Promise.resolve(answers[path]) : Promise.reject(new Error(`no answer for ${path}`))
  }
  beforeEach(() => {
    asked = []
  })

  it('asks for everything once, and for the turns of the task that the tasks name', async () => {
    const read = await readParts(ask, defaultView, new Set(dataParts), noData, ({ tasks }) => tasks[0]?.name ?? null)
    assert.deepEqual(asked, Object.keys(answers))
    assert.equal(read.series?.totals.eur, 1)
    assert.deepEqual(read.readFor, { period: 'month', unit: 'day', by: 'model' })
    assert.deepEqual(read.turns, { task: 'dear task/1', turns: [], isCut: false })
  })

  it('asks only for what is out of date, and for another task', async () => {
    const before = data({ problem: 'gone' })
    const same = await readParts(ask, defaultView, new Set<DataPart>(['refused']), before, () => 'shop-3')
    assert.deepEqual(asked, ['/api/events?event=refused&limit=1000'])
    assert.equal(same.series, before.series)
    assert.equal(same.readFor, before.readFor)
    assert.equal(same.turns, before.turns)
    assert.equal(same.problem, null)
    await readParts(ask, defaultView, new Set<DataPart>(), before, () => 'dear task/1')
    assert.equal(asked.at(-1), '/api/calls?task=dear%20task%2F1&limit=500')
  })

  it('has no turns where there is no task', async () => {
    const read = await readParts(ask, defaultView, new Set<DataPart>(['turns']), data(), () => null)
    assert.equal(read.turns, null)
    assert.deepEqual(asked, [])
  })

  it('fails where an answer cannot be understood', async () => {
    const garbage = (): Promise<unknown> => Promise.resolve({ error: {} })
    await assert.rejects(readParts(garbage, defaultView, new Set(dataParts), noData, () => null))
  })
})

describe('the pace of the dashboard', () => {
  let nowMs = 0
  let timers: { readonly atMs: number; readonly run: () => void }[] = []
  let runs: { readonly atMs: number; readonly parts: readonly string[] }[] = []
  let tookMs = 0
  let work: Coalescer<string>

  beforeEach(() => {
    nowMs = 0
    timers = []
    runs = []
    tookMs = 0
    const ports = {
      nowMs: () => nowMs,
      later: (ms: number, run: () => void) => {
        const timer = { atMs: nowMs + ms, run }
        timers.push(timer)
        return () => {
          timers = timers.filter((one) => one !== timer)
        }
      },
    }
    work = new Coalescer<string>(ports, (parts) => {
      runs.push({ atMs: nowMs, parts: [...parts].sort() })
      nowMs += tookMs
      return Promise.resolve()
    })
  })

  /** Lets time pass, with what it brings. */
  async function pass(ms: number): Promise<void> {
    const untilMs = nowMs + ms
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      const next = timers.filter(({ atMs }) => atMs <= untilMs).sort((left, right) => left.atMs - right.atMs)[0]
      if (next === undefined) break
      timers = timers.filter((one) => one !== next)
      nowMs = Math.max(nowMs, next.atMs)
      next.run()
    }
    nowMs = Math.max(nowMs, untilMs)
  }

  it('is at once, then once a second for everything that was marked in between', async () => {
    work.mark('a')
    await pass(10)
    for (let step = 0; step < 50; step += 1) {
      work.mark('b', 'c')
      await pass(50)
    }
    assert.deepEqual(runs[0], { atMs: 0, parts: ['a'] })
    assert.deepEqual(
      runs.slice(1).map(({ atMs, parts }) => [atMs, parts.join('')]),
      [
        [leastIntervalMs, 'bc'],
        [2 * leastIntervalMs, 'bc'],
      ],
    )
  })

  it('is slower where reading is slow: it takes no more than a twentieth of the time', async () => {
    tookMs = 200
    work.mark('a')
    await pass(0)
    work.mark('b')
    await pass(10_000)
    assert.deepEqual(
      runs.map(({ atMs }) => atMs),
      [0, 200 + 20 * 200],
    )
  })

  it('does not keep a person waiting', async () => {
    work.mark('a')
    await pass(10)
    work.mark('b')
    work.hurry('c')
    await pass(0)
    assert.deepEqual(runs.at(-1), { atMs: 10, parts: ['b', 'c'] })
  })

  it('does nothing where nothing was marked, or nobody looks any more', async () => {
    await pass(5000)
    assert.deepEqual(runs, [])
    work.mark('a')
    await pass(0)
    work.mark('b')
    work.clear()
    await pass(5000)
    work.dispose()
    work.mark('c')
    await pass(5000)
    assert.equal(runs.length, 1)
    assert.deepEqual(timers, [])
  })
})
