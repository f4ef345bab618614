import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import { readKey } from '../../../extension/daemon/discovery.ts'
import { prompts } from '../host/prompts.ts'
import { person } from './person.ts'
import { api, eventually, extension, record, setSetting, status, statusBarShows } from './window.ts'

const open = () => vscode.commands.executeCommand('tollgate.newGuardedTerminal')

function guardedTerminals(): readonly vscode.Terminal[] {
  return vscode.window.terminals.filter(({ name }) => name.includes('guarded'))
}

describe('a guarded terminal', () => {
  let user: ReturnType<typeof person>
  afterEach(() => {
    user.leave()
    for (const terminal of vscode.window.terminals) terminal.dispose()
  })

  it('halts a real agent that loops at its number of calls, and the message leads to the terminal', async () => {
    user = person('', '3', '')
    await open()
    const terminal = await eventually('the terminal', () => guardedTerminals()[0])
    const task = /term-\d{4}-\d+$/.exec(terminal.name)?.[0]
    assert.ok(task)
    assert.equal(terminal.name, `ok · guarded · ${task}`)
    const agent = vscode.Uri.joinPath(extension().extensionUri, 'test', 'e2e', 'loopingAgent.mjs').fsPath
    terminal.sendText(`node "${agent}" "${prompts.pages}"`)

    const message = await user.reads(/^The guarded terminal term-/)
    assert.match(
      message.message,
      new RegExp(`^The guarded terminal ${task} \\(OpenAI.* halted at its ceiling of 3 calls`),
    )
    assert.deepEqual(message.buttons.slice(1), ['Resume', 'Show Terminal', "Don't Show Again"])
    const row = (await status()).tasks.find(({ id }) => id === task)
    assert.equal(row?.iterations, 3)
    assert.equal(row.state, 'halted')
    assert.equal(row.project, 'checkout-bot')
    await eventually('the name', () => terminal.name === `halted · guarded · ${task}` || undefined)

    const other = vscode.window.createTerminal('other')
    other.show()
    await eventually('the other one', () => vscode.window.activeTerminal === other || undefined)
    message.choose('Show Terminal')
    await eventually('the guarded one again', () => vscode.window.activeTerminal === terminal || undefined)
    assert.equal(other.name, 'other')
  })

  it('takes its name while it is looked at, and never the name or the place of another', async () => {
    user = person('', '5', '', '', '', '')
    await open()
    const first = await eventually('the first', () => guardedTerminals()[0])
    const task = first.name.split(' · ')[2] ?? ''
    await open()
    const second = await eventually('the second', () => guardedTerminals().find((terminal) => terminal !== first))
    await eventually('the second in front', () => vscode.window.activeTerminal === second || undefined)
    const secondName = second.name
    const { url } = await record()
    const key = await readKey(api().dataDir())
    assert.ok(key)
    const halt = await fetch(`${url}/api/tasks/${task}/halt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${(await record()).token}` },
    })
    assert.equal(halt.status, 200)
    // A call makes the task known to the status.
    await fetch(`${url}/k/${key}/t/${task}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    await eventually('the halt', async () =>
      (await status()).tasks.some(({ id, state }) => id === task && state === 'halted') ? true : undefined,
    )
    assert.equal(vscode.window.activeTerminal, second)
    assert.equal(second.name, secondName)
    first.show()
    await eventually('the name of the first', () => first.name === `halted · guarded · ${task}` || undefined)
    assert.equal(second.name, secondName)
  })

  it('asks with the ceilings of the last time, refuses what is none, and opens nothing when it is given up', async () => {
    user = person('0.50', '', '30', '', undefined)
    await open()
    await eventually('the terminal', () => guardedTerminals()[0])
    await open()
    const boxes = user.asked.map(({ options }) => options)
    assert.deepEqual(
      boxes.map(({ title }) => title),
      [1, 2, 3, 1, 2].map((step) => `New Guarded Terminal (${step}/3)`),
    )
    assert.equal(boxes[3]?.value, '0.5')
    assert.equal(boxes[4]?.value, '')
    const problem = (index: number, value: string) => boxes[index]?.validateInput?.(value)
    assert.match(problem(0, '1,000') as string, /^Enter an amount/)
    assert.match(problem(1, '2.5') as string, /^Enter a whole number/)
    assert.equal(problem(2, ''), undefined)
    assert.equal(guardedTerminals().length, 1)
  })

  it('is not opened while Tollgate is switched off, which is said before anything is asked', async () => {
    user = person()
    await setSetting('enabled', false)
    try {
      await statusBarShows(/gate off/)
      await open()
      const message = await user.reads(/switched off/)
      assert.deepEqual(message.buttons, ['Open Settings'])
      assert.deepEqual(user.asked, [])
      assert.deepEqual(guardedTerminals(), [])
    } finally {
      await setSetting('enabled', undefined)
      await statusBarShows(/pulse/)
    }
  })
})

describe('the base URL of an upstream', () => {
  let user: ReturnType<typeof person>
  afterEach(() => user.leave())

  const base = async () => `http://127.0.0.1:${(await record()).port}/k/${await readKey(api().dataDir())}`

  it('is copied for a project of the workspace', async () => {
    user = person('anthropic', 'Project checkout-bot')
    await vscode.commands.executeCommand('tollgate.copyBaseUrl')
    await user.reads(/^Base URL for anthropic and project checkout-bot copied\./)
    assert.equal(await vscode.env.clipboard.readText(), `${await base()}/p/checkout-bot/anthropic`)
  })

  it('is copied without one, also for an upstream that only the configuration knows', async () => {
    user = person('corp', 'No project')
    await vscode.commands.executeCommand('tollgate.copyBaseUrl')
    await user.reads(/^Base URL for corp copied\./)
    assert.ok(user.asked[0]?.labels.includes('ollama'))
    assert.equal(await vscode.env.clipboard.readText(), `${await base()}/corp/v1`)
  })
})
