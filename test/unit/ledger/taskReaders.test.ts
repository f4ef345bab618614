import assert from 'node:assert/strict'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Ledger, TaskOrder } from '../../../daemon/ledger/ledger.ts'
import { taskHistory } from '../../../daemon/stages/taskHistory.ts'
import { noUsage } from '../../../shared/usage.ts'
import { noonMs, openLedger, sampleAsk, sampleSettlement, temporaryFolder } from './sample.ts'

const hourMs = 3_600_000

describe('what the ledger says of tasks', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let path: string
  let ledger: Ledger

  beforeEach(() => {
    folder = temporaryFolder()
    path = join(folder.path, 'ledger.db')
    ledger = openLedger(path)
  })

  afterEach(() => {
    ledger.close()
    folder.remove()
  })

  function reopen(): void {
    ledger.close()
    ledger = openLedger(path, 'second')
  }

  /** A call of a task that arrived at a time and was settled, or is open. */
  async function call(
    task: string,
    atMs: number,
    change: Parameters<typeof sampleSettlement>[1] | null = {},
  ): Promise<void> {
    const ask = sampleAsk({ row: { task, receivedAtMs: atMs } })
    await ledger.reserve(ask)
    if (change !== null) ledger.settle(sampleSettlement(ask.callId, change))
    ledger.flush()
  }

  const order = (change: Partial<TaskOrder> = {}): TaskOrder => ({
    scope: 'task',
    ref: 'run',
    atMs: noonMs,
    stop: null,
    windowFromMs: null,
    pausedMs: 0,
    chargedNanoEur: 0,
    windowChargedNanoEur: 0,
    ...change,
  })

  it('sums a task up: cache reads and writes count, open calls at their worst case, released ones not at all', async () => {
    assert.equal(ledger.taskSoFar('run'), null)
    const usage = { ...noUsage, input: 1, cacheRead: 20, cacheWrite5m: 300, cacheWrite1h: 4000, output: 50_000 }
    await call('run', noonMs + 10, { usage })
    await call('run', noonMs + 20, null)
    await call('run', noonMs + 30, { settlement: 'released' })
    await call('other', noonMs)
    assert.deepEqual(ledger.taskSoFar('run'), {
      calls: 2,
      inputTokens: 4321 + 100,
      spentNanoEur: 1200 + 2000,
      firstMs: noonMs + 10,
      lastMs: noonMs + 20,
    })
    assert.equal(ledger.taskSoFar('run', noonMs + 11)?.calls, 1)
    assert.equal(ledger.taskSoFar('run', noonMs + 21), null)
  })

  it('A06: what a dead process left open counts at its worst case', async () => {
    await call('run', noonMs, null)
    reopen()
    ledger.settleOrphans(noonMs + 1000)
    assert.deepEqual(ledger.taskSoFar('run'), {
      calls: 1,
      inputTokens: 100,
      spentNanoEur: 2000,
      firstMs: noonMs,
      lastMs: noonMs,
    })
  })

  it('sums a session up over its own tasks only', async () => {
    for (const task of ['ab-1', 'ab-2', 'ab-10', 'abc-1', 'ab', 'ab.1', 'aa-9']) await call(task, noonMs)
    assert.equal(ledger.sessionSoFar('ab')?.calls, 3)
    assert.equal(ledger.sessionSoFar('a'), null)
  })

  it('finds the highest turn of a session by number, over gaps, and no other name', async () => {
    assert.equal(ledger.latestTurn('ab'), null)
    for (const task of ['ab-1', 'ab-2', 'ab-9', 'ab-10', 'abc-77', 'ab-99x', 'ab-', 'ab', 'ab-123456789012'])
      await call(task, noonMs)
    assert.equal(ledger.latestTurn('ab'), 10)
    assert.equal(ledger.latestTurn('abc'), 77)
  })

  it('finds the highest turn whatever turns there are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 8 }),
        fc.uuid(),
        async (turns, id) => {
          for (const turn of turns) await call(`${id}-${turn}`, noonMs)
          assert.equal(ledger.latestTurn(id), Math.max(...turns))
        },
      ),
      { numRuns: 15 },
    )
  })

  it('finds the first call after the latest hour of quiet', async () => {
    assert.equal(ledger.busySinceMs('run', hourMs), null)
    await call('run', noonMs)
    await call('run', noonMs + hourMs - 1)
    assert.equal(ledger.busySinceMs('run', hourMs), null)
    const laterMs = noonMs + 3 * hourMs
    for (const atMs of [laterMs, laterMs + 1000]) await call('run', atMs)
    await call('run', laterMs + 9 * hourMs, { settlement: 'released' })
    assert.equal(ledger.busySinceMs('run', hourMs), laterMs)
  })

  it('keeps orders over a restart, the newest of each', () => {
    assert.equal(ledger.taskOrder('task', 'run'), null)
    const stopped = order({ stop: { by: 'pause', atMs: noonMs - 5 }, pausedMs: 10, windowFromMs: noonMs - 50 })
    const session = order({ scope: 'session', chargedNanoEur: 7, windowChargedNanoEur: 3 })
    ledger.saveTaskOrders([order({ stop: { by: 'person', atMs: 1 } }), session])
    ledger.saveTaskOrders([stopped])
    reopen()
    assert.deepEqual(ledger.taskOrder('task', 'run'), stopped)
    assert.deepEqual(ledger.taskOrder('session', 'run'), session)
  })

  it('keeps ceilings apart from orders, and neither takes the other away', () => {
    ledger.saveTaskCeilings('run', { eur: 2 }, noonMs)
    assert.equal(ledger.taskOrder('task', 'run'), null)
    ledger.saveTaskOrders([order({ stop: { by: 'person', atMs: noonMs } })])
    ledger.saveTaskCeilings('run', { iterations: 4, minutes: 1.5 }, noonMs + 1)
    ledger.saveTaskCeilings('other', {}, noonMs + 2)
    reopen()
    assert.deepEqual(ledger.taskCeilings(10), [
      { task: 'run', ceilings: { iterations: 4, minutes: 1.5 } },
      { task: 'other', ceilings: {} },
    ])
    assert.deepEqual(ledger.taskCeilings(1), [{ task: 'other', ceilings: {} }])
    assert.deepEqual(ledger.taskOrder('task', 'run')?.stop, { by: 'person', atMs: noonMs })
  })

  it('forgets orders and ceilings that were last changed before a time', () => {
    ledger.saveTaskOrders([order({ ref: 'old', atMs: noonMs - 1 }), order({ ref: 'new', atMs: noonMs })])
    ledger.saveTaskCeilings('old', { eur: 1 }, noonMs - 1)
    ledger.saveTaskCeilings('new', { eur: 1 }, noonMs)
    ledger.forgetTaskOrders(noonMs)
    assert.equal(ledger.taskOrder('task', 'old'), null)
    assert.notEqual(ledger.taskOrder('task', 'new'), null)
    assert.deepEqual(
      ledger.taskCeilings(10).map(({ task }) => task),
      ['new'],
    )
  })

  describe('put together as the history of a task', () => {
    it('is nothing for a task that nobody knows', () => {
      assert.equal(taskHistory(ledger)('task', 'run'), null)
    })

    it('has one window for a task that was never quiet', async () => {
      for (const atMs of [noonMs, noonMs + 1000]) await call('run', atMs)
      const past = taskHistory(ledger)('task', 'run')
      assert.deepEqual([past?.life?.calls, past?.window?.calls, past?.windowFromMs], [2, 2, noonMs])
    })

    it('begins the window after the latest hour of quiet, of a task and not of a session', async () => {
      for (const atMs of [noonMs, noonMs + 2 * hourMs]) await call('ab-1', atMs)
      const history = taskHistory(ledger)
      assert.deepEqual([history('task', 'ab-1')?.life?.calls, history('task', 'ab-1')?.window?.calls], [2, 1])
      assert.deepEqual([history('session', 'ab')?.life?.calls, history('session', 'ab')?.window?.calls], [2, 2])
    })

    it('K09: begins the window where a person resumed the task', async () => {
      for (const atMs of [noonMs, noonMs + 1000, noonMs + 3000]) await call('run', atMs)
      ledger.saveTaskOrders([order({ windowFromMs: noonMs + 2000 })])
      const past = taskHistory(ledger)('task', 'run')
      assert.deepEqual([past?.life?.calls, past?.window?.calls, past?.windowFromMs], [3, 1, noonMs + 2000])
    })

    it('knows a task that was stopped or charged before its first call', () => {
      ledger.saveTaskOrders([order({ chargedNanoEur: 5 })])
      const past = taskHistory(ledger)('task', 'run')
      assert.deepEqual([past?.life, past?.windowFromMs, past?.order?.chargedNanoEur], [null, noonMs, 5])
    })
  })
})
