import assert from 'node:assert/strict'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { eventually } from './harness/eventually.ts'
import { rawExchange, rawPost } from './harness/raw.ts'

const maxBodyBytes = 10_000_000

describe('HTTP as it is on the wire', () => {
  let gate: Gate
  before(async () => {
    const timeouts = { connectMs: 2000, firstByteMs: 5000, idleMs: 1000, totalMs: 8000 }
    gate = await startGate({ plans: { agent: { maxBodyBytes, timeouts, task: null } } })
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  const ask = { model: 'gpt-4o-mini', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }
  const chatUrl = () => `${gate.daemon.base('openai')}/v1/chat/completions`
  const chat = (
    body: object | string | Uint8Array<ArrayBuffer> = ask,
    headers: Readonly<Record<string, string>> = {},
  ) => gate.post('openai', '/v1/chat/completions', body, { headers })
  const errorCode = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code

  it('G01 hands on a compressed 200 and a compressed 404 so that the client can read them, and meters the first', async () => {
    const before = (await gate.daemon.calls()).length
    gate.upstream.next(
      { gzip: true, inputTokens: 77, outputTokens: 5 },
      { gzip: true, status: 404, errorBody: { error: { message: 'no such model' } } },
    )
    const answer = (await (await chat()).json()) as { usage: { prompt_tokens: number } }
    assert.equal(answer.usage.prompt_tokens, 77)
    const missing = await chat()
    assert.equal(missing.status, 404)
    assert.deepEqual(await missing.json(), { error: { message: 'no such model' } })
    const rows = await gate.daemon.settled(before + 2)
    assert.deepEqual(
      rows.slice(0, 2).map((row) => row.usage.input),
      [0, 77],
    )
  })

  it('G01 and G02 read the usage of a compressed stream', async () => {
    const before = (await gate.daemon.calls()).length
    gate.upstream.next({ gzip: true, inputTokens: 88, outputTokens: 5 })
    const text = await (await chat({ ...ask, stream: true })).text()
    assert.match(text, /data: \[DONE\]\n\n$/)
    assert.equal((await gate.daemon.settled(before + 1))[0]!.usage.input, 88)
  })

  it('G02 asks the provider only for encodings that it can decode', async () => {
    await (await chat(ask, { 'accept-encoding': 'zstd, br, made-up' })).text()
    await (await chat({ ...ask, stream: true }, { 'accept-encoding': 'zstd' })).text()
    const [plain, streamed] = gate.upstream.generations.map((request) => request.headers['accept-encoding'])
    assert.doesNotMatch(plain ?? '', /made-up/)
    assert.equal(streamed ?? 'identity', 'identity')
  })

  for (const [encoding, pack] of [
    ['zstd', zstdCompressSync],
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const) {
    it(`G03 decodes a ${encoding} body, meters it, and forwards it plain`, async () => {
      const before = (await gate.daemon.calls()).length
      gate.upstream.next({ inputTokens: 55 })
      const response = await chat(new Uint8Array(pack(JSON.stringify(ask))), { 'content-encoding': encoding })
      assert.equal(response.status, 200)
      const request = gate.upstream.generations[0]!
      assert.equal(request.headers['content-encoding'], undefined)
      assert.deepEqual(request.json, ask)
      assert.equal((await gate.daemon.settled(before + 1))[0]!.usage.input, 55)
    })
  }

  it('G03 refuses a corrupt frame, two bombs and unknown encodings; none reaches the provider', async () => {
    const corrupt = new Uint8Array(zstdCompressSync(JSON.stringify(ask))).slice(0, 20)
    const broken = await chat(corrupt, { 'content-encoding': 'zstd' })
    assert.deepEqual([broken.status, await errorCode(broken)], [400, 'invalid_request'])
    const big = Buffer.alloc(64 * 1024 * 1024, 0x20)
    for (const [encoding, bomb] of [
      ['zstd', zstdCompressSync(big)],
      ['gzip', gzipSync(big)],
    ] as const) {
      const response = await chat(new Uint8Array(bomb), { 'content-encoding': encoding })
      assert.deepEqual([response.status, await errorCode(response)], [413, 'body_too_large'])
    }
    const unknown = await chat(ask, { 'content-encoding': 'made-up' })
    assert.deepEqual([unknown.status, await errorCode(unknown)], [415, 'unsupported_encoding'])
    assert.equal(gate.upstream.requests.length, 0)
  })

  it('G03 decodes two layers or refuses them, and never forwards them unread', async () => {
    const twice = new Uint8Array(gzipSync(zstdCompressSync(JSON.stringify(ask))))
    const response = await chat(twice, { 'content-encoding': 'zstd, gzip' })
    assert.ok([200, 415].includes(response.status), String(response.status))
    if (response.status === 200) assert.deepEqual(gate.upstream.generations[0]!.json, ask)
    else assert.equal(gate.upstream.requests.length, 0)
  })

  it('G04 answers Expect: 100-continue itself and does not send it on', async () => {
    const [head, body] = rawPost(chatUrl(), JSON.stringify(ask), { expect: '100-continue' })
    const waited = (soFar: () => string) =>
      eventually('100 Continue', () => (soFar().includes('100 Continue') ? true : null)).then(() => undefined)
    const answer = await rawExchange(chatUrl(), [head!, waited, body!])
    assert.match(answer.head, /^HTTP\/1\.1 100 Continue/)
    assert.equal(answer.status, 200)
    assert.equal(gate.upstream.generations[0]!.headers['expect'], undefined)
  })

  it('G04 does not invite a body whose length is above the limit', async () => {
    const [head] = rawPost(chatUrl(), '', { expect: '100-continue', 'content-length': String(maxBodyBytes + 1) })
    const answer = await rawExchange(chatUrl(), [head!])
    assert.equal(answer.status, 413)
  })

  it('G05 computes the length of a changed body and strips hop-by-hop headers and what Connection names', async () => {
    const body = JSON.stringify({ model: ask.model, messages: ask.messages, stream: true })
    const hops = {
      connection: 'close, x-secret-hop',
      'x-secret-hop': '1',
      'keep-alive': 'timeout=9',
      te: 'trailers',
      'proxy-authorization': 'Basic eA==',
    }
    const answer = await rawExchange(chatUrl(), rawPost(chatUrl(), body, hops))
    assert.equal(answer.status, 200)
    const request = gate.upstream.generations[0]!
    assert.ok(request.body.length > body.length, 'the body was changed')
    assert.equal(request.headers['content-length'], String(request.body.length))
    assert.equal(request.headers['transfer-encoding'], undefined)
    for (const name of ['x-secret-hop', 'keep-alive', 'te', 'proxy-authorization'])
      assert.equal(request.headers[name], undefined, name)
    assert.equal(request.headers.host, new URL(gate.upstream.url).host)
  })

  it('G05 accepts a chunked body and sends one with a length', async () => {
    const body = JSON.stringify(ask)
    const coded = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const answer = await rawExchange(chatUrl(), rawPost(chatUrl(), coded, { 'transfer-encoding': 'chunked' }))
    assert.equal(answer.status, 200)
    assert.equal(gate.upstream.generations[0]!.body.toString(), body)
  })

  for (const [phase, step] of [
    ['first_byte', { firstByteDelayMs: 60_000 }],
    ['idle', { outputTokens: 50, hangAfterChunks: 0 }],
    ['total', { outputTokens: 90, chunkDelayMs: 200 }],
  ] as const) {
    it(`G07 the ${phase} limit is our own: 504 or a terminal error, with its phase, and the upstream is let go`, async () => {
      const before = (await gate.daemon.calls()).length
      gate.upstream.next(step)
      const response = await chat({ ...ask, stream: true })
      const text = await response.text()
      assert.equal(response.status, phase === 'first_byte' ? 504 : 200)
      const last = text
        .trimEnd()
        .split('\n\n')
        .at(-1)!
        .replace(/^data: /, '')
      const { error } = JSON.parse(last) as { error: { code: string; tollgate: { phase: string } } }
      assert.deepEqual([error.code, error.tollgate.phase], ['upstream_timeout', phase])
      assert.equal((await gate.upstream.waitForClose(gate.upstream.generations[0]!)).finished, false)
      assert.equal((await gate.daemon.settled(before + 1))[0]!.outcome, 'upstream_timeout')
    })
  }

  it('G07 a non-streamed answer that is late is a 504', async () => {
    gate.upstream.next({ firstByteDelayMs: 60_000 })
    const response = await chat()
    assert.deepEqual([response.status, await errorCode(response)], [504, 'upstream_timeout'])
  })

  it('G08 forwards the original bytes where nothing has to change, twice the same', async () => {
    const tools = Array.from({ length: 29 }, (_, index) => ({
      type: 'function',
      function: {
        name: `tool_${index}`,
        description: 'ä "quoted" \\ text',
        parameters: { type: 'object', properties: { z: { type: 'number' }, a: { type: 'string' } } },
      },
    }))
    // Spaces, escapes, odd numbers and key order that no serialiser would choose again.
    const body = `{ "tools":${JSON.stringify(tools)},\n "messages" : [{"content":"h\\u00e9llo \\/","role":"user"}],"temperature":1.0, "max_tokens": 1e2, "model":"gpt-4o-mini" }`
    await (await chat(body)).text()
    await (await chat(body)).text()
    assert.deepEqual(
      gate.upstream.generations.map((request) => request.body.toString()),
      [body, body],
    )
  })

  it('G08 changes nothing but the one field that it adds', async () => {
    const body = `{ "z": 1.0,\n "messages" : [{"content":"h\\u00e9llo","role":"user"}], "model":"gpt-4o-mini" }`
    await (await chat(body)).text()
    const sent = gate.upstream.generations[0]!.body.toString()
    assert.notEqual(sent, body)
    assert.equal(sent.replace(/,?\s*"max_(completion_)?tokens":\s*\d+,?/, ''), body)
  })

  it('G11 takes 9.9 MB and refuses 10.1 MB, announced or chunked', async () => {
    const filler = (bytes: number) =>
      JSON.stringify({ ...ask, messages: [{ role: 'user', content: 'word '.repeat(bytes / 5) }] })
    assert.equal((await chat(filler(9_900_000))).status, 200)
    // Several times: an answer that overtakes the upload is easily lost in a reset of the connection.
    const tooLarge = filler(10_100_000)
    for (let turn = 0; turn < 12; turn += 1) {
      const announced = await chat(tooLarge)
      assert.deepEqual([announced.status, await errorCode(announced)], [413, 'body_too_large'])
    }
    const block = Buffer.alloc(1_000_000, 0x20)
    const piece = Buffer.concat([Buffer.from(`${block.length.toString(16)}\r\n`), block, Buffer.from('\r\n')])
    const [head] = rawPost(chatUrl(), '', { 'transfer-encoding': 'chunked' })
    // Never ends: only an answer that comes as soon as the limit is passed ends this exchange.
    const answer = await rawExchange(chatUrl(), [head!, ...Array<Buffer>(11).fill(piece)])
    assert.equal(answer.status, 413)
    assert.equal(gate.upstream.generations.length, 1)
  })

  it('G11 reaches an SDK as one readable 413, though the upload was still running', async () => {
    const refusals = async () => (await gate.daemon.status()).counters['body_too_large'] ?? 0
    const before = await refusals()
    const content = 'word '.repeat(6_000_000)
    const call = gate.openai().chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }] })
    await assert.rejects(call, /413.*10,000,000 bytes/)
    assert.equal((await refusals()) - before, 1)
    assert.equal(gate.upstream.requests.length, 0)
  })

  it('G11 does not wait for a body that never ends', async () => {
    const [head] = rawPost(chatUrl(), '', { 'content-length': '5000' })
    const answer = await rawExchange(chatUrl(), [head!, '{"model":'])
    assert.equal(answer.status, 408)
    assert.match(answer.body.toString(), /slow_body/)
    assert.equal(gate.upstream.requests.length, 0)
  })
})
