import assert from 'node:assert/strict'
import fc from 'fast-check'
import { AnswerCache, answerKey, mostAnswerBytes, mostRequestBytes } from '../../../daemon/degrade/answerCache.ts'
import { AnswerRecording } from '../../../daemon/degrade/answerRecording.ts'

const parts = {
  salt: 's',
  tenant: 'acme',
  user: 'ada',
  keyId: 'default',
  upstream: 'openai',
  path: '/chat/completions',
  variant: '',
  body: Buffer.from('{"model":"m","messages":[{"role":"user","content":"hi"}]}'),
}

function answerOf(bytes: number): { status: number; contentType: string; body: Buffer } {
  return { status: 200, contentType: 'application/json', body: Buffer.alloc(bytes, 'x') }
}

describe('the key of a request', () => {
  it('G10: is the same whatever the order of the fields', () => {
    const turned = Buffer.from('{"messages":[{"content":"hi","role":"user"}],  "model":"m"}')
    assert.equal(answerKey({ ...parts, body: turned }), answerKey(parts))
  })

  for (const [name, change] of Object.entries({
    'another user': { user: 'grace' },
    'another tenant': { tenant: 'other' },
    'another key': { keyId: '0' },
    'another upstream': { upstream: 'groq' },
    'another path': { path: '/completions' },
    'another version header': { variant: '2023-06-01' },
    'one letter more': { body: Buffer.from('{"model":"m","messages":[{"role":"user","content":"hi!"}]}') },
    'the order of messages': { body: Buffer.from('{"model":"m","messages":[]}') },
  })) {
    it(`differs with ${name}`, () => {
      assert.notEqual(answerKey({ ...parts, ...change }), answerKey(parts))
    })
  }

  it('is not made for a transcript that never comes twice', () => {
    assert.equal(answerKey({ ...parts, body: Buffer.alloc(mostRequestBytes + 1, '1') }), null)
  })
})

describe('earlier answers', () => {
  it('are found until they are an hour old', () => {
    const cache = new AnswerCache()
    const answer = answerOf(10)
    cache.keep('a', answer, 0)
    assert.equal(cache.find('a', 3_599_999), answer)
    assert.equal(cache.find('a', 3_600_000), null)
    assert.equal(cache.bytes, 0)
  })

  it('are replaced by a newer one of the same request', () => {
    const cache = new AnswerCache()
    cache.keep('a', answerOf(10), 0)
    const newer = answerOf(20)
    cache.keep('a', newer, 1)
    assert.equal(cache.find('a', 2), newer)
    assert.equal(cache.bytes, 20)
  })

  it('take no more memory than allowed, and the newest stays', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), bytes: fc.integer({ min: 1, max: 70 }) }),
        ),
        (kept) => {
          const cache = new AnswerCache(100)
          kept.forEach(({ key, bytes }, atMs) => {
            const answer = answerOf(bytes)
            cache.keep(key, answer, atMs)
            assert.ok(cache.bytes <= 100)
            assert.equal(cache.find(key, atMs), answer)
          })
        },
      ),
    )
  })

  it('do not hold one that is too large', () => {
    const cache = new AnswerCache()
    cache.keep('a', answerOf(mostAnswerBytes + 1), 0)
    assert.equal(cache.find('a', 0), null)
  })
})

describe('the copy of an answer', () => {
  it('is the answer in one piece', () => {
    const recording = new AnswerRecording()
    recording.head(200, 'text/event-stream')
    recording.push(Buffer.from('data: 1\n\n'))
    recording.push(Buffer.from('data: 2\n\n'))
    assert.deepEqual(recording.answer(), {
      status: 200,
      contentType: 'text/event-stream',
      body: Buffer.from('data: 1\n\ndata: 2\n\n'),
    })
  })

  it('is none without a head, without a byte, or of an answer that is too large', () => {
    const headless = new AnswerRecording()
    headless.push(Buffer.from('x'))
    assert.equal(headless.answer(), null)
    const empty = new AnswerRecording()
    empty.head(200, 'application/json')
    assert.equal(empty.answer(), null)
    const large = new AnswerRecording()
    large.head(200, 'application/json')
    large.push(Buffer.alloc(mostAnswerBytes))
    large.push(Buffer.alloc(1))
    large.push(Buffer.alloc(1))
    assert.equal(large.answer(), null)
  })
})
