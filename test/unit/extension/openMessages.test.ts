import assert from 'node:assert/strict'
import { weightOf } from '../../../extension/ui/offer.ts'
import { OpenMessages } from '../../../extension/ui/openMessages.ts'
import { PlayedTimers } from './playedTimers.ts'

const [constrained, velocity, halted, calling] = (
  ['taskConstrained', 'velocity', 'taskHalted', 'stillCalling'] as const
).map(weightOf) as [number, number, number, number]

/** How long a message is on the screen, in milliseconds. */
const onScreenMs = 12_000

/** Messages of a window, and the keys of those that were shown, in order. */
function desk() {
  const timers = new PlayedTimers()
  const messages = new OpenMessages(timers, (run) => timers.after(onScreenMs, run))
  const shown: string[] = []
  /** Adds a message that stays unanswered; what it returns answers it, and is over when what follows from that was done. */
  const add = (key: string, about: string | null, weight: number) => {
    let resolve: (isChanged: boolean) => void = () => assert.fail(`${key} is not open`)
    const show = (): Promise<boolean> => {
      shown.push(key)
      return new Promise<boolean>((done) => {
        resolve = done
      })
    }
    const isShown = messages.add({ key, about, weight, show })
    return {
      isShown,
      answer: async (isChanged: boolean): Promise<void> => {
        resolve(isChanged)
        await new Promise((done) => setImmediate(done))
      },
    }
  }
  return { timers, messages, shown, add }
}

describe('messages about one task', () => {
  it('ask for a decision at once, whether or not one that asks for less is open or has left the screen', () => {
    for (const waitMs of [0, onScreenMs + 1]) {
      const { timers, shown, add } = desk()
      add('constrained', 'x', constrained)
      timers.pass(waitMs)
      add('velocity', 'x', velocity)
      add('halted', 'x', halted)
      timers.pass(1000)
      add('calling', 'x', calling)
      assert.deepEqual(shown, ['constrained', 'velocity', 'halted', 'calling'])
    }
  })

  it('wait for one that asks for as much or more, until it is closed', async () => {
    const { timers, messages, shown, add } = desk()
    const first = add('task halted', 'x', halted)
    const second = add('session halted', 'x', halted)
    assert.deepEqual([first.isShown, second.isShown], [true, false])
    add('constrained', 'x', constrained)
    add('other', 'y', halted)
    assert.deepEqual(shown, ['task halted', 'other'])
    assert.ok(messages.knows('task halted') && messages.knows('session halted') && !messages.knows('nothing'))
    timers.pass(1000)
    await first.answer(false)
    assert.deepEqual(shown, ['task halted', 'other', 'session halted'])
    await second.answer(false)
    assert.deepEqual(shown, ['task halted', 'other', 'session halted', 'constrained'])
    assert.ok(!messages.knows('session halted'))
  })

  it('wait no longer than that one is on the screen: nobody would see it any more', () => {
    const { timers, messages, shown, add } = desk()
    add('task halted', 'x', halted)
    add('session halted', 'x', halted)
    timers.pass(onScreenMs - 1)
    assert.deepEqual(shown, ['task halted'])
    timers.pass(1)
    assert.deepEqual(shown, ['task halted', 'session halted'])
    assert.ok(messages.knows('task halted'), 'it can still be answered in the list')
  })

  it('are not shown after an answer that changed something', async () => {
    const { shown, add } = desk()
    const first = add('task halted', 'x', halted)
    add('session halted', 'x', halted)
    await first.answer(true)
    assert.deepEqual(shown, ['task halted'])
  })

  it('are dropped when their state is over: none is shown later, none holds another up, and all may come again', async () => {
    const { messages, shown, add } = desk()
    const first = add('task:x:halted:1', 'x', halted)
    add('task:x:loop:1', 'x', halted)
    messages.drop(['task:x:'])
    assert.ok(!messages.knows('task:x:halted:1') && !messages.knows('task:x:loop:1'))
    const again = add('task:x:halted:1', 'x', halted)
    assert.ok(again.isShown, 'the first one is still open in VS Code')
    await first.answer(false)
    assert.ok(messages.knows('task:x:halted:1'), 'closing the first one does not close the second')
    assert.deepEqual(shown, ['task:x:halted:1', 'task:x:halted:1'])
  })

  it('make room for the next one when the one before is dropped', () => {
    const { messages, shown, add } = desk()
    add('task:x:halted:1', 'x', halted)
    add('task:s:halted:1', 'x', halted)
    messages.drop(['task:x:halted:'])
    assert.deepEqual(shown, ['task:x:halted:1', 'task:s:halted:1'])
  })
})

describe('a flood of messages', () => {
  it('has three on the screen at once, and the next as one of them goes', async () => {
    const { timers, shown, add } = desk()
    const all = Array.from({ length: 7 }, (_, index) => add(`${index}`, `task ${index}`, halted))
    assert.deepEqual(shown, ['0', '1', '2'])
    timers.pass(5000)
    assert.deepEqual(shown, ['0', '1', '2'])
    await all[1]?.answer(true)
    assert.deepEqual(shown, ['0', '1', '2', '3'])
    timers.pass(onScreenMs - 5000)
    assert.deepEqual(shown, ['0', '1', '2', '3', '4', '5'])
    timers.pass(onScreenMs)
    assert.deepEqual(shown, ['0', '1', '2', '3', '4', '5', '6'])
  })

  it('holds up nothing that asks for more, and of what waits that comes first which asks for most', () => {
    const { timers, messages, shown, add } = desk()
    for (const name of ['a', 'b', 'c', 'd']) add(`task:${name}:constrained:`, name, constrained)
    timers.pass(2000)
    for (const name of ['e', 'f', 'g', 'h']) add(`task:${name}:halted:`, name, halted)
    const names = () => shown.map((key) => key.split(':')[1]).join('')
    assert.equal(names(), 'abcefg')
    timers.pass(2000)
    messages.drop(['task:a:', 'task:e:'])
    assert.equal(names(), 'abcefgh')
  })

  it('is no faster than VS Code shows: a fourth one within 800 ms would only be put into its list', () => {
    const { timers, shown, add } = desk()
    for (const name of ['a', 'b', 'c']) add(name, name, constrained)
    timers.pass(100)
    assert.equal(add('halted', 'a', halted).isShown, false)
    timers.pass(899)
    assert.deepEqual(shown, ['a', 'b', 'c'])
    timers.pass(1)
    assert.deepEqual(shown, ['a', 'b', 'c', 'halted'])
  })

  it('is forgotten with the window', () => {
    const { timers, messages, shown, add } = desk()
    for (const name of ['a', 'b', 'c', 'd']) add(name, name, halted)
    messages.dispose()
    timers.pass(60_000)
    assert.deepEqual(shown, ['a', 'b', 'c'])
  })
})

describe('a message that cannot be shown', () => {
  it('holds up nothing', async () => {
    const { messages, shown, add } = desk()
    const failing = { key: 'a', about: 'x', weight: halted, show: () => Promise.reject(new Error('closed')) }
    messages.add(failing)
    add('b', 'x', halted)
    await new Promise((done) => setImmediate(done))
    assert.deepEqual(shown, ['b'])
  })
})
