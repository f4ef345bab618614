import assert from 'node:assert/strict'
import fc from 'fast-check'
import { BoundedMap } from '../../../daemon/transcript/boundedMap.ts'

describe('BoundedMap', () => {
  it('forgets what was used longest ago', () => {
    const map = new BoundedMap<number>(3)
    for (const key of ['a', 'b', 'c']) map.set(key, 1)
    map.get('a')
    map.set('b', 2)
    map.set('d', 1)
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((key) => map.peek(key)),
      [1, 2, undefined, 1],
    )
  })

  it('lists what was used last first', () => {
    const map = new BoundedMap<number>(100)
    for (let value = 0; value < 4; value += 1) map.set(String(value), value)
    map.get('1')
    assert.deepEqual(map.latest(), [1, 3, 2, 0])
  })

  it('does not count a look as a use', () => {
    const map = new BoundedMap<number>(2)
    map.set('a', 1)
    map.set('b', 1)
    assert.equal(map.has('a'), true)
    assert.equal(map.peek('a'), 1)
    map.set('c', 1)
    assert.equal(map.has('a'), false)
  })

  it('keeps a key that every call uses among any number of others', () => {
    const map = new BoundedMap<number>(100)
    map.set('each call', 1)
    for (let call = 0; call < 5000; call += 1) {
      map.set(`call ${call}`, call)
      assert.equal(map.get('each call'), 1)
    }
    assert.equal(map.size, 100)
  })

  it('keeps what may not leave, and its bound where nothing may', () => {
    const inUse = new Set([1, 2])
    const map = new BoundedMap<number>(3, (value) => !inUse.has(value))
    for (let value = 1; value < 50; value += 1) map.set(String(value), value)
    assert.deepEqual(new Set(map.latest()), new Set([1, 2, 49]))
    inUse.add(49).add(50)
    map.set('50', 50)
    assert.equal(map.size, 3)
    assert.equal(map.has('50'), true)
  })

  it('holds its bound and the seven eighths of it that were used last, whatever is done', () => {
    const step = fc.record({ key: fc.integer({ min: 0, max: 40 }), read: fc.boolean() })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 24 }), fc.array(step, { maxLength: 200 }), (most, steps) => {
        const map = new BoundedMap<number>(most)
        let used: number[] = []
        for (const { key, read } of steps) {
          if (read && map.get(String(key)) === undefined) continue
          if (!read) map.set(String(key), key)
          used = [...used.filter((other) => other !== key), key]
          assert.ok(map.size <= most)
          const surely = used.slice(-(most - (most >> 3)))
          for (const other of surely) assert.equal(map.peek(String(other)), other)
        }
      }),
    )
  })

  it('holds a bound on the weight of all values, and keeps one that is heavier alone', () => {
    const entry = fc.record({ key: fc.integer({ min: 0, max: 12 }), weight: fc.nat(40) })
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 200 }), (entries) => {
        const map = new BoundedMap<number>(8, () => true, { weigh: (value) => value, most: 30 })
        for (const { key, weight } of entries) {
          map.set(String(key), weight)
          const held = map.latest()
          assert.equal(
            map.weight,
            held.reduce((sum, value) => sum + value, 0),
          )
          assert.ok(map.size <= 8 && (map.weight <= 30 || held.length === 1))
          assert.equal(held[0], weight)
        }
      }),
    )
  })
})
