import assert from 'node:assert/strict'
import fc from 'fast-check'
import { applyEdits } from '../../../daemon/dialects/edit.ts'
import type { FieldEdit } from '../../../daemon/dialects/edit.ts'

function edited(body: string, ...edits: readonly FieldEdit[]): string {
  return applyEdits(Buffer.from(body), edits).toString()
}

const ceiling: FieldEdit = { path: ['max_tokens'], value: 256 }
const usage: FieldEdit = { path: ['stream_options', 'include_usage'], value: true }

describe('applyEdits', () => {
  it('G08: gives back the very same bytes where nothing changes', () => {
    const body = Buffer.from('{ "b":1,\t"a" : 1.50e+3 }')
    assert.equal(applyEdits(body, []), body)
  })
  it('G08: changes a value and keeps every other byte, key order, spacing and number format', () => {
    assert.equal(
      edited('{ "z":1.50e+3,\n "max_tokens" : 9999 , "a":"\\u00e9é" }', ceiling),
      '{ "z":1.50e+3,\n "max_tokens" : 256 , "a":"\\u00e9é" }',
    )
  })
  it('G08: inserts what is missing behind the last member', () => {
    assert.equal(
      edited('{"model":"m",\n  "stream":true\n}', ceiling, usage),
      '{"model":"m",\n  "stream":true,"max_tokens":256,"stream_options":{"include_usage":true}\n}',
    )
  })
  it('H05: leaves the array of system blocks alone, in order and text', () => {
    const system = '"system":[{"type":"text","text":"x-anthropic-billing-header: a"},{"type":"text","text":"You are…"}]'
    assert.equal(edited(`{${system},"max_tokens":64000}`, ceiling), `{${system},"max_tokens":256}`)
  })
  it('edits inside a parent that is there, and makes one that is not', () => {
    assert.equal(
      edited('{"stream_options":{"include_obfuscation":false}}', usage),
      '{"stream_options":{"include_obfuscation":false,"include_usage":true}}',
    )
    assert.equal(
      edited('{"options":{"num_predict":-1,"num_ctx":8192}}', { path: ['options', 'num_predict'], value: 5 }),
      '{"options":{"num_predict":5,"num_ctx":8192}}',
    )
    assert.equal(edited('{}', { path: ['a', 'b', 'c'], value: 'x' }), '{"a":{"b":{"c":"x"}}}')
    assert.equal(edited('{ }', ceiling), '{ "max_tokens":256}')
  })
  it('replaces a parent that is no object', () => {
    assert.equal(edited('{"stream_options":null,"n":1}', usage), '{"stream_options":{"include_usage":true},"n":1}')
  })
  it('edits the last of duplicate keys, which is the one that parsers keep', () => {
    assert.equal(edited('{"max_tokens":1,"max_tokens":2}', ceiling), '{"max_tokens":1,"max_tokens":256}')
    assert.equal(
      edited('{"stream_options":{"include_usage":false},"stream_options":{}}', usage),
      '{"stream_options":{"include_usage":false},"stream_options":{"include_usage":true}}',
    )
  })
  it('finds a key that is written with escapes, and is not deceived by text that looks like one', () => {
    assert.equal(edited('{"max\\u005ftokens":9}', ceiling), '{"max\\u005ftokens":256}')
    assert.equal(
      edited('{"a":"\\",\\"max_tokens\\":9","b":{"max_tokens":9}}', ceiling),
      '{"a":"\\",\\"max_tokens\\":9","b":{"max_tokens":9},"max_tokens":256}',
    )
    assert.equal(edited('{"a":"\\\\","max_tokens":9}', ceiling), '{"a":"\\\\","max_tokens":256}')
  })
  it('keeps a byte order mark', () =>
    assert.equal(edited('\ufeff{"max_tokens":1}', ceiling), '\ufeff{"max_tokens":256}'))
  it('lets later edits win, and joins those below one missing parent', () => {
    const whole: FieldEdit = { path: ['o'], value: { x: 1, y: 'z' } }
    assert.equal(edited('{"o":3}', whole, { path: ['o', 'x'], value: 2 }), '{"o":{"x":2,"y":"z"}}')
    assert.equal(edited('{"o":{"x":1,"k":1}}', { path: ['o', 'x'], value: 2 }, whole), '{"o":{"x":1,"y":"z"}}')
    assert.equal(edited('{}', { path: ['p', 'x'], value: 1 }, { path: ['p', 'y'], value: 2 }), '{"p":{"x":1,"y":2}}')
    assert.equal(edited('{}', { path: ['p'], value: 1 }, { path: ['p', 'y'], value: 2 }), '{"p":{"y":2}}')
  })
  it('walks over nesting of any depth without recursion', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    assert.equal(edited(`{"a":${deep}}`, ceiling), `{"a":${deep},"max_tokens":256}`)
  })
  it('says so when the body is no complete object', () => {
    for (const body of ['', '[]', '"x"', '{"a":', '{"a', '{"a":1', '{1:2}', '{"a":[1']) {
      assert.throws(() => edited(body, ceiling), SyntaxError, body)
    }
  })
})

/** Members of random objects: the names that are edited, and others, with JSON written in odd ways. */
const key = fc.constantFrom('max_tokens', 'options', 'model', 'ü"\\', 'num_predict', '', 'a')
const primitive = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    primitive,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
})).value
const someObject = fc.dictionary(key, value, { maxKeys: 6 })
const someEdit = fc.record({
  path: fc.array(fc.constantFrom('max_tokens', 'options', 'num_predict', 'ü"\\'), { minLength: 1, maxLength: 3 }),
  value: fc.oneof(fc.integer(), fc.boolean(), fc.string(), fc.constant({ include_usage: true })),
})

function expected(object: unknown, edit: FieldEdit): unknown {
  const base = typeof object === 'object' && object !== null && !Array.isArray(object) ? { ...object } : {}
  const [first = '', ...rest] = edit.path
  const inner = (base as Record<string, unknown>)[first]
  return { ...base, [first]: rest.length === 0 ? edit.value : expected(inner, { path: rest, value: edit.value }) }
}

describe('applyEdits on random bodies', () => {
  it('G08: parses to the object with the fields set', () => {
    fc.assert(
      fc.property(
        someObject,
        fc.array(someEdit, { maxLength: 3 }),
        fc.constantFrom(0, 1, 2),
        (object, edits, indent) => {
          const result: unknown = JSON.parse(edited(JSON.stringify(object, null, indent), ...edits))
          assert.deepEqual(result, JSON.parse(JSON.stringify(edits.reduce<unknown>(expected, object))))
        },
      ),
      { numRuns: 500 },
    )
  })
  it('G08: keeps every byte outside of the value that it replaces', () => {
    fc.assert(
      fc.property(someObject, someObject, value, fc.integer(), (before, after, old, ceilingTokens) => {
        const others = (object: Record<string, unknown>): string[] =>
          Object.entries(object)
            .filter(([name]) => name !== 'max_tokens')
            .map(([name, inner]) => ` ${JSON.stringify(name)} :\t${JSON.stringify(inner)}`)
        const body = (written: string): string =>
          `\n{${[...others(before), ` "max_tokens" : ${written}`, ...others(after)].join(' ,')} }\n`
        assert.equal(
          edited(body(JSON.stringify(old)), { path: ['max_tokens'], value: ceilingTokens }),
          body(String(ceilingTokens)),
        )
      }),
      { numRuns: 300 },
    )
  })
})
