import assert from 'node:assert/strict'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { join } from 'node:path'
import { draftLedger } from '../../../daemon/ledger/database.ts'
import type { CappedScope, Ledger, ReportFilter, ScopeRef, UpkeepAsk } from '../../../daemon/ledger/ledger.ts'
import { noUsage } from '../../../shared/usage.ts'
import { reportGroups } from '../../../shared/report.ts'
import { noonMs, openLedger, sampleAsk, sampleSettlement, temporaryFolder } from './sample.ts'

const dayMs = 86_400_000
const days = ['2026-11-26', '2026-11-27', '2026-11-28', '2026-11-29', '2026-11-30'] as const
const keepAll: UpkeepAsk = { callsBeforeMs: null, eventsBeforeMs: null, mostRows: 1000 }

/** A call as the property makes it; `end` null leaves it open. */
const anyCall = fc.record({
  day: fc.nat({ max: days.length - 1 }),
  model: fc.constantFrom('large', 'small'),
  project: fc.constantFrom('shop', null),
  user: fc.constantFrom('ada', 'grace'),
  tenant: fc.constantFrom('acme', 'other'),
  task: fc.constantFrom('t1', 't2', 't3', null),
  priced: fc.boolean(),
  end: fc.option(
    fc.record({
      settlement: fc.constantFrom('exact', 'estimated', 'partial', 'released'),
      costNanoEur: fc.nat({ max: 2000 }),
      listNanoEur: fc.nat({ max: 100 }),
      usage: fc.record({
        input: fc.nat({ max: 50 }),
        cacheRead: fc.nat({ max: 50 }),
        cacheWrite5m: fc.nat({ max: 50 }),
        cacheWrite1h: fc.nat({ max: 50 }),
        output: fc.nat({ max: 50 }),
      }),
    }),
    { freq: 12 },
  ),
})

type AnyCall = typeof anyCall extends fc.Arbitrary<infer Call> ? Call : never

function scopesOf({ day, tenant, user, project, task }: AnyCall): CappedScope[] {
  const period = days[day] ?? days[0]
  const scopes: ScopeRef[] = [
    { scope: 'user', ref: `${tenant}/${user}`, window: 'day', period },
    { scope: 'tenant', ref: tenant, window: 'month', period: '2026-11' },
  ]
  if (project !== null) scopes.push({ scope: 'project', ref: project, window: 'day', period })
  if (task !== null) scopes.push({ scope: 'task', ref: task, window: 'life', period: '-' })
  return scopes.map((scope) => ({ ...scope, capNanoEur: null, capTokens: null }))
}

async function make(ledger: Ledger, call: AnyCall): Promise<string> {
  const { model, project, user, tenant, task, priced, end } = call
  const day = days[call.day] ?? days[0]
  const receivedAtMs = noonMs - (days.length - 1 - call.day) * dayMs
  const row = { receivedAtMs, day, month: '2026-11', model, project, user, tenant, task, priced }
  const ask = sampleAsk({ scopes: scopesOf(call), row })
  await ledger.reserve(ask)
  if (end !== null) {
    ledger.settle(sampleSettlement(ask.callId, { ...end, usage: { ...noUsage, ...end.usage } }))
    ledger.flush()
  }
  return ask.callId
}

/** Everything that may not change when calls are removed. */
function sums(ledger: Ledger, calls: readonly AnyCall[]): unknown {
  const filter: Omit<ReportFilter, 'by'> = { fromDay: days[1], toDay: days[4], tenant: 'acme', mostRows: 100 }
  return {
    reports: reportGroups.map((by) => {
      const { rows, totals, omittedRows } = ledger.report({ ...filter, by })
      return { by, rows, totals, omittedRows }
    }),
    windows: calls.flatMap(scopesOf).map((scope) => ledger.totals(scope)),
    month: ledger.summary({ window: 'month', period: '2026-11' }),
    models: days.map((day) => ledger.byModel(day)),
  }
}

/** Steps until nothing is left; returns the rows of each. */
function keepUp(ledger: Ledger, ask: UpkeepAsk): number[] {
  const steps: number[] = []
  for (let rows = ledger.upkeep(ask); rows > 0; rows = ledger.upkeep(ask)) steps.push(rows)
  return steps
}

describe('the upkeep of the ledger', () => {
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

  it('M11: leaves every report, every window and the self-check as they were, whatever was removed and in what steps', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyCall, { minLength: 1, maxLength: 40 }),
        fc.nat({ max: days.length }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        async (unsorted, keptDays, mostRows, isCheckedBefore) => {
          const calls = unsorted.toSorted((left, right) => left.day - right.day)
          const own = temporaryFolder()
          const file = join(own.path, 'ledger.db')
          const tried = openLedger(file)
          try {
            for (const call of calls) await make(tried, call)
            if (isCheckedBefore) assert.deepEqual(tried.check(), [])
            const before = sums(tried, calls)
            const cutMs = noonMs - keptDays * dayMs - 1
            const steps = keepUp(tried, { callsBeforeMs: cutMs, eventsBeforeMs: null, mostRows })
            assert.ok(steps.every((rows) => rows <= mostRows))
            assert.deepEqual(sums(tried, calls), before)
            assert.deepEqual(tried.check(), [], 'for the check that knows earlier sums')
            const fresh = openLedger(file, 'second')
            assert.deepEqual(fresh.check(), [], 'for a check that reads all')
            fresh.close()
            const open = tried.calls({ limit: 1000 }).filter((call) => call.state === 'reserved')
            assert.equal(open.length, calls.filter((call) => call.end === null).length, 'open calls stay')
          } finally {
            tried.close()
            own.remove()
          }
        },
      ),
      { numRuns: 25 },
    )
  })

  const settled: AnyCall = {
    day: 0,
    model: 'large',
    project: 'shop',
    user: 'ada',
    tenant: 'acme',
    task: 't1',
    priced: true,
    end: {
      settlement: 'exact',
      costNanoEur: 700,
      listNanoEur: 0,
      usage: { input: 10, cacheRead: 20, cacheWrite5m: 3, cacheWrite1h: 4, output: 5 },
    },
  }

  it('removes what is older and keeps the day of the limit', async () => {
    for (const day of [0, 0, 1, 2, 3]) await make(ledger, { ...settled, day })
    const cutMs = noonMs - 3 * dayMs
    assert.equal(
      ledger.report({ by: 'day', fromDay: days[0], toDay: days[4], tenant: 'acme', mostRows: 9 }).callsKeptSince,
      null,
    )
    keepUp(ledger, { ...keepAll, callsBeforeMs: cutMs })
    assert.deepEqual(
      ledger.calls({}).map((call) => call.time.slice(0, 10)),
      ['2026-11-29', '2026-11-28', '2026-11-27'],
    )
    const { callsKeptSince, rows } = ledger.report({
      by: 'day',
      fromDay: days[0],
      toDay: days[4],
      tenant: 'acme',
      mostRows: 9,
    })
    assert.equal(callsKeptSince, '2026-11-27')
    assert.deepEqual(
      rows.map(({ name, sums: { calls, nanoEur } }) => [name, calls, nanoEur]),
      [
        ['2026-11-26', 2, 1400],
        ['2026-11-27', 1, 700],
        ['2026-11-28', 1, 700],
        ['2026-11-29', 1, 700],
      ],
    )
  })

  it('never removes the newest call, so that the next one is numbered after it when the clock was set back', async () => {
    await make(ledger, { ...settled, day: 4 })
    keepUp(ledger, { ...keepAll, callsBeforeMs: noonMs + dayMs })
    assert.equal(ledger.calls({}).length, 1)
    const back = await make(ledger, { ...settled, day: 0 })
    assert.equal(ledger.calls({})[0]?.id, back)
    assert.deepEqual(ledger.check(), [])
  })

  it('A06: stops before an open reservation, and goes on when it has ended', async () => {
    const open = await make(ledger, { ...settled, end: null })
    await make(ledger, settled)
    await make(ledger, { ...settled, day: 4 })
    const ask = { ...keepAll, callsBeforeMs: noonMs - dayMs }
    assert.deepEqual(keepUp(ledger, ask), [])
    ledger.settle(sampleSettlement(open))
    ledger.flush()
    assert.deepEqual(keepUp(ledger, ask), [3, 2])
    assert.equal(ledger.calls({}).length, 1)
    assert.deepEqual(ledger.check(), [])
  })

  it('sums tasks up once, also when two processes do it', async () => {
    const other = openLedger(path, 'second')
    for (const day of [0, 1, 2]) await make(ledger, { ...settled, day })
    assert.equal(ledger.upkeep({ ...keepAll, mostRows: 2 }), 2)
    assert.equal(other.upkeep(keepAll), 1)
    assert.equal(ledger.upkeep(keepAll), 0)
    const report = other.report({ by: 'task', fromDay: days[0], toDay: days[4], tenant: 'acme', mostRows: 9 })
    assert.deepEqual(
      report.rows.map(({ name, sums: { calls, nanoEur, cacheWrite } }) => [name, calls, nanoEur, cacheWrite]),
      [['t1', 3, 2100, 21]],
    )
    other.close()
  })

  it('reports and sums up the tasks of a ledger that an older version made', () => {
    const older = join(folder.path, 'older.db')
    const database = draftLedger(older, {}, 2)
    database.exec(`
      INSERT INTO owners (epoch) VALUES ('older');
      INSERT INTO scope_sets (members) VALUES ('');
      INSERT INTO lines (day, month, tenant, user, client, key_id, upstream, dialect, model, usd_rate, rate_as_of, priced,
        calls, spent_nano, input) VALUES ('2026-11-26', '2026-11', 'acme', 'ada', 'sdk', 'default', 'openai',
        'openai-chat', 'm', 1, '2026-11-01', 1, 2, 900, 30);
      INSERT INTO calls (seq, id, owner, line, scopes, received_at_ms, task, stream, is_retry, estimated_input,
        reserved_nano, reserved_tokens, settlement, cost_nano, input)
        VALUES (1, 'a', 1, 1, 1, 0, 't1', 0, 0, 0, 0, 0, 'exact', 400, 10),
        (2, 'b', 1, 1, 1, 0, 't1', 0, 0, 0, 0, 0, 'exact', 500, 20);
    `)
    database.close()
    const updated = openLedger(older)
    const tasks = (): unknown =>
      updated
        .report({ by: 'task', fromDay: days[0], toDay: days[4], tenant: 'acme', mostRows: 9 })
        .rows.map(({ name, sums: { calls, nanoEur, input } }) => [name, calls, nanoEur, input])
    assert.deepEqual(tasks(), [['t1', 2, 900, 30]])
    assert.deepEqual(keepUp(updated, { ...keepAll, callsBeforeMs: noonMs }), [2, 1])
    assert.deepEqual(tasks(), [['t1', 2, 900, 30]])
    assert.deepEqual(updated.check(), [])
    updated.close()
  })

  it('finds a window whose kept sums were changed', async () => {
    for (const day of [0, 4]) await make(ledger, { ...settled, day })
    keepUp(ledger, { ...keepAll, callsBeforeMs: noonMs - dayMs })
    const file = new Database(path)
    file.exec("UPDATE windows SET folded_nano = folded_nano + 1 WHERE scope = 'user' AND period = '2026-11-26'")
    file.close()
    const fresh = openLedger(path, 'second')
    assert.deepEqual(
      fresh.check().map(({ scope }) => [scope.scope, scope.period]),
      [['user', '2026-11-26']],
    )
    fresh.close()
  })

  it('writes a step whole or not at all', async () => {
    for (const day of [0, 0, 4]) await make(ledger, { ...settled, day })
    ledger.upkeep(keepAll)
    const file = new Database(path)
    file.exec("CREATE TRIGGER broken BEFORE DELETE ON calls BEGIN SELECT raise(ABORT, 'broken for the test'); END")
    assert.throws(() => ledger.upkeep({ ...keepAll, callsBeforeMs: noonMs - dayMs }))
    assert.deepEqual(ledger.check(), [])
    file.exec('DROP TRIGGER broken')
    file.close()
    assert.deepEqual(keepUp(ledger, { ...keepAll, callsBeforeMs: noonMs - dayMs }), [2])
    assert.deepEqual(ledger.check(), [])
  })

  it('M11: removes events before a time and no others', () => {
    for (let at = 0; at < 10; at += 1) ledger.recordEvent({ event: 'alert', at }, noonMs + at)
    ledger.flush()
    assert.deepEqual(keepUp(ledger, { ...keepAll, eventsBeforeMs: noonMs + 7, mostRows: 3 }), [3, 3, 1])
    assert.deepEqual(
      ledger.events({}).map((event) => event['at']),
      [9, 8, 7],
    )
  })

  it('does nothing where everything is kept', async () => {
    await make(ledger, settled)
    ledger.recordEvent({ event: 'alert' }, 0)
    ledger.flush()
    assert.deepEqual(keepUp(ledger, keepAll), [1], 'the sum of the task')
    assert.equal(ledger.calls({}).length, 1)
    assert.equal(ledger.events({}).length, 1)
  })
})
