import assert from 'node:assert/strict'
import fc from 'fast-check'
import { matchesPattern } from '../../../daemon/guards/pattern.ts'

/** The same question by recursion: slow, but plainly right. */
function matchesSlowly(pattern: string, name: string): boolean {
  if (pattern === '') return name === ''
  if (pattern[0] === '*') {
    return matchesSlowly(pattern.slice(1), name) || (name !== '' && matchesSlowly(pattern, name.slice(1)))
  }
  return pattern[0] === name[0] && name !== '' && matchesSlowly(pattern.slice(1), name.slice(1))
}

describe('matchesPattern', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['claude-opus-*', 'claude-opus-5', true],
    ['claude-opus-*', 'claude-opus-', true],
    ['claude-opus-*', 'claude-sonnet-5', false],
    ['gpt-5', 'gpt-5', true],
    ['gpt-5', 'gpt-5-mini', false],
    ['*', '', true],
    ['*opus*', 'anthropic/claude-opus-5', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['GPT-*', 'gpt-5', true],
    ['gpt-*', 'GPT-5', true],
    ['', '', true],
    ['', 'x', false],
    ['**', 'anything', true],
  ]
  for (const [pattern, name, expected] of cases) {
    it(`says that "${pattern}" ${expected ? 'matches' : 'does not match'} "${name}"`, () => {
      assert.equal(matchesPattern(pattern, name), expected)
    })
  }

  it('does not let the end of a pattern use characters that its start has used', () => {
    assert.equal(matchesPattern('ab*ba', 'aba'), false)
    assert.equal(matchesPattern('ab*ba', 'abba'), true)
  })

  it('takes dots, brackets and other signs of regular expressions as themselves', () => {
    assert.equal(matchesPattern('gpt-4.1*', 'gpt-4x1'), false)
    assert.equal(matchesPattern('m(a|b)+[c]?', 'm(a|b)+[c]?'), true)
  })

  it('agrees with a plain recursive matcher on every pattern and name', () => {
    const letters = fc.constantFrom('a', 'b', '*')
    fc.assert(
      fc.property(
        fc.string({ unit: letters, maxLength: 8 }),
        fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 }),
        (pattern, name) => assert.equal(matchesPattern(pattern, name), matchesSlowly(pattern, name)),
      ),
    )
  })

  it('answers for a name of a million characters and a pattern that makes backtracking matchers explode', () => {
    assert.equal(matchesPattern('*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(1_000_000)), false)
  })
})
