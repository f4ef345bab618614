import type { SpendStatus, Status } from '../../shared/status.ts'
import type { TerminalState } from '../env/injection.ts'
import type { Successor, UnfollowedWhy } from '../daemon/connection.ts'
import type { StatusBarShow } from '../settings.ts'
import { gauges } from './caps.ts'
import type { Figures } from './figures.ts'

/** A cap that refused a call although something of it is left: the call's worst case did not fit any more. */
export interface ExhaustedCap {
  readonly unit: 'eur' | 'tokens'
  readonly limit: number
  readonly resetsAtMs: number | null
  /** What it is a cap of: `user`, `tenant`, `project`, `model`, `task`. */
  readonly scope: string
  readonly ref: string
  /** The account of a user, whose name another account may have as well; null where the gate does not say. */
  readonly tenant: string | null
  /** `day`, `month`, or `task` for a task's life. */
  readonly window: string
  /** It is a cap of the person or the account whose spend the status shows, so that no paid call passes. */
  readonly isOwn: boolean
}

/** The gate as the status bar shows it. */
export type GateView =
  | { readonly kind: 'off' }
  | { readonly kind: 'starting' }
  | {
      readonly kind: 'up'
      readonly status: Status
      readonly exhausted: readonly ExhaustedCap[]
      /** A newer gate that this window brings while the older one runs. */
      readonly successor?: Successor | null
    }
  /** It runs, and this window cannot follow it: calls pass it and are counted there. */
  | {
      readonly kind: 'unfollowed'
      readonly why: UnfollowedWhy
      readonly version: string
      /** Of the gate that this window brings. */
      readonly ownVersion: string
    }
  | {
      readonly kind: 'down'
      readonly reason: string
      readonly gaveUp: boolean
      /** The setting that helps, where one does. */
      readonly setting?: 'tollgate.daemon.port'
    }

/** What the when-clauses of the manifest know of the gate. */
export type GateKey = 'off' | 'starting' | 'up' | 'newer' | 'older' | 'down'

/** The value of `tollgate.gate`. */
export function gateKey(gate: GateView): GateKey {
  if (gate.kind !== 'unfollowed') return gate.kind
  return gate.why === 'newer' ? 'newer' : 'older'
}

/** Everything the status bar item follows from. */
export interface StatusBarState {
  readonly gate: GateView
  readonly terminals: TerminalState
  /** Name of the remote machine, or null on the user's own. */
  readonly host: string | null
  /** What the item shows while there is nothing to warn of. */
  readonly show: StatusBarShow
  readonly nowMs: number
}

/** The cap that refuses every paid call now: one that is used up, else one that refused a call and has not been reset. */
export function reachedCap(
  gate: Extract<GateView, { kind: 'up' }>,
  nowMs: number,
): { readonly unit: 'eur' | 'tokens'; readonly limit: number } | null {
  const full = gauges(gate.status).find((gauge) => gauge.share >= 1)
  if (full) return { unit: full.unit, limit: full.cap }
  return gate.exhausted.find((cap) => cap.isOwn && isInForce(cap, nowMs)) ?? null
}

/** Caps that refuse the calls of one project, model or task, or of somebody else, while other calls pass. The latest is the last. */
export function narrowCaps(gate: Extract<GateView, { kind: 'up' }>, nowMs: number): readonly ExhaustedCap[] {
  return gate.exhausted.filter((cap) => !cap.isOwn && isInForce(cap, nowMs))
}

function isInForce({ resetsAtMs }: ExhaustedCap, nowMs: number): boolean {
  return resetsAtMs === null || resetsAtMs > nowMs
}

/**
 * Tokens that today's calls newly used: uncached input, cache writes, output, and the growing output of running calls.
 * Cache reads are left out: a sum that adds them again each turn says nothing about the spend.
 */
export function newTokens(status: Status): number {
  const { input, cacheWrite, output } = status.today.tokens
  return status.inFlight.reduce((sum, call) => sum + call.outputTokens, input + cacheWrite + output)
}

/** Euros of a day or month. A call without a price is never shown as `€0.00`. */
export function spentText(spend: SpendStatus, figures: Figures): string {
  if (spend.unpricedCalls === 0) return figures.eur(spend.spentEur)
  return spend.spentEur === 0 ? figures.unknownEur : `≥ ${figures.eur(spend.spentEur)}`
}
