import assert from 'node:assert/strict'
import fc from 'fast-check'
import { appendFields } from '../../../daemon/dialects/append.ts'

function appended(body: string, fields: Record<string, number | boolean | object>): string | null {
  const edits = Object.entries(fields).map(([name, value]) => ({ path: [name], value: value as number }))
  return appendFields(Buffer.from(body), edits)?.toString('utf8') ?? null
}

describe('adding fields at the end of a body', () => {
  it('leaves every byte before them as it came', () => {
    assert.equal(appended('{ "b":1.0 , "a" : [{}] }\n', { n: 5 }), '{ "b":1.0 , "a" : [{}] ,"n":5}\n')
    assert.equal(appended('{}', { n: 5, stream: true }), '{"n":5,"stream":true}')
    assert.equal(appended('{ }', { n: { a: 1 } }), '{ "n":{"a":1}}')
  })

  it('takes the last of two values for one name', () => {
    const edits = [7, 8].map((value) => ({ path: ['n'], value }))
    assert.equal(appendFields(Buffer.from('{"a":1}'), edits)?.toString(), '{"a":1,"n":8}')
  })

  it('leaves to others a name that stands anywhere, and one that may be spelt with escapes', () => {
    assert.equal(appended('{"n":1}', { n: 5 }), null)
    assert.equal(appended('{"text":"say \\"n\\" twice","a":{"n":1}}', { n: 5 }), null)
    assert.equal(appended('{"\\u006e":1}', { n: 5 }), null)
  })

  it('leaves to others what is no plain new field', () => {
    const body = Buffer.from('{"a":{"b":1}}')
    assert.equal(appendFields(body, []), null)
    assert.equal(appendFields(body, [{ path: ['a', 'c'], value: 1 }]), null)
    assert.equal(appendFields(body, [{ path: ['c'], remove: true }]), null)
    assert.equal(appendFields(body, [{ path: ['c d'], value: 1 }]), null)
    assert.equal(appendFields(Buffer.from('[]'), [{ path: ['c'], value: 1 }]), null)
    assert.equal(appendFields(Buffer.from('\uFEFF{}'), [{ path: ['c'], value: 1 }]), null)
  })

  it('gives an object with the field and all others, whatever they are', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), fc.boolean(), (object, value, spaced) => {
        const body = JSON.stringify(object, null, spaced ? 2 : 0)
        const changed = appended(body, { max_tokens: value })
        if (changed === null) return body.includes('"max_tokens"') || body.includes('\\u')
        assert.deepEqual(JSON.parse(changed), JSON.parse(JSON.stringify({ ...object, max_tokens: value })))
        return true
      }),
    )
  })
})
