import assert from 'node:assert/strict'
import { OpenMessages } from '../../../extension/ui/openMessages.ts'

/** A message that stays open until it is answered. */
function message(key: string, shown: string[]) {
  let answer: (isChanged: boolean) => void = () => assert.fail(`${key} is not open`)
  return {
    key,
    show: () => {
      shown.push(key)
      return new Promise<boolean>((resolve) => {
        answer = resolve
      })
    },
    answer: (isChanged: boolean) => answer(isChanged),
  }
}

describe('open messages', () => {
  it('are one per task: the next one waits until the first is closed', async () => {
    const messages = new OpenMessages()
    const shown: string[] = []
    const [first, second, other] = [message('a:1', shown), message('a:2', shown), message('b:1', shown)]
    const over = messages.show('a', first)
    await messages.show('a', second)
    void messages.show('b', other)
    assert.deepEqual(shown, ['a:1', 'b:1'])
    assert.ok(messages.waits('a:2') && !messages.waits('a:1'))
    first.answer(false)
    await Promise.resolve().then(() => undefined)
    assert.deepEqual(shown, ['a:1', 'b:1', 'a:2'])
    assert.ok(messages.has('a'))
    second.answer(false)
    await over
    assert.ok(!messages.has('a'))
  })

  it('leave only the latest waiting, and none after an answer that changed something', async () => {
    const messages = new OpenMessages()
    const shown: string[] = []
    const first = message('a:1', shown)
    const over = messages.show('a', first)
    const third = message('a:3', shown)
    await messages.show('a', message('a:2', shown))
    await messages.show('a', third)
    first.answer(true)
    await over
    assert.deepEqual(shown, ['a:1'])
  })

  it('drop what waits when its state is over', async () => {
    const messages = new OpenMessages()
    const shown: string[] = []
    const first = message('task:x:constrained', shown)
    const over = messages.show('x', first)
    await messages.show('x', message('task:x:halted', shown))
    messages.drop(['task:x:halted'])
    first.answer(false)
    await over
    assert.deepEqual(shown, ['task:x:constrained'])
  })

  it('without a task wait for nothing, and a failed one blocks nothing', async () => {
    const messages = new OpenMessages()
    const shown: string[] = []
    void messages.show(null, message('1', shown))
    void messages.show(null, message('2', shown))
    assert.deepEqual(shown, ['1', '2'])
    const failing = { key: 'a', show: () => Promise.reject(new Error('closed')) }
    await assert.rejects(messages.show('a', failing))
    assert.ok(!messages.has('a'))
  })
})
