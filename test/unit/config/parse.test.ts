import assert from 'node:assert/strict'
import fc from 'fast-check'
import { parseText } from '../../../daemon/config/parse.ts'

function problem(text: string): string {
  const parsed = parseText(text)
  assert.ok(!parsed.ok, 'the text was accepted')
  return parsed.problems.join(' ')
}

describe('parseText', () => {
  it('reads comments, trailing commas and a byte order mark', () => {
    const parsed = parseText('\uFEFF{\n  // a comment\n  "a": [1, 2,], /* another */\n}\n')
    assert.ok(parsed.ok)
    assert.equal(JSON.stringify(parsed.value), '{"a":[1,2]}')
  })

  const faults: readonly (readonly [string, string])[] = [
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: a comma is expected'],
    ['{ "a": 1', 'a closing brace is missing'],
    ['{ "a" 1 }', 'line 1, column 7: a colon is expected'],
    ['{ "a": }', 'line 1, column 8: a value is expected'],
    ['{ "a": NaN }', 'line 1, column 8: this is no value of JSON'],
    ['{}\n{}', 'line 2, column 1: nothing may follow here'],
    ['{ "a": "x }', 'a text does not end'],
    ['// only a comment', 'a value is expected'],
  ]
  for (const [text, says] of faults) {
    it(`says where ${JSON.stringify(text)} is wrong: ${says}`, () =>
      assert.ok(problem(text).includes(says), problem(text)))
  }

  it('refuses a field that is written twice, because the second would win unseen', () => {
    assert.equal(
      problem('{ "budgets": {\n  "userDaily": {},\n  "userDaily": {} } }'),
      'budgets.userDaily is written twice (line 3, column 3).',
    )
    assert.match(problem('{ "keys": [ { "key": "a", "key": "b" } ] }'), /^keys\[0\]\.key is written twice/)
  })

  it('refuses names under which a limit would be lost', () => {
    assert.match(problem('{ "budgets": { "projects": { "__proto__": { "eur": 1 } } } }'), /not a possible name/)
  })

  it('reads whatever JSON.stringify writes', () => {
    const names = fc.string().filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name))
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue({ maxDepth: 0 })), (value) => {
        const text = JSON.stringify(value)
        const parsed = parseText(text)
        assert.ok(parsed.ok)
        assert.equal(JSON.stringify(parsed.value), text)
      }),
    )
  })
})
