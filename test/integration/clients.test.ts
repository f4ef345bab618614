import assert from 'node:assert/strict'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

describe('habits of clients', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate()
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  const count = { model: 'claude-haiku-4-5', messages: [{ role: 'user', content: 'count me' }] }

  it('H01 routes count_tokens with its query and its beta headers, free of charge', async () => {
    const before = await gate.daemon.status()
    const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'afk-mode-2026-01-31,unknown-2027' }
    const response = await gate.post('anthropic', '/v1/messages/count_tokens?beta=true', count, { headers })
    assert.equal(response.status, 200)
    assert.ok(((await response.json()) as { input_tokens: number }).input_tokens > 0)
    const request = gate.upstream.requests[0]!
    assert.equal(request.path, '/anthropic/v1/messages/count_tokens?beta=true')
    assert.equal(request.headers['anthropic-beta'], headers['anthropic-beta'])
    const after = await gate.daemon.status()
    assert.deepEqual([after.today.calls, after.today.spentEur], [before.today.calls, before.today.spentEur])
  })

  it('H01 keeps the query of /v1/messages?beta=true and meters it', async () => {
    const before = (await gate.daemon.calls()).length
    const response = await gate.post('anthropic', '/v1/messages?beta=true', { ...count, max_tokens: 50 })
    assert.equal(response.status, 200)
    assert.equal(gate.upstream.generations[0]!.path, '/anthropic/v1/messages?beta=true')
    assert.equal((await gate.daemon.settled(before + 1))[0]!.dialect, 'anthropic-messages')
  })

  it('H02 takes fifty counters at once for neither calls nor iterations nor a storm', async () => {
    const rows = (await gate.daemon.calls()).length
    const storms = (await gate.daemon.events('storm')).length + (await gate.daemon.events('loop')).length
    const path = `${gate.daemon.base('anthropic', { task: 'starting' })}/v1/messages/count_tokens`
    const headers = { 'x-api-key': 'sk-x', 'anthropic-version': '2023-06-01' }
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => fetch(path, { method: 'POST', headers, body: JSON.stringify(count) })),
    )
    assert.ok(responses.every((response) => response.status === 200))
    assert.equal((await gate.daemon.calls()).length, rows)
    assert.equal(
      (await gate.daemon.status()).tasks.filter((task) => task.id === 'starting' && task.iterations > 0).length,
      0,
    )
    assert.equal((await gate.daemon.events('storm')).length + (await gate.daemon.events('loop')).length, storms)
  })

  it('H02 asks a counter that failed only once, and marks its own estimate beside the failure', async () => {
    gate.upstream.script(() => ({
      status: 503,
      errorBody: { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
    }))
    const before = gate.upstream.requests.length
    const path = `${gate.daemon.base('anthropic')}/v1/messages/count_tokens?failing=true`
    const headers = { 'x-api-key': 'sk-x', 'anthropic-version': '2023-06-01' }
    for (let times = 0; times < 20; times += 1) {
      const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(count) })
      assert.equal(response.status, 503)
      assert.deepEqual(await response.json(), { type: 'error', error: { type: 'overloaded_error', message: 'busy' } })
      assert.ok(Number(response.headers.get('x-tollgate-estimated-input')) > 0)
    }
    assert.equal(gate.upstream.requests.length, before + 1)
  })

  it('H05 hands a system array on in the same array, order and strings', async () => {
    const system = [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1' },
      { type: 'text', text: 'You are a careful engineer.', cache_control: { type: 'ephemeral' } },
    ]
    const body = JSON.stringify({ ...count, system, max_tokens: 50 })
    await (await gate.post('anthropic', '/v1/messages', body)).text()
    assert.equal(gate.upstream.generations[0]!.body.toString(), body)
  })

  it('H07 caps the field that the client used and never sends both', async () => {
    const messages = [{ role: 'user', content: 'x' }]
    const send = async (extra: object) => {
      await (await gate.post('openai', '/v1/chat/completions', { model: 'gpt-4o-mini', messages, ...extra })).text()
      const { max_tokens: old, max_completion_tokens: modern } = gate.upstream.generations.at(-1)!.json
      return { old, modern }
    }
    assert.deepEqual(await send({ max_completion_tokens: 50_000_000 }), { old: undefined, modern: 16_384 })
    assert.deepEqual(await send({ max_tokens: 77 }), { old: 77, modern: undefined })
    const injected = await send({})
    assert.deepEqual(
      [injected.old, injected.modern].filter((value) => value !== undefined),
      [4096],
    )
  })

  it('injects the ceiling that each server understands', async () => {
    const messages = [{ role: 'user', content: 'x' }]
    const send = async (upstream: string, path: string, body: object) => {
      const response = await gate.post(upstream, path, body)
      await response.text()
      return { sent: gate.upstream.generations.at(-1)!.json, changes: response.headers.get('x-tollgate-changes') ?? '' }
    }
    const emulated = await send('ollama', '/v1/chat/completions', {
      model: 'gemma3:4b',
      messages,
      max_completion_tokens: 60,
    })
    assert.ok(Number(emulated.sent['max_tokens']) <= 4096, 'Ollama reads only max_tokens, so that is the one to bound')
    const native = await send('ollama', '/api/chat', {
      model: 'gemma3:4b',
      messages,
      options: { num_predict: -1 },
      stream: false,
    })
    assert.equal((native.sent['options'] as { num_predict: number }).num_predict, 4096)
    assert.match(native.changes, /num_predict=4096/)
    const responses = await send('openai', '/v1/responses', { model: 'gpt-4o-mini', input: 'x' })
    assert.equal(responses.sent['max_output_tokens'], 4096)
    const completions = await send('openai', '/v1/completions', { model: 'gpt-3.5-turbo-instruct', prompt: 'x' })
    assert.ok(Number(completions.sent['max_tokens']) > 0)
    const fixed = await send('anthropic', '/v1/messages', { ...count, max_tokens: 321 })
    assert.deepEqual([fixed.sent['max_tokens'], fixed.changes], [321, ''])
  })
})
