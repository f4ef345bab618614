import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { startUpstream } from '../upstream/upstream.ts'
import { providerKey, startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { rawExchange, rawPost } from './harness/raw.ts'

const ask = { model: 'gpt-4o-mini', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }

describe('what may reach the gate, and what may leave it', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate()
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  const port = () => new URL(gate.daemon.url).port
  const chatPath = () => `/k/${gate.daemon.key}/openai/v1/chat/completions`
  const chatUrl = () => `${gate.daemon.url}${chatPath()}`
  const get = (path: string, headers: Readonly<Record<string, string>>) =>
    rawExchange(gate.daemon.url, [
      `GET ${path} HTTP/1.1\r\n${Object.entries({ connection: 'close', ...headers })
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
    ])

  it('N01 refuses a foreign Host before anything else, key or not', async () => {
    for (const host of [
      `evil.example:${port()}`,
      `127.0.0.1.evil.example:${port()}`,
      '127.0.0.1:1',
      'localhost',
      `169.254.0.1:${port()}`,
    ]) {
      for (const path of ['/api/status', '/healthz', '/metrics', '/control', chatPath()]) {
        assert.equal(
          (await get(path, { host, authorization: `Bearer ${gate.daemon.token}` })).status,
          403,
          `${host} ${path}`,
        )
      }
      const answer = await rawExchange(chatUrl(), rawPost(chatUrl(), JSON.stringify(ask), { host }))
      assert.equal(answer.status, 403)
      assert.match(answer.body.toString(), /forbidden_host/)
    }
    assert.equal(gate.upstream.requests.length, 0)
  })

  it('N01 accepts the names of loopback with its own port, in any case and with a trailing dot', async () => {
    for (const host of [
      `127.0.0.1:${port()}`,
      `localhost:${port()}`,
      `LocalHost:${port()}`,
      `localhost.:${port()}`,
      `[::1]:${port()}`,
    ]) {
      assert.equal((await get('/healthz', { host })).status, 200, host)
    }
  })

  it('N02 gives a web page nothing: no CORS headers, no preflight, no simple request', async () => {
    const origin = 'https://evil.example'
    const host = `127.0.0.1:${port()}`
    const preflight = `OPTIONS ${chatPath()} HTTP/1.1\r\nhost: ${host}\r\norigin: ${origin}\r\naccess-control-request-method: POST\r\naccess-control-request-private-network: true\r\nconnection: close\r\n\r\n`
    const simple = rawPost(chatUrl(), JSON.stringify(ask), { origin, 'content-type': 'text/plain' })
    const withToken = rawPost(`${gate.daemon.url}/api/kill`, '{"scope":"global"}', {
      origin,
      authorization: `Bearer ${gate.daemon.token}`,
    })
    const opaque = rawPost(chatUrl(), JSON.stringify(ask), { origin: 'null' })
    for (const parts of [[preflight], simple, withToken, opaque]) {
      const answer = await rawExchange(gate.daemon.url, parts)
      assert.equal(answer.status, 403)
      assert.doesNotMatch(answer.head, /access-control/i)
      assert.match(answer.body.toString(), /forbidden_origin/)
    }
    assert.equal((await gate.daemon.status()).killed, false)
    assert.equal(gate.upstream.requests.length, 0)
  })

  it('N02 wants the control token on every control route, the socket included', async () => {
    for (const path of ['/api/status', '/api/calls', '/api/events', '/metrics']) {
      for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Bearer ${gate.daemon.key}` }]) {
        assert.equal((await fetch(`${gate.daemon.url}${path}`, { headers })).status, 401, path)
      }
    }
    const status = await new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(`${gate.daemon.url.replace('http', 'ws')}/control`)
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
      socket.once('open', () => reject(new Error('the socket opened without a token')))
    })
    assert.equal(status, 401)
  })

  it('N03 spends nothing for a caller without the local key', async () => {
    for (const path of [
      '/openai/v1/chat/completions',
      '/k/wrong/openai/v1/chat/completions',
      `/k/${gate.daemon.key}x/openai/v1/chat/completions`,
    ]) {
      const response = await fetch(`${gate.daemon.url}${path}`, { method: 'POST', body: JSON.stringify(ask) })
      assert.equal(response.status, 401)
      assert.equal(response.headers.get('x-tollgate-code'), 'invalid_key')
    }
    const list = await fetch(`${gate.daemon.url}/k/wrong/openai/v1/models`)
    assert.equal(list.status, 401)
    assert.equal(gate.upstream.requests.length, 0)
  })

  it('N03 listens on loopback only', async () => {
    const outside = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter((address) => !address.internal && address.family === 'IPv4')
    for (const { address } of outside) {
      await assert.rejects(fetch(`http://${address}:${port()}/healthz`), `${address} answers`)
    }
    assert.equal((await fetch(`http://127.0.0.1:${port()}/healthz`)).status, 200)
  })

  it('N06 answers every wrong key with the same generic 401', async () => {
    const answer = async (key: string) => {
      const response = await fetch(`${gate.daemon.url}/k/${key}/openai/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify(ask),
      })
      return (await response.text())
        .replaceAll(response.headers.get('x-tollgate-call') ?? '\u0000', '')
        .replaceAll(response.headers.get('x-request-id') ?? '\u0000', '')
    }
    const near = gate.daemon.key.slice(0, -1) + (gate.daemon.key.endsWith('a') ? 'b' : 'a')
    const [first, second] = [await answer('wrong-key-one'), await answer(near)]
    assert.equal(first, second)
    assert.doesNotMatch(first, /sqlite|table|hash|wrong-key-one/i)
  })

  it('follows no redirect: the provider key does not travel to another host', async () => {
    const other = await startUpstream()
    try {
      gate.upstream.next({ redirect: `${other.url}/stolen` })
      const response = await gate.post('openai', '/v1/chat/completions', ask, { redirect: 'manual' })
      assert.equal(response.status, 302)
      assert.equal(other.requests.length, 0)
    } finally {
      await other.close()
    }
  })
})

describe('keys and prompts', () => {
  const prompt = 'canary-prompt-5b1e the launch is on friday'
  const answerText = 'canary-answer-77aa noted'
  const queryKey = 'AIzaCanaryQueryKey0001'

  it('N04, N05 and N08: appear in no log, error, ledger, metric or event, whatever goes wrong', async () => {
    const gate = await startGate({ budgets: { userDaily: { tokens: 100_000 } } })
    const outputs: string[] = []
    try {
      const { upstream, daemon } = gate
      const messages = [{ role: 'user', content: prompt }]
      const body = { model: 'gpt-4o-mini', max_tokens: 200, messages }
      upstream.script(() => ({ text: answerText }))
      const chat = async (more: object = {}, path = '/v1/chat/completions') =>
        (await gate.post('openai', path, { ...body, ...more })).text()
      await chat()
      await chat({ stream: true })
      // An error of the provider, a broken stream, an unreachable route, a client that sends nonsense, and a key in the query.
      upstream.next({ status: 401 }, { resetAfterChunks: 1 })
      outputs.push(await chat())
      await chat({ stream: true }).catch(() => '')
      outputs.push(await chat({}, '/v1/audio/speech'))
      outputs.push(await (await gate.post('openai', '/v1/chat/completions', `{"broken ${prompt}`)).text())
      upstream.next({ status: 500 })
      await chat({}, `/v1/chat/completions?key=${queryKey}`)
      const wrong = await fetch(`${daemon.url}/k/wrong/openai/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${providerKey}` },
        body: JSON.stringify(body),
      })
      outputs.push(await wrong.text())
      // Over budget: the message of the refusal names a user and never a key.
      upstream.next({ inputTokens: 200_000 })
      await chat()
      await daemon.settled()
      outputs.push(await chat())
      for (const path of ['/api/status', '/api/calls', '/api/events', '/metrics'])
        outputs.push(await (await daemon.api(path)).text())
      const files = () =>
        readdirSync(daemon.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      const read = () => files().map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'))
      outputs.push(...read())
      const kept = daemon.stderr()
      outputs.push(kept)
      for (const secret of [providerKey, queryKey, 'canary-prompt-5b1e', 'canary-answer-77aa']) {
        for (const output of outputs)
          assert.equal(output.includes(secret), false, `${secret} is in: ${output.slice(0, 200)}`)
      }
      assert.ok(outputs.length > 9 && files().length > 1)
      // The local key is in the discovery file alone.
      const withKey = files().filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(daemon.key))
      for (const entry of withKey) assert.doesNotMatch(entry.name, /sqlite|\.db|wal|log/)
      assert.equal(kept.includes(daemon.key), false)
    } finally {
      await gate.close()
    }
  })
})
