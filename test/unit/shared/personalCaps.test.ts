import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { isCap, largestCap, personalCapNames } from '../../../shared/personalCaps.ts'
import { nanoFromEur } from '../../../shared/money.ts'

describe('a cap', () => {
  it('M09: is a number from 0 to the largest one, whole where it counts tokens, or null', () => {
    for (const good of [null, 0, 1, 12]) assert.ok(isCap(good, 'eur') && isCap(good, 'tokens'))
    assert.ok(isCap(2.5, 'eur') && !isCap(2.5, 'tokens'))
    assert.ok(isCap(largestCap.eur, 'eur') && isCap(largestCap.tokens, 'tokens'))
    assert.ok(!isCap(largestCap.eur + 0.01, 'eur') && !isCap(largestCap.tokens + 1, 'tokens'))
    for (const bad of [undefined, '2,0', '2', NaN, Infinity, -1, -0.001, true, {}, [3], 1e300])
      assert.ok(!isCap(bad, 'eur') && !isCap(bad, 'tokens'), JSON.stringify(bad))
    assert.ok(!isCap(1e16, 'tokens'))
  })

  it('is small enough for sums in nano-euro and tokens to be exact, with room for the call that comes to it', () => {
    const room = fc.integer({ min: 0, max: 7_000_000_000_000 })
    for (const most of [nanoFromEur(largestCap.eur), largestCap.tokens]) {
      fc.assert(fc.property(room, (more) => BigInt(most + more) === BigInt(most) + BigInt(more)))
    }
  })
})

describe('the manifest', () => {
  it('has the same largest caps as both programs', () => {
    const text = readFileSync('package.json', 'utf8')
    interface Property {
      readonly minimum?: number
      readonly maximum?: number
    }
    const { contributes } = JSON.parse(text) as {
      contributes: { configuration: { properties: Record<string, Property> }[] }
    }
    const all = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties)) as Record<
      string,
      Property
    >
    const caps = Object.entries(all).filter(([name]) => name.startsWith('tollgate.caps.'))
    assert.equal(caps.length, personalCapNames.length)
    for (const [name, { minimum, maximum }] of caps) {
      assert.deepEqual([minimum, maximum], [0, largestCap[name.endsWith('Tokens') ? 'tokens' : 'eur']], name)
    }
  })
})
