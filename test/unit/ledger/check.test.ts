import assert from 'node:assert/strict'
import Database from 'better-sqlite3'
import { join } from 'node:path'
import type { Ledger, Settlement } from '../../../daemon/ledger/ledger.ts'
import { noUsage, totalTokens } from '../../../shared/usage.ts'
import { noonMs, openLedger, sampleAsk, sampleScopes, sampleSettlement, temporaryFolder, userDay } from './sample.ts'

describe('check', () => {
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

  /** Changes the file behind the ledger's back. */
  function tamper(sql: string): void {
    const other = new Database(path)
    other.exec(sql)
    other.close()
  }

  it('A09: finds no drift after 200 mixed calls, and the counters equal the sum over the calls', async () => {
    const ends: readonly Partial<Settlement>[] = [
      {},
      {
        settlement: 'partial',
        outcome: 'client_closed',
        usage: { ...noUsage, input: 90, output: 7 },
        costNanoEur: 970,
      },
      { settlement: 'exact', outcome: 'upstream_error', usage: noUsage, costNanoEur: 0, status: 500 },
      { settlement: 'released', outcome: 'upstream_unreachable', status: null },
      {
        usage: { ...noUsage, input: 5, cacheRead: 60, cacheWrite5m: 10, cacheWrite1h: 15, output: 4000 },
        costNanoEur: 9000,
      },
    ]
    for (let call = 0; call < 200; call += 10) {
      const asks = Array.from({ length: 10 }, (_, at) => {
        const task = `task-${(call + at) % 7}`
        const project = at % 2 === 0 ? 'shop' : null
        const extra = [
          { scope: 'task', ref: task, window: 'life', period: '-', capNanoEur: null, capTokens: null },
          ...(project === null
            ? []
            : [
                {
                  scope: 'project',
                  ref: project,
                  window: 'day',
                  period: '2026-11-30',
                  capNanoEur: null,
                  capTokens: null,
                },
              ]),
        ] as ReturnType<typeof sampleScopes>
        return sampleAsk({
          scopes: [...sampleScopes(), ...extra],
          row: { task, project, isRetry: at === 9, model: `model-${at % 3}` },
        })
      })
      await Promise.all(asks.map((ask) => ledger.reserve(ask)))
      asks.forEach((ask, at) => {
        // Every twentieth call stays open.
        if (call % 20 === 0 && at === 3) return
        ledger.settle(sampleSettlement(ask.callId, ends[(call / 10 + at) % ends.length]))
        if (at === 4) ledger.settle(sampleSettlement(ask.callId, { costNanoEur: 1 }))
      })
    }
    assert.deepEqual(ledger.check(), [])

    const rows = ledger.calls({ limit: 1000 })
    assert.equal(rows.length, 200)
    const open = rows.filter((row) => row.state === 'reserved')
    const spentNanoEur = rows.reduce((sum, row) => sum + Math.round(row.eur * 1e9), 0)
    const spentTokens = rows.reduce((sum, row) => sum + totalTokens(row.usage), 0)
    assert.deepEqual(ledger.totals(userDay), {
      spentNanoEur,
      spentTokens,
      reservedNanoEur: open.length * 2000,
      reservedTokens: open.length * 200,
    })
    const summary = ledger.summary({ user: 'ada', tenant: 'acme', window: 'month', period: '2026-11' })
    assert.equal(summary.spentNanoEur, spentNanoEur)
    assert.equal(summary.reservedNanoEur, open.length * 2000)
    assert.equal(
      summary.tokens.input + summary.tokens.cacheRead + summary.tokens.cacheWrite + summary.tokens.output,
      spentTokens,
    )
    assert.equal(summary.calls, rows.filter((row) => row.state === 'settled' && row.settlement !== 'released').length)
  })

  it('finds a window that differs from its calls, and says both sums', async () => {
    const ask = sampleAsk()
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId))
    ledger.flush()
    tamper("UPDATE windows SET spent_nano = 111290 WHERE scope = 'user'")
    const [difference, ...others] = ledger.check()
    assert.deepEqual(others, [])
    assert.deepEqual(difference?.scope, userDay)
    assert.equal(difference.window.spentNanoEur, 111_290)
    assert.equal(difference.calls.spentNanoEur, 1200)
  })

  it('finds a window whose reservation has no call', async () => {
    await ledger.reserve(sampleAsk())
    tamper("UPDATE windows SET reserved_tokens = reserved_tokens + 1 WHERE window = 'month'")
    assert.deepEqual(
      ledger.check().map(({ scope }) => scope.window),
      ['month'],
    )
  })

  it('finds sums of the status that differ from the calls', async () => {
    const ask = sampleAsk()
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId))
    ledger.flush()
    tamper('UPDATE lines SET output = output + 1')
    assert.deepEqual(ledger.check()[0]?.scope, userDay)
  })

  it('counts calls that came and ended since the check before', async () => {
    const early = sampleAsk()
    await ledger.reserve(early)
    assert.deepEqual(ledger.check(), [])
    const late = sampleAsk()
    await ledger.reserve(late)
    ledger.settle(sampleSettlement(late.callId))
    assert.deepEqual(ledger.check(), [])
    ledger.settle(sampleSettlement(early.callId, { settledAtMs: noonMs }))
    assert.deepEqual(ledger.check(), [])
    assert.deepEqual(ledger.check(), [])
    tamper("UPDATE windows SET spent_tokens = spent_tokens + 1 WHERE scope = 'user'")
    assert.equal(ledger.check().length, 1)
  })
})
