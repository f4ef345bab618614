import assert from 'node:assert/strict'
import type { RecordedRequest } from '../upstream/recorded.ts'
import { readRefusal } from './harness/answers.ts'
import { eventually } from './harness/eventually.ts'
import { providerKey, startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { promptOfTokens } from './harness/prompts.ts'
import { rawExchange, rawPost } from './harness/raw.ts'
import { codeOf, faultOf, messagesAgent } from './harness/sdkAgents.ts'
import type { SdkAgent } from './harness/sdkAgents.ts'

const model = 'claude-haiku-4-5'

/** What Claude Code sends with the calls of its main agent and of those that it starts. */
function claudeCode(session: string, agent?: string): Record<string, string> {
  return {
    'user-agent': 'claude-cli/2.1.40 (external, cli)',
    'x-claude-code-session-id': session,
    ...(agent === undefined
      ? {}
      : { 'x-claude-code-agent-id': agent, 'x-claude-code-parent-agent-id': `main-of-${session}` }),
  }
}

const agentOf = (request: RecordedRequest): unknown => request.headers['x-claude-code-agent-id']

describe('agents that share a session, and runs that share a key', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate({
      currency: { code: 'EUR', usdRate: 1, asOf: '2026-11-01' },
      budgets: { userDaily: { eur: null }, tenantMonthly: { eur: null } },
      prices: { overrides: [{ match: 'dear-*', prices: { input_mtok: 300, output_mtok: 1500 } }] },
      plans: {
        team: { task: { maxIterations: 5 } },
        strict: { task: { haltGraceSeconds: 0 } },
        run: { task: { maxIterations: 3 }, storm: null },
        dear: { task: { maxIterations: null, maxInputTokens: null, maxWallSeconds: null, maxEur: 30 }, loop: null },
        brief: { task: { maxIterations: null, maxInputTokens: null, maxWallSeconds: 1, maxEur: null }, loop: null },
      },
      keys: ['team', 'strict', 'run', 'dear', 'brief'].map((plan) => ({ key: `key-of-plan-${plan}`, plan })),
    })
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  const post = (plan: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${gate.daemon.base('anthropic', { key: `key-of-plan-${plan}` })}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': providerKey, ...headers },
      body: JSON.stringify({ model, max_tokens: 100, ...body }),
    })
  const question = (content: string): object => ({ messages: [{ role: 'user', content }] })

  it('K02: halts the sub-agent that repeats its search, while the other one and their parent go on', async () => {
    const { daemon } = gate
    const of = (agent?: string) => messagesAgent({ daemon, headers: claudeCode('s-k02', agent) })
    const [parent, searching, building] = [of(), of('agent-search'), of('agent-build')]
    gate.upstream.script((request) => {
      const made = gate.upstream.generations.filter((one) => agentOf(one) === agentOf(request)).length
      if (agentOf(request) === 'agent-search') return { toolCall: { name: 'grep', arguments: { pattern: 'TODO' } } }
      if (agentOf(request) === undefined || made > 12) return { text: 'Done.' }
      return { toolCall: { name: 'edit', arguments: { file: `part-${made}.ts` } } }
    })
    searching.say('Find what is left to do.')
    building.say('Write all twelve parts.')
    let edits = 0
    const [fault, built] = await Promise.all([
      faultOf(searching.run(() => 'no matches')),
      building.run(() => `wrote file ${(edits += 1)}`),
    ])
    assert.equal(codeOf(fault).code, 'loop_halted')
    assert.match(fault.message, /the tool "grep"/)
    assert.deepEqual([built, edits], ['Done.', 12])
    const calls = (agent: string) => gate.upstream.generations.filter((one) => agentOf(one) === agent).length
    assert.deepEqual([calls('agent-search'), calls('agent-build')], [6, 13], 'plan coding allows five repeats')
    parent.say('What did they find?')
    assert.equal(await parent.run(() => ''), 'Done.')
    searching.say('Go on.')
    assert.equal(codeOf(await faultOf(searching.run(() => 'no matches'))).code, 'loop_halted')
  })

  it('K02: severs the sub-agent that does not stop, says its loop once, and leaves the other one alone', async () => {
    const { daemon } = gate
    const [key, agents] = ['key-of-plan-strict', ['agent-stuck', 'agent-busy'].map((id) => claudeCode('s-strict', id))]
    const [stuck, busy] = agents.map((headers) => messagesAgent({ daemon, key, headers })) as [SdkAgent, SdkAgent]
    gate.upstream.script((request) =>
      agentOf(request) === 'agent-stuck'
        ? { toolCall: { name: 'grep', arguments: { pattern: 'TODO' } } }
        : { text: 'Fine.' },
    )
    const before = (await daemon.events('loop')).length
    stuck.say('Search until something is found.')
    assert.equal(codeOf(await faultOf(stuck.run(() => 'no matches'))).code, 'loop_halted')
    for (const question of ['How is it going?', 'And now?']) {
      busy.say(question)
      assert.equal(await busy.run(() => ''), 'Fine.')
      // Its grace is over: the connection is closed without an answer.
      await assert.rejects(post('strict', { messages: [...stuck.history] }, agents[0]))
    }
    const severed = (await daemon.events('refused')).filter((event) => event['severed'] === true)
    assert.equal(severed.length, 2)
    const said = (await daemon.events('loop')).slice(before)
    assert.deepEqual(
      said.map(({ state }) => state),
      ['warn', 'halted'],
    )
  })

  it('A21: a sub-agent that crosses the ceiling gets a proper error, its parent the same code, and nothing stays open', async () => {
    const main = claudeCode('s-a21')
    const [one, two] = [claudeCode('s-a21', 'agent-one'), claudeCode('s-a21', 'agent-two')]
    await (await post('team', question('Plan the work.'), main)).text()
    await (await post('team', question('First half, step 1.'), one)).text()
    gate.upstream.next({ outputTokens: 60, chunkDelayMs: 60 })
    const sibling = post('team', { ...question('Second half.'), stream: true }, two)
    await gate.upstream.waitForRequests(3)
    for (const step of [2, 3]) await (await post('team', question(`First half, step ${step}.`), one)).text()

    const body = JSON.stringify({ model, max_tokens: 100, ...question('First half, step 4.'), stream: true })
    const url = `${gate.daemon.base('anthropic', { key: 'key-of-plan-team' })}/v1/messages`
    const child = await rawExchange(gate.daemon.url, rawPost(url, body, { 'x-api-key': providerKey, ...one }))
    const { type, error } = JSON.parse(child.body.toString('utf8')) as { type: string; error: { message: string } }
    assert.equal(gate.upstream.requests[2]!.closed, null, 'the other sub-agent is in the middle of its answer')
    // Claude Code repeats every status but this one.
    assert.deepEqual([child.status, child.torn, type], [400, false, 'error'])
    assert.match(child.head, /x-tollgate-code: task_halted/)
    assert.match(error.message, /comes to 6 iterations, and plan team allows 5 iterations/)
    const parent = await readRefusal(await post('team', question('How far are they?'), main))
    assert.equal(parent.code, 'task_halted')

    assert.match(await (await sibling).text(), /event: message_stop\n.*\n\n$/, 'what was running runs to its end')
    await eventually('no call to be in flight', async () => {
      return (await gate.daemon.status()).inFlight.length === 0 ? true : null
    })
    assert.deepEqual(
      gate.upstream.requests.map(({ closed }) => closed?.finished),
      [true, true, true, true, true],
    )
    const rows = (await gate.daemon.calls()).slice(0, 5)
    assert.equal(new Set(rows.map(({ task }) => task)).size, 1, 'one task holds them all')
    assert.ok(rows.every(({ state, outcome }) => state === 'settled' && outcome === 'ok'))
  })

  /** A sub-agent that is woken again and again, each time with a longer context and a few words of answer. */
  async function resumedUntilRefused(plan: string, session: string, askedModel: string, most: number) {
    const messages = [{ role: 'user', content: promptOfTokens(270) }]
    for (let call = 1; call <= most; call += 1) {
      gate.upstream.next({ outputTokens: 3 + (call % 15), firstByteDelayMs: plan === 'brief' ? 10 : 0 })
      const headers = claudeCode(session, `agent-${call % 3}`)
      const response = await post(plan, { model: askedModel, max_tokens: 20, messages }, headers)
      if (response.status !== 200) return { made: call - 1, refusal: await readRefusal(response) }
      await response.text()
      messages.push({ role: 'assistant', content: 'Waiting.' }, { role: 'user', content: `Tick ${call}: nothing yet.` })
    }
    return assert.fail(`${most} calls and no end`)
  }

  it('A22: 460 calls of resumed sub-agents end at the euros of their task, before the call that would cross them', async () => {
    const { made, refusal } = await resumedUntilRefused('dear', 's-a22-eur', 'dear-1', 460)
    assert.equal(refusal.code, 'task_halted')
    assert.deepEqual([refusal.figures.unit, refusal.figures.limit], ['eur', 30])
    const rows = (await gate.daemon.settled()).filter((row) => row.model === 'dear-1')
    assert.equal(rows.length, made)
    const spent = rows.reduce((sum, { eur }) => sum + eur, 0)
    assert.ok(spent <= 30, `${spent} EUR`)
    assert.ok(spent > 30 - 2 * Math.max(...rows.map(({ eur }) => eur)), 'and the ceiling was used')
    const task = (await gate.daemon.status()).tasks.find(({ id }) => id === rows[0]!.task)
    assert.equal(task?.iterations, made, 'every agent id counts')
    assert.ok(Math.abs(task.eur - spent) < 1e-6)
  })

  it('A22: they end at the wall clock of their task where they cost nothing', async () => {
    const { made, refusal } = await resumedUntilRefused('brief', 's-a22-wall', model, 460)
    assert.equal(refusal.code, 'task_halted')
    assert.equal(refusal.figures.limit, 1)
    assert.ok(Number(refusal.figures.spent) >= 1)
    assert.ok(made > 1)
    const again = await readRefusal(await post('brief', question('Awake?'), claudeCode('s-a22-wall', 'agent-9')))
    assert.equal(again.code, 'task_halted', 'another agent id is no way around it')
  })

  const ways: readonly (readonly [string, (run: string) => { headers?: Record<string, string>; fields?: object }])[] = [
    ['a header', (run) => ({ headers: { 'x-tollgate-task': run } })],
    ["the client's own session", (run) => ({ headers: claudeCode(`s-${run}`) })],
    ['the metadata of the request', (run) => ({ fields: { metadata: { user_id: `u_${run}` } } })],
    ['nothing but its transcript', () => ({})],
  ]
  for (const [how, ask] of ways) {
    it(`A24: a run at its ceiling leaves another run with the same key alone, told apart by ${how}`, async () => {
      const histories = ['one', 'two'].map((run) => [{ role: 'user', content: `Run ${run}, by ${how}: begin.` }])
      const call = async (run: 0 | 1): Promise<{ status: number; task: string | null }> => {
        const { headers, fields } = ask(`run-${run}`)
        const response = await post('run', { messages: histories[run], ...fields }, headers)
        const { content } = (await response.json()) as { content?: { text: string }[] }
        if (content !== undefined) {
          histories[run]!.push(
            { role: 'assistant', content: content[0]!.text },
            { role: 'user', content: 'Next step.' },
          )
        }
        const code = response.headers.get('x-tollgate-code')
        if (response.status !== 200) assert.equal(code, 'task_halted')
        return { status: response.status === 200 ? 200 : 0, task: response.headers.get('x-tollgate-task') }
      }
      const first = [await call(0), await call(0), await call(0), await call(0)]
      assert.deepEqual(
        first.map(({ status }) => status),
        [200, 200, 200, 0],
      )
      const second = [await call(1), await call(1), await call(1)]
      assert.deepEqual(
        second.map(({ status }) => status),
        [200, 200, 200],
      )
      // Every answer names the task that it was counted for, however that was found out.
      const labels = [first.slice(0, 3), second].map((calls) => new Set(calls.map(({ task }) => task)))
      assert.deepEqual(
        labels.map(({ size }) => size),
        [1, 1],
      )
      assert.notDeepEqual(labels[0], labels[1])
      assert.ok(![...labels[0]!, ...labels[1]!].includes(null))
    })
  }
})
