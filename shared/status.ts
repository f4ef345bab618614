import type { Usage } from './usage.ts'

/** What the daemon tells about itself: `GET /api/status`, and the first message on `/control`. Money is decimal euros. */
export interface Status {
  readonly time: string
  readonly version: string
  readonly killed: boolean
  /** All switches that are on. */
  readonly kills: readonly { readonly scope: 'global' | 'tenant' | 'key' | 'task'; readonly ref: string }[]
  readonly currency: string
  readonly timezone: string
  /** Share of a cap at which a window counts as nearly used up. */
  readonly alertAt: number
  readonly today: SpendStatus
  readonly month: SpendStatus
  readonly models: readonly { readonly model: string; readonly calls: number; readonly eur: number }[]
  readonly tasks: readonly TaskStatus[]
  readonly inFlight: readonly InFlightStatus[]
  /** One counter per refusal code and per warning, since the daemon started. */
  readonly counters: Readonly<Record<string, number>>
  readonly integrity: {
    readonly orphaned: number
    /** Windows that differ from the sum of their calls, at the last self-check. */
    readonly ledgerDrift: number
    /** Null before the first self-check. */
    readonly ledgerCheckedAt: string | null
    readonly ledgerAvailable: boolean
    readonly pricesAsOf: string
    readonly residual: Readonly<Record<string, number>>
  }
}

/** Spend of a window against its caps. */
export interface SpendStatus {
  readonly spentEur: number
  readonly reservedEur: number
  readonly tokens: {
    readonly input: number
    readonly cacheRead: number
    readonly cacheWrite: number
    readonly output: number
  }
  readonly calls: number
  readonly unpricedCalls: number
  /** As configured: a grant does not change it. */
  readonly capEur: number | null
  readonly capTokens: number | null
  /** What people granted on top of the caps for this window, as far as it is in force; 0 where nothing is. */
  readonly grantedEur: number
  readonly grantedTokens: number
  /** ISO time at which the window ends, with the zone's offset. */
  readonly resetsAt: string
}

/** A task that made calls lately. */
export interface TaskStatus {
  readonly id: string
  readonly session: string | null
  readonly project: string | null
  readonly client: string
  readonly state: 'ok' | 'warn' | 'constrained' | 'halted'
  readonly iterations: number
  readonly inputTokens: number
  readonly wallSeconds: number
  readonly eur: number
  readonly nearest: 'iterations' | 'inputTokens' | 'wallSeconds' | 'eur' | null
  readonly forecast: { readonly haltsInTurns: number; readonly eurAtHalt: number } | null
}

/** A call whose answer is not finished. */
export interface InFlightStatus {
  readonly call: string
  readonly task: string | null
  readonly model: string
  readonly elapsedMs: number
  readonly outputTokens: number
}

/** One call as `/api/calls` shows it. */
export interface CallRow {
  readonly id: string
  readonly time: string
  readonly tenant: string
  readonly user: string
  readonly project: string | null
  readonly task: string | null
  readonly session: string | null
  readonly client: string
  readonly upstream: string
  readonly dialect: string
  readonly model: string
  readonly responseModel: string | null
  readonly stream: boolean
  readonly isRetry: boolean
  readonly state: 'reserved' | 'settled'
  readonly settlement: 'exact' | 'estimated' | 'partial' | 'orphaned' | 'released' | null
  readonly outcome: string | null
  readonly status: number | null
  readonly finish: string | null
  readonly usage: Usage
  readonly eur: number
  readonly reservedEur: number
  readonly estimatedInput: number
  readonly usdRate: number
  readonly durationMs: number | null
  readonly firstByteMs: number | null
  readonly warnings: readonly string[]
}

/** One event as `/api/events` shows it. */
export interface EventRow {
  readonly id: number
  readonly time: string
  readonly event: string
  readonly [key: string]: unknown
}
