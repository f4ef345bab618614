import assert from 'node:assert/strict'
import { readRefusal } from './harness/answers.ts'
import { flatAsk, flatConfig, flatUsage } from './harness/flatPrice.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

const chat = '/v1/chat/completions'

async function withGate(config: object, use: (gate: Gate) => Promise<void>): Promise<void> {
  const gate = await startGate(config)
  try {
    await use(gate)
  } finally {
    await gate.close()
  }
}

/** A conversation that grows by an answer and a tool's result each turn, as its client sends it. */
class Conversation {
  readonly #messages: object[]
  readonly #more: object
  #turn = 0

  constructor(opening: string, more: object = {}) {
    this.#messages = [{ role: 'user', content: opening }]
    this.#more = more
  }

  async next(gate: Gate, base?: string): Promise<Response> {
    const body = { model: 'gpt-4o-mini', max_tokens: 20, messages: this.#messages, ...this.#more }
    const response =
      base === undefined
        ? await gate.post('openai', chat, body)
        : await fetch(`${base}${chat}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
            body: JSON.stringify(body),
          })
    this.#turn += 1
    const id = `call_${this.#turn}`
    const step = { id, type: 'function', function: { name: 'look', arguments: `{"at":${this.#turn}}` } }
    this.#messages.push({ role: 'assistant', tool_calls: [step] })
    this.#messages.push({ role: 'tool', tool_call_id: id, content: `seen ${this.#turn}` })
    return response
  }
}

async function status(response: Response): Promise<number> {
  await response.text()
  return response.status
}

describe('a name that a whole program shares', () => {
  const plans = { agent: { task: { maxIterations: 3 } } }
  const shared = { prompt_cache_key: 'my-app' }

  it('makes no one task of its conversations: each has its own three calls', () =>
    withGate({ plans }, async (gate) => {
      const [first, second] = [new Conversation('first job', shared), new Conversation('second job', shared)]
      const statuses: number[] = []
      for (let turn = 0; turn < 3; turn += 1) {
        statuses.push(await status(await first.next(gate)), await status(await second.next(gate)))
      }
      assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200])
      assert.equal((await readRefusal(await first.next(gate))).code, 'task_halted')
      assert.equal((await readRefusal(await second.next(gate))).code, 'task_halted')
      assert.equal(await status(await new Conversation('third job', shared).next(gate)), 200)
      const { tasks } = await gate.daemon.status()
      assert.equal(new Set(tasks.map((task) => task.session)).size, 1)
    }))

  it('is told from the name of a conversation, whose calls all count together', () =>
    withGate({ plans }, async (gate) => {
      const headers = { session_id: 'conversation-1' }
      const statuses: number[] = []
      for (const job of ['one', 'two', 'three', 'four']) {
        const body = { model: 'gpt-4o-mini', max_tokens: 20, messages: [{ role: 'user', content: job }] }
        statuses.push(await status(await gate.post('openai', chat, body, { headers })))
      }
      assert.deepEqual(statuses, [200, 200, 200, 403])
    }))
})

describe('the same words from two accounts', () => {
  it('are two conversations: what halts one does not touch the other', () =>
    withGate(
      {
        plans: { agent: { task: { maxIterations: 2 } } },
        keys: [
          { key: 'KEYOFADA', user: 'ada' },
          { key: 'KEYOFBEN', user: 'ben' },
        ],
      },
      async (gate) => {
        const ada = gate.daemon.base('openai', { key: 'KEYOFADA' })
        const ben = gate.daemon.base('openai', { key: 'KEYOFBEN' })
        const [hers, his] = [new Conversation('the same job'), new Conversation('the same job')]
        const statuses: number[] = []
        for (let turn = 0; turn < 3; turn += 1) statuses.push(await status(await hers.next(gate, ada)))
        for (let turn = 0; turn < 3; turn += 1) statuses.push(await status(await his.next(gate, ben)))
        assert.deepEqual(statuses, [200, 200, 403, 200, 200, 403])
        const { tasks } = await gate.daemon.status()
        assert.equal(new Set(tasks.map((task) => task.session)).size, 2)
      },
    ))
})

describe('a call that waits for room', () => {
  it('goes out as soon as the cap is raised', () =>
    withGate(flatConfig(0.004, { budgets: { heldWaitMs: 30_000 } }), async (gate) => {
      gate.upstream.next({ ...flatUsage(100), hangForever: true }, flatUsage(100))
      const leave = new AbortController()
      const first = gate.post('openai', chat, flatAsk(400), { signal: leave.signal }).catch(() => null)
      await gate.upstream.waitForRequests(1)
      const second = gate.post('openai', chat, flatAsk(400))
      await gate.daemon.json('/api/caps', { userDailyEur: 1 })
      assert.equal(await status(await second), 200)
      leave.abort()
      await first
    }))
})
