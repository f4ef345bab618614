import assert from 'node:assert/strict'
import type { CallFacts, ReceivedCall } from '../../../daemon/call.ts'
import type { Gate } from '../../../daemon/gate.ts'
import type { JsonAsk, JsonReply } from '../../../daemon/http/askJson.ts'
import { countExactly, stillCounted } from '../../../daemon/stages/exactCount.ts'
import { termsOf } from '../../../daemon/stages/terms.ts'
import { unavailableLedger } from '../../../daemon/ledger/unavailableLedger.ts'
import { noTranscript } from '../../../daemon/transcript/transcript.ts'
import type { Plan } from '../../../shared/config.ts'
import { answering, playedGate } from '../playedGate.ts'
import type { PlayedGate } from '../playedGate.ts'
import { admittedCall } from '../tasks/calls.ts'

const request = { rawHeaders: ['Authorization', 'Bearer sk-x'], headers: {} }
const opening = { ...noTranscript, chain: ['a'], humans: [0] }

describe('the count before a call', () => {
  let played: PlayedGate
  let asks: JsonAsk[]
  let reply: JsonReply | null
  const start = async (config: object = {}, change: Partial<Gate> = {}): Promise<Gate> => {
    asks = []
    const ask = (asked: JsonAsk): Promise<JsonReply | null> => {
      asks.push(asked)
      return Promise.resolve(reply)
    }
    played = await playedGate(answering(200, {}, ['{}']), config, { ask, ...change })
    return played.gate
  }
  beforeEach(() => (reply = { status: 200, value: { input_tokens: 1000 } }))
  afterEach(() => played.close())

  /** A first call at Anthropic, by our estimate of 1,500 tokens. */
  function call(plan: Partial<Plan>, facts: Partial<CallFacts> = {}): [ReceivedCall, CallFacts] {
    const admitted = admittedCall()
    const { identity } = admitted
    const received: ReceivedCall = {
      ...admitted,
      identity: { ...identity, plan: { ...identity.plan, task: null, estimator: 'exact', ...plan } },
      upstreamName: 'anthropic',
      upstream: { baseUrl: 'https://api.anthropic.com', dialect: 'anthropic', free: false },
      upstreamPath: '/v1/messages',
      dialect: 'anthropic-messages',
      body: Buffer.from('{"model":"claude-opus-5","messages":[]}'),
    }
    const estimate = { upperTokens: 1500, textTokens: 1000, mediaTokens: 0 }
    return [received, { ...admitted.facts, model: 'claude-opus-5', transcript: opening, estimate, ...facts }]
  }
  async function counted(gate: Gate, [received, facts]: [ReceivedCall, CallFacts]): Promise<CallFacts['estimate']> {
    const prices = await gate.priceBook.prices()
    return (await countExactly(gate, request, received, facts, prices)).estimate
  }
  const near: Partial<Plan> = { maxConversationTokens: 1400 }

  it('takes the place of the estimate with one percent on top, and eight tokens at least', async () => {
    const gate = await start()
    assert.deepEqual(await counted(gate, call(near)), {
      upperTokens: 1010,
      textTokens: 1000,
      mediaTokens: 0,
      exact: true,
    })
    reply = { status: 200, value: { input_tokens: 640 } }
    const another = call(near)
    assert.equal((await counted(gate, [{ ...another[0], body: Buffer.from('{}') }, another[1]])).upperTokens, 648)
    assert.deepEqual(
      asks.map(({ method }) => method),
      ['POST', 'POST'],
    )
    // What is left of the two seconds when the question goes out.
    assert.ok(asks.every(({ timeoutMs }) => timeoutMs > 0 && timeoutMs <= 2000))
  })

  it('is reserved as it is, whatever reports have taught about estimates', async () => {
    const gate = await start()
    const [received, facts] = call(near)
    gate.residuals.learn('anthropic', facts.model, { upperTokens: 1000, textTokens: 900, mediaTokens: 0 }, 1250)
    const prices = await gate.priceBook.prices()
    assert.equal(termsOf(gate, prices, received, facts).estimatedInputTokens, 1913)
    const exact = await countExactly(gate, request, received, facts, prices)
    assert.equal(termsOf(gate, prices, received, exact).estimatedInputTokens, 1010)
  })

  it('is not asked for by another estimator', async () => {
    const gate = await start()
    assert.equal((await counted(gate, call({ ...near, estimator: 'tokenizer' }))).exact, undefined)
    assert.deepEqual(asks, [])
  })

  it('is asked for where the estimate comes near what is left of a budget of tokens', async () => {
    const config = { budgets: { userDaily: { eur: null, tokens: 20_000 } } }
    const spent = { spentNanoEur: 0, reservedNanoEur: 0, reservedTokens: 3000 }
    for (const [spentTokens, times] of [
      [0, 0],
      [13_000, 1],
      [17_000, 0],
    ] as const) {
      const ledger = { ...unavailableLedger('not used'), totals: () => ({ ...spent, spentTokens }) }
      const gate = await start(config, { ledger })
      await counted(gate, call({}, { requestedOutputTokens: 1000 }))
      assert.equal(asks.length, times, `${spentTokens} spent`)
      await played.close()
    }
    const gate = await start(config)
    await counted(gate, call({}))
    assert.deepEqual(asks, [], 'a ledger that cannot be read refuses the call later on')
  })

  it('is asked for at the first call of a task only', async () => {
    const gate = await start()
    const later = { transcript: { ...opening, chain: ['a', 'b', 'c'] } }
    await counted(gate, call(near, later))
    assert.equal(asks.length, 0)
    const [received, facts] = call(near, later)
    await counted(gate, [{ ...received, explicitTask: 'new' }, facts])
    assert.equal(asks.length, 1)
    gate.memory.tasks.halt('known', 0)
    await counted(gate, [{ ...received, explicitTask: 'known', body: Buffer.from('{}') }, facts])
    assert.equal(asks.length, 1)
  })

  it('leaves the estimate where the answer is an error, nothing, or no count', async () => {
    const answers: readonly (JsonReply | null)[] = [
      null,
      { status: 400, value: { input_tokens: 1000 } },
      { status: 503, value: null },
      { status: 200, value: { input_tokens: 0 } },
      { status: 200, value: null },
    ]
    for (const answer of answers) {
      reply = answer
      const gate = await start()
      assert.equal((await counted(gate, call(near))).upperTokens, 1500)
      assert.equal(asks.length, 1)
      await played.close()
    }
    await start()
  })

  it('holds for a request that was made smaller, unless its estimate is lower or its model another', () => {
    const [, facts] = call(near)
    const whole: CallFacts = { ...facts, estimate: { ...facts.estimate, upperTokens: 1010, exact: true } }
    assert.equal(stillCounted(whole, facts).estimate.upperTokens, 1010)
    assert.equal(stillCounted(whole, facts).estimate.exact, true)
    const low = { ...facts, estimate: { ...facts.estimate, upperTokens: 700 } }
    assert.equal(stillCounted(whole, low), low)
    const hidden = { ...low, hiddenInput: { previousResponseId: 'r1' } }
    assert.equal(stillCounted(whole, hidden).estimate.upperTokens, 1010)
    const other = { ...facts, model: 'claude-haiku-4-5' }
    assert.equal(stillCounted(whole, other), other)
    assert.equal(stillCounted(facts, facts), facts)
  })
})
