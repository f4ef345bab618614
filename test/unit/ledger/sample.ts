import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CappedScope, Ledger, NewCallRow, ReservationAsk, Settlement } from '../../../daemon/ledger/ledger.ts'
import { openSqliteLedger } from '../../../daemon/ledger/sqlite.ts'
import { noUsage } from '../../../shared/usage.ts'

/** Noon of the day that the samples live in. */
export const noonMs = Date.UTC(2026, 10, 30, 12)

/** A new folder under the system's temporary one. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-ledger-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** A ledger with a fixed clock. */
export function openLedger(path: string, epoch = 'first', log: (line: string) => void = () => undefined): Ledger {
  return openSqliteLedger({ path, epoch, log, nowMs: () => noonMs })
}

/** The user's day, the tenant's day and month, each with its caps. */
export function sampleScopes(
  caps: {
    readonly userEur?: number | null
    readonly userTokens?: number | null
    readonly monthEur?: number | null
  } = {},
): CappedScope[] {
  const { userEur = null, userTokens = null, monthEur = null } = caps
  const day = { window: 'day', period: '2026-11-30' } as const
  return [
    { scope: 'user', ref: 'acme/ada', ...day, capNanoEur: userEur, capTokens: userTokens },
    { scope: 'tenant', ref: 'acme', ...day, capNanoEur: null, capTokens: null },
    { scope: 'tenant', ref: 'acme', window: 'month', period: '2026-11', capNanoEur: monthEur, capTokens: null },
  ]
}

/** The user's day, to read totals of. */
export const userDay = { scope: 'user', ref: 'acme/ada', window: 'day', period: '2026-11-30' } as const

let asks = 0

/** An ask for 100 input and 100 output tokens at 10 nano-euro a token, unless it says otherwise. */
export function sampleAsk(
  change: Partial<Omit<ReservationAsk, 'row'>> & { readonly row?: Partial<NewCallRow> } = {},
): ReservationAsk {
  asks += 1
  const { inputTokens = 100, outputTokens = 100, row, ...rest } = change
  return {
    callId: `call-${process.pid}-${asks}`,
    scopes: sampleScopes(),
    inputTokens,
    outputTokens,
    minOutputTokens: outputTokens,
    cost: (output) => 10 * (inputTokens + output),
    ...rest,
    row: {
      receivedAtMs: noonMs + asks,
      day: '2026-11-30',
      month: '2026-11',
      tenant: 'acme',
      user: 'ada',
      project: null,
      task: null,
      session: null,
      client: 'openai-node',
      keyId: 'default',
      upstream: 'openai',
      dialect: 'openai-chat',
      model: 'gpt-test',
      stream: true,
      isRetry: false,
      estimatedInputTokens: inputTokens,
      usdRate: 0.92,
      rateAsOf: '2026-11-01',
      priced: true,
      price: 'openai/gpt-test (2026-09-23; 10/10)',
      ...row,
    },
  }
}

/** A settlement at 90 input and 30 output tokens, 1,200 nano-euro, unless it says otherwise. */
export function sampleSettlement(callId: string, change: Partial<Settlement> = {}): Settlement {
  return {
    callId,
    settlement: 'exact',
    outcome: 'ok',
    usage: { ...noUsage, input: 90, output: 30 },
    costNanoEur: 1200,
    status: 200,
    finish: 'stop',
    responseModel: 'gpt-test-2026',
    settledAtMs: noonMs + 1000,
    durationMs: 812.4,
    firstByteMs: 210.6,
    warnings: [],
    ...change,
  }
}
