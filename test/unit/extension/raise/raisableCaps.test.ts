import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  allowancesOn,
  amountsFor,
  grantFor,
  isMeant,
  nearCaps,
  raisableCaps,
  readAmount,
  stillHolding,
} from '../../../../extension/raise/raisableCaps.ts'
import { capStatus, fill, month, raisable, refusal } from './parts.ts'

const named = (caps: readonly { name: string; window: string; unit: string }[]): readonly string[] =>
  caps.map(({ name, window, unit }) => `${name} ${window} ${unit}`)

describe('the caps that may be raised', () => {
  it('are those in euros and in tokens, the fullest first', () => {
    const caps = raisableCaps(
      {
        caps: [
          capStatus({ eur: fill({ spent: 5 }), tokens: fill({ cap: 1000, spent: 990 }) }),
          month({ eur: fill({ cap: 150, spent: 120 }) }),
          capStatus({
            scope: 'project',
            ref: 'shop',
            name: 'shop',
            isGeneral: false,
            eur: fill({ cap: 2, spent: 0.5 }),
          }),
        ],
      },
      [],
    )
    assert.deepEqual(named(caps), ['ada day tokens', 'acme month eur', 'ada day eur', 'shop day eur'])
    assert.deepEqual(named(nearCaps(caps, 0.8)), ['ada day tokens', 'acme month eur'])
  })

  it('are found by what a refusal says of them: scope, name, account, window and unit', () => {
    const own = { scope: 'user', ref: 'ada', tenant: 'acme', window: 'day', unit: 'eur' }
    assert.ok(isMeant(raisable(), own))
    assert.ok(isMeant(raisable(), { ...own, tenant: null }), 'an older gate does not say the account')
    for (const other of [
      { scope: 'tenant' },
      { ref: 'bob' },
      { tenant: 'globex' },
      { window: 'month' },
      { unit: 'tokens' },
    ])
      assert.ok(!isMeant(raisable(), { ...own, ...other }), JSON.stringify(other))
    const project = raisable({ scope: 'project', ref: 'shop', name: 'shop', isOwn: false })
    assert.ok(isMeant(project, { ...own, scope: 'project', ref: 'shop' }))
    for (const nothing of [undefined, null, 'today', 'month', {}]) assert.ok(!isMeant(raisable(), nothing))
  })

  it('begin with one that refused a call, however little of it is used', () => {
    const answer = { caps: [capStatus({ eur: fill({ spent: 3 }) }), month({ eur: fill({ cap: 150, spent: 149 }) })] }
    const [first] = raisableCaps(answer, [refusal({ requested: 8 })])
    assert.deepEqual([first?.name, first?.hasRefused, first?.missing], ['ada', true, 1])
    assert.deepEqual(named(nearCaps(raisableCaps(answer, [refusal()]), 0.8)), ['ada day eur', 'acme month eur'])
  })

  it('are not said to refuse by another cap, another day, another amount, or only held money', () => {
    const answer = { caps: [capStatus({ eur: fill({ spent: 3, granted: 2 }) })] }
    for (const other of [
      { limit: 10 },
      { limit: 12, scopeRef: 'bob' },
      { limit: 12, scope: 'project' },
      { limit: 12, unit: 'tokens' },
      { limit: 12, window: 'month' },
      { limit: 12, resetsAt: '2026-11-30T00:00:00+01:00' },
      { limit: 12, kind: 'held' },
      { limit: 12, code: 'velocity' },
    ]) {
      assert.equal(raisableCaps(answer, [refusal(other)])[0]?.hasRefused, false, JSON.stringify(other))
    }
    assert.equal(raisableCaps(answer, [refusal({ limit: 12 })])[0]?.hasRefused, true)
  })

  it('A13: end with a cap of 0, which was set to stay, unless it refused a call', () => {
    const answer = { caps: [capStatus({ eur: fill({ cap: 0 }) }), month({ eur: fill({ cap: 150, spent: 1 }) })] }
    assert.deepEqual(named(raisableCaps(answer, [])), ['acme month eur', 'ada day eur'])
    assert.deepEqual(nearCaps(raisableCaps(answer, []), 0.8), [])
    const refused = raisableCaps(answer, [refusal({ limit: 0, requested: 0.3 })])
    assert.deepEqual(named(refused), ['ada day eur', 'acme month eur'])
  })
})

describe('the amounts that are offered', () => {
  it('are a quarter, a half and all of the cap as it is set, in round figures', () => {
    assert.deepEqual(amountsFor(raisable()), [2.5, 5, 10])
    assert.deepEqual(amountsFor(raisable({ cap: 7.3, limit: 9 })), [1.9, 3.7, 7.3])
    assert.deepEqual(amountsFor(raisable({ cap: 150 })), [38, 75, 150])
    assert.deepEqual(amountsFor(raisable({ cap: 0.02 })), [0.01, 0.02])
    assert.deepEqual(amountsFor(raisable({ unit: 'tokens', cap: 3 })), [1, 2, 3])
  })

  it('are only those that let the refused call pass, else what it needs', () => {
    assert.deepEqual(amountsFor(raisable({ missing: 3 })), [5, 10])
    assert.deepEqual(amountsFor(raisable({ missing: 12.34 })), [13, 25])
    assert.deepEqual(amountsFor(raisable({ cap: 0, limit: 0, missing: 0.301 })), [0.31, 0.61])
    assert.deepEqual(amountsFor(raisable({ cap: 0, limit: 0 })), [])
  })

  it('are above 0, grow, let the call pass, are whole in tokens and have no more than two digits beside cents', () => {
    const cap = fc.record({
      unit: fc.constantFrom('eur', 'tokens'),
      cap: fc.oneof(fc.constant(0), fc.double({ min: 1e-3, max: 1e6, noNaN: true })),
      missing: fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 1e6, noNaN: true })),
    })
    fc.assert(
      fc.property(cap, (change) => {
        const amounts = amountsFor(raisable(change))
        if (change.cap > 0 || change.missing > 0) assert.ok(amounts.length > 0)
        assert.deepEqual(
          amounts,
          [...new Set(amounts)].sort((left, right) => left - right),
        )
        for (const amount of amounts) {
          assert.ok(amount > 0 && amount >= change.missing)
          if (change.unit === 'tokens') assert.ok(Number.isInteger(amount))
          assert.ok(String(amount).replace(/^0\.0*|\.|0+$/g, '').length <= 2, String(amount))
        }
      }),
    )
  })
})

describe('the grant of an amount', () => {
  it('is for that window until midnight, in its unit', () => {
    assert.deepEqual(grantFor(raisable(), 2.5), {
      scope: 'user',
      ref: 'acme/ada',
      window: 'day',
      eur: 2.5,
      until: 'midnight',
      by: 'extension',
    })
    const tokens = grantFor(raisable({ unit: 'tokens', scope: 'tenant', ref: 'acme', window: 'month' }), 5000)
    assert.deepEqual([tokens.tokens, tokens.eur, tokens.window], [5000, undefined, 'month'])
  })
})

describe('an amount that a person types', () => {
  it('is above 0 and whole in tokens, with a comma or a point in euros', () => {
    assert.equal(readAmount('eur', ' 2,5 '), 2.5)
    assert.equal(readAmount('eur', '0.05'), 0.05)
    assert.equal(readAmount('tokens', '50000'), 50_000)
    for (const typed of ['', '0', '0,00', '-1', '1,000', '1e3', 'ten', '9000001', '2.5.1', '∞'])
      assert.equal(readAmount('eur', typed), undefined, typed)
    for (const typed of ['', '0', '1.5', '50k', '-5', '1234567890123'])
      assert.equal(readAmount('tokens', typed), undefined, typed)
  })
})

describe('what is allowed on top of caps', () => {
  it('is one thing for each grant, also where it is in euros and tokens', () => {
    const grant = { id: 1, eur: 2, tokens: 50_000, until: '2026-12-01T00:00:00+01:00', by: 'cli' }
    const grants = [grant, { ...grant, id: 2, tokens: 0 }]
    const caps = raisableCaps({ caps: [capStatus({ eur: fill(), tokens: fill({ cap: 1000 }), grants })] }, [])
    assert.deepEqual(
      allowancesOn(caps).map((allowed) => allowed.grant.id),
      [1, 2],
    )
    assert.deepEqual(
      allowancesOn(caps.filter(({ unit }) => unit === 'tokens')).map((allowed) => allowed.grant.id),
      [1],
    )
  })
})

describe('the cap that still holds', () => {
  const day = raisable({ used: 10 })
  const month150 = raisable({ scope: 'tenant', ref: 'acme', name: 'acme', window: 'month', cap: 150, limit: 150 })

  it('is the one with less left than the raised one has', () => {
    assert.equal(stillHolding(day, 5, [day, { ...month150, used: 145 }]), null)
    assert.deepEqual(stillHolding(day, 5, [day, { ...month150, used: 147 }])?.left, 3)
    const spent = stillHolding(day, 5, [day, { ...month150, used: 151 }])
    assert.deepEqual([spent?.cap.window, spent?.left], ['month', 0])
  })

  it('is one of the other unit only where it is used up, and never that of another person, project or model', () => {
    const tokens = raisable({ unit: 'tokens', cap: 1000, limit: 1000, used: 999 })
    assert.equal(stillHolding(day, 5, [day, tokens]), null)
    assert.equal(stillHolding(day, 5, [day, { ...tokens, used: 1000 }])?.cap.unit, 'tokens')
    const project = raisable({ scope: 'project', ref: 'shop', name: 'shop', isOwn: false, cap: 1, limit: 1, used: 1 })
    assert.equal(stillHolding(day, 5, [day, project]), null)
    assert.equal(stillHolding(project, 1, [project, { ...day, used: 9.5 }])?.left, 0.5)
  })

  it('is none of ours where the raised one is of somebody else, but for the account that pays for both', () => {
    const bob = raisable({ ref: 'acme/bob', name: 'bob', isOwn: false })
    const other = raisable({ scope: 'tenant', ref: 'beta', name: 'beta', window: 'month', isOwn: false })
    assert.equal(stillHolding(bob, 5, [bob, day]), null)
    assert.equal(stillHolding(bob, 5, [bob, day, { ...month150, used: 149 }])?.cap.scope, 'tenant')
    assert.equal(stillHolding({ ...bob, ref: 'beta/bob' }, 5, [day, { ...month150, used: 149 }]), null)
    assert.equal(stillHolding(other, 5, [other, day, { ...month150, used: 149 }]), null)
  })
})
