import assert from 'node:assert/strict'
import { join } from 'node:path'
import { loadConfig } from '../../../daemon/config/load.ts'
import { calibrationReport, readDays } from '../../../daemon/control/calibration.ts'
import type { CalibrationReport } from '../../../daemon/control/calibration.ts'
import { mostEvents } from '../../../daemon/ledger/eventBook.ts'
import type { Ledger, NewCallRow } from '../../../daemon/ledger/ledger.ts'
import { noonMs, openLedger, sampleAsk, sampleSettlement, temporaryFolder } from '../ledger/sample.ts'

const dayMs = 86_400_000

describe('the calibration report', () => {
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

  /** Tasks of one call each, `row` for all; the first arrives `fromMs` after noon. */
  async function tasks(name: string, count: number, fromMs: number, row: Partial<NewCallRow> = {}): Promise<void> {
    const asks = Array.from({ length: count }, (_, at) =>
      sampleAsk({ row: { ...row, task: `${name}-${at}`, receivedAtMs: noonMs + fromMs + at } }),
    )
    await Promise.all(asks.map((ask) => ledger.reserve(ask)))
    for (const { callId, row: sent } of asks) {
      ledger.settle(sampleSettlement(callId, { settledAtMs: sent.receivedAtMs + 1000 }))
    }
  }

  function report(days: number, change: object = {}): CalibrationReport {
    const loaded = loadConfig({ text: JSON.stringify(change), env: {}, systemTimezone: 'UTC' })
    if (!loaded.ok) assert.fail(loaded.problems.join(' '))
    return calibrationReport(
      { nowMs: () => noonMs + dayMs, config: () => loaded.config, localKey: 'LOCAL', ledger },
      days,
    )
  }

  it('finds the plan of a call as the key guard does: the plan of its key, of its client, or the general one', async () => {
    const keys = [{ key: 'open' }, { key: 'bound', plan: 'chat' }]
    await tasks('a', 1, 0, { keyId: 'default', client: 'OpenAI/JS' })
    await tasks('b', 1, 100, { keyId: 'default', client: 'claude-cli/2.1' })
    await tasks('c', 1, 200, { keyId: 'key-2', client: 'claude-cli/2.1' })
    await tasks('d', 1, 300, { keyId: 'key-1', client: 'curl/8' })
    await tasks('e', 1, 400, { keyId: 'key-9', client: 'gone/1' })
    const plans = Object.fromEntries(
      report(30, { keys, plan: 'careful', plans: { careful: {} } }).groups.map(({ client, plan }) => [
        `${client} ${plan}`,
        1,
      ]),
    )
    assert.deepEqual(Object.keys(plans).sort(), [
      'OpenAI/JS careful',
      'claude-cli chat',
      'claude-cli coding',
      'curl careful',
      'gone careful',
    ])
  })

  it('puts proposals next to the ceilings in force, and names a plan without ceilings', async () => {
    await tasks('a', 20, 0)
    const { plans, currency, healthyTasks } = report(30, {
      plans: { agent: { task: { maxEur: null } }, chat: { task: null } },
    })
    assert.equal(currency, 'EUR')
    assert.equal(healthyTasks, 20)
    assert.deepEqual(plans[0], {
      plan: 'agent',
      inForce: { maxIterations: 25, maxInputTokens: 2_000_000, maxWallSeconds: 300, maxEur: null },
      proposal: { maxIterations: 5, maxInputTokens: 50_000, maxWallSeconds: 60, maxEur: 0.1 },
    })
    assert.deepEqual(
      plans.find(({ plan }) => plan === 'chat'),
      { plan: 'chat', inForce: null, proposal: null },
    )
  })

  it('leaves out what was halted within the period', async () => {
    await tasks('a', 3, 0)
    ledger.recordEvent({ event: 'loop', task: 'a-1', state: 'halted' }, noonMs + 10)
    const { healthyTasks, haltedTasks, since } = report(30)
    assert.deepEqual([healthyTasks, haltedTasks], [2, 1])
    assert.equal(since, new Date(noonMs - 29 * dayMs).toISOString())
  })

  it('does not look further back than the events that are kept, which alone know of halts', async () => {
    await tasks('before', 2, 0)
    for (let at = 0; at < mostEvents; at += 1) ledger.recordEvent({ event: 'alert' }, noonMs + 1000 + at)
    await tasks('after', 3, 1000)
    const { healthyTasks, since } = report(30)
    assert.equal(since, new Date(noonMs + 1000).toISOString())
    assert.equal(healthyTasks, 3)
  })

  it('reads days, 30 where nobody says', () => {
    assert.equal(readDays(null), 30)
    assert.equal(readDays('7'), 7)
    for (const text of ['', '0', '366', 'week'])
      assert.equal(readDays(text), 'days must be a whole number from 1 to 365.')
  })
})
