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
  /** Calls in flight, and those that still arrive or whose answer is not taken yet: a busy daemon is not replaced. */
  readonly inFlight: number
}

/** Code with which `/control` closes when another daemon takes the place of this one, or is started by who ended it: wait for that one. */
export const handOverCloseCode = 1012

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
  'caps_refused',
  'granted',
  'grant_withdrawn',
  'over_window',
  'orphaned',
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
  /**
   * Personal caps from VS Code settings; null is unlimited. They become the same fields of the configuration. `keep`: those
   * whose setting cannot be used; what is in force for them stays, as it does for one that the daemon cannot use.
   */
  | { readonly type: 'settings'; readonly caps: PersonalCaps; readonly keep?: readonly (keyof PersonalCaps)[] }

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
export interface TaskRequest extends TaskCeilings {
  /** 1 to 128 letters, digits, `-` or `_`: the `/t/<id>` of its calls. */
  readonly id: string
}

/** Ceilings that were set for one task. */
export interface TaskCeilings {
  /** Decimal euros, >= 0. */
  readonly eur?: number
  /** Calls that reach an upstream, a whole number >= 1. */
  readonly iterations?: number
  /** Wall clock, > 0. */
  readonly minutes?: number
}

/** What a grant can give room to. */
export const grantScopes = ['task', 'user', 'tenant', 'project', 'model'] as const

/**
 * `POST /api/grants`: a person gives one task or one window of a budget more room. The configured limit does not change.
 * At least one amount is above 0.
 */
export interface GrantRequest {
  readonly scope: (typeof grantScopes)[number]
  /** The task's id, the name of the user (with or without `tenant/`), tenant or project, a pattern of `budgets.models`. */
  readonly ref: string
  /** For a tenant, which has two; the others have a day. Absent: the one that is capped, else the day. */
  readonly window?: 'day' | 'month'
  /** Decimal euros, >= 0. */
  readonly eur?: number
  /** Whole, >= 0; for windows. */
  readonly tokens?: number
  /** Calls, whole, >= 0; for tasks. */
  readonly iterations?: number
  /** Wall clock, >= 0; for tasks. */
  readonly minutes?: number
  /** `midnight` of the configured zone, an ISO time, or null: as long as the window lasts or the task lives. */
  readonly until?: string | null
  /** Who gives it, in a word: `cli`, `extension`. */
  readonly by?: string
}

/** Answer to a `GrantRequest`. */
export interface GrantAnswer {
  /** By it a grant to a window can be taken back: `POST /api/grants/<id>/withdraw`. */
  readonly id: number
  readonly scope: GrantRequest['scope']
  readonly ref: string
  readonly window: 'day' | 'month' | 'life'
  /** ISO time; null as it was asked. */
  readonly until: string | null
  /** Limits of the window with everything that is granted; null where it is not capped, and for a task. */
  readonly limitEur: number | null
  readonly limitTokens: number | null
}

/** Answer to a `TaskRequest`. */
export interface TaskAnswer {
  readonly id: string
  readonly state: 'ok' | 'warn' | 'constrained' | 'halted'
  /** How long the task may go on calling after a halt before its connections are cut. */
  readonly haltGraceSeconds: number
}
