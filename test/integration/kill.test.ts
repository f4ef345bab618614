import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { KillRequest, KillResult } from '../../shared/protocol.ts'
import { figuresOf, lastMessage, readRefusal } from './harness/answers.ts'
import { against, startDaemon } from './harness/daemon.ts'
import { eventually } from './harness/eventually.ts'
import { flatAsk, flatConfig } from './harness/flatPrice.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { bulkyFrames } from './harness/prompts.ts'
import { rawPost } from './harness/raw.ts'

const chat = '/v1/chat/completions'
const anthropicHead = { 'anthropic-version': '2023-06-01' }

const kill = (gate: Gate, request: KillRequest = { scope: 'global' }) =>
  gate.daemon.json<KillResult>('/api/kill', request)

/** Waits until so many streams deliver, so that a stop meets them in the middle. */
const begun = (gate: Gate, count: number) =>
  eventually(`${count} streams that deliver`, async () => {
    const { inFlight } = await gate.daemon.status()
    return inFlight.filter(({ outputTokens }) => outputTokens > 0).length === count ? true : null
  })

describe('the kill switch', () => {
  let gate: Gate
  beforeEach(async () => {
    gate = await startGate({
      ...flatConfig(10),
      keys: [
        { key: 'key-of-ada', user: 'ada', tenant: 'acme' },
        { key: 'key-of-bob', user: 'bob', tenant: 'acme' },
      ],
    })
    gate.upstream.script(() => ({ outputTokens: 900, chunkDelayMs: 20 }))
  })
  afterEach(() => gate.close())

  const resume = (request: KillRequest = { scope: 'global' }) => gate.daemon.json('/api/resume', request)

  const stream = (task: string | null = null, key = gate.daemon.key) =>
    fetch(`${gate.daemon.base('openai', { key, ...(task === null ? {} : { task }) })}${chat}`, {
      method: 'POST',
      body: JSON.stringify(flatAsk(1000, { stream: true })),
    })

  for (const count of [5, 50]) {
    it(`C12 stops ${count} open streams: sockets closed, clients told, rows settled, new calls refused`, async () => {
      const responses = await Promise.all(Array.from({ length: count }, () => stream()))
      const texts = responses.map((response) => response.text())
      await begun(gate, count)
      const { cancelled } = await kill(gate)
      assert.equal(cancelled, count)
      for (const text of await Promise.all(texts)) {
        assert.deepEqual([figuresOf(lastMessage(text)).code, text.includes('[DONE]')], ['killed', false])
      }
      for (const request of gate.upstream.generations) {
        assert.equal((await gate.upstream.waitForClose(request)).finished, false)
      }
      await eventually('no connection to the provider', () => (gate.upstream.connections === 0 ? true : null))
      const rows = await gate.daemon.settled(count)
      assert.equal(rows.length, count)
      for (const { outcome, settlement, eur } of rows) {
        assert.deepEqual([outcome, settlement, eur > 0], ['killed', 'partial', true])
      }
      const { today, killed, inFlight } = await gate.daemon.status()
      assert.deepEqual([today.reservedEur, killed, inFlight.length], [0, true, 0])
      const refusal = await readRefusal(await stream())
      assert.deepEqual([refusal.status, refusal.code, refusal.figures.scope], [403, 'killed', 'global'])
      assert.equal(gate.upstream.generations.length, count)
      assert.deepEqual(await gate.daemon.json('/api/check'), { drift: [] })
    })
  }

  it('C12 answers a call that has no answer yet with 403, and closes its socket at the provider', async () => {
    gate.upstream.script(() => ({ hangForever: true }))
    const call = gate.post('openai', chat, flatAsk(100))
    const request = await gate.upstream.waitForRequests(1)
    await kill(gate)
    assert.deepEqual((await readRefusal(await call)).status, 403)
    assert.equal((await gate.upstream.waitForClose(request)).finished, false)
  })

  it('C12 does not wait for a client that reads nothing', async () => {
    gate.upstream.script(() => ({ frames: bulkyFrames(500) }))
    const url = `${gate.daemon.base('openai')}${chat}`
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port) })
    socket.pause()
    for (const bytes of rawPost(url, JSON.stringify(flatAsk(1000, { stream: true })))) socket.write(bytes)
    const request = await gate.upstream.waitForRequests(1)
    await pause(300)
    assert.equal((await kill(gate)).cancelled, 1)
    assert.equal((await gate.upstream.waitForClose(request)).finished, false)
    const [row] = await gate.daemon.settled(1)
    assert.equal(row!.outcome, 'killed')
    socket.destroy()
  })

  it('C12 survives a restart and kill -9, and is lifted by one resume', async () => {
    await kill(gate)
    const config = against(gate.upstream, flatConfig(10))
    const { dataDir } = gate.daemon
    await gate.daemon.kill9()
    const second = await startDaemon({ config, dataDir })
    assert.equal((await second.status()).killed, true)
    const post = (base: string) => fetch(`${base}${chat}`, { method: 'POST', body: JSON.stringify(flatAsk(100)) })
    assert.equal((await post(second.base('openai'))).status, 403)
    await second.stop()
    const third = await startDaemon({ config, dataDir })
    assert.equal((await post(third.base('openai'))).status, 403)
    await third.json('/api/resume', {})
    assert.equal((await post(third.base('openai'))).status, 200)
    await third.stop()
    const fourth = await startDaemon({ config, dataDir })
    assert.equal((await fourth.status()).killed, false, 'and stays lifted')
    await fourth.kill9()
  })

  for (const [scope, ref, stopped, others] of [
    ['tenant', 'acme', ['key-of-ada', 'key-of-bob'], ['default']],
    ['key', 'key-1', ['key-of-ada'], ['key-of-bob', 'default']],
    ['key', 'default', ['default'], ['key-of-ada', 'key-of-bob']],
  ] as const) {
    it(`C12 stops the ${scope} ${ref} and nobody else`, async () => {
      gate.upstream.script(() => ({ outputTokens: 60, chunkDelayMs: 20 }))
      const keyOf = (name: string) => (name === 'default' ? gate.daemon.key : name)
      const open = async (name: string) => [name, await stream(null, keyOf(name))] as const
      const streams = await Promise.all([...stopped, ...others].map(open))
      const texts = streams.map(async ([name, response]) => [name, await response.text()] as const)
      await begun(gate, 3)
      assert.equal((await kill(gate, { scope, ref })).cancelled, stopped.length)
      for (const [name, text] of await Promise.all(texts)) {
        assert.equal(text.includes('"killed"'), (stopped as readonly string[]).includes(name), name)
      }
      for (const name of stopped) {
        const refusal = await readRefusal(await stream(null, keyOf(name)))
        assert.deepEqual([refusal.status, refusal.figures.scope, refusal.figures.scopeRef], [403, scope, ref])
      }
      for (const name of others) assert.equal((await stream(null, keyOf(name))).status, 200)
      assert.deepEqual((await gate.daemon.status()).kills, [{ scope, ref }])
      assert.equal((await gate.daemon.status()).killed, false)
      await resume({ scope, ref })
      for (const name of stopped) assert.equal((await stream(null, keyOf(name))).status, 200)
    })
  }

  it('C12 stops a task and nobody else, also where another key works on it', async () => {
    gate.upstream.script(() => ({ outputTokens: 60, chunkDelayMs: 20 }))
    const [mine, hers, other] = await Promise.all([stream('build'), stream('build', 'key-of-ada'), stream('test')])
    const texts = Promise.all([mine, hers, other].map((response) => response.text()))
    await begun(gate, 3)
    assert.equal((await kill(gate, { scope: 'task', ref: 'build' })).cancelled, 2)
    assert.deepEqual(
      (await texts).map((text) => text.includes('"killed"')),
      [true, true, false],
    )
    assert.equal((await stream('build')).status, 403)
    assert.equal((await stream('test')).status, 200)
    assert.equal((await stream()).status, 200, 'a call without a task')
  })

  it('lifts every switch with a resume that names none', async () => {
    await kill(gate, { scope: 'task', ref: 'build' })
    await kill(gate, { scope: 'tenant', ref: 'acme' })
    await kill(gate)
    await resume()
    assert.deepEqual((await gate.daemon.status()).kills, [])
    assert.equal((await stream('build', 'key-of-ada')).status, 200)
  })

  it('lifts nothing else when one switch is lifted, and says what it did in events', async () => {
    await kill(gate, { scope: 'task', ref: 'build' })
    await kill(gate)
    await resume({ scope: 'task', ref: 'build' })
    assert.equal((await stream('build')).status, 403)
    const events = await gate.daemon.events()
    assert.deepEqual(
      events.map(({ event, scope, ref }) => [event, scope, ref]).filter(([event]) => event !== 'refused'),
      [
        ['killed', 'task', 'build'],
        ['killed', 'global', ''],
        ['resumed', 'task', 'build'],
      ],
    )
  })

  it('lets what reads only pass while it is on, so that clients can start and look', async () => {
    await kill(gate)
    assert.equal((await fetch(`${gate.daemon.base('openai')}/v1/models`)).status, 200)
    assert.equal((await fetch(`${gate.daemon.base('ollama')}/api/tags`)).status, 200)
  })
})

describe('the kill switch in every dialect', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate(flatConfig(10))
  })
  after(() => gate.close())
  beforeEach(() => {
    gate.upstream.reset()
    gate.upstream.script(() => ({ outputTokens: 900, chunkDelayMs: 20 }))
  })
  afterEach(() => gate.daemon.json('/api/resume', {}))

  for (const [dialect, upstream, path, body, last] of [
    [
      'OpenAI chat',
      'openai',
      chat,
      flatAsk(1000, { stream: true }),
      { error: { code: 'killed', type: 'tollgate_refusal' } },
    ],
    [
      'OpenAI completions',
      'openai',
      '/v1/completions',
      { model: 'flat-1', prompt: 'x', max_tokens: 1000, stream: true },
      { error: { code: 'killed' } },
    ],
    [
      'OpenAI responses',
      'openai',
      '/v1/responses',
      { model: 'flat-1', input: 'x', max_output_tokens: 1000, stream: true },
      // The one code that its clients do not take for transient.
      { type: 'response.failed', response: { status: 'failed', error: { code: 'insufficient_quota' } } },
    ],
    [
      'Anthropic messages',
      'anthropic',
      '/v1/messages',
      flatAsk(1000, { stream: true }),
      { type: 'error', error: { type: 'invalid_request_error', details: { error_code: 'killed' } } },
    ],
    [
      'Ollama chat',
      'ollama',
      '/api/chat',
      { model: 'gemma3:4b', messages: [{ role: 'user', content: 'x' }] },
      { tollgate: { code: 'killed' } },
    ],
    [
      'Ollama generate',
      'ollama',
      '/api/generate',
      { model: 'gemma3:4b', prompt: 'x' },
      { tollgate: { code: 'killed' } },
    ],
  ] as const) {
    it(`C12 ends a stream of ${dialect} with the terminal error of its dialect and our sentence`, async () => {
      const response = await gate.post(upstream, path, body, { headers: anthropicHead })
      const text = response.text()
      await begun(gate, 1)
      await kill(gate)
      const found = lastMessage(await text)
      assert.partialDeepStrictEqual(found, last)
      assert.match(JSON.stringify(found), /All model calls are stopped by the Tollgate kill switch\./)
      if (upstream !== 'ollama') assert.match(response.headers.get('content-type') ?? '', /event-stream/)
      assert.doesNotMatch(await text, /\[DONE\]|message_stop|"done":true|response\.completed/)
    })

    it(`C12 refuses a new call of ${dialect} in the shape of its dialect`, async () => {
      await kill(gate)
      const refusal = await readRefusal(await gate.post(upstream, path, body, { headers: anthropicHead }))
      assert.deepEqual([refusal.status, refusal.code, refusal.figures.code], [403, 'killed', 'killed'])
      const { error } = refusal.body as { error: string | { message: string } }
      assert.match(typeof error === 'string' ? error : error.message, /kill switch/)
      assert.equal(gate.upstream.requests.length, 0)
    })
  }
})
