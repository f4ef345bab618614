import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anomalyKinds } from '../../../shared/codes.ts'
import type { AnomalyKind } from '../../../shared/codes.ts'
import { Anomalies } from '../../../daemon/observe/anomalies.ts'
import { CacheUse } from '../../../daemon/observe/cacheUnread.ts'
import { hourStartMs, SpendHistory } from '../../../daemon/observe/hourSpend.ts'
import { RefusalRate } from '../../../daemon/observe/refusalJump.ts'
import { ResidualDrifts } from '../../../daemon/observe/residualDrift.ts'
import { SpendWatch } from '../../../daemon/control/spendWatch.ts'

const minute = 60_000
const hour = 3_600_000
const startMs = Date.UTC(2026, 10, 30)
const eur = 1_000_000_000

/** Everything that was said, and how often each kind was counted. */
function listener(startedAtMs = startMs) {
  const said: Record<string, unknown>[] = []
  const counted: AnomalyKind[] = []
  const anomalies = new Anomalies({
    events: { emit: (event, fields) => void said.push({ event, ...fields }) },
    metrics: { anomaly: (kind) => void counted.push(kind) },
    startedAtMs,
  })
  return { anomalies, said, counted }
}

describe('an anomaly', () => {
  it('is said and counted once per kind and hour', () => {
    const { anomalies, said, counted } = listener()
    for (const atMs of [0, 1, hour - 1, hour, hour + 1]) anomalies.say('hour_spend', { reason: 'r' }, startMs + atMs)
    anomalies.say('refusals', { reason: 'r' }, startMs)
    assert.deepEqual(counted, ['hour_spend', 'hour_spend', 'refusals'])
    assert.deepEqual(said[0], { event: 'anomaly', kind: 'hour_spend', reason: 'r' })
  })

  it('of the residual has the event that was reserved for it', () => {
    const { anomalies, said } = listener()
    anomalies.say('residual_drift', { ratio: 2 }, startMs)
    assert.deepEqual(said, [{ event: 'residual_drift', ratio: 2 }])
  })

  it('that an earlier daemon said within the hour is not said again', () => {
    const { anomalies, said } = listener()
    const time = new Date(startMs - minute).toISOString()
    anomalies.restore([
      { id: 1, time, event: 'anomaly', kind: 'hour_spend' },
      { id: 2, time, event: 'residual_drift' },
    ])
    anomalies.say('hour_spend', {}, startMs)
    anomalies.say('residual_drift', {}, startMs)
    assert.equal(said.length, 0)
    anomalies.say('cache_unread', {}, startMs)
    assert.equal(said.length, 1)
  })

  it('with a pause of its own is passed on each time', () => {
    const { anomalies, counted } = listener()
    for (const kind of ['velocity', 'cost_growth', 'ledger_drift'] as const) {
      anomalies.say(kind, {}, startMs)
      anomalies.say(kind, {}, startMs)
    }
    assert.equal(counted.length, 6)
  })
})

describe('the spend of the last hour', () => {
  /** A history in which each hour before `nowMs` cost what `cost` says. */
  function history(nowMs: number, cost: (hoursAgo: number) => number): SpendHistory {
    const spend = new SpendHistory()
    for (let span = spend.missing(nowMs); span !== null; span = spend.missing(nowMs)) {
      const sums = []
      for (let at = span.fromHour; at < span.toHour; at += 1) {
        sums.push({ hour: at, nanoEur: cost(Math.floor(nowMs / hour) - at) })
      }
      spend.learn(span, sums)
    }
    return spend
  }

  it('is unusual above four times the median of the active hours and half a euro', () => {
    const spend = history(startMs, (ago) => (ago % 3 === 0 ? 0.2 * eur : 0))
    assert.equal(spend.judge(0.8 * eur), null)
    const found = spend.judge(0.8 * eur + 1)
    assert.deepEqual([found?.medianNanoEur, found?.spentNanoEur], [0.2 * eur, 0.8 * eur + 1])
    const cheap = history(startMs, () => 0.01 * eur)
    assert.equal(cheap.judge(0.5 * eur), null)
    assert.notEqual(cheap.judge(0.5 * eur + 1), null)
  })

  it('is not judged before 24 active hours are known', () => {
    const active = (hours: number): SpendHistory => history(startMs, (ago) => (ago <= hours + 1 ? 0.1 * eur : 0))
    assert.equal(active(23).judge(100 * eur), null)
    assert.notEqual(active(24).judge(100 * eur), null)
  })

  it('is compared with 30 days that move on, read in slices of at most half a day, without the hour itself', () => {
    const spend = new SpendHistory()
    const spans = []
    for (let span = spend.missing(startMs); span !== null; span = spend.missing(startMs)) {
      spans.push(span)
      spend.learn(span, [])
    }
    assert.equal(
      spans.reduce((hours, { fromHour, toHour }) => hours + toHour - fromHour, 0),
      720,
    )
    assert.ok(spans.every(({ fromHour, toHour }) => toHour - fromHour <= 12))
    assert.equal(hourStartMs(spans.at(-1)!.toHour), startMs - hour)
    assert.equal(spend.missing(startMs + hour - 1), null)
    const next = spend.missing(startMs + hour)
    assert.deepEqual(next, { fromHour: startMs / hour - 1, toHour: startMs / hour })
    const old = history(startMs, () => 5 * eur)
    const weeks = 32 * 24
    for (let at = 0; at < weeks; at += 1) {
      const span = old.missing(startMs + at * hour)
      if (span !== null) old.learn(span, [{ hour: span.fromHour, nanoEur: 0.1 * eur }])
    }
    assert.equal(old.judge(1 * eur)?.medianNanoEur, 0.1 * eur)
  })

  it('never is unusual when every hour costs the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 * eur }), fc.integer({ min: 1, max: 720 }), (cost, hours) => {
        assert.equal(history(startMs, (ago) => (ago <= hours ? cost : 0)).judge(cost), null)
      }),
      { numRuns: 30 },
    )
  })

  it('is said by the watch once the history is read, with a sentence', () => {
    const { anomalies, said } = listener()
    const asked: number[] = []
    const watch = new SpendWatch({
      ledger: {
        spendByHour: (fromMs, toMs) => {
          asked.push((toMs - fromMs) / hour)
          const hours = []
          for (let at = Math.ceil(fromMs / hour); at < toMs / hour; at += 1)
            hours.push({ hour: at, nanoEur: 0.5 * eur })
          return toMs > startMs ? [{ hour: startMs / hour, nanoEur: 3 * eur }] : hours
        },
      },
      anomalies,
      currency: () => 'EUR',
      nowMs: () => startMs,
    })
    while (!watch.step()) assert.equal(said.length, 0)
    assert.equal(asked.length, 61)
    assert.ok(asked.every((hours) => hours <= 12))
    watch.step()
    assert.equal(said.length, 1)
    const { reason, ...figures } = said[0]!
    assert.deepEqual(figures, { event: 'anomaly', kind: 'hour_spend', eur: 3, medianEur: 0.5, factor: 6 })
    assert.match(String(reason), /cost 3\.00 EUR; half of the active hours of the last 30 days cost less than 0\.50\./)
  })
})

describe('a jump of refusals', () => {
  it('is 20 in five minutes after a quiet time, with the code that came most', () => {
    const rate = new RefusalRate(startMs)
    const atMs = startMs + 20 * minute
    for (let count = 0; count < 18; count += 1) assert.equal(rate.add('rate_limited', atMs + count), null)
    assert.equal(rate.add('budget_exhausted', atMs + minute), null)
    assert.deepEqual(rate.add('rate_limited', atMs + 2 * minute), { refusals: 20, usual: 0, code: 'rate_limited' })
  })

  it('is none in the first minutes of a daemon, and none of what a person ordered', () => {
    const rate = new RefusalRate(startMs)
    for (let count = 0; count < 100; count += 1) {
      assert.equal(rate.add('rate_limited', startMs + 10 * minute), null)
      assert.equal(rate.add('killed', startMs + hour), null)
      assert.equal(rate.add('shutting_down', startMs + hour), null)
    }
  })

  it('is more than five times what is usual', () => {
    const found = (each: number): boolean => {
      const rate = new RefusalRate(startMs)
      for (let at = 0; at < 120; at += 1) {
        for (let count = 0; count < 2; count += 1) rate.add('rate_limited', startMs + at * minute)
      }
      let jumped = false
      for (let count = 0; count < each; count += 1) {
        jumped = rate.add('rate_limited', startMs + 124 * minute) !== null || jumped
      }
      return jumped
    }
    assert.deepEqual([found(48), found(51)], [false, true])
  })

  it('forgets what is older than a day', () => {
    const rate = new RefusalRate(startMs)
    for (let count = 0; count < 100_000; count += 1) rate.add('rate_limited', startMs + 30 * minute)
    const nextDayMs = startMs + 30 * minute + 24 * hour + 5 * minute
    for (let count = 0; count < 19; count += 1) assert.equal(rate.add('rate_limited', nextDayMs), null)
    assert.equal(rate.add('rate_limited', nextDayMs)?.usual, 0)
  })

  it('never is one when refusals come evenly, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 59_999 }), (each, offsetMs) => {
        const rate = new RefusalRate(startMs + offsetMs)
        for (let at = 0; at < 240; at += 1) {
          for (let count = 0; count < each; count += 1) {
            const atMs = startMs + offsetMs + at * minute + (count * minute) / each
            assert.equal(rate.add('rate_limited', atMs), null)
          }
        }
        assert.equal(rate.add('rate_limited', 0), null)
      }),
      { numRuns: 30 },
    )
  })
})

describe('a drift of the residual', () => {
  it('is a ratio more than 15 % away from its long average, in both directions', () => {
    for (const [near, far] of [
      [1.14, 1.17],
      [0.86, 0.83],
    ] as const) {
      const drifts = new ResidualDrifts()
      const row = (ratio: number) => ({ upstream: 'openai', model: 'm', ratio, samples: 1 })
      for (let call = 0; call < 100; call += 1) assert.equal(drifts.learned(row(1)), null)
      assert.equal(drifts.learned(row(near)), null)
      const found = drifts.learned(row(far))
      assert.deepEqual([found?.upstream, found?.model, found?.ratio], ['openai', 'm', far])
      assert.ok(Math.abs((found?.average ?? 0) - 1) < 0.01)
    }
  })

  it('is not seen before 30 reports, nor in another model', () => {
    const drifts = new ResidualDrifts()
    const row = (model: string, ratio: number) => ({ upstream: 'openai', model, ratio, samples: 1 })
    for (let call = 0; call < 29; call += 1) drifts.learned(row('young', 1))
    assert.equal(drifts.learned(row('young', 2)), null)
    for (let call = 0; call < 50; call += 1) drifts.learned(row('old', 1))
    assert.equal(drifts.learned(row('new', 2)), null)
    assert.notEqual(drifts.learned(row('old', 2)), null)
  })

  it('ends when the average has followed', () => {
    const drifts = new ResidualDrifts()
    const row = (ratio: number) => ({ upstream: 'openai', model: 'm', ratio, samples: 1 })
    for (let call = 0; call < 100; call += 1) drifts.learned(row(1))
    let drifting = 0
    for (let call = 0; call < 500; call += 1) if (drifts.learned(row(1.5)) !== null) drifting += 1
    assert.ok(drifting > 10 && drifting < 200)
    assert.equal(drifts.learned(row(1.5)), null)
  })

  it('never is one when reports stay within a tenth of each other', () => {
    const noise = fc.array(fc.double({ min: 0.95, max: 1.05, noNaN: true }), { minLength: 50, maxLength: 300 })
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 3, noNaN: true }), noise, (level, factors) => {
        const drifts = new ResidualDrifts()
        for (const each of factors) {
          assert.equal(drifts.learned({ upstream: 'u', model: 'm', ratio: level * each, samples: 1 }), null)
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('a cache that is written and never read (G09)', () => {
  const write = (tokens: number) => ({ cacheRead: 0, cacheWrite5m: tokens, cacheWrite1h: 0 })
  const read = { cacheRead: 4409, cacheWrite5m: 0, cacheWrite1h: 0 }

  it('is seen at the third of three equal calls that write 4,409 tokens each and read none', () => {
    const cache = new CacheUse()
    assert.equal(cache.add('m', write(4409), startMs), null)
    assert.equal(cache.add('m', write(4409), startMs + minute), null)
    assert.deepEqual(cache.add('m', write(4409), startMs + 2 * minute), {
      writes: 3,
      tokens: 13_227,
      forAnHour: false,
    })
  })

  it('is none up to 10,000 tokens, over more than ten minutes, or of two models', () => {
    const cache = new CacheUse()
    for (let call = 0; call < 4; call += 1) assert.equal(cache.add('small', write(2500), startMs), null)
    for (let call = 0; call < 4; call += 1)
      assert.equal(cache.add('slow', write(9000), startMs + call * 5 * minute), null)
    for (const name of ['one', 'other', 'one', 'other']) assert.equal(cache.add(name, write(9000), startMs), null)
  })

  it('is none while something was read in the last ten minutes', () => {
    const cache = new CacheUse()
    cache.add('m', write(9000), startMs)
    cache.add('m', read, startMs + minute)
    for (let call = 2; call < 11; call += 1) assert.equal(cache.add('m', write(9000), startMs + call * minute), null)
    for (let call = 11; call < 13; call += 1) assert.equal(cache.add('m', write(9000), startMs + call * minute), null)
    assert.equal(cache.add('m', write(9000), startMs + 13 * minute)?.writes, 3)
  })

  it('knows of writes that cost twice', () => {
    const cache = new CacheUse()
    const long = { cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 6000 }
    cache.add('m', write(6000), startMs)
    cache.add('m', write(6000), startMs)
    assert.equal(cache.add('m', long, startMs)?.forAnHour, true)
  })

  it('never is one of calls that each read what the one before has written', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 2, maxLength: 50 }), (sizes) => {
        const cache = new CacheUse()
        sizes.forEach((size, at) => {
          const usage = { cacheRead: at === 0 ? 0 : size, cacheWrite5m: size, cacheWrite1h: 0 }
          assert.equal(cache.add('m', usage, startMs + at * minute), null)
        })
      }),
    )
  })
})

describe('the kinds of anomalies', () => {
  it('are each a different word that fits a label', () => {
    assert.equal(new Set(anomalyKinds).size, anomalyKinds.length)
    for (const kind of anomalyKinds) assert.match(kind, /^[a-z_]+$/)
  })
})
