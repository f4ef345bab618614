import assert from 'node:assert/strict'
import fc from 'fast-check'
import { applyEdits } from '../../../daemon/dialects/edit.ts'
import type { EditValue, FieldEdit } from '../../../daemon/dialects/edit.ts'

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
  it('H11: takes a field out with one comma, wherever it stands', () => {
    const gone: FieldEdit = { path: ['logprobs'], remove: true }
    assert.equal(edited('{ "logprobs" : true , "n":1 }', gone), '{ "n":1 }')
    assert.equal(edited('{"a":1, "logprobs":true, "n":1}', gone), '{"a":1, "n":1}')
    assert.equal(edited('{"a":1,\n "logprobs":{"x":[1,2]}\n}', gone), '{"a":1\n}')
    assert.equal(edited('{"logprobs":5}', gone), '{}')
    assert.equal(edited('{"a":{"logprobs":5,"b":1}}', { path: ['a', 'logprobs'], remove: true }), '{"a":{"b":1}}')
  })
  it('H11: takes all of duplicate keys out, or the one before would count', () => {
    const gone: FieldEdit = { path: ['logprobs'], remove: true }
    assert.equal(edited('{"logprobs":1,"logprobs":2}', gone), '{}')
    assert.equal(edited('{"logprobs":1,"a":0,"log\\u0070robs":2,"logprobs":3,"b":0}', gone), '{"a":0,"b":0}')
  })
  it('takes fields out and puts others in, in the same object', () => {
    const gone: FieldEdit = { path: ['logprobs'], remove: true }
    assert.equal(edited('{"logprobs":1}', gone, ceiling), '{"max_tokens":256}')
    assert.equal(edited('{"a":1,"logprobs":1}', gone, ceiling), '{"a":1,"max_tokens":256}')
    assert.equal(edited('{"logprobs":1,"max_tokens":9}', gone, ceiling), '{"max_tokens":256}')
    assert.equal(edited('{"max_tokens":9}', { path: ['max_tokens'], remove: true }, ceiling), '{"max_tokens":256}')
    assert.equal(edited('{"max_tokens":9}', ceiling, { path: ['max_tokens'], remove: true }), '{}')
  })
  it('gives back the very same bytes where there is nothing to take out', () => {
    const body = Buffer.from('{"a":1,"b":null}')
    assert.equal(applyEdits(body, [{ path: ['logprobs'], remove: true }]), body)
    assert.equal(applyEdits(body, [{ path: ['a', 'logprobs'], remove: true }]), body)
    assert.equal(applyEdits(body, [{ path: ['c', 'logprobs'], remove: true }]), body)
  })
  it('writes a list of words', () =>
    assert.equal(edited('{"include":["a","b"],"n":1}', { path: ['include'], value: ['b'] }), '{"include":["b"],"n":1}'))
  it('writes any JSON, nested as it is', () => {
    const tools = [{ type: 'function', strict: null, parameters: { required: ['a'], limits: [1, [2.5]] } }]
    assert.equal(edited('{"tools":0}', { path: ['tools'], value: tools }), `{"tools":${JSON.stringify(tools)}}`)
    assert.equal(edited('{}', { path: ['tools'], value: [] }), '{"tools":[]}')
  })
  it('changes one element far inside, and keeps every byte around it', () => {
    const body = (content: string): string =>
      `{"messages":[ {"role":"user","content":"é"},\n{"role":"user","content":[{"type":"text"} , {"n":1.50,"content":${content}}]}, 3 ],"z":1e2}`
    const change: FieldEdit = { path: ['messages', 1, 'content', 1, 'content'], value: 'ü' }
    assert.equal(edited(body('[{"text":"[\\"{]"}]'), change), body('"ü"'))
    assert.equal(edited('{"a":[[1,2],[3,4]]}', { path: ['a', 1, 0], value: [0] }), '{"a":[[1,2],[[0],4]]}')
  })
  it('takes elements out with one comma, and counts the others as they came', () => {
    const gone = (index: number): FieldEdit => ({ path: ['tools', index], remove: true })
    assert.equal(edited('{"tools":[ 1 , 2 , 3 ]}', gone(0)), '{"tools":[ 2 , 3 ]}')
    assert.equal(edited('{"tools":[ 1 , 2 , 3 ]}', gone(1)), '{"tools":[ 1 , 3 ]}')
    assert.equal(edited('{"tools":[ 1 , 2 , 3 ]}', gone(0), gone(2)), '{"tools":[ 2 ]}')
    assert.equal(edited('{"tools":[1,2]}', gone(0), gone(1)), '{"tools":[]}')
    assert.equal(edited('{"tools":[1,2,3]}', gone(0), { path: ['tools', 2], value: 'x' }), '{"tools":[2,"x"]}')
  })
  it('changes nothing where the element of an index is not there', () => {
    for (const written of ['{"a":[1]}', '{"a":{"1":2}}', '{"a":"xy"}', '{"a":null}', '{}']) {
      const body = Buffer.from(written)
      assert.equal(applyEdits(body, [{ path: ['a', 1], value: 9 }]), body)
      assert.equal(applyEdits(body, [{ path: ['a', 1, 'b'], value: 9 }]), body)
      assert.equal(applyEdits(body, [{ path: ['a', 1], remove: true }]), body)
      assert.equal(applyEdits(body, [{ path: ['new', 'a', 0], value: 9 }]), body)
    }
  })
  it('makes a field inside an element that is there', () => {
    assert.equal(edited('{"a":[{"x":1},5]}', { path: ['a', 0, 'b', 'c'], value: 9 }), '{"a":[{"x":1,"b":{"c":9}},5]}')
    assert.equal(edited('{"a":[{"x":1},5]}', { path: ['a', 1, 'b'], value: 9 }), '{"a":[{"x":1},{"b":9}]}')
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
const someStep = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<string | number>('max_tokens', 'options', 'num_predict', 'ü"\\') },
  { weight: 1, arbitrary: fc.constantFrom<string | number>(0, 1, 2) },
)
const somePath = fc
  .tuple(fc.constantFrom('max_tokens', 'options', 'num_predict'), fc.array(someStep, { maxLength: 3 }))
  .map(([first, steps]) => [first, ...steps])
const someEdit: fc.Arbitrary<FieldEdit> = fc.oneof(
  fc.record({ path: somePath, value: value as fc.Arbitrary<EditValue> }),
  fc.record({ path: somePath, remove: fc.constant(true as const) }),
)

/** An element that was removed; the others keep their indexes until the end. */
const removed = Symbol('removed')

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What is to come out, told on parsed JSON and one edit at a time. */
function expected(old: unknown, { path, ...change }: FieldEdit): unknown {
  const [first, ...rest] = path
  if (first === undefined) return change.remove === true ? removed : change.value
  const inner = { path: rest, ...change } as FieldEdit
  if (typeof first === 'number') {
    if (!Array.isArray(old) || first >= old.length) return old
    const elements: readonly unknown[] = old
    if (elements[first] === removed && !makes(inner)) return old
    return elements.map((element, index) => (index === first ? expected(element, inner) : element))
  }
  if (!(isPlain(old) && Object.hasOwn(old, first)) && !makes(inner)) return old
  const base = isPlain(old) ? old : {}
  const { [first]: field, ...others } = base
  const result = expected(field, inner)
  return result === removed ? others : { ...base, [first]: result }
}

/** Whether an edit makes what is missing. */
function makes({ path, remove }: FieldEdit): boolean {
  return remove !== true && path.every((step) => typeof step === 'string')
}

function withoutRemoved(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.filter((element) => element !== removed).map(withoutRemoved)
  if (!isPlain(tree)) return tree
  return Object.fromEntries(Object.entries(tree).map(([name, inner]) => [name, withoutRemoved(inner)]))
}

describe('applyEdits on random bodies', () => {
  it('G08, H11: parses to the object with fields and elements set and removed', () => {
    fc.assert(
      fc.property(
        someObject,
        fc.array(someEdit, { maxLength: 4 }),
        fc.constantFrom(0, 1, 2),
        (object, edits, indent) => {
          const result: unknown = JSON.parse(edited(JSON.stringify(object, null, indent), ...edits))
          const told = withoutRemoved(edits.reduce<unknown>(expected, object))
          assert.deepEqual(result, JSON.parse(JSON.stringify(told)))
        },
      ),
      { numRuns: 1000 },
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
  it('G08: keeps every byte outside of the element that it replaces or removes', () => {
    fc.assert(
      fc.property(fc.array(value), value, fc.array(value), value, (before, old, after, fresh) => {
        const list = (elements: readonly unknown[], between = '\t, '): string =>
          elements.map((element) => JSON.stringify(element, null, 1)).join(between)
        const body = (written: string): string =>
          `{"é":1.0 ,"a":{"list": [ ${[list(before), written, list(after)].filter((part) => part !== '').join('\t, ')} ]}}`
        const path = ['a', 'list', before.length]
        const written = body(JSON.stringify(old, null, 1))
        assert.equal(edited(written, { path, value: fresh as EditValue }), body(JSON.stringify(fresh)))
        if (before.length + after.length > 0) assert.equal(edited(written, { path, remove: true }), body(''))
      }),
      { numRuns: 300 },
    )
  })
})
