import assert from 'node:assert/strict'
import fc from 'fast-check'
import { canonicalArguments } from '../../../daemon/transcript/canonical.ts'

describe('canonical arguments', () => {
  it('are the same for an object and for its JSON text, whatever the order of the keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
        const reversed = Object.fromEntries(Object.entries(args).reverse())
        const once = canonicalArguments(args)
        assert.equal(canonicalArguments(reversed), once)
        assert.equal(canonicalArguments(JSON.stringify(args)), canonicalArguments(JSON.parse(JSON.stringify(args))))
        assert.equal(canonicalArguments(JSON.stringify(reversed, null, 2)), canonicalArguments(JSON.stringify(args)))
      }),
    )
  })

  it('differ where the JSON values differ', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const spelled = [one, other].map((args) => canonicalArguments({ args }))
        const values = [one, other].map((args) => JSON.parse(JSON.stringify({ args })) as unknown)
        let same = true
        try {
          assert.deepEqual(values[0], values[1])
        } catch {
          same = false
        }
        assert.equal(spelled[0] === spelled[1], same)
      }),
    )
  })

  it('sort nested keys and keep the order of lists', () => {
    assert.equal(canonicalArguments('{"b":[2,1,{"y":1,"x":null}],"a":"é"}'), '{"a":"é","b":[2,1,{"x":null,"y":1}]}')
  })

  it('are an empty object where there are none', () => {
    for (const none of ['', '  ', '{}', {}, null, undefined]) assert.equal(canonicalArguments(none), '{}')
  })

  it('keep text that is no JSON as it is', () => {
    const patch = '*** Begin Patch\n*** Update File: a.ts\n+b\n*** End Patch'
    assert.equal(canonicalArguments(patch), patch)
    assert.equal(canonicalArguments('{"path": "a.ts'), '{"path": "a.ts')
  })

  it('read what was encoded twice', () => {
    assert.equal(canonicalArguments(JSON.stringify('{"b":1,"a":2}')), '{"a":2,"b":1}')
    assert.equal(canonicalArguments('"plain"'), '"plain"')
  })

  it('survive arguments that are nested without end', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    assert.ok(canonicalArguments(deep).length < 1000)
  })
})
