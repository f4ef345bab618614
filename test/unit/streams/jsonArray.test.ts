import assert from 'node:assert/strict'
import fc from 'fast-check'
import { ArrayEnd } from '../../../daemon/streams/arrayEnd.ts'
import { readArray } from '../../../daemon/streams/jsonArray.ts'
import { tailChars } from '../../../daemon/streams/sse.ts'

interface Read {
  readonly elements: unknown[]
  readonly tails: string[]
  closed: number
}

function read(pieces: readonly Uint8Array[], maxChars?: number): Read {
  const seen: Read = { elements: [], tails: [], closed: 0 }
  const feed = readArray(
    {
      element: (text) => void seen.elements.push(JSON.parse(text)),
      oversized: (tail) => void seen.tails.push(tail),
      closed: () => void (seen.closed += 1),
    },
    maxChars,
  )
  for (const piece of pieces) feed.push(piece)
  feed.end()
  return seen
}

const elements = fc.array(fc.jsonValue(), { maxLength: 6 })
const layout = fc.constantFrom(undefined, 1, 2, '\t')

function cutAt(bytes: Buffer, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((one, other) => one - other), bytes.length]
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

describe('an array that is read while it is written', () => {
  it('has all elements, however its bytes are cut and laid out', () => {
    fc.assert(
      fc.property(elements, layout, fc.array(fc.nat(), { maxLength: 9 }), (values, space, cuts) => {
        const seen = read(cutAt(Buffer.from(JSON.stringify(values, null, space)), cuts))
        assert.deepEqual(seen, { elements: JSON.parse(JSON.stringify(values)) as unknown[], tails: [], closed: 1 })
      }),
    )
  })
  it('gives out an element as soon as the next one begins, and the last at the bracket', () => {
    const found: string[] = []
    const feed = readArray({
      element: (text) => void found.push(text),
      oversized: () => undefined,
      closed: () => undefined,
    })
    feed.push(Buffer.from('[{"a":1}'))
    assert.deepEqual(found, [])
    feed.push(Buffer.from(','))
    assert.deepEqual(found, ['{"a":1}'])
    feed.push(Buffer.from('{"b":"]"}]'))
    assert.deepEqual(found, ['{"a":1}', '{"b":"]"}'])
  })
  it('takes a single object for its only element', () => {
    assert.deepEqual(read([Buffer.from(' {"a":[1,"}"]} ')]), { elements: [{ a: [1, '}'] }], tails: [], closed: 1 })
  })
  it('is not closed where it was cut, and has no half of an element', () => {
    assert.deepEqual(read([Buffer.from('[{"a":1},{"b":')]), { elements: [{ a: 1 }], tails: [], closed: 0 })
  })
  it('ends at its bracket, whatever follows', () => {
    assert.deepEqual(read([Buffer.from('[1]'), Buffer.from('[2]')]), { elements: [1], tails: [], closed: 1 })
    assert.deepEqual(read([Buffer.from('\ufeff [1]')]), { elements: [1], tails: [], closed: 1 })
  })
  it('keeps only the end of an element that is too large, and goes on behind it', () => {
    const large = { filler: 'x'.repeat(3 * tailChars), usage: { tokens: 7 } }
    const seen = read(cutAt(Buffer.from(JSON.stringify([{ a: 1 }, large, { b: 2 }])), [5, 1000, 70_000, 150_000]), 1000)
    assert.deepEqual([seen.elements, seen.closed], [[{ a: 1 }, { b: 2 }], 1])
    assert.equal(seen.tails.length, 1)
    assert.ok(seen.tails[0]!.length <= tailChars && seen.tails[0]!.endsWith('"usage":{"tokens":7}}'))
  })
  it('reads nothing out of what is no array, and never throws', () => {
    const feeds = (bytes: Uint8Array): Read => {
      const seen: Read = { elements: [], tails: [], closed: 0 }
      const feed = readArray({
        element: (text) => void seen.elements.push(text),
        oversized: (tail) => void seen.tails.push(tail),
        closed: () => void (seen.closed += 1),
      })
      feed.push(bytes)
      feed.end()
      return seen
    }
    assert.deepEqual(feeds(Buffer.from('<html>[1]</html>')), { elements: [], tails: [], closed: 0 })
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void feeds(bytes)))
  })
})

/** The array that a client has when it is cut behind these bytes and ended. */
function ended(bytes: Uint8Array): unknown[] | null {
  const end = new ArrayEnd()
  end.push(bytes)
  const { before } = end
  if (before === null) return null
  return JSON.parse(`${Buffer.from(bytes).toString('utf8')}${before}{"error":"cut"}]`) as unknown[]
}

describe('the end of an array that is cut', () => {
  const sample = [
    {
      text: 'a "quoted" \\ back\u2028slash, 北京🌍',
      empty: {},
      list: [],
      deep: [[{ x: [1, -2.5e-7, true, false, null] }]],
    },
    'word',
    -0.5,
    {},
  ]
  it('F09: can be parsed wherever the cut is, and the last element is always the error', () => {
    for (const space of [undefined, 2]) {
      // With every character that JSON may escape spelled as an escape.
      const text = JSON.stringify(sample, null, space).replace(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
      for (const bytes of [Buffer.from(JSON.stringify(sample, null, space)), Buffer.from(text)]) {
        for (let at = 0; at < bytes.length; at += 1) {
          const array = ended(bytes.subarray(0, at))
          assert.deepEqual(array?.at(-1), { error: 'cut' }, `at byte ${at}`)
        }
      }
    }
  })
  it('F09: holds for any array, and keeps all elements that were whole', () => {
    fc.assert(
      fc.property(elements, layout, fc.nat(), (values, space, cut) => {
        const bytes = Buffer.from(JSON.stringify(values, null, space))
        const array = ended(bytes.subarray(0, cut % bytes.length))
        assert.ok(array !== null)
        assert.deepEqual(array.at(-1), { error: 'cut' })
        const whole = array.slice(0, -2)
        assert.deepEqual(whole, (JSON.parse(JSON.stringify(values)) as unknown[]).slice(0, whole.length))
      }),
      { numRuns: 500 },
    )
  })
  it('comes out the same however the bytes arrived', () => {
    const bytes = Buffer.from(JSON.stringify(sample))
    for (let at = 1; at < bytes.length; at += 1) {
      const whole = new ArrayEnd()
      whole.push(bytes.subarray(0, at))
      const single = new ArrayEnd()
      for (const byte of bytes.subarray(0, at)) single.push(Uint8Array.of(byte))
      assert.equal(single.before, whole.before)
    }
  })
  it('cannot be said where the array is over, or where there is none', () => {
    assert.equal(ended(Buffer.from('[1] ')), null)
    assert.equal(ended(Buffer.from('{"a":')), null)
    assert.equal(ended(Buffer.from('<html>')), null)
    assert.equal(ended(Buffer.from('['.repeat(2000))), null)
  })
  it('begins the array where nothing was said yet', () => {
    assert.deepEqual(ended(Buffer.from('')), [{ error: 'cut' }])
    assert.deepEqual(ended(Buffer.from(' \n[ ')), [{ error: 'cut' }])
  })
})
