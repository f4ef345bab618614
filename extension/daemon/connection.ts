import type { DiscoveryRecord } from '../../shared/protocol.ts'
import type { Status } from '../../shared/status.ts'
import type { Ensured } from './ensure.ts'

/** Why there is no connection; a person reads it in their language, so it is no sentence yet. */
export type AwayReason =
  Exclude<Ensured, { kind: 'ready' | 'unfollowed' }> | { readonly kind: 'connectionLost'; readonly detail: string }

/** A newer daemon that this window brings while an older one runs. */
export interface Successor {
  readonly version: string
  /** `waiting` for a moment without calls, or it `failed` to start, so that the older one goes on. */
  readonly state: 'waiting' | 'failed'
}

/**
 * Why a daemon that runs cannot be followed: it is `newer`; or it is older and `busy`, so that it is replaced later; or it is
 * older and the one of this window could not start in its place (`failed`).
 */
export type UnfollowedWhy = 'newer' | 'busy' | 'failed'

/** What this window knows of the daemon. */
export type Connection =
  | { readonly kind: 'off' }
  | { readonly kind: 'starting' }
  | {
      readonly kind: 'connected'
      readonly record: DiscoveryRecord
      readonly status: Status
      /** Null while the daemon is not older than this window. */
      readonly successor: Successor | null
    }
  /** It runs, and calls pass it; what it counts does not reach this window. */
  | {
      readonly kind: 'unfollowed'
      readonly why: UnfollowedWhy
      readonly record: DiscoveryRecord
      readonly version: string
    }
  /** `gaveUp`: it crashed too often and is not started again by itself. */
  | { readonly kind: 'away'; readonly reason: AwayReason; readonly gaveUp: boolean }
