import assert from 'node:assert/strict'
import fc from 'fast-check'
import { appendFields } from '../../../daemon/dialects/append.ts'

function appended(body: string, added: Record<string, number | boolean | object>): string | null {
  const edits = Object.entries(added).map(([name, value]) => ({ path: [name], value: value as number }))
  const fields = Object.keys(JSON.parse(body) as object)
  return appendFields(Buffer.from(body), edits, fields)?.toString('utf8') ?? null
}

describe('adding fields at the end of a body', () => {
  it('G08: leaves every byte before them as it came', () => {
    assert.equal(appended('{ "b":1.0 , "a" : [{}] }\n', { n: 5 }), '{ "b":1.0 , "a" : [{}] ,"n":5}\n')
    assert.equal(appended('{}', { n: 5, stream: true }), '{"n":5,"stream":true}')
    assert.equal(appended('{ }', { n: { a: 1 } }), '{ "n":{"a":1}}')
  })

  it('takes the last of two values for one name', () => {
    const edits = [7, 8].map((value) => ({ path: ['n'], value }))
    assert.equal(appendFields(Buffer.from('{"a":1}'), edits, ['a'])?.toString(), '{"a":1,"n":8}')
  })

  it('leaves to others a field that is there, however it is spelt, and all that is no new field', () => {
    assert.equal(appended('{"n":1}', { n: 5 }), null)
    assert.equal(appended('{"\\u006e":1}', { n: 5 }), null)
    const body = Buffer.from('{"a":{"b":1}}')
    assert.equal(appendFields(body, [], ['a']), null)
    assert.equal(appendFields(body, [{ path: ['a', 'c'], value: 1 }], ['a']), null)
    assert.equal(appendFields(body, [{ path: ['c'], remove: true }], ['a']), null)
    assert.equal(appendFields(Buffer.from('[]'), [{ path: ['c'], value: 1 }], []), null)
  })

  it('leaves it to others where the fields of the body are not known', () => {
    assert.equal(appendFields(Buffer.from('{"a":1}'), [{ path: ['c'], value: 1 }], undefined), null)
  })

  it('gives an object with the field and all others, whatever they are', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(object, fc.string(), fc.nat(), fc.boolean(), (fields, name, value, spaced) => {
        fc.pre(name !== '__proto__')
        const body = JSON.stringify(fields, null, spaced ? 2 : 0)
        const known = JSON.parse(body) as Record<string, unknown>
        const changed = appended(body, { [name]: value })
        if (changed === null) assert.ok(Object.hasOwn(known, name))
        else assert.deepEqual(JSON.parse(changed), { ...known, [name]: value })
      }),
    )
  })
})
