import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import { openControl } from '../../../extension/daemon/client.ts'
import { version } from '../../../shared/build.ts'
import { prompts } from '../host/prompts.ts'
import { api, ask, control, eventually, interceptWarnings, record, status } from './window.ts'
import type { Message } from './window.ts'

/** An agent that calls the model until it is refused; resolves with the code of the refusal. */
async function runAgent(task: string, history: Message[]): Promise<string | null> {
  for (let turn = 0; turn < 10; turn += 1) {
    const response = await ask(history, { task })
    const body = (await response.json()) as {
      choices?: { message: Message & { tool_calls?: { id: string }[] } }[]
    }
    const message = body.choices?.[0]?.message
    if (message === undefined) return response.headers.get('x-tollgate-code')
    history.push(message)
    for (const call of message.tool_calls ?? []) history.push({ role: 'tool', tool_call_id: call.id, content: 'same' })
  }
  return null
}

async function granted(task: string): Promise<Record<string, unknown>> {
  return eventually(`the grant to ${task}`, async () => {
    const { events } = (await control('GET', '/api/events?limit=1000')) as { events: Record<string, unknown>[] }
    return events.find((event) => event['event'] === 'granted' && (event['task'] ?? event['ref']) === task)
  })
}

/** Lets a task run into its ceiling of one call. */
async function halt(task: string): Promise<void> {
  await control('POST', '/api/tasks', { id: task, iterations: 1 })
  await eventually(`the halt of ${task}`, async () =>
    (await ask('Hello', { task })).headers.get('x-tollgate-code') === 'task_halted' ? true : undefined,
  )
}

/** Another window that has the focus, so that the gate has it tell what happens. */
async function windowWithFocus(): Promise<{
  /** Waits until it was chosen to tell an event. */
  isChosenFor(event: string): Promise<boolean>
  close(): Promise<void>
}> {
  const chosenFor: string[] = []
  const at = await record()
  let isClosed = false
  const client = await new Promise<ReturnType<typeof openControl>>((resolve) => {
    const opened = openControl(at, {
      opened: () => {
        opened.send({ type: 'hello', client: 'extension', window: 'another', version })
        opened.send({ type: 'focus', focused: true })
      },
      message: (message) => {
        if (message.event !== 'status' && message['notify'] === true) chosenFor.push(message.event)
        resolve(opened)
      },
      closed: () => {
        isClosed = true
      },
    })
  })
  return {
    isChosenFor: (event) => eventually(`the event ${event}`, () => chosenFor.includes(event) || undefined),
    close: async () => {
      client.close()
      await eventually('the end of the other window', () => isClosed || undefined)
    },
  }
}

describe('what the guards do', () => {
  let warnings: ReturnType<typeof interceptWarnings>
  beforeEach(() => {
    warnings = interceptWarnings()
  })
  afterEach(() => {
    for (const message of warnings.shown) message.close()
    warnings.restore()
  })

  it('K01: says that a task repeats itself, shows it in the tooltip, and lets it go on when a person says so', async () => {
    const history: Message[] = [{ role: 'user', content: prompts.loop }]
    assert.equal(await runAgent('circling', history), 'loop_halted')
    const message = await warnings.find(/^Task circling .*read_page 3 times/)
    assert.deepEqual(message.buttons, ['Resume', 'Stop Task', "Don't Show Again"])
    const row = /halted, repeats read\\_page · \[Resume\]\(command:tollgate\.resumeTask\?%5B%22circling%22%5D\)/
    await eventually('the loop in the tooltip', () => row.test(api().statusBar().tooltip) || undefined)
    assert.equal((await ask(history, { task: 'circling' })).status, 403)
    message.choose('Resume')
    await eventually('a call that passes', async () =>
      (await ask(history, { task: 'circling' })).status === 200 ? true : undefined,
    )
    await eventually('a tooltip without it', () => !/circling/.test(api().statusBar().tooltip) || undefined)
  })

  it('asks whether a task near its ceiling may go on, and allows more only when that is chosen', async () => {
    const before = (await status()).today.spentEur
    await (await ask(prompts.dear)).text()
    const cost = (await status()).today.spentEur - before
    assert.ok(cost > 0.1, `a call costs ${cost}`)
    await control('POST', '/api/tasks', { id: 'dear', eur: cost / 0.9 })
    await (await ask(prompts.dear, { task: 'dear' })).text()
    const close = await warnings.find(/^Task dear .* is close to its ceiling: €0\.\d\d of €0\.\d\d/)
    assert.match(close.buttons[0] ?? '', /^Allow €0\.\d\d More$/)
    assert.deepEqual(close.buttons.slice(1), ['Stop Task', "Don't Show Again"])

    // That question stays unanswered, as one that has left the screen does: what matters now is asked beside it.
    await eventually('the halt', async () =>
      (await ask(prompts.dear, { task: 'dear' })).headers.get('x-tollgate-code') === 'task_halted' ? true : undefined,
    )
    const halted = await warnings.find(/^Task dear .* is halted at its ceiling of €0\.\d\d/)
    assert.deepEqual(halted.buttons.slice(1), ['Resume', 'Stop Task', "Don't Show Again"])
    halted.choose(halted.buttons[0] ?? '')
    const grant = await granted('dear')
    assert.ok(Number(grant['eur']) > 0, JSON.stringify(grant))
    assert.equal(`Allow €${Number(grant['eur']).toFixed(2)} More`, halted.buttons[0])
    assert.equal((await ask('Hello', { task: 'dear' })).status, 200)
  })

  it('says one call as one, and asks anew about a halt after another window let the task go on', async () => {
    await halt('shared')
    const question = /^Task shared .* is halted at its ceiling of 1 call\. May it go on\?$/
    await warnings.find(question)
    // This window says nothing of what follows, and has a question open that is over.
    const other = await windowWithFocus()
    await control('POST', '/api/resume', { scope: 'task', ref: 'shared' })
    await other.isChosenFor('resumed')
    await other.close()
    await halt('shared')
    await eventually('the question about the next halt', () =>
      warnings.shown.filter(({ message }) => question.test(message)).length === 2 ? true : undefined,
    )
  })

  it("shows a kind of message that was silenced again once somebody takes Don't Show Again back", async () => {
    await halt('loud')
    ;(await warnings.find(/^Task loud .* is halted/)).choose("Don't Show Again")
    await halt('quiet')
    await eventually('the halt in the tooltip', () => /quiet.*halted/.test(api().statusBar().tooltip) || undefined)
    await vscode.commands.executeCommand('tollgate.showAllMessages')
    await halt('heard')
    await warnings.find(/^Task heard .* is halted/)
    assert.ok(!warnings.shown.some(({ message }) => message.startsWith('Task quiet ')))
  })

  it('never ends the process of an extension, not even one that goes on calling', async () => {
    await control('POST', '/api/tasks/patient/halt')
    await ask('Hello', { task: 'patient' })
    const severed = await eventually('the closed connection', () =>
      ask('Hello', { task: 'patient' }).then(
        () => undefined,
        () => true,
      ),
    )
    assert.ok(severed)
    const message = await warnings.find(/^Task patient .*still calls/)
    assert.match(message.message, new RegExp(`\\(${process.pid}\\) still calls.*belongs to VS Code`))
    assert.deepEqual(message.buttons, ['Show Log', "Don't Show Again"])
  })
})
