import assert from 'node:assert/strict'
import fc from 'fast-check'
import { pickFields } from '../../../daemon/models/pickFields.ts'

const pick = (text: string, ...names: string[]): string => pickFields(Buffer.from(text), new Set(names)).toString()

describe('fields picked out of a request', () => {
  it('keep their values byte for byte', () => {
    const text = '{ "model" : "m", "max_tokens":5,"messages":[ {"content":"\\u00e9 é \\"}","n":1.0e2} ] ,"stream":true}'
    assert.equal(pick(text, 'model', 'messages'), '{"model":"m","messages":[ {"content":"\\u00e9 é \\"}","n":1.0e2} ]}')
  })

  it('are none of a body that has none of them', () => {
    assert.equal(pick('{"stream":true}', 'model'), '{}')
    assert.equal(pick('{}', 'model'), '{}')
  })

  it('are the last of duplicates, and are found under escapes and behind a byte order mark', () => {
    assert.equal(pick('\ufeff{"model":"a","mod\\u0065l":"b"}', 'model'), '{"model":"b"}')
  })

  it('are the same that a parser finds', () => {
    const names = ['model', 'messages', 'tools', 'ä', '__proto__']
    // Not as texts: a value may have a `toString` of its own.
    const byName = ([left]: [string, unknown], [right]: [string, unknown]): number => (left < right ? -1 : 1)
    const request = fc.dictionary(fc.oneof(fc.constantFrom(...names, 'stream'), fc.string()), fc.jsonValue())
    fc.assert(
      fc.property(request, fc.constantFrom(0, 1, 3), (body, spaces) => {
        const text = JSON.stringify(body, null, spaces)
        const kept = Object.entries(JSON.parse(text) as object).filter(([name]) => names.includes(name))
        const picked = Object.entries(JSON.parse(pick(text, ...names)) as object)
        assert.deepEqual(picked.sort(byName), kept.sort(byName))
      }),
    )
  })
})
