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
