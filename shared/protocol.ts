import type { Status } from './status.ts'

/** The line that `serve` prints on stdout once it accepts calls. */
export interface ListeningLine {
  readonly event: 'listening'
  readonly url: string
  readonly key: string
  readonly token: string
  readonly pid: number
  readonly version: string
  readonly dataDir: string
}

/** `<dataDir>/daemon.json`, mode 0600: how a local client finds the daemon that owns the directory. */
export interface DiscoveryRecord {
  readonly url: string
  readonly port: number
  readonly key: string
  readonly token: string
  readonly pid: number
  readonly version: string
  readonly protocol: number
  readonly startedAtMs: number
}

/** `GET /healthz`. */
export interface Health {
  readonly name: 'tollgate'
  readonly version: string
  readonly protocol: number
  readonly pid: number
  /** Calls in flight, so that a newer extension does not replace a busy daemon. */
  readonly inFlight: number
}

/** Names of the events on `/control` and in `/api/events`. */
export const eventNames = [
  'call_started',
  'call_settled',
  'refused',
  'state_changed',
  'alert',
  'truncated',
  'empty_answer',
  'output_limit',
  'loop',
  'storm',
  'anomaly',
  'killed',
  'resumed',
  'residual_drift',
  'price_drift',
  'degraded',
  'config_rejected',
  'caps_changed',
  'granted',
  'over_window',
] as const

/** A name of `eventNames`. */
export type EventName = (typeof eventNames)[number]

/** Sent by the daemon over `/control`: the whole status first and whenever it changed (coalesced, at most 4 a second), events as they happen. */
export type ControlMessage =
  | { readonly event: 'status'; readonly status: Status }
  | { readonly event: EventName; readonly time: string; readonly [key: string]: unknown }

/** Sent by a client over `/control`. */
export type ControlRequest =
  | { readonly type: 'hello'; readonly client: 'extension' | 'cli'; readonly window: string; readonly version: string }
  /** Whether the window has the focus: the daemon marks one window, so that only one shows a notification. */
  | { readonly type: 'focus'; readonly focused: boolean }
  /** Personal caps from VS Code settings; null is unlimited. They become the same fields of the configuration. */
  | { readonly type: 'settings'; readonly caps: PersonalCaps }

/** Personal caps as the extension's settings hold them: euros decimal, tokens whole, null unlimited, absent: the configuration's. */
export interface PersonalCaps {
  readonly userDailyEur?: number | null
  readonly userDailyTokens?: number | null
  readonly tenantMonthlyEur?: number | null
  readonly tenantMonthlyTokens?: number | null
}

/** Fields that say whether this window was chosen to show a notification; the daemon adds it to each event it sends. */
export interface Addressed {
  readonly notify: boolean
}

/** `POST /api/kill` and `/api/resume`. */
export interface KillRequest {
  readonly scope: 'global' | 'tenant' | 'key' | 'task'
  readonly ref?: string
}

/** Answer to a kill. */
export interface KillResult {
  readonly cancelled: number
  readonly tookMs: number
}

/**
 * `POST /api/tasks`: the ceilings of one task, said before its first call. They take the place of the plan's; what is absent
 * stays the plan's. Sent again with the same id they are replaced, and the counters go on.
 */
export interface TaskRequest {
  /** 1 to 128 letters, digits, `-` or `_`: the `/t/<id>` of its calls. */
  readonly id: string
  /** Decimal euros, >= 0. */
  readonly eur?: number
  /** Calls that reach an upstream, a whole number >= 1. */
  readonly iterations?: number
  /** Wall clock, > 0. */
  readonly minutes?: number
}

/** Answer to a `TaskRequest`. */
export interface TaskAnswer {
  readonly id: string
  readonly state: 'ok' | 'warn' | 'constrained' | 'halted'
  /** How long the task may go on calling after a halt before its connections are cut. */
  readonly haltGraceSeconds: number
}
