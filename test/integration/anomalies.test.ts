import assert from 'node:assert/strict'
import { flatAsk, flatConfig, flatUsage } from './harness/flatPrice.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

const claudeCode = { 'user-agent': 'claude-cli/2.1.4 (external, cli)', 'anthropic-version': '2023-06-01' }
const status = 'anthropic-ratelimit-unified-status'
const reset = 'anthropic-ratelimit-unified-reset'

async function withGate(config: object, use: (gate: Gate) => Promise<void>): Promise<void> {
  const gate = await startGate(config)
  try {
    await use(gate)
  } finally {
    await gate.close()
  }
}

/** An Anthropic call whose answer has so many tokens. */
async function message(
  gate: Gate,
  tokens: number,
  headers: Record<string, string>,
  step: object = {},
): Promise<Response> {
  gate.upstream.next({ usage: { output_tokens: tokens }, ...step })
  const response = await gate.post('anthropic', '/v1/messages', flatAsk(tokens), { headers })
  await response.text()
  return response
}

describe('the warning that Claude Code shows itself', () => {
  const coding = { plans: { coding: { task: null, maxOutputTokens: null } } }

  it('comes with the answers after 80 % of a budget, with the time of its reset', () =>
    withGate({ ...flatConfig(0.01), ...coding }, async (gate) => {
      const before = await message(gate, 800, claudeCode)
      assert.equal(before.headers.get(status), null)
      await gate.daemon.settled(1)
      const after = await message(gate, 10, claudeCode)
      assert.equal(after.headers.get(status), 'allowed_warning')
      const { today } = await gate.daemon.status()
      assert.equal(Number(after.headers.get(reset)), Date.parse(today.resetsAt) / 1000)
    }))

  it('leaves the provider its own word', () =>
    withGate({ ...flatConfig(0.01), ...coding }, async (gate) => {
      await message(gate, 800, claudeCode)
      await gate.daemon.settled(1)
      const own = await message(gate, 10, claudeCode, { headers: { [status]: 'allowed', [reset]: '1764547200' } })
      assert.deepEqual([own.headers.get(status), own.headers.get(reset)], ['allowed', '1764547200'])
    }))

  it('is for that client only', () =>
    withGate({ ...flatConfig(0.01), ...coding }, async (gate) => {
      await message(gate, 800, claudeCode)
      await gate.daemon.settled(1)
      const other = await message(gate, 10, { 'user-agent': 'my-agent/1.0', 'anthropic-version': '2023-06-01' })
      assert.equal(other.headers.get(status), null)
    }))
})

describe('what is unusual', () => {
  it('is said of money that goes fast, once in a minute, before anything is refused', () =>
    withGate(flatConfig(null, { plan: { rate: { eurPerMinute: 0.01, concurrent: null } } }), async (gate) => {
      for (const [turn, tokens] of [500, 350, 50].entries()) {
        gate.upstream.next(flatUsage(tokens))
        const response = await gate.post('openai', '/v1/chat/completions', flatAsk(tokens))
        assert.equal(response.status, 200)
        await response.text()
        await gate.daemon.settled(turn + 1)
      }
      const said = (await gate.daemon.events('anomaly')).filter((event) => event['kind'] === 'velocity')
      assert.equal(said.length, 1)
      assert.deepEqual([said[0]!['eurPerMinute'], said[0]!['limit']], [0.0085, 0.01])
    }))

  it('A22: is said of a task whose calls become dearer and dearer', () =>
    withGate(flatConfig(null), async (gate) => {
      for (let turn = 0; turn < 20; turn += 1) {
        gate.upstream.next(flatUsage(turn < 10 ? 100 : 250))
        const response = await gate.post('openai', '/v1/chat/completions', flatAsk(250), {
          headers: { 'x-tollgate-task': 'night' },
        })
        await response.text()
      }
      await gate.daemon.settled(20)
      const [said] = (await gate.daemon.events('anomaly')).filter((event) => event['kind'] === 'cost_growth')
      assert.deepEqual(
        [said?.['task'], said?.['factor'], said?.['eurPerCall'], said?.['firstEurPerCall']],
        ['night', 2.5, 0.0025, 0.001],
      )
    }))
})
