import Database from 'better-sqlite3'
import { dayKey, monthKey } from '../../daemon/budget/windows.ts'
import type { CappedScope, Ledger, ReservationAsk } from '../../daemon/ledger/ledger.ts'
import { openSqliteLedger } from '../../daemon/ledger/sqlite.ts'
import { noUsage } from '../../shared/usage.ts'
import { median } from './statistics.ts'

/**
 * Makes a ledger with many calls and compares its reservations with those of an empty one. A process of its own, because a
 * commit stops the event loop. The calls of ninety days are made by the ledger itself; then each is multiplied by SQL
 * together with the sums that it is part of, so that the ledger's own check still holds, and is run.
 *
 *   ledgerFill.ts <full ledger.db> <empty ledger.db> <calls> <pairs to time>
 */

const zone = 'Europe/Berlin'
const days = 90
const models = ['gpt-4o-mini', 'gpt-5.5', 'claude-sonnet-5', 'claude-haiku-4-5'] as const
const callsPerDayAndModel = 5
const dayMs = 86_400_000
const wideNano = 1e15

const [fullFile = '', emptyFile = '', calls = '', pairs = ''] = process.argv.slice(2)

function open(path: string): Ledger {
  return openSqliteLedger({ path, nowMs: Date.now, epoch: `bench ${path}`, log: () => undefined })
}

let made = 0
function askAt(receivedAtMs: number, model: string): ReservationAsk {
  const day = dayKey(receivedAtMs, zone)
  const month = monthKey(receivedAtMs, zone)
  const caps = { capNanoEur: wideNano, capTokens: null }
  const scopes: readonly CappedScope[] = [
    { scope: 'user', ref: 'personal/me', window: 'day', period: day, ...caps },
    { scope: 'tenant', ref: 'personal', window: 'day', period: day, ...caps },
    { scope: 'tenant', ref: 'personal', window: 'month', period: month, ...caps },
  ]
  return {
    callId: `bench_${(made += 1)}`,
    scopes,
    inputTokens: 400,
    outputTokens: 4096,
    minOutputTokens: 256,
    cost: (output) => 60_000 + output * 600,
    row: {
      receivedAtMs,
      day,
      month,
      tenant: 'personal',
      user: 'me',
      project: null,
      task: null,
      session: null,
      client: 'OpenAI/JS',
      keyId: 'default',
      upstream: 'openai',
      dialect: 'openai-chat',
      model,
      stream: false,
      isRetry: false,
      estimatedInputTokens: 400,
      usdRate: 0.92,
      rateAsOf: '2026-11-01',
      priced: true,
    },
  }
}

function settle(ledger: Ledger, ask: ReservationAsk): void {
  ledger.settle({
    callId: ask.callId,
    settlement: 'exact',
    outcome: 'ok',
    usage: { ...noUsage, input: 380, output: 24 },
    costNanoEur: 70_000,
    status: 200,
    finish: 'stop',
    responseModel: ask.row.model,
    settledAtMs: ask.row.receivedAtMs + 900,
    durationMs: 900,
    firstByteMs: 300,
    warnings: [],
  })
}

/** Ninety days of calls, a minute apart, the last of them now. */
async function makeDays(ledger: Ledger): Promise<number> {
  const nowMs = Date.now()
  let count = 0
  for (let day = days - 1; day >= 0; day -= 1) {
    const asks = Array.from({ length: callsPerDayAndModel * models.length }, (_, at) =>
      askAt(
        nowMs - day * dayMs - (callsPerDayAndModel * models.length - at) * 60_000,
        models[at % models.length] ?? '',
      ),
    )
    await Promise.all(asks.map((ask) => ledger.reserve(ask)))
    for (const ask of asks) settle(ledger, ask)
    count += asks.length
  }
  ledger.flush()
  return count
}

/** Makes `factor` calls of each. `seq` has room for that between two calls. */
function multiply(path: string, factor: number): void {
  const database = new Database(path)
  const columns = (database.pragma('table_info(calls)') as readonly { readonly name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== 'seq' && name !== 'id')
    .join(', ')
  database.transaction(() => {
    database
      .prepare(
        `WITH RECURSIVE copies (copy) AS (SELECT 1 UNION ALL SELECT copy + 1 FROM copies WHERE copy < ?)
         INSERT INTO calls (seq, id, ${columns}) SELECT seq + copy, id || '-' || copy, ${columns} FROM calls, copies ORDER BY seq, copy`,
      )
      .run(factor - 1)
    const sums = ['calls', 'spent_nano', 'input', 'cache_read', 'cache_write', 'output']
    database.exec(`UPDATE lines SET ${sums.map((name) => `${name} = ${name} * ${factor}`).join(', ')}`)
    database.exec(`UPDATE windows SET spent_nano = spent_nano * ${factor}, spent_tokens = spent_tokens * ${factor}`)
  })()
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}

async function timeOne(ledger: Ledger): Promise<number> {
  const ask = askAt(Date.now(), models[0])
  const startedMs = performance.now()
  await ledger.reserve(ask)
  const tookMs = performance.now() - startedMs
  settle(ledger, ask)
  return tookMs
}

const template = open(fullFile)
const count = await makeDays(template)
template.close()
const factor = Math.max(2, Math.ceil(Number(calls) / count))
multiply(fullFile, factor)

const full = open(fullFile)
const empty = open(emptyFile)
const drift = full.check().length
const fullMs: number[] = []
const emptyMs: number[] = []
for (let pair = 0; pair < Number(pairs); pair += 1) {
  fullMs.push(await timeOne(full))
  emptyMs.push(await timeOne(empty))
}
full.close()
empty.close()
const result = { calls: count * factor, drift, fullMs: median(fullMs), emptyMs: median(emptyMs) }
process.stdout.write(`${JSON.stringify(result)}\n`)
