import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import type { CallRow } from '../../../shared/status.ts'
import { totalInput } from '../../../shared/usage.ts'
import { silentModel } from '../host/prompts.ts'
import { person } from './person.ts'
import { control, eventually, status } from './window.ts'

const tryIt = () => vscode.commands.executeCommand('tollgate.tryIt')

async function lastCall(): Promise<CallRow> {
  const { calls } = (await control('GET', '/api/calls?limit=1')) as { calls: readonly CallRow[] }
  assert.ok(calls[0])
  return calls[0]
}

describe('Try It', () => {
  let user: ReturnType<typeof person>
  afterEach(async () => {
    user.leave()
    await vscode.commands.executeCommand('workbench.action.closeAllEditors')
  })

  it('sends one small call and shows what was counted, with the details on demand', async () => {
    user = person('openai', 'gpt-4o', 'sk-test')
    await tryIt()
    const message = await user.reads(/^gpt-4o through openai/)
    const row = await lastCall()
    assert.equal(
      message.message,
      `gpt-4o through openai: ${row.estimatedInput} input tokens estimated, ${totalInput(row.usage)} reported, ` +
        `${row.usage.output} output tokens, €${row.eur.toFixed(4)}.`,
    )
    assert.equal(row.settlement, 'exact')
    assert.ok(row.usage.output > 0 && row.usage.output <= 32 && row.eur > 0)
    assert.equal(row.project, 'checkout-bot')
    const key = user.asked[2]?.options
    assert.equal(key?.password, true)
    assert.equal(key.value, undefined)

    message.choose('Show Details')
    const editor = await eventually('the details', () => {
      const active = vscode.window.activeTextEditor
      return active?.document.uri.scheme === 'tollgate-text' ? active : undefined
    })
    const details = editor.document.getText()
    assert.match(details, new RegExp(`Input, estimated +${row.estimatedInput}\\n`))
    assert.match(details, new RegExp(`x-tollgate-call +${row.id}\\n`))
    assert.doesNotMatch(details, /sk-test/)
    assert.equal(vscode.workspace.fs.isWritableFileSystem('tollgate-text') ?? false, false)
  })

  it('asks for no key where the server is a local one, and offers the model of the last time', async () => {
    user = person('ollama', 'qwen3:4b', 'ollama', undefined)
    await tryIt()
    await user.reads(/^qwen3:4b through ollama: \d+ input tokens estimated, \d+ reported, \d+ output tokens, free\.$/)
    assert.equal(user.asked.length, 2)
    await tryIt()
    assert.equal(user.asked[2]?.labels[0], 'ollama')
    assert.equal(user.asked[3]?.options.value, 'qwen3:4b')
  })

  it('gives the sentence of a refusal', async () => {
    await control('POST', '/api/kill', { scope: 'global' })
    try {
      user = person('openai', 'gpt-4o', 'sk-test')
      await tryIt()
      const message = await user.reads(/^Tollgate refused the call: .{20}/)
      assert.deepEqual(message.buttons, ['Show Details'])
    } finally {
      await control('POST', '/api/resume', { scope: 'global' })
    }
  })

  it('is ended by its cancel button, and so is the call', async () => {
    user = person('ollama', silentModel)
    const { withProgress } = vscode.window
    const cancel = new vscode.CancellationTokenSource()
    Object.assign(vscode.window, {
      withProgress: (
        options: vscode.ProgressOptions,
        task: (progress: vscode.Progress<unknown>, token: vscode.CancellationToken) => Promise<unknown>,
      ) => {
        assert.equal(options.cancellable, true)
        return task({ report: () => undefined }, cancel.token)
      },
    })
    try {
      const running = tryIt()
      await eventually('the call', async () =>
        (await status()).inFlight.some(({ model }) => model === silentModel) ? true : undefined,
      )
      cancel.cancel()
      await running
      await eventually('its end', async () => ((await status()).inFlight.length === 0 ? true : undefined))
      assert.equal((await lastCall()).outcome, 'client_closed')
      assert.deepEqual(user.shown, [])
    } finally {
      Object.assign(vscode.window, { withProgress })
    }
  })
})
