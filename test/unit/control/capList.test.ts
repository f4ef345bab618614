import assert from 'node:assert/strict'
import { createCalendar } from '../../../daemon/budget/calendar.ts'
import { GrantBook } from '../../../daemon/budget/grantBook.ts'
import { loadConfig } from '../../../daemon/config/load.ts'
import { listCaps } from '../../../daemon/control/capList.ts'
import type { ScopeRef } from '../../../daemon/ledger/ledger.ts'
import { LedgerUnavailable } from '../../../daemon/ledger/ledger.ts'
import { unavailableLedger } from '../../../daemon/ledger/unavailableLedger.ts'
import { grantOf } from '../budget/grants.ts'

const nowMs = Date.UTC(2026, 10, 30, 12)

function gateOf(budgets: object, more: object = {}, totals?: (scope: ScopeRef) => number) {
  const text = JSON.stringify({ tenant: 'acme', user: 'ada', budgets, ...more })
  const loaded = loadConfig({ text, env: {}, systemTimezone: 'Europe/Berlin' })
  if (!loaded.ok) throw new Error(loaded.problems.join(' '))
  const ledger = unavailableLedger('not used here')
  return {
    nowMs: () => nowMs,
    config: () => loaded.config,
    calendar: createCalendar(() => 'Europe/Berlin'),
    grants: new GrantBook(),
    ledger:
      totals === undefined
        ? ledger
        : {
            ...ledger,
            totals: (scope: ScopeRef) => ({
              spentNanoEur: totals(scope) * 1e9,
              reservedNanoEur: 0,
              spentTokens: totals(scope) * 1000,
              reservedTokens: 7,
            }),
          },
  }
}

const none = { eur: null, tokens: null }
const uncapped = { userDaily: none, tenantDaily: none, tenantMonthly: none }
const named = (gate: ReturnType<typeof gateOf>): readonly string[] =>
  listCaps(gate).caps.map(({ scope, ref, window }) => `${scope} ${ref} ${window}`)

describe('the list of caps', () => {
  it('is empty where nothing is capped, without a look into the ledger', () => {
    assert.deepEqual(listCaps(gateOf(uncapped)), { caps: [] })
  })

  it('has the general user and tenant, those of keys, projects and models, each once', () => {
    const cap = { eur: 1, tokens: null }
    const budgets = {
      userDaily: cap,
      tenantDaily: cap,
      tenantMonthly: cap,
      projects: { shop: cap },
      models: { 'claude-*': cap, 'gpt-*': none },
    }
    const keys = [
      { key: 'k'.repeat(24), user: 'bob' },
      { key: 'm'.repeat(24), tenant: 'beta', user: 'ada' },
      { key: 'n'.repeat(24) },
    ]
    const gate = gateOf(budgets, { keys }, () => 0)
    assert.deepEqual(named(gate), [
      'user acme/ada day',
      'user acme/bob day',
      'user beta/ada day',
      'tenant acme day',
      'tenant acme month',
      'tenant beta day',
      'tenant beta month',
      'project shop day',
      'model claude-* day',
    ])
    const general = listCaps(gate).caps.filter(({ isGeneral }) => isGeneral)
    assert.deepEqual(
      general.map(({ name, window }) => `${name} ${window}`),
      ['ada day', 'acme day', 'acme month'],
    )
  })

  it('tells the cap as configured, what is granted, spent and held, and until when', () => {
    const gate = gateOf({ ...uncapped, userDaily: { eur: 10, tokens: 6000 } }, {}, () => 4)
    gate.grants.add(grantOf({ id: 7, nanoEur: 2e9, tokens: 500, untilMs: Date.UTC(2026, 10, 30, 18) }))
    gate.grants.add(grantOf({ id: 8, nanoEur: 1e9, by: 'cli' }))
    gate.grants.add(grantOf({ id: 9, ref: 'acme/bob', nanoEur: 1e9 }))
    assert.deepEqual(listCaps(gate).caps, [
      {
        scope: 'user',
        ref: 'acme/ada',
        name: 'ada',
        window: 'day',
        isGeneral: true,
        eur: { cap: 10, granted: 3, spent: 4, reserved: 0 },
        tokens: { cap: 6000, granted: 500, spent: 4000, reserved: 7 },
        resetsAt: '2026-12-01T00:00:00+01:00',
        grants: [
          { id: 7, eur: 2, tokens: 500, until: '2026-11-30T19:00:00+01:00', by: 'test' },
          { id: 8, eur: 1, tokens: 0, until: '2026-12-01T00:00:00+01:00', by: 'cli' },
        ],
      },
    ])
  })

  it('is refused where the ledger cannot be read: nothing is ever shown as unused', () => {
    assert.throws(() => listCaps(gateOf({ ...uncapped, userDaily: { eur: 10, tokens: null } })), LedgerUnavailable)
  })
})
