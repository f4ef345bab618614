import assert from 'node:assert/strict'
import { prompts } from '../host/prompts.ts'
import { api, ask, control, eventually, interceptWarnings, status } from './window.ts'
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

    // It is halted while that question is open; the next one is asked once the first one is closed without an answer.
    await eventually('the halt', async () =>
      (await ask(prompts.dear, { task: 'dear' })).headers.get('x-tollgate-code') === 'task_halted' ? true : undefined,
    )
    assert.ok(!warnings.shown.some(({ message }) => /^Task dear .* is halted/.test(message)))
    close.close()
    const halted = await warnings.find(/^Task dear .* is halted at its ceiling of €0\.\d\d/)
    assert.deepEqual(halted.buttons.slice(1), ['Resume', 'Stop Task', "Don't Show Again"])
    halted.choose(halted.buttons[0] ?? '')
    const grant = await granted('dear')
    assert.ok(Number(grant['eur']) > 0, JSON.stringify(grant))
    assert.equal(`Allow €${Number(grant['eur']).toFixed(2)} More`, halted.buttons[0])
    assert.equal((await ask('Hello', { task: 'dear' })).status, 200)
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
