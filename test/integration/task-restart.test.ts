import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startUpstream } from '../upstream/upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { readRefusal } from './harness/answers.ts'
import type { Refused } from './harness/answers.ts'
import { against, startDaemon, stopAllDaemons } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'

/** Where a call belongs, as its client says it. */
interface From {
  readonly task?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

describe('tasks and sessions over a restart', () => {
  let upstream: Upstream
  let dir: string
  let daemon: Daemon

  before(async () => {
    upstream = await startUpstream()
  })
  after(() => upstream.close())
  beforeEach(async () => {
    upstream.reset()
    dir = mkdtempSync(join(tmpdir(), 'tollgate-restart-'))
    await start()
  })
  afterEach(async () => {
    await stopAllDaemons()
    rmSync(dir, { recursive: true, force: true })
  })

  async function start(): Promise<void> {
    const plans = { agent: { task: { maxIterations: 4, sessionTimes: 2 } } }
    daemon = await startDaemon({ config: against(upstream, { plans }), dataDir: dir })
  }

  /** The daemon dies in the middle of everything, and another one starts. */
  async function crash(): Promise<void> {
    await daemon.kill9()
    await start()
  }

  let said = 0
  const post = ({ task, headers = {}, body = {} }: From): Promise<Response> => {
    said += 1
    const messages = [{ role: 'user', content: `Step ${said}.` }]
    return fetch(`${daemon.base('anthropic', task === undefined ? {} : { task })}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'sk-test', ...headers },
      body: JSON.stringify({ model: 'claude-haiku-4-5', max_tokens: 50, messages, ...body }),
    })
  }

  /** A call that passes; returns the task that it was counted in. */
  async function passes(from: From): Promise<string> {
    const response = await post(from)
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return response.headers.get('x-tollgate-task') ?? ''
  }

  async function isRefused(from: From): Promise<Refused & { readonly message: string }> {
    const seen = upstream.generations.length
    const refused = await readRefusal(await post(from))
    assert.equal(refused.code, 'task_halted')
    assert.equal(upstream.generations.length, seen, 'nothing reached the provider')
    return { ...refused, message: (refused.body['error'] as { message: string }).message }
  }

  it('K15: a task that made 3 of 4 calls has one left, and a call that was lost is one of the three', async () => {
    const task = 'nightly'
    await passes({ task })
    await passes({ task })
    upstream.script(() => ({ firstByteDelayMs: 60_000 }))
    const lost = post({ task }).catch(() => null)
    await upstream.waitForRequests(3)
    await crash()
    assert.equal(await lost, null)
    upstream.reset()
    await passes({ task })
    const { figures } = await isRefused({ task })
    assert.deepEqual([figures.scope, figures.unit, figures.limit, figures.spent], ['task', 'calls', 4, 4])
    const status = (await daemon.status()).tasks.find((one) => one.id === task)
    assert.deepEqual([status?.iterations, status?.state], [4, 'halted'])
    await crash()
    await isRefused({ task })
  })

  it('A19: a halt is confirmed, stands over a restart, and ends with a resume', async () => {
    const task = 'stopped'
    await passes({ task })
    const halted = await daemon.json(`/api/tasks/${task}/halt`, {})
    assert.deepEqual(halted, { task, state: 'halted', confirmed: true })
    assert.deepEqual(await daemon.json('/api/tasks/never-called/pause', {}), {
      task: 'never-called',
      state: 'halted',
      confirmed: true,
    })
    await crash()
    assert.match((await isRefused({ task })).message, /halted by a person/)
    assert.match((await isRefused({ task: 'never-called' })).message, /paused by a person/)
    assert.deepEqual(await daemon.json(`/api/tasks/${task}/resume`, {}), { task, state: 'ok' })
    await crash()
    for (let call = 1; call <= 4; call += 1) await passes({ task })
    assert.match((await isRefused({ task })).message, /4 iterations/, 'K09: the resume began a window of its own')
  })

  it('ceilings of one task and charges to it stand', async () => {
    const task = 'given'
    await daemon.json('/api/tasks', { id: task, iterations: 6, eur: 1 })
    for (let call = 1; call <= 5; call += 1) await passes({ task })
    await daemon.json(`/api/tasks/${task}/charges`, { eur: 0.5 })
    await crash()
    await passes({ task })
    const sixth = (await daemon.status()).tasks.find((one) => one.id === task)
    assert.ok((sixth?.eur ?? 0) >= 0.5, `${sixth?.eur} euros`)
    const { message, figures } = await isRefused({ task })
    assert.equal(figures.limit, 6)
    assert.match(message, /it was given 6 iterations/)

    await daemon.json('/api/tasks', { id: 'dear', eur: 1 })
    await daemon.json('/api/tasks/dear/charges', { eur: 1 })
    await crash()
    assert.deepEqual((await isRefused({ task: 'dear' })).figures.unit, 'eur')
  })

  it('a Claude Code session goes on in its open task', async () => {
    const headers = { 'x-claude-code-session-id': '0f6c3f0e-5e0a-4a43-b2b5-d7b0a3f1c9aa' }
    const task = await passes({ headers })
    for (let call = 2; call <= 3; call += 1) assert.equal(await passes({ headers }), task)
    await crash()
    assert.equal(await passes({ headers }), task)
    assert.equal((await isRefused({ headers })).figures.scopeRef, task)
  })

  it('a conversation without a name is a new one', async () => {
    const task = await passes({})
    await crash()
    assert.notEqual(await passes({}), task)
  })

  it('K13: a session ends at its own ceiling over all its tasks, and says how it goes on', async () => {
    const headers = { 'x-claude-code-session-id': 'big' }
    for (const task of ['a', 'b']) for (let call = 1; call <= 4; call += 1) await passes({ task, headers })
    const { figures, message } = await isRefused({ task: 'c', headers })
    assert.deepEqual([figures.scope, figures.unit, figures.limit, figures.spent], ['session', 'calls', 8, 8])
    assert.match(message, /tollgate resume --scope task --ref c"/)
    assert.match(message, /a grant to task c.*plans\.agent\.task\.sessionTimes/)
    await passes({ task: 'c', headers: { 'x-claude-code-session-id': 'other' } })
    await daemon.json('/api/grants', { scope: 'task', ref: 'c', iterations: 1 })
    await passes({ task: 'c', headers })
    await isRefused({ task: 'd', headers })
    await daemon.json('/api/resume', { scope: 'task', ref: 'd' })
    await passes({ task: 'd', headers })
  })

  it('a session is bounded where metadata.user_id names one, and not where it names a person', async () => {
    const call = (task: string, user_id: string): From => ({ task, body: { metadata: { user_id } } })
    for (const task of ['e', 'f', 'g']) for (let at = 1; at <= 4; at += 1) await passes(call(task, 'user_ada'))
    const session = 'user_5dd0_account__session_d2e7'
    for (const task of ['h', 'i']) for (let at = 1; at <= 4; at += 1) await passes(call(task, session))
    assert.equal((await isRefused(call('j', session))).figures.scope, 'session')
  })

  it('K17, A21, A22: sub-agents count into the open task of their session, before a restart and after it', async () => {
    const session = { 'x-claude-code-session-id': 'parent' }
    const child = (id: string) => ({ headers: { ...session, 'x-claude-code-agent-id': id } })
    const grandchild = { headers: { ...child('agent-3').headers, 'x-claude-code-parent-agent-id': 'agent-1' } }
    const task = await passes({ headers: session })
    assert.equal(await passes(child('agent-1')), task)
    await crash()
    assert.equal(await passes(child('agent-2')), task)
    assert.equal(await passes(grandchild), task)
    for (const from of [child('agent-1'), { headers: session }, grandchild]) {
      const { status, figures } = await isRefused(from)
      assert.deepEqual([status, figures.scope, figures.scopeRef, figures.limit], [403, 'task', task, 4])
    }
    const { tasks } = await daemon.status()
    assert.deepEqual(
      tasks.map((one) => [one.id, one.iterations, one.state]),
      [[task, 4, 'halted']],
    )
  })
})
