import assert from 'node:assert/strict'
import { parse } from 'csv-parse/sync'
import Database from 'better-sqlite3'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayKey, monthKey } from '../../daemon/budget/windows.ts'
import type { Ledger } from '../../daemon/ledger/ledger.ts'
import { openSqliteLedger } from '../../daemon/ledger/sqlite.ts'
import type { CallRow } from '../../shared/status.ts'
import { noUsage } from '../../shared/usage.ts'
import type { Report, ReportGroup, ReportRow } from '../../shared/report.ts'
import { runCommand } from './harness/command.ts'
import { startDaemon, stopAllDaemons } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { eventually } from './harness/eventually.ts'
import { flatAsk, flatConfig, flatEur, flatUsage } from './harness/flatPrice.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

const timezone = 'Europe/Berlin'
const groups: readonly ReportGroup[] = ['model', 'task', 'project', 'day', 'user', 'client', 'upstream']
const sumNames = ['calls', 'unpricedCalls', 'input', 'cacheRead', 'cacheWrite', 'output'] as const

describe('a report of calls that were made', () => {
  let gate: Gate
  let daemon: Daemon

  before(async () => {
    gate = await startGate(flatConfig(null))
    ;({ daemon } = gate)
    for (const [task, project, user, model, outputTokens] of [
      ['t1', 'shop', 'ada', 'flat-1', 100],
      ['t1', 'shop', 'ada', 'flat-2', 200],
      ['t2', 'shop', 'grace', 'flat-1', 300],
      ['t3', 'docs', 'ada', '=flat', 0],
    ] as const) {
      gate.upstream.next(flatUsage(outputTokens))
      const response = await fetch(
        `${daemon.base(model === '=flat' ? 'ollama' : 'openai', { task, project })}/v1/chat/completions`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-tollgate-user': user },
          body: JSON.stringify(flatAsk(400, { model })),
        },
      )
      assert.equal(response.status, 200, await response.text())
    }
    await daemon.settled(4)
  })
  after(() => gate.close())

  const report = (query: string): Promise<Report> => daemon.json<Report>(`/api/report?${query}`)
  const command = (...words: readonly string[]) => runCommand(['report', ...words, '--data-dir', daemon.dataDir])

  it('adds up to the status and to the calls, however it is grouped', async () => {
    const { month } = await daemon.status()
    const calls = await daemon.calls()
    for (const by of groups) {
      const { rows, totals, omittedRows } = await report(`by=${by}`)
      assert.deepEqual([totals.calls, totals.eur, omittedRows], [4, flatEur(600), 0], by)
      for (const name of sumNames) assert.equal(sum(rows, name), totals[name], `${name} by ${by}`)
      assert.ok(Math.abs(sum(rows, 'share') - 1) < 1e-9)
      assert.deepEqual(
        [totals.eur, totals.calls, totals.input, totals.cacheRead, totals.output],
        [month.spentEur, month.calls, month.tokens.input, month.tokens.cacheRead, month.tokens.output],
      )
      assert.equal(
        totals.output,
        calls.reduce((all, call) => all + call.usage.output, 0),
      )
      if (by === 'day') continue
      for (const row of rows) {
        const own: readonly CallRow[] = calls.filter((call) => call[by] === row.name)
        assert.equal(row.calls, own.length, `${by} ${String(row.name)}`)
        assert.equal(
          Math.round(row.eur * 1e9),
          own.reduce((all, call) => all + Math.round(call.eur * 1e9), 0),
        )
      }
    }
  })

  it('has what was charged to a task in a column of its own', async () => {
    await daemon.json('/api/tasks/t2/charges', { eur: 0.175 })
    const { rows, totals } = await report('by=task')
    assert.deepEqual(
      rows.map(({ name, chargedEur }) => [name, chargedEur]),
      [
        ['t1', 0],
        ['t2', 0.175],
        ['t3', 0],
      ],
    )
    assert.equal(totals.eur, flatEur(600))
  })

  it('refuses parameters that it cannot read, and callers without the token', async () => {
    for (const [query, sentence] of [
      ['by=week', /^by must be one of/],
      ['from=2026-02-30', /^from must be a day/],
      ['from=2999-01-01', /^from must not be after today/],
    ] as const) {
      const response = await daemon.api(`/api/report?${query}`)
      const { error } = (await response.json()) as { error: { code: string; message: string } }
      assert.deepEqual([response.status, error.code], [400, 'invalid_request'])
      assert.match(error.message, sentence)
    }
    assert.equal((await fetch(`${daemon.url}/api/report`)).status, 401)
  })

  it('comes as CSV that a reader takes, with a model that is no formula', async () => {
    const { code, stdout, stderr } = await command('--csv')
    assert.deepEqual([code, stderr], [0, ''])
    const rows = parse<Record<string, string>>(stdout, { columns: true })
    const { rows: expected } = await report('by=model')
    assert.deepEqual(
      rows.map((row) => [
        row['model']?.replace(/^'/, ''),
        Number(row['calls']),
        Number(row['output']),
        Number(row['eur']),
      ]),
      expected.map(({ name, calls, output, eur }) => [name, calls, output, eur]),
    )
    assert.ok(rows.some((row) => row['model'] === "'=flat"))
  })

  it('is the same from the file when no daemon runs, and the command says where it read', async () => {
    const asked = await command('--by', 'task')
    assert.match(asked.stdout, new RegExp(`^Spend by task, .* from the daemon at ${daemon.url}\\n`))
    const running = JSON.parse((await command('--by', 'task', '--json')).stdout) as Report
    writeFileSync(join(daemon.dataDir, 'config.json'), JSON.stringify({ timezone }))
    await daemon.kill9()
    const { code, stdout, stderr } = await command('--by', 'task', '--json')
    assert.equal(code, 0)
    assert.match(stderr, /^No daemon runs: the report is from the file .*ledger\.db\.\n$/)
    assert.deepEqual(JSON.parse(stdout), running)
    assert.match((await command()).stdout, /^Spend by model, .* from the file .*ledger\.db\n/)
  })
})

function sum(rows: readonly ReportRow[], name: (typeof sumNames)[number] | 'share'): number {
  return rows.reduce((all, row) => all + row[name], 0)
}

describe('a ledger with calls of long ago', () => {
  const count = 8000
  const perBatch = 1000
  const oldDays = 10
  const dayMs = 86_400_000
  let dir: string

  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'tollgate-retention-'))))
  afterEach(async () => {
    await stopAllDaemons()
    rmSync(dir, { recursive: true, force: true })
  })

  const file = (): string => join(dir, 'ledger.db')
  const open = (epoch: string): Ledger =>
    openSqliteLedger({ path: file(), nowMs: Date.now, epoch, log: () => undefined })

  /** Calls of ten days that are long past, then one of today. */
  async function fill(): Promise<void> {
    const ledger = open('filled')
    for (let made = 0; made <= count; made += perBatch) {
      const receivedAtMs =
        made === count ? Date.now() : Date.now() - (30 - Math.floor((made / count) * oldDays)) * dayMs
      const period = { day: dayKey(receivedAtMs, timezone), month: monthKey(receivedAtMs, timezone) }
      const ids = Array.from({ length: made === count ? 1 : perBatch }, (_, at) => `call-${made + at}`)
      const caps = { capNanoEur: null, capTokens: null }
      await Promise.all(
        ids.map((callId, at) => {
          const task = `task-${Math.floor((made + at) / 7)}`
          return ledger.reserve({
            callId,
            scopes: [
              { scope: 'user', ref: 'personal/me', window: 'day', period: period.day, ...caps },
              { scope: 'tenant', ref: 'personal', window: 'month', period: period.month, ...caps },
              { scope: 'task', ref: task, window: 'life', period: '-', ...caps },
            ],
            inputTokens: 10,
            outputTokens: 10,
            minOutputTokens: 10,
            cost: () => 1000,
            row: {
              ...period,
              receivedAtMs,
              tenant: 'personal',
              user: 'me',
              project: null,
              task,
              session: null,
              client: 'sdk',
              keyId: 'default',
              upstream: 'openai',
              dialect: 'openai-chat',
              model: `model-${at % 3}`,
              stream: false,
              isRetry: false,
              estimatedInputTokens: 10,
              usdRate: 1,
              rateAsOf: '2026-11-01',
              priced: true,
              price: null,
            },
          })
        }),
      )
      for (const callId of ids) {
        ledger.settle({
          callId,
          settlement: 'exact',
          outcome: 'ok',
          usage: { ...noUsage, input: 9, output: 4 },
          costNanoEur: 700,
          status: 200,
          finish: 'stop',
          responseModel: null,
          settledAtMs: receivedAtMs,
          durationMs: 1,
          firstByteMs: 1,
          warnings: [],
        })
      }
    }
    ledger.close()
  }

  /** Calls in the file, read beside whoever writes. */
  function callsLeft(): number {
    const database = new Database(file(), { readonly: true })
    try {
      return database.prepare<[], number>('SELECT count(*) FROM calls').pluck().get() ?? 0
    } finally {
      database.close()
    }
  }

  function reports(ledger: Ledger): unknown {
    const range = { fromDay: '2000-01-01', toDay: '2999-12-31', tenant: 'personal', mostRows: count }
    return groups.map((by) => {
      const { rows, totals } = ledger.report({ ...range, by })
      return { by, rows, totals }
    })
  }

  it('M01, M11: keeps every sum when it is killed in the middle of removing them, and finishes after the next start', async () => {
    await fill()
    const filled = open('before')
    const before = reports(filled)
    filled.close()
    const config = { timezone, retention: { callsDays: 2 } }

    const first = await startDaemon({ dataDir: dir, config })
    await eventually('calls to be removed', () => (callsLeft() <= count ? true : null), 30_000)
    await first.kill9()
    const left = callsLeft()
    assert.ok(left > 1 && left <= count, `${left} calls are left`)
    const torn = open('torn')
    assert.deepEqual(torn.check(), [])
    assert.deepEqual(reports(torn), before)
    torn.close()

    const second = await startDaemon({ dataDir: dir, config })
    await eventually('the rest to be removed', () => (callsLeft() === 1 ? true : null), 30_000)
    assert.deepEqual(await second.json('/api/check'), { drift: [] })
    const { totals, callsKeptSince } = await second.json<Report>('/api/report?by=task&days=60')
    assert.deepEqual([totals.calls, Math.round(totals.eur * 1e9)], [count + 1, (count + 1) * 700])
    assert.equal(callsKeptSince, dayKey(Date.now(), timezone))
    await second.stop()
    const done = open('after')
    assert.deepEqual(reports(done), before)
    assert.deepEqual(done.check(), [])
    done.close()
  })
})
