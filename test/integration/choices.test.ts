import assert from 'node:assert/strict'
import { readRefusal } from './harness/answers.ts'
import { flatConfig, flatEur, flatModel } from './harness/flatPrice.ts'
import { providerKey, startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

const chat = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'Name one.' }]

describe('several answers at once, and log probabilities', () => {
  let gate: Gate
  before(async () => {
    const flat = flatConfig(null) as { plans: object }
    gate = await startGate({
      ...flat,
      plans: { ...flat.plans, generous: { maxN: 8, allowLogprobs: true } },
      keys: [{ key: 'key-of-a-generous-plan', plan: 'generous' }],
    })
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  const generous = (path: string, body: object): Promise<Response> =>
    fetch(`${gate.daemon.base('openai', { key: 'key-of-a-generous-plan' })}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${providerKey}` },
      body: JSON.stringify(body),
    })

  for (const [path, ask] of [
    [chat, { messages, n: 8, max_tokens: 4000 }],
    ['/v1/completions', { prompt: 'Name one.', n: 2, best_of: 8, max_tokens: 4000 }],
  ] as const) {
    it(`H10: reserves eight answers of 4,000 tokens where the plan allows eight: ${path}`, async () => {
      const response = await generous(path, { model: flatModel, ...ask })
      assert.equal(response.status, 200)
      await response.text()
      assert.equal(Number(response.headers.get('x-tollgate-reserved-eur')), flatEur(8 * 4000))
      const { best_of: most, n } = gate.upstream.generations[0]!.json
      assert.equal(most ?? n, 8)
    })

    it(`H10: refuses them where the plan allows one, and says which limit that is: ${path}`, async () => {
      const refusal = await readRefusal(await gate.post('openai', path, { model: flatModel, ...ask }))
      assert.deepEqual([refusal.status, refusal.code], [422, 'unsupported'])
      assert.match((refusal.body['error'] as { message: string }).message, /plans\.agent\.maxN/)
      assert.deepEqual([refusal.figures.limit, refusal.figures.requested], [1, 8])
      assert.equal(gate.upstream.requests.length, 0)
    })
  }

  for (const [path, ask, left] of [
    [chat, { messages, max_tokens: 50, logprobs: true, top_logprobs: 20 }, { messages, max_tokens: 50 }],
    ['/v1/completions', { prompt: 'One.', max_tokens: 50, logprobs: 5 }, { prompt: 'One.', max_tokens: 50 }],
    [
      '/v1/responses',
      { input: 'One.', max_output_tokens: 50, top_logprobs: 20, include: ['message.output_text.logprobs'] },
      { input: 'One.', max_output_tokens: 50 },
    ],
  ] as const) {
    it(`H11: takes log probabilities out of the request and says so: ${path}`, async () => {
      const response = await gate.post('openai', path, { model: flatModel, ...ask })
      assert.equal(response.status, 200)
      await response.text()
      assert.match(response.headers.get('x-tollgate-changes') ?? '', /(^|,)logprobs-(,|$)/)
      const { include = [], ...sent } = gate.upstream.generations[0]!.json
      assert.deepEqual([sent, include], [{ model: flatModel, ...left }, []])
    })

    it(`H11: leaves them, byte for byte, where the plan allows them: ${path}`, async () => {
      const body = { model: flatModel, ...ask }
      const response = await generous(path, body)
      assert.equal(response.status, 200)
      await response.text()
      assert.equal(response.headers.get('x-tollgate-changes'), null)
      assert.equal(gate.upstream.generations[0]!.body.toString('utf8'), JSON.stringify(body))
    })
  }
})
