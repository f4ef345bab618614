import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import { stopWaits } from '../../../extension/stop/pendingStop.ts'
import { person } from './person.ts'
import { api, ask, control, eventually, setSetting, status, statusBarShows } from './window.ts'

describe('a stop while the gate is down', () => {
  /** A runtime that does not exist keeps the gate down, until the setting is taken back. */
  const takeGateDown = async (): Promise<void> => {
    await setSetting('daemon.nodePath', '/nowhere/node')
    await statusBarShows(/gate down/)
  }
  const bringGateBack = async (): Promise<void> => {
    await setSetting('daemon.nodePath', undefined)
    await eventually('an answer of the gate', () => status().catch(() => undefined))
  }

  after(async () => {
    await setSetting('daemon.nodePath', undefined)
    await statusBarShows(/pulse|stop-circle/)
    await vscode.commands.executeCommand('tollgate.resume')
    await statusBarShows(/pulse/)
  })

  it('C12: is said to hold, and does without this window: the gate that comes refuses calls until a resume', async () => {
    await takeGateDown()
    const reader = person()
    try {
      await vscode.commands.executeCommand('tollgate.stopAll')
      const said = await reader.reads(/as soon as it is back, until you resume/)
      assert.match(said.message, /^The gate is not running, so no call passes it\./)
    } finally {
      reader.leave()
    }
    assert.equal(await stopWaits(api().dataDir()), true)
    await bringGateBack()
    await statusBarShows(/stop-circle/)
    assert.equal((await status()).killed, true)
    const refused = await ask('Hello')
    assert.equal(refused.headers.get('x-tollgate-code'), 'killed')
    await refused.text()
    assert.equal(await stopWaits(api().dataDir()), false)
    await vscode.commands.executeCommand('tollgate.resume')
    await statusBarShows(/pulse/)
    assert.equal((await ask('Hello')).status, 200)
  })

  it('is taken back by a resume while the gate is down, which the menu offers then', async () => {
    await takeGateDown()
    const reader = person(undefined, undefined)
    try {
      await vscode.commands.executeCommand('tollgate.showMenu')
      await vscode.commands.executeCommand('tollgate.stopAll')
      await vscode.commands.executeCommand('tollgate.showMenu')
      const offers = reader.asked.map(({ labels }) => labels.includes('$(play-circle) Resume'))
      assert.deepEqual(offers, [false, true])
      await vscode.commands.executeCommand('tollgate.resume')
      await reader.reads(/^The gate is not running, and no stop waits for it\./)
    } finally {
      reader.leave()
    }
    assert.equal(await stopWaits(api().dataDir()), false)
    await bringGateBack()
    await statusBarShows(/pulse/)
    assert.deepEqual((await status()).kills, [])
  })

  it('has a resume in the tooltip where the command line stopped a single key', async () => {
    assert.doesNotMatch(api().statusBar().tooltip, /command:tollgate\.resume\)/)
    await control('POST', '/api/kill', { scope: 'key', ref: 'nobody' })
    await eventually('the link', () => /command:tollgate\.resume\)/.test(api().statusBar().tooltip) || undefined)
    assert.match(api().statusBar().tooltip, /command:tollgate\.stopAll\)/)
    await vscode.commands.executeCommand('tollgate.resume')
    await eventually('no link', () => !/command:tollgate\.resume\)/.test(api().statusBar().tooltip) || undefined)
    assert.deepEqual((await status()).kills, [])
  })
})
