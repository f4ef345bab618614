import assert from 'node:assert/strict'
import fc from 'fast-check'
import { RunningDigest } from '../../../daemon/transcript/runningDigest.ts'
import { TextDigests } from '../../../daemon/transcript/textDigests.ts'
import { MessageCountCache } from '../../../daemon/tokens/messageCache.ts'

describe('digests of texts', () => {
  it('are equal for equal texts and one salt, whatever was asked for before', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3000 }), { maxLength: 30 }), (texts) => {
        const digests = new TextDigests('salt')
        for (const text of texts) {
          assert.equal(digests.digestOf(text), new TextDigests('salt').digestOnce(text))
          assert.match(digests.digestOf(text), /^[A-Za-z0-9+/]{27}=$/)
        }
      }),
    )
  })

  it('tell texts apart that differ in one place only', () => {
    const digests = new TextDigests('salt')
    const texts = Array.from({ length: 40 }, (_, at) => `${'a'.repeat(at * 100)}b${'a'.repeat(4000 - at * 100)}`)
    assert.equal(new Set([...texts, ...texts].map((text) => digests.digestOf(text))).size, texts.length)
  })

  it('N08: say nothing without the salt', () => {
    for (const text of ['short', 'x'.repeat(500), 'x'.repeat(5000)]) {
      assert.notEqual(new TextDigests('one').digestOf(text), new TextDigests('other').digestOf(text))
    }
  })

  it('are the keys under which the token counter finds its counts', () => {
    const digests = new TextDigests('salt')
    const text = 'a text that is long enough to be remembered, because it has more than 64 characters'
    assert.equal(new MessageCountCache(10, digests).keyOf(text, false), digests.digestOf(text))
    assert.notEqual(new MessageCountCache(10, digests).keyOf(text, true), digests.digestOf(text))
  })

  it('carry notes that are found once and forgotten when long unused', () => {
    const digests = new TextDigests('salt', 10)
    let found = 0
    const ask = (kind: string, digest: string): string => digests.noteOf(kind, digest, () => `${kind}${++found}`)
    assert.equal(ask('a', 'x'), 'a1')
    assert.equal(ask('b', 'x'), 'b2')
    assert.equal(ask('a', 'x'), 'a1')
    for (let other = 0; other < 30; other++) {
      ask('a', `other ${other}`)
      assert.equal(ask('a', 'x'), 'a1', 'a note in use stays')
    }
    assert.notEqual(ask('b', 'x'), 'b2')
  })

  it('stay right after the texts of a request were let go', () => {
    const digests = new TextDigests('salt')
    const text = 'y'.repeat(100)
    const before = digests.digestOf(text)
    digests.forgetTexts()
    assert.equal(digests.digestOf(text), before)
  })
})

describe('a running digest', () => {
  const of = (seed: string, ...texts: readonly string[]): string => {
    const digest = new RunningDigest(seed)
    for (const text of texts) digest.add(text)
    return digest.toString()
  }

  it('tells apart strings, their order, their borders and the seed', () => {
    const all = [of('s'), of('s', ''), of('s', 'a'), of('s', 'b'), of('s', 'a', 'b'), of('s', 'b', 'a'), of('s', 'ab')]
    assert.equal(new Set([...all, of('t', 'a'), of('s', 'a', '', 'b'), of('s', 'a', 'b', '')]).size, 10)
  })

  it('does not collide among a hundred thousand neighbours', () => {
    const seen = new Set<string>()
    const digest = new RunningDigest('s')
    for (let at = 0; at < 100_000; at++) {
      digest.add(at % 7 === 0 ? 'assistant 1' : `tool ${at % 13}`)
      seen.add(digest.toString())
    }
    for (let at = 0; at < 100_000; at++) seen.add(of('t', `message ${at}`))
    assert.equal(seen.size, 200_000)
  })
})
