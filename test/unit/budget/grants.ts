import type { KeptGrant, ScopeRef } from '../../../daemon/ledger/ledger.ts'

/** The day of ada in the tenant acme. */
export const today: ScopeRef = { scope: 'user', ref: 'acme/ada', window: 'day', period: '2026-11-30' }

/** A grant of nothing to ada's day, unless it says otherwise. */
export function grantOf(change: Partial<KeptGrant> = {}): KeptGrant {
  return {
    id: 1,
    ...today,
    atMs: 0,
    by: 'test',
    nanoEur: 0,
    tokens: 0,
    iterations: 0,
    wallSeconds: 0,
    untilMs: null,
    ...change,
  }
}
