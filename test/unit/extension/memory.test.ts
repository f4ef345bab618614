import assert from 'node:assert/strict'
import type * as vscode from 'vscode'
import { Memory } from '../../../extension/memory.ts'

function memento(): vscode.Memento {
  const values = new Map<string, unknown>()
  return {
    keys: () => [...values.keys()],
    get: <Value>(key: string, fallback?: Value) => (values.has(key) ? values.get(key) : fallback) as Value,
    update: (key, value) => {
      values.set(key, value)
      return Promise.resolve()
    },
  }
}

describe('the last look at the Spend view', () => {
  it('is the same in every window of the machine, and none before the first', async () => {
    const shared = memento()
    const [one, other] = [new Memory(shared, memento()), new Memory(shared, memento())]
    assert.equal(other.spendLookedAtMs, 0)
    await one.setSpendLookedAtMs(1_796_040_000_000)
    assert.equal(other.spendLookedAtMs, 1_796_040_000_000)
  })

  it('begins with the first start, so that nothing of before is told, and not with a later one', async () => {
    const memory = new Memory(memento(), memento())
    await memory.beginSpendLooks(1_796_040_000_000)
    await memory.beginSpendLooks(1_796_050_000_000)
    assert.equal(memory.spendLookedAtMs, 1_796_040_000_000)
  })
})

describe('what was said', () => {
  it('is claimed once, also when two ask at once', async () => {
    const memory = new Memory(memento(), memento())
    assert.deepEqual(await Promise.all([memory.claim('a'), memory.claim('a'), memory.claim('b')]), [true, false, true])
    assert.ok(memory.wasSaid('a'))
  })

  it('is forgotten by the beginning of its key, and only that', async () => {
    const memory = new Memory(memento(), memento())
    for (const key of ['task:x:halted:1', 'task:x:loop:1', 'task:xy:halted:1']) await memory.claim(key)
    await memory.forget(['task:x:halted:'])
    assert.deepEqual(
      ['task:x:halted:1', 'task:x:loop:1', 'task:xy:halted:1'].map((key) => memory.wasSaid(key)),
      [false, true, true],
    )
  })

  it('is silenced by kind', async () => {
    const memory = new Memory(memento(), memento())
    await memory.silence('loopHalted')
    assert.ok(memory.isSilenced('loopHalted') && !memory.isSilenced('taskHalted'))
  })
})
