import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import { readRefusal } from './harness/answers.ts'
import { eventually } from './harness/eventually.ts'
import { providerKey, startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { rawExchange, rawPost } from './harness/raw.ts'
import { chatAgent, codeOf, faultOf } from './harness/sdkAgents.ts'

const messages = [{ role: 'user', content: 'Go on with the report.' }]

/** One request per wire format, as a client without our SDKs would write it. */
const requests = [
  {
    name: 'chat completions',
    upstream: 'openai',
    path: '/v1/chat/completions',
    body: { model: 'gpt-4o-mini', max_tokens: 4000, messages },
  },
  {
    name: 'completions',
    upstream: 'openai',
    path: '/v1/completions',
    body: { model: 'gpt-3.5-turbo-instruct', max_tokens: 3000, prompt: 'Go on.' },
  },
  {
    name: 'responses',
    upstream: 'openai',
    path: '/v1/responses',
    body: { model: 'gpt-4o-mini', max_output_tokens: 4000, input: 'Go on.' },
  },
  {
    name: 'messages',
    upstream: 'anthropic',
    path: '/v1/messages',
    body: { model: 'claude-haiku-4-5', max_tokens: 4000, messages },
  },
  {
    name: 'ollama chat',
    upstream: 'ollama',
    path: '/api/chat',
    body: { model: 'gemma3:4b', messages, options: { num_predict: 4000 } },
  },
  {
    name: 'ollama generate',
    upstream: 'ollama',
    path: '/api/generate',
    body: { model: 'gemma3:4b', prompt: 'Go on.', options: { num_predict: 4000 } },
  },
] as const

/** Fields in which a client looks for something that a model said, in any of the formats. */
const answerFields =
  /"(choices|content|delta|output|output_text|text|response|role|finish_reason|stop_reason|done|done_reason)"\s*:/

describe('a stop', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate({
      plans: { short: { task: { maxIterations: 4 } } },
      keys: [{ key: 'key-of-a-short-plan', plan: 'short' }],
    })
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  const url = (upstream: string, path: string, task: string): string => `${gate.daemon.base(upstream, { task })}${path}`

  for (const { name, upstream, path, body } of requests) {
    for (const stream of [false, true]) {
      it(`K10: is an error and no invented answer, byte for byte: ${name}${stream ? ', streamed' : ''}`, async () => {
        await gate.daemon.json('/api/tasks/stopped/halt', {})
        const answer = await rawExchange(
          gate.daemon.url,
          rawPost(url(upstream, path, 'stopped'), JSON.stringify({ ...body, stream })),
        )
        const text = answer.body.toString('utf8')
        assert.deepEqual([answer.status, answer.torn], [403, false])
        assert.match(answer.head, /content-type: application\/json/i)
        assert.match(answer.head, /x-tollgate-code: task_halted/)
        assert.match(text, /Task stopped was halted by a person/)
        assert.doesNotMatch(text, answerFields)
        assert.ok('error' in (JSON.parse(text) as object))
        assert.equal(gate.upstream.requests.length, 0)
      })
    }

    it(`K10: in mid-stream it is one error behind what the model said, and no end of its own: ${name}`, async () => {
      gate.upstream.next({ outputTokens: 3000, chunkDelayMs: 5 })
      const task = `cut-${name.replace(' ', '-')}`
      const exchange = rawExchange(
        gate.daemon.url,
        rawPost(url(upstream, path, task), JSON.stringify({ ...body, stream: true })),
      )
      await gate.upstream.waitForRequests(1)
      await eventually('an answer under way', async () => {
        const call = (await gate.daemon.status()).inFlight.find((one) => one.task === task)
        return (call?.outputTokens ?? 0) > 5 ? true : null
      })
      await gate.daemon.json('/api/kill', { scope: 'task', ref: task })
      const text = (await exchange).body.toString('utf8')
      await gate.daemon.json('/api/resume', { scope: 'task', ref: task })
      const parts = text.trimEnd().split(upstream === 'ollama' ? '\n' : '\n\n')
      const error = parts.pop() ?? ''
      assert.match(error, /killed/)
      if (name !== 'responses') assert.doesNotMatch(error, answerFields)
      for (const part of parts) {
        assert.doesNotMatch(part, /tollgate|killed/)
        assert.doesNotMatch(
          part,
          /"(finish_reason|stop_reason|done_reason)":"|"done":true|message_stop|response\.completed/,
        )
      }
      assert.doesNotMatch(text, /\[DONE\]/)
      assert.ok(parts.length >= 3, 'what was said before stays said')
    })
  }

  it('K10: leaves the history of an agent as it was, so that nothing false is sent with its next call', async () => {
    const agent = chatAgent({ daemon: gate.daemon })
    gate.upstream.script(() => ({ toolCall: { name: 'read_page', arguments: { page: 3 } } }))
    agent.say('Read page 3 until it changes.')
    await faultOf(agent.run(() => 'nothing new'))
    assert.deepEqual(
      agent.history.map((message) => (message as { role: string }).role),
      ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant', 'tool'],
    )
    const [, , last] = gate.upstream.generations
    assert.deepEqual(last!.json['messages'], agent.history.slice(0, 5))
  })

  it('K16: counts one iteration per model call and nothing else, and says so by that name', async () => {
    const base = gate.daemon.base('anthropic', { key: 'key-of-a-short-plan', task: 'counted' })
    const post = (path: string, body: object): Promise<Response> =>
      fetch(`${base}${path}`, { method: 'POST', headers: { 'x-api-key': providerKey }, body: JSON.stringify(body) })
    const model = 'claude-haiku-4-5'
    // Each model call carries the results of five tools that ran at once, and a token counter is asked before it.
    const ask = (turn: number): object => {
      const calls = [1, 2, 3, 4, 5].map((call) => ({ id: `toolu_${turn}_${call}`, input: { page: 10 * turn + call } }))
      return {
        model,
        messages: [
          { role: 'user', content: 'Read all pages.' },
          {
            role: 'assistant',
            content: calls.map(({ id, input }) => ({ type: 'tool_use', name: 'read_page', id, input })),
          },
          {
            role: 'user',
            content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: `page ${id}` })),
          },
        ],
      }
    }
    for (let turn = 1; turn <= 4; turn += 1) {
      assert.equal((await post('/v1/messages/count_tokens', ask(turn))).status, 200)
      const response = await post('/v1/messages', { ...ask(turn), max_tokens: 100 })
      assert.equal(response.status, 200, `model call ${turn}`)
      await response.text()
    }
    for (let again = 1; again <= 2; again += 1) {
      const refusal = await readRefusal(await post('/v1/messages', { ...ask(5), max_tokens: 100 }))
      assert.equal(refusal.code, 'task_halted')
      assert.match(
        (refusal.body['error'] as { message: string }).message,
        /Task counted has reached its ceiling: with this call it comes to 5 iterations, and plan short allows 4 iterations \(plans\.short\.task\.maxIterations\)/,
      )
      const { unit, limit, spent, requested } = refusal.figures
      assert.deepEqual({ unit, limit, spent, requested }, { unit: 'calls', limit: 4, spent: 4, requested: 1 })
    }
    assert.equal(gate.upstream.generations.length, 4)
    const task = (await gate.daemon.status()).tasks.find(({ id }) => id === 'counted')
    assert.equal(task?.iterations, 4)
  })

  it('K15: counts the model calls that a tool makes in the same task, whichever SDK makes them', async () => {
    await gate.daemon.json('/api/tasks', { id: 'nested', iterations: 10 })
    const agent = chatAgent({ daemon: gate.daemon, task: 'nested' })
    const expert = new Anthropic({ apiKey: providerKey, baseURL: gate.daemon.base('anthropic', { task: 'nested' }) })
    gate.upstream.script((request) => {
      const page = gate.upstream.generations.length
      return request.path.includes('/messages') ? {} : { toolCall: { name: 'read_page', arguments: { page } } }
    })
    let questions = 0
    const askTheExpert = async (): Promise<string> => {
      const said: string[] = []
      for (const depth of [1, 2]) {
        questions += 1
        const content = `Question ${questions}, depth ${depth}: what stands there?`
        const answer = await expert.messages.create({
          model: 'claude-haiku-4-5',
          max_tokens: 100,
          messages: [{ role: 'user', content }],
        })
        said.push(`${answer.id}: ${answer.stop_reason}`)
      }
      return said.join('\n')
    }
    agent.say('Ask the expert about every page.')
    // Three turns of one outer and two nested calls, the fourth outer one, and a nested one that is refused.
    const fault = await faultOf(agent.run(askTheExpert))
    assert.ok(fault instanceof Anthropic.APIError)
    assert.deepEqual(codeOf(fault), { status: 403, code: 'task_halted' })
    assert.match(fault.message, /comes to 11 iterations, and it was given 10 iterations/)
    assert.equal(gate.upstream.generations.length, 10)
    assert.equal(gate.upstream.generations.filter(({ path }) => path.includes('/messages')).length, 6)
    agent.say('Try again.')
    assert.equal(codeOf(await faultOf(agent.run(askTheExpert))).code, 'task_halted')
    assert.equal(gate.upstream.generations.length, 10)
  })
})
