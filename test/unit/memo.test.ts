import assert from 'node:assert/strict'
import { remembering } from '../../daemon/memo.ts'

describe('a function that remembers its results', () => {
  it('works once for a name, also where the result is null', () => {
    const worked: string[] = []
    const lengthOf = remembering<number | null>(10, (name) => {
      worked.push(name)
      return name === '' ? null : name.length
    })
    assert.deepEqual(
      ['ab', '', 'ab', ''].map((name) => lengthOf(name)),
      [2, null, 2, null],
    )
    assert.deepEqual(worked, ['ab', ''])
  })

  it('keeps no more names than it may, whatever clients send', () => {
    const worked: string[] = []
    const same = remembering(2, (name) => {
      worked.push(name)
      return name
    })
    for (const name of ['a', 'b', 'c', 'c', 'a']) same(name)
    assert.deepEqual(worked, ['a', 'b', 'c', 'a'])
  })
})
