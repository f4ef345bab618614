import assert from 'node:assert/strict'
import { whenOffScreen } from '../../../extension/ui/screenTime.ts'
import { PlayedTimers } from './playedTimers.ts'

/** A window that gets and loses the focus as a test says. */
function playedWindow() {
  let isFocused = true
  const listeners = new Set<() => void>()
  return {
    isFocused: () => isFocused,
    onceFocused: (run: () => void) => {
      const listen = (): void => {
        listeners.delete(listen)
        run()
      }
      listeners.add(listen)
      return () => listeners.delete(listen)
    },
    focus: (focused: boolean): void => {
      isFocused = focused
      if (focused) for (const listen of listeners) listen()
    },
    listeners,
  }
}

describe('the time that a warning is on the screen', () => {
  it('is over a little after the 12 s of VS Code', () => {
    const timers = new PlayedTimers()
    let left = 0
    whenOffScreen(timers, playedWindow(), () => (left += 1))
    timers.pass(12_000)
    assert.equal(left, 0)
    timers.pass(2000)
    assert.equal(left, 1)
    timers.pass(60_000)
    assert.equal(left, 1)
  })

  it('begins anew with the focus where nobody was there to see it', () => {
    const timers = new PlayedTimers()
    const window = playedWindow()
    let left = 0
    whenOffScreen(timers, window, () => (left += 1))
    window.focus(false)
    timers.pass(8 * 3_600_000)
    assert.equal(left, 0)
    window.focus(true)
    timers.pass(12_000)
    assert.equal(left, 0)
    timers.pass(2000)
    assert.equal(left, 1)
  })

  it('is not waited for any more once that is taken back, with the focus or without', () => {
    for (const isFocused of [true, false]) {
      const timers = new PlayedTimers()
      const window = playedWindow()
      const takeBack = whenOffScreen(timers, window, () => assert.fail('taken back'))
      window.focus(isFocused)
      timers.pass(isFocused ? 1000 : 60_000)
      takeBack()
      assert.equal(window.listeners.size, 0)
      window.focus(true)
      timers.pass(60_000)
    }
  })
})
