import assert from 'node:assert/strict'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

const messages = [{ role: 'user', content: 'hello' }]
const chatBody = { model: 'gpt-4o-mini', max_tokens: 100, messages }
/** A model that the upstream's price list knows. */
const bodyFor = (upstream: string) => (upstream === 'anthropic' ? { ...chatBody, model: 'claude-haiku-4-5' } : chatBody)

describe('addresses', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate()
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  for (const [upstream, path, reaches] of [
    ['openai', '/v1/chat/completions', '/openai/v1/chat/completions'],
    ['openai', '/chat/completions', '/openai/v1/chat/completions'],
    ['openai', '/v1/v1/chat/completions', '/openai/v1/chat/completions'],
    ['openai', '/v1//chat/completions', '/openai/v1/chat/completions'],
    ['anthropic', '/v1/messages', '/anthropic/v1/messages'],
    ['anthropic', '/messages', '/anthropic/v1/messages'],
    ['anthropic', '/v1/v1/messages', '/anthropic/v1/messages'],
    ['ollama', '/v1/chat/completions', '/ollama/v1/chat/completions'],
    ['ollama', '/api/chat', '/ollama/api/chat'],
  ] as const) {
    it(`${upstream}${path} reaches the provider as ${reaches}`, async () => {
      const response = await gate.post(upstream, path, { ...bodyFor(upstream), stream: false })
      assert.equal(response.status, 200)
      await response.text()
      assert.equal(gate.upstream.generations[0]!.path, reaches)
    })
  }

  it('takes key, task, project and user from headers as well, and forwards none of them', async () => {
    const headers = {
      'x-tollgate-key': gate.daemon.key,
      'x-tollgate-task': 'task-7',
      'x-tollgate-project': 'shop',
      'x-tollgate-user': 'ada',
      authorization: 'Bearer sk-provider',
      'openai-organization': 'org-1',
      'content-type': 'application/json',
    }
    const url = `${gate.daemon.url}/openai/v1/chat/completions`
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(chatBody) })
    assert.equal(response.status, 200)
    await response.text()
    const [row] = await gate.daemon.settled()
    assert.deepEqual([row!.task, row!.project, row!.user], ['task-7', 'shop', 'ada'])
    const sent = gate.upstream.generations[0]!.headers
    assert.deepEqual(
      Object.keys(sent).filter((name) => name.startsWith('x-tollgate')),
      [],
    )
    assert.deepEqual([sent.authorization, sent['openai-organization']], ['Bearer sk-provider', 'org-1'])
  })

  it('takes task and project from the path', async () => {
    const base = gate.daemon.base('openai', { task: 'build-3', project: 'checkout-bot' })
    const response = await fetch(`${base}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(chatBody) })
    assert.equal(response.headers.get('x-tollgate-task'), 'build-3')
    await response.text()
    const [row] = await gate.daemon.settled()
    assert.deepEqual([row!.task, row!.project], ['build-3', 'checkout-bot'])
  })

  it('says who it is without a key', async () => {
    const health = (await (await fetch(`${gate.daemon.url}/healthz`)).json()) as {
      name: string
      protocol: number
      pid: number
    }
    assert.deepEqual([health.name, health.protocol, health.pid], ['tollgate', 1, gate.daemon.pid])
  })

  it('refuses what is billable and not understood, and passes nothing of it on', async () => {
    for (const [upstream, path] of [
      ['openai', '/v1/images/generations'],
      ['openai', '/v1/audio/speech'],
      ['openai', '/v1/batches'],
      ['openai', '/v1/fine_tuning/jobs'],
      ['anthropic', '/v1/messages/batches'],
      ['anthropic', '/v1/complete'],
    ] as const) {
      const response = await gate.post(upstream, path, chatBody)
      assert.equal(response.headers.get('x-tollgate-code'), 'unsupported', path)
      assert.equal(response.status, 422)
      await response.text()
    }
    const background = await gate.post('openai', '/v1/responses', {
      model: 'gpt-4o-mini',
      input: 'x',
      background: true,
    })
    assert.equal(background.headers.get('x-tollgate-code'), 'unsupported')
    assert.equal(gate.upstream.requests.length, 0)
  })

  it('answers HEAD / of the Ollama command line', async () => {
    const response = await fetch(`${gate.daemon.base('ollama')}/`, { method: 'HEAD' })
    assert.equal(response.status, 200)
    assert.equal(gate.upstream.requests[0]!.method, 'HEAD')
  })
})

describe("the provider's own answers", () => {
  let gate: Gate
  before(async () => {
    gate = await startGate()
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  for (const [upstream, path] of [
    ['openai', '/v1/chat/completions'],
    ['anthropic', '/v1/messages'],
    ['ollama', '/api/chat'],
  ] as const) {
    it(`${upstream}: an error passes byte for byte with status and headers, and costs nothing`, async () => {
      const before = (await gate.daemon.calls()).length
      const errorBody = { error: { message: 'Odd — spacing', z: 1, a: [1.5, null] } }
      gate.upstream.next({ status: 429, errorBody, headers: { 'retry-after': '7', 'x-own': 'yes' } })
      const response = await gate.post(upstream, path, { ...bodyFor(upstream), stream: true })
      assert.equal(response.status, 429)
      assert.equal(await response.text(), JSON.stringify(errorBody))
      assert.deepEqual([response.headers.get('retry-after'), response.headers.get('x-own')], ['7', 'yes'])
      assert.equal(response.headers.get('x-should-retry'), null)
      const [row] = await gate.daemon.settled(before + 1)
      assert.deepEqual([row!.status, row!.eur, row!.usage.input, row!.usage.output], [429, 0, 0, 0])
      assert.equal((await gate.daemon.status()).today.reservedEur, 0)
    })
  }

  it('keeps an SDK from sleeping for an hour on a long retry-after of the provider', async () => {
    gate.upstream.next({ status: 429, headers: { 'retry-after': '3600' } })
    const response = await gate.post('openai', '/v1/chat/completions', chatBody)
    assert.deepEqual([response.headers.get('retry-after'), response.headers.get('x-should-retry')], ['3600', 'false'])
    await response.text()
  })

  it('hands HTML and garbage on as it came, and settles it as an estimate', async () => {
    const before = (await gate.daemon.calls()).length
    gate.upstream.next(
      { garbage: '<html><h1>It works</h1></html>' },
      { garbage: 'data: {not json\n\n', headers: { 'content-type': 'text/event-stream' } },
    )
    const html = await gate.post('openai', '/v1/chat/completions', chatBody)
    assert.deepEqual([html.status, await html.text()], [200, '<html><h1>It works</h1></html>'])
    assert.match(html.headers.get('content-type') ?? '', /text\/html/)
    await gate
      .post('openai', '/v1/chat/completions', { ...chatBody, stream: true })
      .then((response) => response.text())
      .catch(() => '')
    const rows = (await gate.daemon.settled(before + 2)).slice(0, 2)
    assert.ok(rows.every((row) => row.settlement !== 'exact' && row.usage.input > 0))
  })

  it('cuts a provider that ignores the output ceiling, with a terminal error', async () => {
    const before = (await gate.daemon.calls()).length
    gate.upstream.next({ outputTokens: 5000, ignoreMaxTokens: true })
    const response = await gate.post('openai', '/v1/chat/completions', { ...chatBody, stream: true })
    const last = (await response.text())
      .trimEnd()
      .split('\n\n')
      .at(-1)!
      .replace(/^data: /, '')
    assert.equal((JSON.parse(last) as { error: { code: string } }).error.code, 'overrun')
    assert.equal((await gate.upstream.waitForClose(gate.upstream.generations[0]!)).finished, false)
    const [row] = await gate.daemon.settled(before + 1)
    assert.equal(row!.outcome, 'overrun')
    assert.ok(row!.usage.output >= 100 && row!.usage.output < 5000)
  })

  it('says when the provider cannot be reached: 502, nothing charged, one request', async () => {
    const away = await startGate({ upstreams: { openai: { baseUrl: 'http://127.0.0.1:9/v1', dialect: 'openai' } } })
    try {
      const response = await away.post('openai', '/v1/chat/completions', chatBody)
      assert.equal(response.status, 502)
      assert.equal(response.headers.get('x-tollgate-code'), 'upstream_unreachable')
      await response.text()
      const [row] = await away.daemon.settled()
      assert.deepEqual([row!.eur, row!.settlement], [0, 'released'])
    } finally {
      await away.close()
    }
  })

  it('served tier and model decide, not the asked ones', async () => {
    const before = (await gate.daemon.calls()).length
    gate.upstream.next(
      { serviceTier: 'flex', inputTokens: 10_000, outputTokens: 10 },
      { inputTokens: 10_000, outputTokens: 10 },
    )
    for (let turn = 0; turn < 2; turn += 1) {
      await (
        await gate.post('openai', '/v1/chat/completions', { ...chatBody, model: 'gpt-5.5', service_tier: 'auto' })
      ).text()
    }
    const [standard, flex] = await gate.daemon.settled(before + 2)
    assert.ok(Math.abs(flex!.eur / standard!.eur - 0.5) < 0.01, `${flex!.eur} of ${standard!.eur}`)
  })
})

describe('Ollama', () => {
  it('says a silent cut of 12,920 and 38,980 tokens to 2,051, and nothing of 666 and 3,204', async () => {
    const gate = await startGate()
    try {
      for (const [tokens, cut] of [
        [666, false],
        [3204, false],
        [12_920, true],
        [38_980, true],
      ] as const) {
        const before = (await gate.daemon.calls()).length
        const content = ' apple'.repeat(tokens)
        gate.upstream.next({})
        const ask = { model: 'gemma3:4b', stream: false, messages: [{ role: 'user', content }] }
        const response = await gate.post('ollama', '/api/chat', ask)
        const answer = (await response.json()) as { prompt_eval_count: number }
        assert.equal(answer.prompt_eval_count === 2051, cut, String(answer.prompt_eval_count))
        const [row] = await gate.daemon.settled(before + 1)
        assert.equal(row!.warnings.includes('truncated'), cut, `${tokens} tokens`)
        const warning = response.headers.get('x-tollgate-warning')
        if (cut) assert.match(warning ?? '', /^truncated; estimated=\d+; reported=2051$/)
        else assert.equal(warning, null)
      }
      assert.equal((await gate.daemon.events('truncated')).length, 2)
    } finally {
      await gate.close()
    }
  })
})
