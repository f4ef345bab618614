import type { CapFill, CapStatus } from '../../../../shared/caps.ts'
import type { RaisableCap } from '../../../../extension/raise/raisableCaps.ts'
import type { DaemonEvent } from '../../../../extension/ui/eventFields.ts'

/** A cap of 10 of which nothing is used. */
export function fill(changes: Partial<CapFill> = {}): CapFill {
  return { cap: 10, granted: 0, spent: 0, reserved: 0, ...changes }
}

/** The day of the general user, capped as it is said. */
export function capStatus(changes: Partial<CapStatus> = {}): CapStatus {
  return {
    scope: 'user',
    ref: 'acme/ada',
    name: 'ada',
    window: 'day',
    isGeneral: true,
    eur: null,
    tokens: null,
    resetsAt: '2026-12-01T00:00:00+01:00',
    grants: [],
    ...changes,
  }
}

/** The month of the general tenant. */
export function month(changes: Partial<CapStatus> = {}): CapStatus {
  return capStatus({ scope: 'tenant', ref: 'acme', name: 'acme', window: 'month', ...changes })
}

/** The daily cap of 10 euros of the general user. */
export function raisable(changes: Partial<RaisableCap> = {}): RaisableCap {
  return {
    scope: 'user',
    ref: 'acme/ada',
    name: 'ada',
    window: 'day',
    unit: 'eur',
    isOwn: true,
    cap: 10,
    limit: 10,
    used: 0,
    hasRefused: false,
    missing: 0,
    grants: [],
    ...changes,
  }
}

/** A refusal by that cap. */
export function refusal(changes: Record<string, unknown> = {}): DaemonEvent {
  return {
    event: 'refused',
    time: '2026-11-30T11:30:00.000Z',
    code: 'budget_exhausted',
    kind: 'spent',
    scope: 'user',
    scopeRef: 'ada',
    window: 'day',
    unit: 'eur',
    limit: 10,
    resetsAt: '2026-12-01T00:00:00+01:00',
    ...changes,
  }
}
