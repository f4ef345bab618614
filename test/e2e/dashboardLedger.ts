import { join } from 'node:path'
import { dayKey, monthKey } from '../../daemon/budget/windows.ts'
import type { Ledger } from '../../daemon/ledger/ledger.ts'
import { openSqliteLedger } from '../../daemon/ledger/sqlite.ts'
import { callsOfDay } from '../bench/yearOfCalls.ts'
import type { GeneratedCall } from '../bench/yearOfCalls.ts'
import { noUsage } from '../../shared/usage.ts'

const zone = 'Europe/Berlin'
const dayMs = 86_400_000

/** The task whose prompts grow from turn to turn, and how many turns it has. */
export const growingTask = { id: 'refactor-cart', turns: 36 } as const

/**
 * Writes the ledger of somebody who has used the gate for a month: calls on most days, one long task of today, residuals,
 * refusals of an earlier daemon and two reconciliations. The gate must not run yet.
 */
export async function seedLedger(dataDir: string, nowMs: number): Promise<void> {
  await fillLedger(dataDir, nowMs, async (ledger) => {
    for (let daysAgo = 34; daysAgo >= 0; daysAgo -= 1) {
      const isQuiet = new Date(nowMs - daysAgo * dayMs).getUTCDay() % 6 === 0
      for (const call of callsOfDay(nowMs, daysAgo, isQuiet ? 12 : 60)) await write(ledger, call)
    }
    for (const call of growingCalls(nowMs)) await write(ledger, call)
    ledger.saveResidual('openai', 'gpt-5.5', 1.012, 400)
    ledger.saveResidual('anthropic', 'claude-sonnet-5', 1.17, 300)
    ledger.saveResidual('ollama', 'qwen3:4b', 0.94, 80)
    for (const [code, times] of [
      ['budget_exhausted', 9],
      ['loop_halted', 3],
      ['unpriced_model', 1],
    ] as const) {
      for (let time = 0; time < times; time += 1) ledger.recordEvent({ event: 'refused', code }, nowMs - dayMs - time)
    }
    for (const [provider, local, daysAgo] of [
      ['anthropic', 115, 2],
      ['openai', 100.2, 1],
    ] as const) {
      const invoice = provider === 'anthropic' ? 121.4 : 100
      ledger.saveReconciliation(
        {
          provider,
          format: 'a cost export',
          unit: 'usd',
          from: dayKey(nowMs - 30 * dayMs, 'UTC'),
          to: dayKey(nowMs - daysAgo * dayMs, 'UTC'),
          invoice,
          local,
          drift: invoice / local,
          coverage: 0.99,
          models: [],
        },
        nowMs - daysAgo * dayMs,
      )
    }
  })
}

/** The task of today whose model has no known price, and how many turns it has. */
export const unpricedTask = { id: 'try-new-model', model: 'mystery-1', turns: 6 } as const

/** Writes the ledger of somebody who spent something some days ago and today tries a model whose price is not known. */
export async function seedUnpricedLedger(dataDir: string, nowMs: number): Promise<void> {
  await fillLedger(dataDir, nowMs, async (ledger) => {
    for (const daysAgo of [5, 4, 3]) for (const call of callsOfDay(nowMs, daysAgo, 24)) await write(ledger, call)
    const calls = growingCalls(nowMs).slice(0, unpricedTask.turns)
    for (const { ask, end } of calls) {
      const row = { ...ask.row, task: unpricedTask.id, model: unpricedTask.model, priced: false }
      await write(ledger, {
        ask: { ...ask, row, cost: () => 0 },
        end: { ...end, responseModel: unpricedTask.model, costNanoEur: 0, warnings: ['unpriced_call'] },
      })
    }
  })
}

async function fillLedger(dataDir: string, nowMs: number, fill: (ledger: Ledger) => Promise<void>): Promise<void> {
  const ledger = openSqliteLedger({
    path: join(dataDir, 'ledger.db'),
    epoch: 'seed',
    nowMs: () => nowMs,
    log: () => undefined,
  })
  try {
    await fill(ledger)
    ledger.flush()
  } finally {
    ledger.close()
  }
}

async function write(ledger: Ledger, { ask, end }: GeneratedCall): Promise<void> {
  await ledger.reserve(ask)
  ledger.settle(end)
}

/** An agent's conversation: each turn reads all that came before, most of it from the cache; in the middle it is compacted. */
function growingCalls(nowMs: number): readonly GeneratedCall[] {
  const [model] = callsOfDay(nowMs, 0, 1)
  if (model === undefined) throw new Error('there is no call to make others from')
  let known = 0
  return Array.from({ length: growingTask.turns }, (_, turn): GeneratedCall => {
    const receivedAtMs = nowMs - (growingTask.turns - turn) * 1500
    if (turn === 22) known = 2500
    const cacheRead = known
    const input = 900 + ((turn * 733) % 1900)
    const output = 150 + ((turn * 389) % 700)
    known += input + output
    const callId = `call_grow${String(turn).padStart(6, '0')}`
    const row = {
      ...model.ask.row,
      receivedAtMs,
      day: dayKey(receivedAtMs, zone),
      month: monthKey(receivedAtMs, zone),
      task: growingTask.id,
      project: 'checkout-bot',
      model: 'claude-sonnet-5',
      upstream: 'anthropic',
    }
    const costNanoEur = cacheRead * 276 + input * 3450 + output * 13_800
    return {
      ask: { ...model.ask, callId, row, scopes: [], cost: () => costNanoEur * 2 },
      end: {
        ...model.end,
        callId,
        usage: { ...noUsage, input, cacheRead, output },
        costNanoEur,
        settledAtMs: receivedAtMs + 1200,
      },
    }
  })
}
