import assert from 'node:assert/strict'
import fc from 'fast-check'
import { decideReservation, type Demand, type Standing } from '../../../daemon/budget/reservation.ts'
import type { CappedScope, ReservationResult, WindowTotals } from '../../../daemon/ledger/ledger.ts'

const empty: WindowTotals = { spentNanoEur: 0, reservedNanoEur: 0, spentTokens: 0, reservedTokens: 0 }

function userDay(capNanoEur: number | null, capTokens: number | null = null): CappedScope {
  return { scope: 'user', ref: 'acme/ada', window: 'day', period: '2026-11-30', capNanoEur, capTokens }
}

/** A call of a fixed price that cannot be clamped. */
function fixedCall(nanoEur: number, tokens = 100): Demand {
  return { inputTokens: tokens, outputTokens: 0, minOutputTokens: 0, cost: () => nanoEur }
}

/** Asks one scope again and again, each admission held, and counts the admissions. */
function admitParallel(scope: CappedScope, start: WindowTotals, demands: readonly Demand[]): ReservationResult[] {
  let totals = start
  return demands.map((demand) => {
    const result = decideReservation(demand, [{ scope, totals }])
    if (result.kind === 'admitted') totals = held(totals, result)
    return result
  })
}

function held(totals: WindowTotals, result: Extract<ReservationResult, { kind: 'admitted' }>): WindowTotals {
  return {
    ...totals,
    reservedNanoEur: totals.reservedNanoEur + result.reservedNanoEur,
    reservedTokens: totals.reservedTokens + result.reservedTokens,
  }
}

describe('decideReservation', () => {
  it('A01: admits two of eight calls that arrive at once with room for two', () => {
    const results = admitParallel(userDay(10_000_000), empty, Array<Demand>(8).fill(fixedCall(4_000_000)))
    assert.deepEqual(
      results.map((result) => result.kind),
      ['admitted', 'admitted', 'refused', 'refused', 'refused', 'refused', 'refused', 'refused'],
    )
  })

  it('A02: counts what is outstanding besides what is settled', () => {
    const start = { ...empty, spentNanoEur: 4_752_720_000 }
    const results = admitParallel(userDay(5_000_000_000), start, Array<Demand>(4).fill(fixedCall(88_400_000)))
    assert.deepEqual(
      results.map((result) => (result.kind === 'admitted' ? 'admitted' : result.reason)),
      ['admitted', 'admitted', 'held', 'held'],
    )
  })

  it('A11: accumulates a budget of many small calls and refuses after the last one that fits', () => {
    const scope = userDay(1_000_000_000)
    let totals = empty
    const admitted: boolean[] = []
    for (let call = 1; call <= 1000; call += 1) {
      const result = decideReservation(fixedCall(2_000_000), [{ scope, totals }])
      admitted.push(result.kind === 'admitted')
      if (result.kind === 'admitted') {
        totals = { ...totals, spentNanoEur: totals.spentNanoEur + 2_000_000, spentTokens: totals.spentTokens + 100 }
      } else assert.equal(result.reason, 'spent')
    }
    assert.equal(admitted.lastIndexOf(true), 499)
    assert.equal(admitted.indexOf(false), 500)
  })

  describe('A13: a cap of 0', () => {
    it('blocks every paid call in euros, finally', () => {
      const [result] = admitParallel(userDay(0), empty, [fixedCall(1)])
      assert.ok(result?.kind === 'refused' && result.reason === 'spent' && result.unit === 'eur')
    })

    it('lets a call pass that costs nothing', () => {
      const [result] = admitParallel(userDay(0), empty, [fixedCall(0)])
      assert.equal(result?.kind, 'admitted')
    })

    it('lets a call pass that costs nothing when more is spent than the cap', () => {
      const [result] = admitParallel(userDay(0), { ...empty, spentNanoEur: 5 }, [fixedCall(0)])
      assert.equal(result?.kind, 'admitted')
    })

    it('blocks every call in tokens, free ones too', () => {
      for (const tokens of [0, 1]) {
        const [result] = admitParallel(userDay(null, 0), empty, [fixedCall(0, tokens)])
        assert.ok(result?.kind === 'refused' && result.reason === 'spent' && result.unit === 'tokens')
      }
    })

    it('is not what null means', () => {
      const [result] = admitParallel(userDay(null, null), empty, [fixedCall(1e15, 1e15)])
      assert.equal(result?.kind, 'admitted')
    })
  })

  describe('a cap that is usable to its last cent', () => {
    const demand: Demand = {
      inputTokens: 1000,
      outputTokens: 4096,
      minOutputTokens: 256,
      cost: (outputTokens) => 1000 * 3000 + outputTokens * 15_000,
    }

    it('admits a call that fills the cap exactly', () => {
      const [result] = admitParallel(userDay(demand.cost(4096)), empty, [demand])
      assert.ok(result?.kind === 'admitted' && result.outputTokens === 4096)
    })

    it('clamps the output to what one nano-euro less leaves', () => {
      const [result] = admitParallel(userDay(demand.cost(4096) - 1), empty, [demand])
      assert.ok(result?.kind === 'admitted' && result.outputTokens === 4095)
      assert.equal(result.reservedNanoEur, demand.cost(4095))
      assert.equal(result.reservedTokens, 5095)
    })

    it('clamps to the tightest of all scopes and units', () => {
      const standings: Standing[] = [
        { scope: userDay(demand.cost(2000)), totals: empty },
        {
          scope: { ...userDay(null, 10_000), scope: 'tenant' },
          totals: { ...empty, spentTokens: 5000, reservedTokens: 3000 },
        },
      ]
      const result = decideReservation(demand, standings)
      assert.ok(result.kind === 'admitted' && result.outputTokens === 1000)
    })

    it('refuses where not even the useful minimum fits, and says what was asked', () => {
      const [result] = admitParallel(userDay(demand.cost(255)), empty, [demand])
      assert.ok(result?.kind === 'refused' && result.reason === 'spent')
      assert.equal(result.requested, demand.cost(4096))
    })

    it('does not clamp a call that forbids it', () => {
      const [result] = admitParallel(userDay(demand.cost(4095)), empty, [{ ...demand, minOutputTokens: 4096 }])
      assert.equal(result?.kind, 'refused')
    })

    it('says held while siblings fill the cap, and spent once their money is gone', () => {
      const cap = demand.cost(4096)
      const reserved = decideReservation(demand, [{ scope: userDay(cap), totals: { ...empty, reservedNanoEur: cap } }])
      assert.ok(reserved.kind === 'refused' && reserved.reason === 'held')
      const spent = decideReservation(demand, [{ scope: userDay(cap), totals: { ...empty, spentNanoEur: cap } }])
      assert.ok(spent.kind === 'refused' && spent.reason === 'spent')
    })

    it('names the scope that is spent before one that is only held', () => {
      const cap = demand.cost(4096)
      const result = decideReservation(demand, [
        { scope: userDay(cap), totals: { ...empty, reservedNanoEur: cap } },
        { scope: { ...userDay(cap), scope: 'tenant' }, totals: { ...empty, spentNanoEur: cap } },
      ])
      assert.ok(result.kind === 'refused' && result.scope.scope === 'tenant' && result.reason === 'spent')
    })
  })

  it('throws for a price or a count that is no whole number >= 0', () => {
    for (const bad of [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY, 2 ** 53]) {
      assert.throws(() => decideReservation(fixedCall(bad), [{ scope: userDay(null), totals: empty }]), RangeError)
      assert.throws(() => decideReservation(fixedCall(1, bad), [{ scope: userDay(null), totals: empty }]), RangeError)
    }
  })

  const cap = fc.option(fc.nat(2_000_000), { nil: null })
  const demands = fc.record({
    inputTokens: fc.nat(5000),
    outputTokens: fc.nat(20_000),
    minOutputTokens: fc.nat(500),
    inputPrice: fc.nat(30),
    outputPrice: fc.nat(60),
    fee: fc.nat(1000),
  })
  type Drawn = typeof demands extends fc.Arbitrary<infer Value> ? Value : never
  function demandOf({ inputPrice, outputPrice, fee, ...demand }: Drawn): Demand {
    return {
      ...demand,
      cost: (output) => Math.ceil((demand.inputTokens * inputPrice + output * outputPrice + fee) / 3),
    }
  }

  it('A01 A02: never passes a cap, under any interleaving of asks and settlements', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('ask' as const), demand: demands }),
      fc.record({
        kind: fc.constant('settle' as const),
        which: fc.nat(),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
    )
    fc.assert(
      fc.property(cap, cap, cap, fc.array(step, { maxLength: 60 }), (capEur, capTokens, tenantCap, steps) => {
        const scopes = [userDay(capEur, capTokens), { ...userDay(tenantCap), scope: 'tenant' as const }]
        const totals = scopes.map(() => empty)
        const open: Extract<ReservationResult, { kind: 'admitted' }>[] = []
        for (const step of steps) {
          if (step.kind === 'ask') {
            const demand = demandOf(step.demand)
            const result = decideReservation(
              demand,
              scopes.map((scope, at) => ({ scope, totals: totals[at]! })),
            )
            if (result.kind === 'refused') continue
            open.push(result)
            totals.forEach((before, at) => (totals[at] = held(before, result)))
            scopes.forEach((scope, at) => {
              const { spentNanoEur, reservedNanoEur, spentTokens, reservedTokens } = totals[at]!
              if (result.reservedNanoEur > 0 && scope.capNanoEur !== null) {
                assert.ok(spentNanoEur + reservedNanoEur <= scope.capNanoEur)
              }
              if (scope.capTokens !== null) assert.ok(spentTokens + reservedTokens <= scope.capTokens)
            })
          } else if (open.length > 0) {
            const [call] = open.splice(step.which % open.length, 1)
            totals.forEach((before, at) => {
              totals[at] = {
                spentNanoEur: before.spentNanoEur + Math.floor(call!.reservedNanoEur * step.share),
                reservedNanoEur: before.reservedNanoEur - call!.reservedNanoEur,
                spentTokens: before.spentTokens + Math.floor(call!.reservedTokens * step.share),
                reservedTokens: before.reservedTokens - call!.reservedTokens,
              }
            })
          }
        }
      }),
    )
  })

  it('clamps to the largest output that fits: one token more would not', () => {
    fc.assert(
      fc.property(demands, cap, cap, fc.nat(1_000_000), (drawn, capEur, capTokens, spent) => {
        const demand = demandOf(drawn)
        const totals = { ...empty, spentNanoEur: spent, spentTokens: Math.floor(spent / 100) }
        const fitsAt = (output: number): boolean =>
          (capEur === null || demand.cost(output) === 0 || totals.spentNanoEur + demand.cost(output) <= capEur) &&
          (capTokens === null || (capTokens > 0 && totals.spentTokens + demand.inputTokens + output <= capTokens))
        const result = decideReservation(demand, [{ scope: userDay(capEur, capTokens), totals }])
        if (result.kind === 'refused') {
          assert.equal(fitsAt(Math.min(demand.minOutputTokens, demand.outputTokens)), false)
          return
        }
        assert.ok(fitsAt(result.outputTokens))
        assert.ok(result.outputTokens >= Math.min(demand.minOutputTokens, demand.outputTokens))
        assert.equal(result.reservedNanoEur, demand.cost(result.outputTokens))
        if (result.outputTokens < demand.outputTokens) assert.equal(fitsAt(result.outputTokens + 1), false)
      }),
    )
  })
})
