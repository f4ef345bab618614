import assert from 'node:assert/strict'
import { readRefusal } from './harness/answers.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

const chat = '/v1/chat/completions'
const tools = [{ type: 'function', function: { name: 'run', parameters: { type: 'object', properties: {} } } }]

function ask(content: string, more: object = {}): object {
  return { model: 'gpt-4o-mini', max_tokens: 50, messages: [{ role: 'user', content }], ...more }
}

async function withGate(use: (gate: Gate) => Promise<void>): Promise<void> {
  const gate = await startGate({ plans: { agent: { storm: { starts: 3, windowSeconds: 600 } } } })
  try {
    await use(gate)
  } finally {
    await gate.close()
  }
}

/** Statuses of so many starts of one agent. */
async function starts(gate: Gate, count: number, body: object, headers?: (turn: number) => Record<string, string>) {
  const statuses: number[] = []
  for (let turn = 0; turn < count; turn += 1) {
    const response = await gate.post('openai', chat, body, { headers: headers?.(turn) ?? {} })
    await response.text()
    statuses.push(response.status)
  }
  return statuses
}

describe('a restart storm', () => {
  it('is refused by the key once the same agent was started too often, with the seconds until the next start', () =>
    withGate(async (gate) => {
      const agent = ask('fix the build', { tools })
      assert.deepEqual(await starts(gate, 3, agent), [200, 200, 200])
      const refused = await readRefusal(await gate.post('openai', chat, agent))
      assert.deepEqual([refused.status, refused.code], [429, 'restart_storm'])
      assert.deepEqual([refused.figures.scope, refused.figures.limit], ['key', 3])
      assert.ok(Number(refused.retryAfter) > 500 && Number(refused.retryAfter) <= 600)
      assert.equal(gate.upstream.generations.length, 3)
      const storms = await gate.daemon.events('storm')
      assert.deepEqual(
        storms.map((event) => event['starts']),
        [3],
      )
      assert.equal((await gate.daemon.status()).counters['restart_storm'], 1)
    }))

  it('is one of tasks that each have an id of their own, too', () =>
    withGate(async (gate) => {
      const named = (turn: number) => ({ 'x-tollgate-task': `run-${turn}` })
      assert.deepEqual(await starts(gate, 4, ask('fix the build'), named), [200, 200, 200, 429])
    }))

  it('is none where another agent starts, and the one that was refused does not stop it', () =>
    withGate(async (gate) => {
      await starts(gate, 4, ask('fix the build', { tools }))
      assert.deepEqual(await starts(gate, 3, ask('write the release notes', { tools })), [200, 200, 200])
    }))

  it('is none of a script that asks one question again and again', () =>
    withGate(async (gate) => {
      assert.deepEqual(new Set(await starts(gate, 12, ask('is this text polite?'))), new Set([200]))
    }))

  it('is none of one task that goes on', () =>
    withGate(async (gate) => {
      const messages: object[] = [{ role: 'user', content: 'fix the build' }]
      for (let turn = 0; turn < 6; turn += 1) {
        const response = await gate.post('openai', chat, ask('', { tools, messages }))
        assert.equal(response.status, 200)
        await response.text()
        const call = { id: `c${turn}`, type: 'function', function: { name: 'run', arguments: `{"step":${turn}}` } }
        messages.push({ role: 'assistant', tool_calls: [call] })
        messages.push({ role: 'tool', tool_call_id: `c${turn}`, content: `step ${turn} done` })
      }
    }))

  it('does not count what an SDK repeats after a failure', () =>
    withGate(async (gate) => {
      const agent = ask('fix the build', { tools })
      const retry = (turn: number) => ({ 'x-stainless-retry-count': String(turn) })
      assert.deepEqual(new Set(await starts(gate, 6, agent, (turn) => retry(turn + 1))), new Set([200]))
    }))
})
