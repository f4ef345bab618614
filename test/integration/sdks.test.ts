import assert from 'node:assert/strict'
import { noUsage } from '../../shared/usage.ts'
import { friendlyAnswer } from '../upstream/answer.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { textCalls, vectorCalls } from './harness/sdkCalls.ts'
import type { SdkCall } from './harness/sdkCalls.ts'

/** What the upstream of each kind of call reports for the step of the first test, in the ledger's disjoint buckets. */
function expectedUsage({ upstream }: SdkCall) {
  // Ollama reports neither a cache nor reasoning: everything is input and output.
  if (upstream === 'ollama') return { ...noUsage, input: 2000, cacheRead: 0, output: 42, reasoning: 0 }
  return { ...noUsage, input: 1500, cacheRead: 500, output: 42, reasoning: 12 }
}

describe('the real SDKs through the gate', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate()
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  for (const call of textCalls) {
    it(`${call.name}: the answer arrives intact and its usage is settled exactly`, async () => {
      const before = (await gate.daemon.calls()).length
      gate.upstream.next({ inputTokens: 2000, cacheReadTokens: 500, thinkingTokens: 12, outputTokens: 30 })
      const text = await call.run(gate)
      assert.equal(text.trim().split(/\s+/).length, 30)
      const [row, ...older] = await gate.daemon.settled(before + 1)
      assert.equal(older.length, before)
      assert.equal(gate.upstream.generations.length, 1)
      assert.deepEqual(row!.usage, expectedUsage(call))
      assert.equal(row!.settlement, 'exact')
      assert.equal(row!.outcome, 'ok')
      assert.equal(row!.dialect, call.dialect)
      assert.equal(row!.upstream, call.upstream)
      assert.equal(row!.stream, call.streamed)
      assert.equal(row!.eur > 0, call.upstream !== 'ollama', `costs ${row!.eur}`)
      assert.ok(row!.reservedEur >= 0)
    })
  }

  for (const call of vectorCalls) {
    it(`${call.name}: the vectors arrive and the input is settled`, async () => {
      gate.upstream.next({ inputTokens: 700 })
      assert.equal(await call.run(gate), '2')
      const [row] = await gate.daemon.settled()
      assert.equal(row!.dialect, call.dialect)
      assert.equal(row!.settlement, 'exact')
      assert.deepEqual([row!.usage.input, row!.usage.output], [700, 0])
    })
  }

  it('keeps a friendly answer word for word in every SDK', async () => {
    for (const call of textCalls) assert.equal(await call.run(gate), friendlyAnswer, call.name)
  })

  it('passes the free counters, unmetered', async () => {
    const before = (await gate.daemon.settled()).length
    const messages = [{ role: 'user' as const, content: 'hello there' }]
    const counted = await gate.anthropic().messages.countTokens({ model: 'claude-haiku-4-5', messages })
    assert.ok(counted.input_tokens > 0)
    const response = await gate.openai().responses.inputTokens.count({ model: 'gpt-4o-mini', input: 'hello there' })
    assert.ok(response.input_tokens > 0)
    assert.ok((await gate.openai().models.list()).data.length > 0)
    assert.ok((await gate.anthropic().models.list()).data.length > 0)
    assert.equal((await gate.ollama().list()).models.length, 3)
    assert.equal((await gate.ollama().show({ model: 'gemma3:4b' })).details.family, 'gemma3')
    assert.ok(Array.isArray((await gate.ollama().ps()).models))
    assert.equal((await gate.daemon.calls()).length, before)
  })

  it('tells each call by its headers: id, task, state, estimate and reservation', async () => {
    const answer = await gate
      .openai({ task: 'refactor-7' })
      .chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
      .withResponse()
    const { headers } = answer.response
    const [row] = await gate.daemon.settled()
    assert.equal(headers.get('x-tollgate-call'), row!.id)
    assert.equal(headers.get('x-tollgate-task'), 'refactor-7')
    assert.equal(row!.task, 'refactor-7')
    assert.equal(headers.get('x-tollgate-state'), 'ok')
    assert.equal(Number(headers.get('x-tollgate-estimated-input')), row!.estimatedInput)
    assert.ok(Math.abs(Number(headers.get('x-tollgate-reserved-eur')) - row!.reservedEur) < 1e-9)
    assert.match(headers.get('x-tollgate-changes') ?? '', /max_(completion_)?tokens=4096/)
    // The provider's own headers are there as well.
    assert.match(headers.get('x-request-id') ?? '', /^req_/)
    assert.equal(headers.get('x-ratelimit-limit-requests'), '10000')
  })

  it('marks a retry of the SDK as a retry and reserves again', async () => {
    const before = (await gate.daemon.calls()).length
    gate.upstream.next({ status: 500 })
    const messages = [{ role: 'user' as const, content: 'hi' }]
    await gate.openai().chat.completions.create({ model: 'gpt-4o-mini', messages })
    const [second, first] = await gate.daemon.settled(before + 2)
    assert.deepEqual([first!.isRetry, second!.isRetry], [false, true])
    assert.deepEqual([first!.status, second!.status], [500, 200])
    assert.equal(first!.eur, 0)
    assert.ok(second!.eur > 0)
  })
})

describe('a refusal in the real SDKs', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate({ budgets: { userDaily: { tokens: 3000 } } })
    // One call that the provider reports far above the cap: from here on the budget is spent, not merely held.
    gate.upstream.next({ inputTokens: 5000 })
    await gate
      .anthropic()
      .messages.create({ model: 'claude-haiku-4-5', max_tokens: 300, messages: [{ role: 'user', content: 'x' }] })
    await gate.daemon.settled()
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  for (const call of [...textCalls, ...vectorCalls]) {
    it(`${call.name}: arrives as one request with a sentence that can be read (A15)`, async () => {
      const seen = (await gate.daemon.events('refused')).length
      const counted = (await gate.daemon.status()).counters['budget_exhausted'] ?? 0
      const error = await call.run(gate).then(
        () => null,
        (thrown: unknown) => thrown,
      )
      assert.ok(error instanceof Error, 'the SDK throws')
      const refused = await gate.daemon.events('refused')
      assert.equal(refused.length - seen, 1)
      assert.equal(((await gate.daemon.status()).counters['budget_exhausted'] ?? 0) - counted, 1)
      assert.equal(gate.upstream.requests.length, 0, 'nothing reached the provider')
      const newest = refused.reduce((last, event) => (event.id > last.id ? event : last))
      const sentence = String(newest['message'])
      assert.match(sentence, /[Dd]aily/)
      assert.match(sentence, /3,?000/)
      assert.ok(error.message.includes(sentence), `${error.message} does not say: ${sentence}`)
    })
  }
})
