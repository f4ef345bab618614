import type { CapsAnswer, CapStatus } from '../../shared/caps.ts'
import type { Config } from '../../shared/config.ts'
import { eurFromNano } from '../../shared/money.ts'
import { roomOf } from '../budget/grantBook.ts'
import type { GrantedRooms } from '../budget/grantBook.ts'
import { shownRef } from '../budget/refusal.ts'
import { cappedScope, tenantMonth, userDay } from '../budget/scopes.ts'
import type { Period } from '../budget/scopes.ts'
import { isoWithOffset } from '../budget/windows.ts'
import type { Gate } from '../gate.ts'
import type { ScopeRef } from '../ledger/ledger.ts'

type Parts = Pick<Gate, 'nowMs' | 'config' | 'calendar' | 'grants' | 'ledger'>

/** `GET /api/caps`. Throws LedgerUnavailable: what is used of a cap is never guessed. */
export function listCaps(gate: Parts): CapsAnswer {
  const nowMs = gate.nowMs()
  return {
    caps: windowsOf(gate.config(), gate.calendar.periods(nowMs)).flatMap((window) => capOf(gate, window, nowMs)),
  }
}

/** One window, or none where it has no cap. */
function capOf(gate: Parts, window: ScopeRef, nowMs: number): readonly CapStatus[] {
  const { tenant, user, budgets, timezone } = gate.config()
  const { capNanoEur, capTokens } = cappedScope(window, budgets, noGrants)
  if (capNanoEur === null && capTokens === null) return []
  const { spentNanoEur, reservedNanoEur, spentTokens, reservedTokens } = gate.ledger.totals(window)
  const room = roomOf(gate.grants.inForce(nowMs), window)
  const span = window.window === 'month' ? 'month' : 'day'
  const resetsAt = gate.calendar.resetsAt(span, nowMs)
  const endMs = Date.parse(resetsAt)
  return [
    {
      scope: window.scope as CapStatus['scope'],
      ref: window.ref,
      name: shownRef(window),
      window: span,
      isGeneral:
        (window.scope === 'user' && window.ref === `${tenant}/${user}`) ||
        (window.scope === 'tenant' && window.ref === tenant),
      eur:
        capNanoEur === null
          ? null
          : {
              cap: eurFromNano(capNanoEur),
              granted: eurFromNano(room.nanoEur),
              spent: eurFromNano(spentNanoEur),
              reserved: eurFromNano(reservedNanoEur),
            },
      tokens:
        capTokens === null
          ? null
          : { cap: capTokens, granted: room.tokens, spent: spentTokens, reserved: reservedTokens },
      resetsAt,
      grants: gate.grants.of(window, nowMs).map(({ id, nanoEur, tokens, untilMs, by }) => ({
        id,
        eur: eurFromNano(nanoEur),
        tokens,
        until: untilMs === null || untilMs >= endMs ? resetsAt : isoWithOffset(untilMs, timezone),
        by,
      })),
    },
  ]
}

const noGrants: GrantedRooms = new Map()

/** Every window that a call may be charged to by the configuration: the general user first, then those of keys. */
function windowsOf({ tenant, user, keys, budgets }: Config, period: Period): readonly ScopeRef[] {
  const people = [{ tenant, user }, ...keys.map((key) => ({ tenant: key.tenant ?? tenant, user: key.user ?? user }))]
  const tenants = [...new Set(people.map((one) => one.tenant))]
  const dayOf = (scope: ScopeRef['scope'], ref: string): ScopeRef => ({ scope, ref, window: 'day', period: period.day })
  const windows = [
    ...people.map((one) => userDay(one.tenant, one.user, period)),
    ...tenants.flatMap((ref) => [dayOf('tenant', ref), tenantMonth(ref, period)]),
    ...Object.keys(budgets.projects).map((ref) => dayOf('project', ref)),
    ...Object.keys(budgets.models).map((ref) => dayOf('model', ref)),
  ]
  return [...new Map(windows.map((window) => [`${window.scope}\n${window.ref}\n${window.window}`, window])).values()]
}
