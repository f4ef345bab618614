import assert from 'node:assert/strict'
import { CountBook, countHoldsMs, counterRestsMs } from '../../../daemon/models/countBook.ts'
import type { CountAsk, Counted } from '../../../daemon/models/countBook.ts'

describe('what counters have said', () => {
  let nowMs = 0
  let puts = 0
  let book: CountBook
  beforeEach(() => {
    nowMs = 1_000_000
    puts = 0
    book = new CountBook('salt', () => nowMs)
  })

  const put = (counted: Counted) => () => {
    puts += 1
    return Promise.resolve(counted)
  }
  const count = (counted: Counted, ask: Partial<CountAsk> = {}): Promise<number | null> =>
    book.count({ digest: 'a', counter: 'c', keep: true, ...ask }, put(counted))
  const seven: Counted = { kind: 'count', tokens: 7 }

  it('is used again for ten minutes and then asked for anew', async () => {
    assert.equal(await count(seven), 7)
    nowMs += countHoldsMs - 1
    assert.equal(await count({ kind: 'count', tokens: 8 }), 7)
    assert.equal(puts, 1)
    nowMs += 1
    assert.equal(await count({ kind: 'count', tokens: 8 }), 8)
  })

  it('H02: is asked for once by equal questions of one moment', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => count(seven)))
    assert.deepEqual(new Set(answers), new Set([7]))
    assert.equal(puts, 1)
  })

  it('is not kept where the provider may answer otherwise next time', async () => {
    await count(seven, { keep: false })
    await count(seven, { keep: false })
    assert.equal(puts, 2)
  })

  it('H02: is not asked of a counter that failed within the last ten seconds', async () => {
    assert.equal(await count({ kind: 'failed' }), null)
    nowMs += counterRestsMs - 1
    assert.equal(await count(seven, { digest: 'b' }), null)
    assert.equal(puts, 1)
    assert.equal(await count(seven, { digest: 'b', counter: 'other' }), 7)
    nowMs += 1
    assert.equal(await count(seven, { digest: 'c' }), 7)
  })

  it('of a request without a count is not asked for again at once, and another request is', async () => {
    assert.equal(await count({ kind: 'none' }), null)
    assert.equal(await count(seven), null)
    assert.equal(puts, 1)
    assert.equal(await count(seven, { digest: 'b' }), 7)
    nowMs += counterRestsMs
    assert.equal(await count(seven), 7)
  })

  it('stays known while a counter rests', async () => {
    await count(seven)
    await count({ kind: 'failed' }, { digest: 'b' })
    assert.equal(await count({ kind: 'failed' }), 7)
  })

  it('is not waited for by more than 64 calls together', async () => {
    const asked = Array.from({ length: 70 }, (_, at) => count(seven, { digest: String(at) }))
    assert.equal((await Promise.all(asked)).filter((tokens) => tokens === 7).length, 64)
  })

  it('is known by a digest of body, account and process', () => {
    const body = Buffer.from('{"model":"m"}')
    const digest = book.digest(body, 'x-api-key: a')
    assert.equal(book.digest(body, 'x-api-key: a'), digest)
    assert.notEqual(book.digest(body, 'x-api-key: b'), digest)
    assert.notEqual(book.digest(Buffer.from('{"model":"n"}'), 'x-api-key: a'), digest)
    assert.notEqual(new CountBook('another salt', () => 0).digest(body, 'x-api-key: a'), digest)
  })
})
