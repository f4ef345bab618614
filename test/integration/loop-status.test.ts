import assert from 'node:assert/strict'
import { connectControl } from './harness/controlClient.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { chatAgent, codeOf, faultOf } from './harness/sdkAgents.ts'
import type { SdkAgent } from './harness/sdkAgents.ts'
import type { Status, TaskStatus } from '../../shared/status.ts'

describe('a task that repeats itself', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate({
      budgets: { projects: { shop: { eur: 0 } } },
      keys: [{ key: 'key-of-bob', user: 'bob', tenant: 'acme' }],
    })
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  const taskOf = (status: Status, id: string): TaskStatus | undefined => status.tasks.find((task) => task.id === id)
  const post = async (path: string, body: object = {}): Promise<void> => {
    const response = await gate.daemon.api(path, { method: 'POST', body: JSON.stringify(body) })
    assert.equal(response.status, 200, path)
  }

  /** An agent that was halted after three equal steps. */
  async function halted(task: string): Promise<SdkAgent> {
    const agent = chatAgent({ daemon: gate.daemon, task })
    gate.upstream.script(() => ({ toolCall: { name: 'read_page', arguments: { page: 3 } } }))
    agent.say('Read page 3 until it changes.')
    assert.equal(codeOf(await faultOf(agent.run(() => 'nothing new'))).code, 'loop_halted')
    return agent
  }

  it('K09: is halted in the status of a window that opens later, and free in it after a resume', async () => {
    const agent = await halted('circling')
    const window = await connectControl(gate.daemon)
    const first = taskOf(await window.status(() => true), 'circling')
    assert.deepEqual(
      [first?.state === 'halted', first?.loop?.tool, first?.loop?.repeats, first?.loop?.cycleLength],
      [false, 'read_page', 3, 1],
    )
    assert.ok(Math.abs(Date.parse(first?.loop?.haltedAt ?? '') - Date.now()) < 60_000)
    await post('/api/tasks/circling/resume')
    const { from, to, cause } = await window.event('state_changed', ({ task }) => task === 'circling')
    assert.deepEqual([from, to, cause], ['halted', 'ok', 'resume'])
    await window.status((status) => taskOf(status, 'circling')?.loop === null)
    gate.upstream.script(() => ({ text: 'It is as it was.' }))
    assert.equal(await agent.run(() => 'nothing new'), 'It is as it was.')
    window.close()
  })

  it('reaches the windows that are open as it is halted, and tells no resume that freed nothing', async () => {
    const window = await connectControl(gate.daemon)
    await halted('watched')
    await window.event('loop', ({ task, state }) => task === 'watched' && state === 'halted')
    await window.status((status) => taskOf(status, 'watched')?.loop !== null && taskOf(status, 'watched') !== undefined)
    await post('/api/resume', { scope: 'task', ref: 'watched' })
    await post('/api/tasks/watched/resume')
    await window.status((status) => taskOf(status, 'watched')?.loop === null)
    const told = (await gate.daemon.events('state_changed')).filter(({ task }) => task === 'watched')
    assert.deepEqual(
      told.map(({ cause }) => cause),
      ['resume'],
    )
    window.close()
  })

  it('K02: shows its latest halt while a sibling conversation of the same task goes on', async () => {
    await halted('shared')
    const sibling = chatAgent({ daemon: gate.daemon, task: 'shared' })
    gate.upstream.script(() => ({ text: 'Fine.' }))
    sibling.say('Sum up what stands on page 4.')
    assert.equal(await sibling.run(() => 'unused'), 'Fine.')
    assert.equal(taskOf(await gate.daemon.status(), 'shared')?.loop?.tool, 'read_page')
  })

  it('a charge that changes no state reaches the windows all the same', async () => {
    await post('/api/tasks/charged/charges', { eur: 0.01 })
    const window = await connectControl(gate.daemon)
    await window.status((status) => taskOf(status, 'charged')?.eur === 0.01)
    await post('/api/tasks/charged/charges', { eur: 0.02 })
    await window.status((status) => taskOf(status, 'charged')?.eur === 0.03)
    window.close()
  })

  it('a refusal says whether the cap is one that the status shows', async () => {
    const body = JSON.stringify({ model: 'gpt-4o-mini', max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] })
    const call = async (parts: { readonly key?: string; readonly project?: string }): Promise<void> => {
      const url = `${gate.daemon.base('openai', parts)}/v1/chat/completions`
      assert.equal((await fetch(url, { method: 'POST', body })).status, 429)
    }
    await call({ project: 'shop' })
    await post('/api/caps', { userDailyEur: 0 })
    await call({ key: 'key-of-bob' })
    await call({})
    const refused = (await gate.daemon.events('refused')).filter(({ code }) => code === 'budget_exhausted')
    assert.deepEqual(
      refused.map(({ scope, scopeRef, own }) => [scope, scopeRef, own]),
      [
        ['project', 'shop', false],
        ['user', 'bob', false],
        ['user', 'me', true],
      ],
    )
  })
})
