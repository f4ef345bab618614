import { eurFromNano } from '../../shared/money.ts'
import type { Billing, CallRow, EventRow } from '../../shared/status.ts'
import type { SettlementKind } from '../call.ts'
import type { TaskSample, WindowTotals } from './ledger.ts'
import { LedgerUnavailable } from './ledger.ts'

/** The four totals of a window in the order in which they are selected. */
export type TotalsColumns = readonly [unknown, unknown, unknown, unknown]

/** Columns of a window's totals, for a SELECT in raw mode. */
export const totalsColumns = 'spent_nano, reserved_nano, spent_tokens, reserved_tokens'

/** Totals of a window without calls. */
export const noTotals: WindowTotals = { spentNanoEur: 0, reservedNanoEur: 0, spentTokens: 0, reservedTokens: 0 }

/** Totals from raw columns. A figure that is no whole number >= 0 means a damaged file, never 0 (M08). */
export function totalsFromColumns(columns: TotalsColumns): WindowTotals {
  return {
    spentNanoEur: soundCount(columns[0]),
    reservedNanoEur: soundCount(columns[1]),
    spentTokens: soundCount(columns[2]),
    reservedTokens: soundCount(columns[3]),
  }
}

/** A stored sum that cannot be one. `ledgerUnavailable` makes a sentence of it that names the file. */
export class UnsoundSum extends LedgerUnavailable {
  /** What the file holds, as text. */
  readonly found: string

  constructor(value: unknown) {
    super(`The ledger holds ${String(value)} where a sum belongs.`)
    this.found = String(value)
  }
}

/** A stored sum; throws UnsoundSum for what cannot be one. */
export function soundCount(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new UnsoundSum(value)
}

/** A row of `calls` joined with its line. */
export interface StoredCall {
  readonly id: string
  readonly received_at_ms: number
  readonly tenant: string
  readonly user: string
  readonly project: string | null
  readonly task: string | null
  readonly session: string | null
  readonly client: string
  readonly upstream: string
  readonly dialect: string
  readonly model: string
  readonly response_model: string | null
  readonly stream: number
  readonly is_retry: number
  readonly settlement: SettlementKind | null
  readonly outcome: string | null
  readonly status: number | null
  readonly finish: string | null
  readonly billing: Billing
  readonly cost_nano: number
  readonly list_nano: number
  readonly reserved_nano: number
  readonly estimated_input: number
  readonly usd_rate: number
  readonly rate_as_of: string
  readonly price: string | null
  readonly input: number
  readonly cache_read: number
  readonly cache_write_5m: number
  readonly cache_write_1h: number
  readonly output: number
  readonly reasoning: number
  readonly audio_input: number
  readonly audio_output: number
  readonly web_searches: number
  readonly audio_cache_read: number
  readonly image_input: number
  readonly image_output: number
  readonly file_searches: number
  readonly code_containers: number
  readonly duration_ms: number | null
  readonly first_byte_ms: number | null
  readonly warnings: string | null
}

/** SELECT list and FROM clause that yield `StoredCall`. */
export const selectCalls = `SELECT c.id, c.received_at_ms, l.tenant, l.user, l.project, c.task, c.session, l.client,
  l.upstream, l.dialect, l.model, c.response_model, c.stream, c.is_retry, c.settlement, c.outcome, c.status, c.finish,
  l.billing, c.cost_nano, c.list_nano, c.reserved_nano, c.estimated_input, l.usd_rate, l.rate_as_of, l.price, c.input, c.cache_read,
  c.cache_write_5m, c.cache_write_1h, c.output, c.reasoning, c.audio_input, c.audio_output, c.web_searches,
  c.audio_cache_read, c.image_input, c.image_output, c.file_searches, c.code_containers, c.duration_ms,
  c.first_byte_ms, c.warnings
  FROM calls c JOIN lines l ON l.id = c.line`

/** A call as the API shows it. */
export function callRow(row: StoredCall): CallRow {
  return {
    id: row.id,
    time: new Date(row.received_at_ms).toISOString(),
    tenant: row.tenant,
    user: row.user,
    project: row.project,
    task: row.task,
    session: row.session,
    client: row.client,
    upstream: row.upstream,
    dialect: row.dialect,
    model: row.model,
    responseModel: row.response_model,
    stream: row.stream === 1,
    isRetry: row.is_retry === 1,
    state: row.settlement === null ? 'reserved' : 'settled',
    settlement: row.settlement,
    outcome: row.outcome,
    status: row.status,
    finish: row.finish,
    usage: {
      input: row.input,
      cacheRead: row.cache_read,
      cacheWrite5m: row.cache_write_5m,
      cacheWrite1h: row.cache_write_1h,
      output: row.output,
      reasoning: row.reasoning,
      audioInput: row.audio_input,
      audioCacheRead: row.audio_cache_read,
      audioOutput: row.audio_output,
      imageInput: row.image_input,
      imageOutput: row.image_output,
      webSearches: row.web_searches,
      fileSearches: row.file_searches,
      codeContainers: row.code_containers,
    },
    billing: row.billing,
    eur: eurFromNano(row.cost_nano),
    listPriceEur: eurFromNano(row.settlement === null ? 0 : row.list_nano),
    reservedEur: eurFromNano(row.reserved_nano),
    estimatedInput: row.estimated_input,
    usdRate: row.usd_rate,
    rateAsOf: row.rate_as_of,
    price: row.price,
    durationMs: row.duration_ms,
    firstByteMs: row.first_byte_ms,
    warnings: row.warnings === null ? [] : textList(row.warnings),
  }
}

/** Sums over the calls of one task, with the names of its first call. */
export interface StoredSample {
  readonly task: string
  readonly session: string | null
  readonly client: string
  readonly project: string | null
  readonly key_id: string
  readonly iterations: unknown
  readonly input: unknown
  readonly began_ms: number
  readonly ended_ms: number
  readonly cost_nano: unknown
  readonly was_killed: number
}

/** A task's sums; a clock that stepped back makes its wall time 0. */
export function taskSample(row: StoredSample): TaskSample {
  return {
    task: row.task,
    session: row.session,
    client: row.client,
    project: row.project,
    keyId: row.key_id,
    iterations: soundCount(row.iterations),
    inputTokens: soundCount(row.input),
    wallSeconds: Math.max(0, row.ended_ms - row.began_ms) / 1000,
    costNanoEur: soundCount(row.cost_nano),
    wasKilled: row.was_killed === 1,
  }
}

/** A row of `events`. */
export interface StoredEvent {
  readonly id: number
  readonly at_ms: number
  readonly event: string
  readonly body: string
}

/** An event as the API shows it; its own fields cannot replace the id, the time or the name. */
export function eventRow(row: StoredEvent): EventRow {
  const body: unknown = JSON.parse(row.body)
  const fields = typeof body === 'object' && body !== null ? body : {}
  return { ...fields, id: row.id, time: new Date(row.at_ms).toISOString(), event: row.event }
}

function textList(json: string): string[] {
  const list: unknown = JSON.parse(json)
  return Array.isArray(list) ? list.map(String) : []
}
