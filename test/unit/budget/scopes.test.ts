import assert from 'node:assert/strict'
import fc from 'fast-check'
import { GrantBook } from '../../../daemon/budget/grantBook.ts'
import { decideReservation } from '../../../daemon/budget/reservation.ts'
import { scopesOfCall } from '../../../daemon/budget/scopes.ts'
import { defaults } from '../../../daemon/config/defaults.ts'
import type { CappedScope, KeptGrant } from '../../../daemon/ledger/ledger.ts'
import type { Budgets, Cap } from '../../../shared/config.ts'
import { nanoFromEur } from '../../../shared/money.ts'
import { grantOf } from './grants.ts'

const period = { day: '2026-11-30', month: '2026-11' }
const ada = { tenant: 'acme', user: 'ada', project: 'shop' }
const none: Cap = { eur: null, tokens: null }
const budgets: Budgets = {
  ...defaults.budgets,
  userDaily: { eur: 10, tokens: 6000 },
  tenantDaily: none,
  tenantMonthly: { eur: 150, tokens: null },
  projects: { shop: { eur: 4, tokens: null } },
  models: { 'claude-*': { eur: 0, tokens: 0 } },
}

function scopesWith(grants: readonly KeptGrant[], own: Partial<Budgets> = {}): CappedScope[] {
  const book = new GrantBook()
  for (const grant of grants) book.add(grant)
  return scopesOfCall(ada, 'claude-opus-5', 't1', period, { ...budgets, ...own }, book.inForce(0))
}

const shown = (scopes: readonly CappedScope[]): unknown[] =>
  scopes.map(({ scope, ref, window, capNanoEur, capTokens }) => [`${scope} ${ref} ${window}`, capNanoEur, capTokens])

describe('the scopes of a call', () => {
  it('have the configured caps where nothing is granted', () => {
    assert.deepEqual(shown(scopesWith([])), [
      ['user acme/ada day', nanoFromEur(10), 6000],
      ['tenant acme day', null, null],
      ['tenant acme month', nanoFromEur(150), null],
      ['project shop day', nanoFromEur(4), null],
      ['model claude-* day', 0, 0],
      ['task t1 life', null, null],
    ])
  })

  it('have what was granted on top, each by its own window', () => {
    const day = { window: 'day', period: '2026-11-30' } as const
    const scopes = scopesWith([
      grantOf({ nanoEur: nanoFromEur(5), tokens: 1000 }),
      grantOf({ scope: 'tenant', ref: 'acme', window: 'month', period: '2026-11', nanoEur: nanoFromEur(20) }),
      grantOf({ scope: 'project', ref: 'shop', ...day, nanoEur: nanoFromEur(1) }),
      grantOf({ scope: 'model', ref: 'claude-*', ...day, nanoEur: nanoFromEur(2), tokens: 500 }),
    ])
    assert.deepEqual(shown(scopes), [
      ['user acme/ada day', nanoFromEur(15), 7000],
      ['tenant acme day', null, null],
      ['tenant acme month', nanoFromEur(170), null],
      ['project shop day', nanoFromEur(5), null],
      ['model claude-* day', nanoFromEur(2), 500],
      ['task t1 life', null, null],
    ])
  })

  it('stay uncapped where they were, whatever is granted', () => {
    const [user] = scopesWith([grantOf({ nanoEur: 7, tokens: 7 })], { userDaily: none })
    assert.deepEqual([user?.capNanoEur, user?.capTokens], [null, null])
  })

  it('A13: a cap of 0 may be spent up to the grant, and no further', () => {
    const own = { userDaily: { eur: 0, tokens: 0 }, models: {} }
    const [user] = scopesWith([grantOf({ nanoEur: 100, tokens: 50 })], own)
    const decide = (spent: number): string =>
      decideReservation({ inputTokens: 10, outputTokens: 10, minOutputTokens: 10, cost: () => 60 }, [
        { scope: user!, totals: { spentNanoEur: spent, reservedNanoEur: 0, spentTokens: 0, reservedTokens: 0 } },
      ]).kind
    assert.deepEqual([decide(40), decide(41)], ['admitted', 'refused'])
  })

  it('A01: spent and reserved never pass the cap and the grants that are in force at the admission', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('call'), cost: fc.nat(40), tokens: fc.nat(40), useful: fc.nat(20) }),
      fc.record({ kind: fc.constant('settle'), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
      fc.record({ kind: fc.constant('grant'), nanoEur: fc.nat(60), tokens: fc.nat(60), lastsMs: fc.option(fc.nat(9)) }),
      fc.record({ kind: fc.constant('wait') }),
    )
    const cap = fc.option(fc.nat(100))
    fc.assert(
      fc.property(cap, cap, fc.array(step, { maxLength: 60 }), (capNanoEur, capTokens, steps) => {
        const caps: Cap = { eur: capNanoEur === null ? null : capNanoEur / 1e9, tokens: capTokens }
        const book = new GrantBook()
        const given: KeptGrant[] = []
        const open: { nanoEur: number; tokens: number }[] = []
        let totals = { spentNanoEur: 0, reservedNanoEur: 0, spentTokens: 0, reservedTokens: 0 }
        let nowMs = 0
        for (const drawn of steps) {
          nowMs += 1
          if ('lastsMs' in drawn) {
            const { nanoEur, tokens, lastsMs } = drawn
            const grant = grantOf({ nanoEur, tokens, untilMs: lastsMs === null ? null : nowMs + 1 + lastsMs })
            given.push(grant)
            book.add(grant)
          } else if ('share' in drawn) {
            const held = open.shift()
            if (held === undefined) continue
            totals = {
              spentNanoEur: totals.spentNanoEur + Math.floor(held.nanoEur * drawn.share),
              reservedNanoEur: totals.reservedNanoEur - held.nanoEur,
              spentTokens: totals.spentTokens + Math.floor(held.tokens * drawn.share),
              reservedTokens: totals.reservedTokens - held.tokens,
            }
          } else if ('cost' in drawn) {
            const own = { ...budgets, userDaily: caps, tenantMonthly: none, models: {} }
            const [user] = scopesOfCall(ada, 'm', null, period, own, book.inForce(nowMs))
            const { cost, tokens, useful } = drawn
            const demand = {
              inputTokens: tokens,
              outputTokens: useful + 5,
              minOutputTokens: useful,
              cost: (output: number) => cost + output,
            }
            const result = decideReservation(demand, [{ scope: user!, totals }])
            if (result.kind === 'refused') continue
            const { reservedNanoEur, reservedTokens } = result
            open.push({ nanoEur: reservedNanoEur, tokens: reservedTokens })
            totals = {
              ...totals,
              reservedNanoEur: totals.reservedNanoEur + reservedNanoEur,
              reservedTokens: totals.reservedTokens + reservedTokens,
            }
            const inForce = given.filter(({ untilMs }) => untilMs === null || nowMs < untilMs)
            const sum = (of: (grant: KeptGrant) => number): number => inForce.reduce((all, grant) => all + of(grant), 0)
            const usedNano = totals.spentNanoEur + totals.reservedNanoEur
            const usedTokens = totals.spentTokens + totals.reservedTokens
            if (capNanoEur !== null && reservedNanoEur > 0)
              assert.ok(usedNano <= capNanoEur + sum((one) => one.nanoEur))
            if (capTokens !== null) assert.ok(usedTokens <= capTokens + sum((one) => one.tokens))
          }
        }
      }),
    )
  })
})
