import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import OpenAI from 'openai'
import { program } from './harness/daemon.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam

const tools: OpenAI.Chat.Completions.ChatCompletionTool[] = [
  {
    type: 'function',
    function: { name: 'read_page', parameters: { type: 'object', properties: { page: { type: 'number' } } } },
  },
]

/** An agent as people write them: it calls the model, runs the tool that the model asks for, and calls again. */
async function runAgent(client: OpenAI, history: Message[], result: () => string, most = 41): Promise<number> {
  for (let turn = 1; turn <= most; turn += 1) {
    const answer = await client.chat.completions.create({
      model: 'gpt-4o-mini',
      max_completion_tokens: 200,
      tools,
      messages: history,
    })
    const message = answer.choices[0]!.message
    history.push(message)
    if (message.tool_calls === undefined) return turn
    for (const call of message.tool_calls) history.push({ role: 'tool', tool_call_id: call.id, content: result() })
  }
  return most
}

const sameCall = { toolCall: { name: 'read_page', arguments: { page: 3 } } }

async function refusalOf(promise: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const fault: unknown = await promise.then(
    () => assert.fail('expected a refusal'),
    (error: unknown) => error,
  )
  assert.ok(fault instanceof OpenAI.APIError, String(fault))
  return fault
}

describe('tasks', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate({
      tiers: { 'gpt-4o': 'gpt-4o-mini' },
    })
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  const client = (task: string | null): OpenAI =>
    new OpenAI({ apiKey: 'sk-test', baseURL: `${gate.daemon.base('openai', task === null ? {} : { task })}/v1` })
  const post = (path: string, body: object): Promise<Response> =>
    gate.daemon.api(path, { method: 'POST', body: JSON.stringify(body) })

  it('K03: lets an agent go on that polls and gets another result each time', async () => {
    gate.upstream.script(() => (gate.upstream.generations.length > 9 ? { text: 'Done.' } : sameCall))
    let line = 0
    const turns = await runAgent(
      client(null),
      [{ role: 'user', content: 'Poll it.' }],
      () => `line ${(line += 1)} of the log`,
    )
    assert.equal(turns, 10)
  })

  it('K09: goes on after a resume, with a fresh window', async () => {
    gate.upstream.script(() => sameCall)
    const history: Message[] = [{ role: 'user', content: 'Read page 3 until it changes.' }]
    const agent = client('resumed')
    await refusalOf(runAgent(agent, history, () => 'nothing new'))
    assert.equal(gate.upstream.generations.length, 3)
    assert.equal((await post('/api/tasks/resumed/resume', {})).status, 200)
    gate.upstream.script(() => ({ text: 'It is as it was.' }))
    assert.equal(await runAgent(agent, history, () => 'nothing new'), 1)
  })

  it('K17: halts a task at its iterations and says so, while another task goes on', async () => {
    const agent = client('many')
    await post('/api/tasks', { id: 'many', iterations: 4 })
    for (let call = 1; call <= 4; call += 1) {
      const { response } = await agent.chat.completions
        .create({
          model: 'gpt-4o-mini',
          max_completion_tokens: 50,
          messages: [{ role: 'user', content: `step ${call}` }],
        })
        .withResponse()
      assert.equal(response.headers.get('x-tollgate-task'), 'many')
      if (call === 4) assert.notEqual(response.headers.get('x-tollgate-state'), 'ok')
    }
    const fault = await refusalOf(
      agent.chat.completions.create({
        model: 'gpt-4o-mini',
        max_completion_tokens: 50,
        messages: [{ role: 'user', content: 'step 5' }],
      }),
    )
    assert.equal(fault.code, 'task_halted')
    assert.equal(gate.upstream.generations.length, 4)
    const task = (await gate.daemon.status()).tasks.find((one) => one.id === 'many')
    assert.equal(task?.state, 'halted')
    assert.equal(task.iterations, 4)
    assert.ok(
      (await gate.daemon.events('state_changed')).some(
        (event) => event['task'] === 'many' && event['state'] === 'halted',
      ),
    )
    await client('other').chat.completions.create({
      model: 'gpt-4o-mini',
      max_completion_tokens: 50,
      messages: [{ role: 'user', content: 'hi' }],
    })
  })

  it('lets a person grant more room, and the ceiling itself does not move', async () => {
    const agent = client('granted')
    const call = (): Promise<unknown> =>
      agent.chat.completions.create({
        model: 'gpt-4o-mini',
        max_completion_tokens: 50,
        messages: [{ role: 'user', content: 'hi' }],
      })
    await post('/api/tasks', { id: 'granted', iterations: 1 })
    await call()
    assert.equal((await refusalOf(call())).code, 'task_halted')
    assert.equal((await post('/api/grants', { scope: 'task', ref: 'granted', iterations: 1 })).status, 200)
    await call()
    assert.equal((await refusalOf(call())).code, 'task_halted')
  })

  it('A19: a task that a person halts is refused at once, and goes on when resumed', async () => {
    const agent = client('stopped')
    const call = (): Promise<unknown> =>
      agent.chat.completions.create({
        model: 'gpt-4o-mini',
        max_completion_tokens: 50,
        messages: [{ role: 'user', content: 'hi' }],
      })
    await call()
    await post('/api/tasks/stopped/halt', {})
    assert.match((await refusalOf(call())).message, /halted by a person/)
    await post('/api/resume', { scope: 'task', ref: 'stopped' })
    await call()
  })

  it('takes equal calls that are made at once for tasks of their own', async () => {
    const ask = { model: 'gpt-4o-mini', max_tokens: 50, messages: [{ role: 'user', content: 'Classify this.' }] }
    const answers = await Promise.all(
      Array.from({ length: 30 }, () =>
        gate.post('openai', '/v1/chat/completions', ask).then(async (response) => {
          await response.text()
          return `${response.status} ${response.headers.get('x-tollgate-task') ?? ''}`
        }),
      ),
    )
    assert.equal(new Set(answers).size, 30)
    assert.ok(answers.every((answer) => answer.startsWith('200 ')))
  })

  it('makes the next calls of a constrained task smaller, and names every change', async () => {
    await post('/api/tasks', { id: 'tight', iterations: 7 })
    const agent = client('tight')
    const seen: (string | null)[] = []
    for (let call = 1; call <= 7; call += 1) {
      const { response } = await agent.chat.completions
        .create({ model: 'gpt-4o', max_completion_tokens: 3000, messages: [{ role: 'user', content: `step ${call}` }] })
        .withResponse()
      if (response.headers.get('x-tollgate-state') === 'constrained')
        seen.push(response.headers.get('x-tollgate-changes'))
    }
    assert.ok(seen.length >= 1)
    for (const changes of seen)
      assert.match(
        changes ?? '',
        /model=gpt-4o-mini.*max_completion_tokens=1024|max_completion_tokens=1024.*model=gpt-4o-mini/,
      )
    const last = gate.upstream.generations.at(-1)!.json as { model: string; max_completion_tokens: number }
    assert.deepEqual([last.model, last.max_completion_tokens], ['gpt-4o-mini', 1024])
  })
})

describe('tollgate run', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate({ plans: { agent: { task: { haltGraceSeconds: 1 } } } })
  })
  after(() => gate.close())

  /** A program that calls for as long as it lives, whatever it is answered. */
  const stubborn = `
    const call = async () => {
      const body = JSON.stringify({ model: 'gpt-4o-mini', max_tokens: 50, messages: [{ role: 'user', content: 'again' }] })
      await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body }).then((r) => r.text(), () => {})
      setTimeout(call, 100)
    }
    void call()`

  it('bounds a command as one task, ends it when it does not stop by itself, and says what it spent', async () => {
    const words = [
      'run',
      '--data-dir',
      gate.daemon.dataDir,
      '--iterations',
      '3',
      '--',
      process.execPath,
      '-e',
      stubborn,
    ]
    const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const code = await new Promise<number | null>((resolve) => child.on('exit', resolve))
    assert.equal(gate.upstream.generations.length, 3)
    assert.equal(code, 128 + 15)
    assert.match(said, /calls +3 of 3/)
    assert.match(said, /it was given 3 iterations/)
  })
})
