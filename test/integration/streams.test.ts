import assert from 'node:assert/strict'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { textCalls } from './harness/sdkCalls.ts'
import { eventually } from './harness/eventually.ts'

const streamed = textCalls.filter((call) => call.streamed)

/** The error that an SDK throws; fails when it does not throw. */
async function thrownBy(run: Promise<string>): Promise<Error> {
  const outcome = await run.then(
    (text) => `ended by itself with ${text.length} characters`,
    (error: unknown) => error,
  )
  assert.ok(outcome instanceof Error, `the SDK throws (it ${String(outcome)})`)
  return outcome
}

describe('streams that do not end well, in the real SDKs', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate()
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  for (const call of streamed) {
    it(`${call.name}: the kill switch in mid-stream is thrown with its sentence, once (C12)`, async () => {
      const seen = (await gate.daemon.events('refused')).length
      const before = (await gate.daemon.calls()).length
      gate.upstream.next({ outputTokens: 1900, chunkDelayMs: 5 })
      const thrown = thrownBy(call.run(gate))
      const request = await gate.upstream.waitForRequests(1)
      await eventually('some output to pass', async () => {
        const [open] = (await gate.daemon.status()).inFlight
        return open && open.outputTokens > 3 ? open : null
      })
      const result = await gate.daemon.json<{ cancelled: number }>('/api/kill', { scope: 'global' })
      try {
        const { message } = await thrown
        assert.equal(result.cancelled, 1)
        assert.equal((await gate.upstream.waitForClose(request)).finished, false)
        const refused = (await gate.daemon.events('refused')).filter((event) => event['code'] === 'killed')
        const sentence = String(refused.reduce((last, event) => (event.id > last.id ? event : last))['message'])
        assert.ok(message.includes(sentence), `${message} does not say: ${sentence}`)
        assert.equal((await gate.daemon.events('refused')).length - seen, 1, 'one refusal, so one request')
        const [row] = await gate.daemon.settled(before + 1)
        assert.equal(row!.outcome, 'killed')
        assert.ok(row!.usage.output > 0 && row!.usage.input > 0)
      } finally {
        await gate.daemon.json('/api/resume', { scope: 'global' })
      }
    })
  }

  for (const call of streamed.filter(({ upstream, dialect }) => upstream !== 'ollama' || dialect === 'ollama-chat')) {
    it(`${call.name}: the provider's error in mid-stream is thrown with the provider's words (F07)`, async () => {
      const before = (await gate.daemon.calls()).length
      const message = 'The engine has lost its marbles.'
      gate.upstream.script(() => ({ midStreamError: { afterChunks: 3, message, type: 'server_error' } }))
      const error = await thrownBy(call.run(gate))
      assert.ok(error.message.includes(message), error.message)
      const rows = await gate.daemon.settled(before + 1)
      assert.notEqual(rows[0]!.outcome, 'ok')
      assert.ok(rows[0]!.usage.output > 0, 'what was delivered is charged')
    })
  }

  for (const call of streamed) {
    it(`${call.name}: a provider that just stops is an error for the client, not a short answer (F06)`, async () => {
      const before = (await gate.daemon.calls()).length
      gate.upstream.script(() => ({ outputTokens: 60, cutAfterChunks: 12 }))
      await thrownBy(call.run(gate))
      assert.equal(gate.upstream.generations.length, 1, 'nothing is repeated')
      const [row] = await gate.daemon.settled(before + 1)
      assert.equal(row!.outcome, 'upstream_truncated')
      assert.ok(row!.usage.output >= 12)
    })
  }

  it('passes the error of an Ollama emulation on as the emulation does: the stream just stops, and is not recorded as a success (F06)', async () => {
    const before = (await gate.daemon.calls()).length
    gate.upstream.next({ midStreamError: { afterChunks: 3 } })
    const ask = { model: 'gemma3:4b', stream: true, messages: [{ role: 'user', content: 'x' }] }
    const response = await gate.post('ollama', '/v1/chat/completions', ask)
    await assert.rejects(response.text(), 'the transfer is torn')
    const [row] = await gate.daemon.settled(before + 1)
    assert.equal(row!.outcome, 'upstream_truncated')
  })
})
