import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import { openControl } from '../../../extension/daemon/client.ts'
import { readKey } from '../../../extension/daemon/discovery.ts'
import { prompts } from '../host/prompts.ts'
import {
  api,
  ask,
  eventually,
  extension,
  record,
  setSetting,
  status,
  statusBarShows,
  terminalEnvironment,
} from './window.ts'

describe('activation', () => {
  it('happens by itself after start-up, asks nothing and starts the gate', async () => {
    await eventually('the activation', () => extension().isActive || undefined)
    assert.equal(await statusBarShows(/pulse/), '$(pulse) €0.00 · 0')
    assert.equal(api().statusBar().background, 'none')
  })

  it('runs the gate on the runtime of VS Code, in a copy outside the extension', async () => {
    const { pid } = await record()
    assert.notEqual(pid, process.pid)
    assert.doesNotThrow(() => process.kill(pid, 0))
  })

  it('registers every command of the manifest', async () => {
    const registered = new Set(await vscode.commands.getCommands(true))
    const manifest = extension().packageJSON as { contributes: { commands: { command: string }[] } }
    for (const { command } of manifest.contributes.commands) assert.ok(registered.has(command), command)
  })

  it('keeps the port out of the forwarding notices and the kill switch out of the shell', () => {
    const ports = vscode.workspace
      .getConfiguration('remote')
      .get<Record<string, { onAutoForward: string }>>('portsAttributes')
    assert.equal(ports?.['4141']?.onAutoForward, 'ignore')
    const skipped = vscode.workspace.getConfiguration('terminal.integrated').get<string[]>('commandsToSkipShell')
    assert.ok(skipped?.includes('tollgate.stopAll'))
  })
})

describe('the status bar item', () => {
  it('moves when a call goes through the gate', async () => {
    const response = await ask(prompts.dear)
    assert.equal(response.status, 200)
    await response.text()
    const text = await statusBarShows(/· 102k$/)
    assert.match(text, /^\$\(pulse\) €0\.\d\d · 102k$/)
    const { today } = await status()
    assert.ok(today.spentEur > 0.1, `spent ${today.spentEur}`)
    assert.match(
      api().statusBar().tooltip,
      /\| gpt\u20114o \| &nbsp;&nbsp;&nbsp;€0\.\d\d \| &nbsp;&nbsp;&nbsp; \| &nbsp;&nbsp;&nbsp;1 \|/,
    )
  })
})

describe('settings', () => {
  afterEach(async () => {
    await setSetting('caps.dailyEur', undefined)
    await eventually('the default cap', async () => ((await status()).today.capEur === 10 ? true : undefined))
  })

  it('reach the running daemon at once', async () => {
    await setSetting('caps.dailyEur', 7.5)
    await eventually('the new cap', async () => ((await status()).today.capEur === 7.5 ? true : undefined))
  })

  it('A13: a cap of 0 refuses every paid call and turns the item red', async () => {
    await setSetting('caps.dailyEur', 0)
    await statusBarShows(/cap reached/)
    assert.equal(api().statusBar().background, 'error')
    const response = await ask('Hello')
    assert.equal(response.headers.get('x-tollgate-code'), 'budget_exhausted')
    await response.text()
  })

  it('never say that they are no amount and keep the cap before', async () => {
    await setSetting('caps.dailyEur', 3)
    await eventually('the cap of 3', async () => ((await status()).today.capEur === 3 ? true : undefined))
    await setSetting('caps.dailyEur', '5,00')
    await setSetting('caps.monthlyEur', 99)
    await eventually('the cap of the month', async () => ((await status()).month.capEur === 99 ? true : undefined))
    assert.equal((await status()).today.capEur, 3)
    await setSetting('caps.monthlyEur', undefined)
  })
})

describe('the kill switch', () => {
  after(async () => {
    await vscode.commands.executeCommand('tollgate.resume')
  })

  it('ends running calls, refuses new ones and says so, until it is lifted', async () => {
    const running = await ask(prompts.slow, { stream: true })
    assert.equal(running.status, 200)
    await eventually('the running call', async () => ((await status()).inFlight.length === 1 ? true : undefined))
    await vscode.commands.executeCommand('tollgate.stopAll')
    const ending = await running.text().catch((error: unknown) => String(error))
    assert.doesNotMatch(ending, /\[DONE\]/)
    assert.equal(await statusBarShows(/stop-circle/), '$(stop-circle) model calls stopped')
    assert.equal((await status()).inFlight.length, 0)
    assert.equal((await ask('Hello')).headers.get('x-tollgate-code'), 'killed')

    await vscode.commands.executeCommand('tollgate.resume')
    await statusBarShows(/pulse/)
    assert.equal((await ask('Hello')).status, 200)
  })
})

describe('terminals', () => {
  after(async () => {
    await vscode.commands.executeCommand('tollgate.guard')
  })

  it('point model clients at the gate, with the local key and the project', async () => {
    const environment = await terminalEnvironment()
    const base = `http://127.0.0.1:${(await record()).port}/k/${await readKey(api().dataDir())}/p/checkout-bot`
    assert.equal(environment['OPENAI_BASE_URL'], `${base}/openai/v1`)
    assert.equal(environment['ANTHROPIC_BASE_URL'], `${base}/anthropic`)
    assert.equal(environment['OLLAMA_API_BASE'], `${base}/ollama`)
    assert.equal(environment['OLLAMA_HOST'], undefined)
  })

  it('are left alone after a bypass and guarded again afterwards', async () => {
    await vscode.commands.executeCommand('tollgate.bypass')
    assert.equal((await terminalEnvironment())['OPENAI_BASE_URL'], undefined)
    await statusBarShows(/gate bypassed/)
    await vscode.commands.executeCommand('tollgate.guard')
    assert.match((await terminalEnvironment())['OPENAI_BASE_URL'] ?? '', /\/openai\/v1$/)
    await statusBarShows(/pulse/)
  })
})

describe('a gate that dies', () => {
  it('is shown as down and started again, with the spend of before', async () => {
    const spentEur = (await status()).today.spentEur
    assert.ok(spentEur > 0)
    const { pid } = await record()
    process.kill(pid, 'SIGKILL')
    await statusBarShows(/gate down/)
    assert.equal(api().statusBar().background, 'error')
    await statusBarShows(/pulse/)
    assert.notEqual((await record()).pid, pid)
    assert.equal((await status()).today.spentEur, spentEur)
  })

  it('is replaced by the restart command, and the other windows are told that another one comes', async () => {
    const { pid } = await record()
    const other = await anotherWindow()
    await vscode.commands.executeCommand('tollgate.restartDaemon')
    await eventually('another process', async () => ((await record()).pid !== pid ? true : undefined))
    await statusBarShows(/pulse/)
    assert.equal(await other.isHandedOver, true)
  })
})

/** A connection as another window has it; it says why the gate ended it. */
async function anotherWindow(): Promise<{ readonly isHandedOver: Promise<boolean> }> {
  const at = await record()
  return new Promise((resolve) => {
    const isHandedOver = new Promise<boolean>((closed) => {
      openControl(at, {
        opened: () => undefined,
        message: () => resolve({ isHandedOver }),
        closed: (_reason, handedOver) => closed(handedOver),
      })
    })
  })
}

describe('switched off', () => {
  after(async () => {
    await setSetting('enabled', undefined)
    await statusBarShows(/pulse/)
  })

  it('lets go of gate and terminals, and comes back', async () => {
    await setSetting('enabled', false)
    assert.equal(await statusBarShows(/gate off/), '$(circle-outline) gate off')
    assert.equal((await terminalEnvironment())['OPENAI_BASE_URL'], undefined)
  })
})
