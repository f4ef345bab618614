import assert from 'node:assert/strict'
import { CostGrowth } from '../../../daemon/tasks/costGrowth.ts'

describe('the growth of what a call costs (A22)', () => {
  it('is said when the latest ten calls cost twice the first ten, and again at each doubling', () => {
    const growth = new CostGrowth()
    const said: number[] = []
    // A call of the agent carries a little more each time: 1,000 nano-euro at first, ten times as much in the end.
    for (let call = 0; call < 460; call += 1) {
      const found = growth.add('t1', 1000 + call * 20)
      if (found !== null) said.push(found.factor)
    }
    assert.equal(said.length, 3)
    assert.ok(said[0]! >= 2 && said[0]! < 2.1)
    assert.ok(said[1]! >= 4 && said[1]! < 4.1)
    assert.ok(said[2]! >= 8 && said[2]! < 8.1)
  })

  it('is not said of calls that stay as dear as they were', () => {
    const growth = new CostGrowth()
    for (let call = 0; call < 200; call += 1) assert.equal(growth.add('t1', 1000 + (call % 7) * 100), null)
  })

  it('is not said of the tenth part of a task, nor of one that cost nothing at first', () => {
    const growth = new CostGrowth()
    for (let call = 0; call < 10; call += 1) assert.equal(growth.add('t1', 1), null)
    for (let call = 0; call < 9; call += 1) assert.equal(growth.add('t1', 1_000_000), null)
    assert.equal(growth.add('t1', 1_000_000)?.calls, 20)
    for (let call = 0; call < 40; call += 1) assert.equal(growth.add('t2', call < 10 ? 0 : 1000), null)
  })

  it('is counted for each task alone', () => {
    const growth = new CostGrowth()
    for (let call = 0; call < 10; call += 1) growth.add('cheap', 1)
    for (let call = 0; call < 60; call += 1) assert.equal(growth.add('dear', 1000), null)
  })
})
