import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readJson, setJson } from '../../../../extension/clients/json.ts'
import { applySteps, takeBack } from '../../../../extension/clients/steps.ts'

describe('setting a value of JSON', () => {
  it('changes this value only, however the text is written', () => {
    const name = fc.constantFrom('a', 'b', 'env', 'x y')
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.dictionary(name, fc.oneof(fc.string(), fc.integer(), fc.constant([])))),
        fc.constantFrom(undefined, 2, '\t'),
        fc.boolean(),
        name,
        name,
        (value, indent, isWindows, outer, inner) => {
          const text = JSON.stringify(value, null, indent).replaceAll('\n', isWindows ? '\r\n' : '\n')
          const steps = setJson(text, [outer, inner], 'new')
          const after = applySteps(text, steps)
          const expected = { ...value, [outer]: { ...value[outer], [inner]: 'new' } }
          assert.deepEqual(JSON.parse(after), JSON.parse(JSON.stringify(expected)))
          assert.equal(takeBack(after, steps), text)
          if (text.includes('\r\n')) assert.equal(after.match(/(?<!\r)\n/g), null)
        },
      ),
    )
  })

  it('takes null for nothing, and throws where another value stands on the way', () => {
    fc.assert(
      fc.property(fc.constantFrom(0, 1, 2), fc.jsonValue({ maxDepth: 1 }), (depth, value) => {
        // One of three nested fields is any value.
        const path = ['a', 'b', 'c', 'd']
        // A field of that name within it would be on the way itself.
        fc.pre(!path.some((name) => Object.hasOwn(Object(value) as object, name)))
        const nest = (at: number): unknown => (at > depth ? value : { [path[at] ?? '']: nest(at + 1), other: 1 })
        const text = JSON.stringify(nest(0), null, 2)
        const set = () => applySteps(text, setJson(text, path, 'new'))
        if (typeof value !== 'object' || Array.isArray(value)) return assert.throws(set)
        const got = path.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], JSON.parse(set()))
        assert.equal(got, 'new')
      }),
    )
    assert.throws(() => setJson('[]', ['a'], 'new'))
    assert.equal(applySteps('null', setJson('null', ['a'], 'new')), '{\n  "a": "new"\n}')
  })

  it('leaves every line as it is, with its remark', () => {
    const remark = fc.constantFrom('', ' // one', ' /* two */', ' /* "x": { */ // three', '// "y": 1,')
    fc.assert(
      fc.property(
        fc.array(remark, { maxLength: 4 }),
        remark,
        fc.boolean(),
        fc.constantFrom('\n', '\r\n'),
        (members, head, hasComma, lineEnd) => {
          const isFollowed = (at: number): boolean => at < members.length - 1 || hasComma
          const lines = [
            `{ "it": {${head}`,
            ...members.map((one, at) => `    "m${at}": ${at}${isFollowed(at) ? ',' : ''}${one}`),
            '  }',
            '}',
          ]
          const text = lines.join(lineEnd)
          const after = applySteps(text, setJson(text, ['it', 'new'], 'x'))
          assert.deepEqual(readJson(after, undefined), {
            it: { ...Object.fromEntries(members.map((_, at): [string, number] => [`m${at}`, at])), new: 'x' },
          })
          const now = after.split(lineEnd)
          // Only a comma may follow, where there is no remark.
          for (const line of lines) assert.ok(now.includes(line) || now.includes(`${line},`), `${line} in ${after}`)
        },
      ),
    )
  })

  it('puts a member in front where a remark stands behind the last one on the same line', () => {
    for (const [text, after] of [
      ['{ "a": 1 /* one */ }', '{ "b": "x", "a": 1 /* one */ }'],
      ['{"a": 1 // one\n}', '{"b": "x", "a": 1 // one\n}'],
    ] as const) {
      assert.equal(applySteps(text, setJson(text, ['b'], 'x')), after)
    }
  })

  it('keeps comments and a trailing comma', () => {
    const text = '{\n  "a": 1, // one\n  /* two */\n  "b": {},\n}\n'
    assert.equal(
      applySteps(text, setJson(text, ['b', 'c'], 'x')),
      '{\n  "a": 1, // one\n  /* two */\n  "b": {\n    "c": "x"\n  },\n}\n',
    )
    const after = applySteps(text, setJson(text, ['d'], 'x'))
    assert.deepEqual(readJson(after, undefined), { a: 1, b: {}, d: 'x' })
  })
})
