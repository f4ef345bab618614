import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { answering, playedGate } from './playedGate.ts'
import type { Played, PlayedGate } from './playedGate.ts'

const question = { model: 'gpt-5.6', messages: [{ role: 'user', content: 'hello' }] }
const json = { 'content-type': 'application/json' }

function answerText(content: string): string {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
  const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }
  return JSON.stringify({ id: 'c', object: 'chat.completion', model: 'gpt-5.6', choices, usage })
}

const answered = answering(200, json, [answerText('hi')])

function ask(url: string, body: object = question): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body), headers: json })
}

async function codeOf(response: Response): Promise<string | null> {
  await response.text()
  return response.headers.get('x-tollgate-code')
}

describe('the path of a call', () => {
  let played: PlayedGate
  const start = async (...parameters: Parameters<typeof playedGate>): Promise<PlayedGate> => {
    played = await playedGate(...parameters)
    return played
  }
  afterEach(() => played.close())

  it('hands a large answer on whole, in whatever pieces it came', async () => {
    const text = answerText('x'.repeat(700_000))
    const pieces = Array.from({ length: Math.ceil(text.length / 60_000) }, (_, at) =>
      text.slice(at * 60_000, (at + 1) * 60_000),
    )
    const { url, settled } = await start(answering(200, json, pieces))
    assert.equal(await (await ask(url)).text(), text)
    assert.equal(settled[0]!.settlement, 'exact')
  })

  it('C12: stops a call whose body was still arriving when the switch was thrown', async () => {
    const { url, gate, sent } = await start(answered)
    const { hostname, port, host, pathname } = new URL(url)
    const body = JSON.stringify(question)
    const socket = connect(Number(port), hostname)
    let received = ''
    socket.on('data', (data: Buffer) => (received += data.toString()))
    socket.write(
      `POST ${pathname}/v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
    )
    await once(socket, 'data')
    gate.kills.kill({ scope: 'global' })
    socket.write(body)
    await once(socket, 'close')
    assert.match(received, /x-tollgate-code: killed/)
    assert.equal(sent.length, 0)
  })

  it('refuses a call whose body was still arriving when the gate began to stop', async () => {
    let asked = 0
    // Asked once when the head has come and once when the body has.
    const { url, sent } = await start(answered, {}, { stopping: () => (asked += 1) > 1 })
    assert.equal(await codeOf(await ask(url)), 'shutting_down')
    assert.equal(sent.length, 0)
  })

  it('counts the calls of one moment against the rate of their key', async () => {
    const { url, sent } = await start(answered, { plans: { agent: { rate: { callsPerMinute: 3 } } } })
    const codes = await Promise.all(Array.from({ length: 10 }, async () => codeOf(await ask(url))))
    assert.deepEqual(
      [codes.filter((code) => code === null).length, codes.filter((code) => code === 'rate_limited').length],
      [3, 7],
    )
    assert.equal(sent.length, 3)
  })

  it('A06: leaves no money held when the gate itself fails after the reservation', async () => {
    const { url, gate, settled } = await start(answered)
    gate.memory.tasks.started = () => {
      throw new Error('a fault of ours')
    }
    await assert.rejects(ask(url))
    const [settlement] = settled
    assert.deepEqual(
      [settlement?.settlement, settlement?.outcome, settlement?.costNanoEur],
      ['estimated', 'gate_fault', 700],
    )
    assert.equal(gate.inFlight.size, 0)
    assert.equal(gate.rates.read('default', Date.now()).tokens, 0)
  })

  it('believes that a server refuses stream_options only when it takes the request without them', async () => {
    const refusing = answering(400, json, ['{"error":{"message":"stream_options.foo is unknown"}}'])
    const { url, gate, sent } = await start(refusing)
    const response = await ask(url, { ...question, stream: true })
    assert.equal(response.status, 400)
    assert.doesNotMatch(response.headers.get('x-tollgate-changes') ?? '', /include_usage/)
    assert.equal(sent.length, 2)
    assert.equal(gate.withoutUsageOption.size, 0)
  })

  it('learns it from an answer that comes without them', async () => {
    const stream = 'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    const plays: Played[] = [
      answering(400, json, ['{"error":{"message":"stream_options is unknown"}}']),
      answering(200, { 'content-type': 'Text/Event-Stream', 'content-length': String(stream.length) }, [stream]),
    ]
    const { url, gate } = await start((handler, controller) => plays.shift()?.(handler, controller))
    const response = await ask(url, { ...question, stream: true })
    assert.equal(await response.text(), stream)
    assert.equal(gate.withoutUsageOption.size, 1)
    // A stream may be ended early by an error of ours, so that no length is promised.
    assert.equal(response.headers.get('content-length'), null)
  })

  it('G01: answers a broken content-encoding with a refusal and closes the connection of the provider', async () => {
    const headers = { ...json, 'content-encoding': 'gzip' }
    const broken: Played = (handler, controller) => {
      handler.onRequestStart?.(controller, {})
      handler.onResponseStart?.(controller, 200, headers, '')
      handler.onResponseData?.(controller, Buffer.from('no gzip at all'))
    }
    const { url, settled, aborted } = await start(broken)
    const response = await ask(url)
    assert.equal(response.status, 502)
    assert.equal(await codeOf(response), 'upstream_unreachable')
    assert.equal(aborted(), 1)
    assert.equal(settled[0]?.outcome, 'upstream_truncated')
  })

  it('refuses a body that is nested too deeply to be counted', async () => {
    const { url, sent } = await start(answered)
    const parameters = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
    const tool = `{"type":"function","function":{"name":"x","parameters":${parameters}}}`
    const body = `{"model":"gpt-5.6","messages":[{"role":"user","content":"hello"}],"tools":[${tool}]}`
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body, headers: json })
    assert.equal(await codeOf(response), 'invalid_request')
    assert.equal(sent.length, 0)
  })

  it('does not blame the ledger for a request whose worst case has no number', async () => {
    const { url, gate, sent } = await start(answered)
    gate.admission.admit = () => Promise.reject(new RangeError('cannot reserve 1e+300 output tokens'))
    assert.equal(await codeOf(await ask(url)), 'invalid_request')
    assert.equal(sent.length, 0)
  })

  it('writes the reservation as a plain decimal number', async () => {
    const { url } = await start(answered)
    const response = await ask(url)
    await response.text()
    assert.equal(response.headers.get('x-tollgate-reserved-eur'), '0.0000007')
  })
})
