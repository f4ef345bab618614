import assert from 'node:assert/strict'
import { join } from 'node:path'
import * as vscode from 'vscode'
import { gateUrl } from '../../../shared/addresses.ts'
import type { CallRow } from '../../../shared/status.ts'
import { totalInput } from '../../../shared/usage.ts'
import { readKey } from '../../../extension/daemon/discovery.ts'
import { person } from './person.ts'
import { api, control, eventually, record } from './window.ts'

const words = 'The barrier is lowered, the coin is counted, the barrier is raised. '

/** Asks a local model with a prompt that is longer than its window, on Ollama's own route. */
async function askLocal(model: string): Promise<void> {
  const key = await readKey(api().dataDir())
  assert.ok(key)
  const response = await fetch(`${gateUrl({ origin: (await record()).url, key }, 'ollama')}/api/chat`, {
    method: 'POST',
    body: JSON.stringify({ model, stream: false, messages: [{ role: 'user', content: words.repeat(900) }] }),
  })
  assert.equal(response.status, 200)
  await response.text()
}

async function lastCall(): Promise<CallRow> {
  const { calls } = (await control('GET', '/api/calls?limit=1')) as { calls: readonly CallRow[] }
  assert.ok(calls[0])
  return calls[0]
}

/** The text in front, once it is one of Tollgate's. */
function shownText(pattern: RegExp): Promise<string> {
  return eventually(`a document like ${String(pattern)}`, () => {
    const { document } = vscode.window.activeTextEditor ?? {}
    return document?.uri.scheme === 'tollgate-text' && pattern.test(document.getText()) ? document.getText() : undefined
  })
}

const config = () => vscode.Uri.file(join(api().dataDir(), 'config.json'))
const readConfig = async () => new TextDecoder().decode(await vscode.workspace.fs.readFile(config()))

describe('a truncated prompt', () => {
  let user: ReturnType<typeof person>
  beforeEach(() => {
    user = person()
  })
  afterEach(async () => {
    user.leave()
    await vscode.commands.executeCommand('workbench.action.closeAllEditors')
  })

  it('I01: is said with both numbers, and one click shows where the window is set and to what', async () => {
    await askLocal('qwen3:4b')
    const message = await user.reads(
      /^qwen3:4b read only [\d,]+ of about [\d,]+ tokens: the rest of the prompt was dropped\./,
    )
    assert.deepEqual(message.buttons, ['Show How', 'Raise num_ctx', 'Show Call', "Don't Show Again"])
    message.choose('Show How')
    const guide = await shownText(/A larger context window for qwen3:4b/)
    assert.match(guide, /"num_ctx": 16384/)
    assert.match(guide, /OLLAMA_CONTEXT_LENGTH=16384/)
    await askLocal('qwen3:4b')
    assert.equal(user.shown.length, 1)
  })

  it('is opened as a call, with what was estimated and reported', async () => {
    await askLocal('llama3.2')
    const message = await user.reads(/^llama3\.2 read only /)
    const row = await lastCall()
    message.choose('Show Call')
    const details = await shownText(/A call to llama3\.2 through ollama/)
    for (const tokens of [row.estimatedInput, totalInput(row.usage)]) {
      assert.ok(details.includes(tokens.toLocaleString('en')), details)
    }
    assert.match(details, /truncated/)
  })

  it('does not happen again once the gate may raise the window, until that is undone', async () => {
    const before = await readConfig()
    await askLocal('gemma3')
    const message = await user.reads(/^gemma3 read only /)
    const { usage } = await lastCall()
    message.choose('Raise num_ctx')
    const done = await user.reads(/the gate raises num_ctx .*plan agent/)
    const written = JSON.parse(await readConfig()) as { plans: { agent: { truncation: unknown; task: unknown } } }
    assert.deepEqual(written.plans.agent.truncation, { before: 'raise' })
    assert.ok(written.plans.agent.task)
    await eventually('a whole prompt', async () => {
      await askLocal('gemma3')
      const now = await lastCall()
      return totalInput(now.usage) > 2 * totalInput(usage) && !now.warnings.includes('truncated') ? true : undefined
    })
    done.choose('Undo')
    await user.reads(/config\.json is as it was before/)
    assert.equal(await readConfig(), before)
  })
})
