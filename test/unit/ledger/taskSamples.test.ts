import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Ledger, NewCallRow, Settlement } from '../../../daemon/ledger/ledger.ts'
import { noUsage } from '../../../shared/usage.ts'
import { noonMs, openLedger, sampleAsk, sampleSettlement, temporaryFolder } from './sample.ts'

describe('tasks of the SQLite ledger', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let ledger: Ledger

  beforeEach(() => {
    folder = temporaryFolder()
    ledger = openLedger(join(folder.path, 'ledger.db'))
  })

  afterEach(() => {
    ledger.close()
    folder.remove()
  })

  /** A call that arrives `atMs` after noon and is settled a second later. */
  async function call(task: string | null, atMs: number, end: Partial<Settlement> = {}, row: Partial<NewCallRow> = {}) {
    const receivedAtMs = noonMs + atMs
    const ask = sampleAsk({ row: { ...row, task, receivedAtMs } })
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId, { settledAtMs: receivedAtMs + 1000, ...end }))
  }

  it('sums the calls of a task, its cached input too, from the first arrival to the last settlement', async () => {
    const usage = { ...noUsage, input: 1, cacheRead: 20, cacheWrite5m: 300, cacheWrite1h: 4000, output: 50_000 }
    const names = { session: 's1', client: 'claude-cli/2.1', project: 'shop', keyId: 'key-2' }
    await call('t1', 0, { usage }, names)
    await call('t1', 5000, { usage, outcome: 'upstream_error' }, { client: 'other' })
    await call('t1', 9500, { usage }, names)
    assert.deepEqual(ledger.taskSamples(noonMs), [
      {
        task: 't1',
        ...names,
        iterations: 3,
        inputTokens: 3 * 4321,
        wallSeconds: 10.5,
        costNanoEur: 3600,
        wasKilled: false,
      },
    ])
  })

  it('counts calls that reached an upstream, and no task without one', async () => {
    const released = {
      settlement: 'released',
      outcome: 'upstream_unreachable',
      usage: noUsage,
      costNanoEur: 0,
    } as const
    await call('t1', 0)
    await call('t1', 10, released)
    await call('t2', 20, released)
    await call(null, 30)
    assert.deepEqual(
      ledger.taskSamples(noonMs).map(({ task, iterations }) => [task, iterations]),
      [['t1', 1]],
    )
  })

  it('says of which task a call was killed', async () => {
    await call('t1', 0, { outcome: 'killed', settlement: 'partial' })
    await call('t1', 10)
    await call('t2', 20)
    assert.deepEqual(
      ledger.taskSamples(noonMs).map(({ task, wasKilled }) => [task, wasKilled]),
      [
        ['t2', false],
        ['t1', true],
      ],
    )
  })

  it('leaves out a task that has a call open, and one that began before: their figures are a part', async () => {
    await call('older', -5000)
    await call('older', 0)
    await call('busy', 10)
    await ledger.reserve(sampleAsk({ row: { task: 'busy', receivedAtMs: noonMs + 20 } }))
    await call('done', 30)
    assert.deepEqual(
      ledger.taskSamples(noonMs).map(({ task }) => task),
      ['done'],
    )
    assert.deepEqual(
      ledger.taskSamples(noonMs - 5000).map(({ task }) => task),
      ['done', 'older'],
    )
  })
})
