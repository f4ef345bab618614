import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import * as vscode from 'vscode'
import { freePort } from '../host/profile.ts'
import { prompts } from '../host/prompts.ts'
import { person } from './person.ts'
import { api, ask, eventually, record, setSetting, status, statusBarShows } from './window.ts'

/** A program that listens on a port of its own. */
async function otherProgram(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer().listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

/** Takes the place of VS Code's error messages until `leave`. */
function readErrors() {
  const { showErrorMessage } = vscode.window
  const shown: { readonly message: string; choose(button: string): void }[] = []
  Object.assign(vscode.window, {
    showErrorMessage: (message: string) =>
      new Promise((resolve) => shown.push({ message, choose: (button) => resolve(button) })),
  })
  return { shown, leave: () => Object.assign(vscode.window, { showErrorMessage }) }
}

describe('the port of the gate', () => {
  let usual: number

  before(async () => {
    usual = (await record()).port
  })
  after(async () => {
    await setSetting('daemon.port', usual)
    await eventually('the gate on its usual port', async () => ((await record()).port === usual ? true : undefined))
    await statusBarShows(/pulse/)
  })
  const isAt = (port: number): Promise<true> =>
    eventually(`the gate at ${port}`, async () => {
      const isThere = (await record()).port === port && (await status().catch(() => null)) !== null
      return isThere ? true : undefined
    })

  it('changes once no call runs, and the window that waits for one can do it at once', async () => {
    const port = await freePort()
    const running = await ask(prompts.slow, { stream: true })
    const ended = running.text().catch((error: unknown) => String(error))
    await eventually('the running call', async () => ((await status()).inFlight.length === 1 ? true : undefined))
    const { pid } = await record()
    const reader = person()
    try {
      await setSetting('daemon.port', port)
      const said = await reader.reads(/^1 model call is running\. The gate restarts with its new settings/)
      assert.deepEqual(said.buttons, ['Restart Now'])
      assert.equal((await record()).pid, pid)
      assert.equal((await status()).inFlight.length, 1)
      assert.match(api().statusBar().text, /pulse/)
      said.choose('Restart Now')
      await isAt(port)
      assert.notEqual((await record()).pid, pid)
      await ended
      await statusBarShows(/pulse/)
    } finally {
      reader.leave()
    }
    const answer = await ask('Hello')
    assert.equal(answer.status, 200)
    await answer.text()
  })

  it('that another program has is said with the setting that helps, which one click opens, in the tooltip too', async () => {
    const { server, port } = await otherProgram()
    const errors = readErrors()
    try {
      await setSetting('daemon.port', port)
      await statusBarShows(/gate down/)
      const { tooltip, accessibleLabel } = await eventually('why it is down', () => {
        const view = api().statusBar()
        return /used by another program/.test(view.tooltip) ? view : undefined
      })
      assert.ok(accessibleLabel.includes(`Port ${port} is used by another program`), accessibleLabel)
      assert.match(tooltip, /tollgate\.daemon\.port/)
      assert.doesNotMatch(tooltip, /--port|code 2/)
      assert.match(tooltip, /command:tollgate\.openSettings\?/)
      const said = await eventually('the message', () => errors.shown[0])
      assert.ok(said.message.includes(`Port ${port} is used by another program`), said.message)
      said.choose('Open Settings')
      const label = (): string | undefined => vscode.window.tabGroups.activeTabGroup.activeTab?.label
      await eventually('the settings', () => (label() === 'Settings' ? true : undefined))
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor')
    } finally {
      errors.leave()
      server.close()
    }
    await setSetting('daemon.port', usual)
    await isAt(usual)
    await statusBarShows(/pulse/)
  })
})
