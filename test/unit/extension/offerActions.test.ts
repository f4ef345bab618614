import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { setImmediate } from 'node:timers/promises'

/** What the module of VS Code is here. */
const window = {
  chosen: '',
  errors: [] as string[],
  createOutputChannel: () => ({ error: (line: string) => void window.errors.push(line) }),
  showInformationMessage: () => Promise.resolve(window.chosen),
}

async function withWindow() {
  Object.assign(globalThis, { playedWindow: window })
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'vscode'
        ? { url: 'data:text/javascript,export const window = globalThis.playedWindow', shortCircuit: true }
        : next(specifier, context),
  })
  try {
    const { createLog } = await import('../../../extension/log.ts')
    const { offer } = await import('../../../extension/offerActions.ts')
    return { createLog, offer }
  } finally {
    hooks.deregister()
    Reflect.deleteProperty(globalThis, 'playedWindow')
  }
}

describe('the buttons of a message', () => {
  it('do what they say; what fails is in the log and nowhere else', async () => {
    const { createLog, offer } = await withWindow()
    createLog()
    const done: string[] = []
    const actions = {
      Works: () => done.push('works'),
      Rejects: () => Promise.reject(new Error('no such command')),
      Throws: () => {
        throw new Error('at once')
      },
    }
    for (const chosen of Object.keys(actions)) {
      window.chosen = chosen
      offer('Done.', actions)
      await setImmediate()
    }
    assert.deepEqual(done, ['works'])
    assert.deepEqual(window.errors, [
      'What was chosen in a message failed: no such command',
      'What was chosen in a message failed: at once',
    ])
  })
})
