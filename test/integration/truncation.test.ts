import assert from 'node:assert/strict'
import type { EventRow } from '../../shared/status.ts'
import type { Step } from '../upstream/step.ts'
import { connectControl } from './harness/controlClient.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { parsePrometheus } from './harness/prometheus.ts'
import { promptOfTokens } from './harness/prompts.ts'

const model = 'gemma3:4b'
const user = (content: string) => [{ role: 'user', content }]

const start = () => startGate({ budgets: { userDaily: { eur: 1000 }, tenantMonthly: { eur: 1000 } } })

/** One call and what was said about it. */
async function askOf(gate: Gate, upstream: string, path: string, body: object, step: Step = {}) {
  const before = (await gate.daemon.calls()).length
  const saidBefore = (await gate.daemon.events('truncated')).length
  gate.upstream.next(step)
  const response = await gate.post(upstream, path, body)
  assert.equal(response.status, 200)
  await response.text()
  const [row] = await gate.daemon.settled(before + 1)
  const said: readonly EventRow[] = (await gate.daemon.events('truncated')).slice(saidBefore)
  return { row: row!, said, warning: response.headers.get('x-tollgate-warning') }
}

const native = (tokens: number, more: object = {}) => ({
  model,
  stream: false,
  messages: user(promptOfTokens(tokens)),
  ...more,
})

type Ask = (upstream: string, path: string, body: object, step?: Step) => ReturnType<typeof askOf>

describe('a prompt that the server cuts in silence', () => {
  let gate: Gate
  before(async () => {
    gate = await start()
  })
  after(() => gate.close())

  const ask: Ask = (...words) => askOf(gate, ...words)
  const counted = async () => (await gate.daemon.status()).counters['truncated'] ?? 0

  for (const tokens of [12_920, 38_980]) {
    it(`is said for ${tokens} tokens that are reported as 2,051: header, event, counter, row, metric, window`, async () => {
      const countedBefore = await counted()
      const window = await connectControl(gate.daemon)
      const { row, said, warning } = await ask('ollama', '/api/chat', native(tokens, { options: { num_ctx: 4096 } }))
      const [, estimated, reported] = /^truncated; estimated=(\d+); reported=(\d+)$/.exec(warning ?? '') ?? []
      assert.equal(reported, '2051')
      assert.ok(Math.abs(Number(estimated) - tokens) < tokens * 0.02, `estimated ${estimated}`)
      assert.equal(row.usage.input, 2051)
      assert.deepEqual(row.warnings, ['over_window', 'truncated'])
      assert.equal(said.length, 1)
      const { id, time, ...fields } = said[0]!
      assert.ok(id > 0 && Date.parse(time) > 0)
      assert.deepEqual(fields, {
        event: 'truncated',
        call: row.id,
        task: row.task,
        project: null,
        plan: 'agent',
        upstream: 'ollama',
        model,
        estimated: Number(estimated),
        reported: 2051,
        certainty: 'certain',
        ollama: true,
        numCtx: 4096,
        before: 'warn',
        maxNumCtx: 32_768,
      })
      assert.equal((await window.event('truncated'))['reported'], 2051)
      assert.equal(await counted(), countedBefore + 1)
      const scrape = parsePrometheus(await (await gate.daemon.api('/metrics')).text())
      assert.equal(scrape.value('tollgate_warnings_total', { code: 'truncated' }), countedBefore + 1)
      window.close()
    })
  }

  for (const tokens of [666, 3204]) {
    it(`is not said for ${tokens} tokens, which fit`, async () => {
      const countedBefore = await counted()
      const { row, said, warning } = await ask('ollama', '/api/chat', native(tokens, { options: { num_ctx: 4096 } }))
      assert.ok(Math.abs(row.usage.input - tokens) < 20)
      assert.deepEqual([row.warnings, said.length, warning, await counted()], [[], 0, null, countedBefore])
    })
  }

  for (const [name, path, body] of [
    ['a stream of lines', '/api/chat', { model, messages: user(promptOfTokens(12_920)) }],
    ['a stream of events', '/v1/chat/completions', { model, stream: true, messages: user(promptOfTokens(12_920)) }],
  ] as const) {
    it(`is said for ${name} too, by event and row, when the headers have left with the warning before the call`, async () => {
      const { row, said, warning } = await ask('ollama', path, body)
      assert.deepEqual([row.warnings, said.length], [['over_window', 'truncated'], 1])
      assert.match(warning ?? '', /^over_window; estimated=\d+; window=4096$/)
      assert.equal(said[0]!['reported'], 2051)
    })
  }

  for (const [name, path, body] of [
    ['generate', '/api/generate', { model, prompt: promptOfTokens(12_920), stream: false }],
    ['chat completions', '/v1/chat/completions', { model, messages: user(promptOfTokens(12_920)) }],
    ['messages', '/v1/messages', { model, max_tokens: 100, messages: user(promptOfTokens(12_920)) }],
    ['responses', '/v1/responses', { model, input: promptOfTokens(12_920) }],
  ] as const) {
    it(`is said on the route ${name} of the same server`, async () => {
      const { said, warning } = await ask('ollama', path, body)
      assert.equal(said.length, 1)
      assert.match(warning ?? '', /^truncated; estimated=\d+; reported=2051$/)
    })
  }

  it('I01 finds 160,689 tokens that a window of 32,768 cut to 16,387', async () => {
    const { said } = await ask('ollama', '/api/chat', native(160_689, { options: { num_ctx: 32_768 } }))
    assert.equal(said.length, 1)
    assert.deepEqual([said[0]!['reported'], said[0]!['certainty']], [16_387, 'certain'])
  })

  it('I02 finds 50,000 tokens that a window of 32,768 cut to 16,386, from the two counts alone', async () => {
    const body = native(50_000, { model: 'qwen3:4b', think: false })
    const { said } = await ask('ollama', '/api/chat', body, { usage: { prompt_eval_count: 16_386 } })
    assert.deepEqual([said[0]!['reported'], said[0]!['certainty'], said[0]!['numCtx']], [16_386, 'certain', null])
  })

  it('I03 finds the cut where the OpenAI route ignores options.num_ctx', async () => {
    const body = { model, messages: user(promptOfTokens(12_920)), options: { num_ctx: 32_768 } }
    const { said, row } = await ask('ollama', '/v1/chat/completions', body)
    assert.deepEqual([row.usage.input, said.length], [2051, 1])
    const fits = await ask('ollama', '/api/chat', native(12_920, { options: { num_ctx: 32_768 } }))
    assert.deepEqual([fits.said.length, fits.row.warnings], [0, []])
    assert.ok(fits.row.usage.input > 12_000, 'the native route takes it')
  })

  it('does not take a cached prefix for a cut, whichever way the provider counts it', async () => {
    const prompt = promptOfTokens(20_000)
    const cached = { inputTokens: 20_010, cacheReadTokens: 19_000 }
    for (const [upstream, path, body] of [
      ['anthropic', '/v1/messages', { model: 'claude-haiku-4-5', max_tokens: 100, messages: user(prompt) }],
      ['openai', '/v1/chat/completions', { model: 'gpt-4o-mini', messages: user(prompt) }],
    ] as const) {
      const { row, said } = await ask(upstream, path, body, cached)
      assert.deepEqual([row.usage.cacheRead, said.length], [19_000, 0], upstream)
    }
  })

  it('leaves the bytes of the answer alone', async () => {
    gate.upstream.next({}, {})
    const read = async (response: Promise<Response>) =>
      (await (await response).text()).replace(/"(created_at|\w+_duration)":("[^"]+"|\d+)/g, '')
    const direct = fetch(`${gate.upstream.baseUrls.ollama}/api/chat`, {
      method: 'POST',
      body: JSON.stringify(native(12_920, { options: { num_predict: 500 } })),
    })
    const through = gate.post('ollama', '/api/chat', native(12_920, { options: { num_predict: 500 } }))
    assert.equal(await read(through), await read(direct))
  })

  for (const [name, step, warning] of [
    ['an answer that is all thinking', { thinkingTokens: 5000, outputTokens: 100 }, 'empty_answer'],
    ['an answer that is cut', { outputTokens: 5000 }, 'output_limit'],
  ] as const) {
    it(`says ${warning} of ${name} and ends at its ceiling`, async () => {
      const body = { model: 'gpt-5.4', max_completion_tokens: 256, messages: user('how are you?') }
      const { row } = await ask('openai', '/v1/chat/completions', body, step)
      assert.deepEqual([row.warnings, row.usage.output], [[warning], 256])
      assert.ok(row.eur > 0, 'and its cost is known')
      const [event] = await gate.daemon.events(warning)
      assert.deepEqual([event!['model'], event!['outputTokens']], ['gpt-5.4', 256])
      assert.equal((await gate.daemon.status()).counters[warning], 1)
    })
  }
})

describe('what is learnt from prompts that were cut', () => {
  let gate: Gate
  beforeEach(async () => {
    gate = await start()
  })
  afterEach(() => gate.close())

  const ask: Ask = (...words) => askOf(gate, ...words)
  const counted = async () => (await gate.daemon.status()).counters['truncated']
  const residual = async () => (await gate.daemon.status()).integrity.residual

  it('I02 finds a prompt that grows while its reported count stands still', async () => {
    const found: number[] = []
    for (const tokens of [5000, 5600, 6200]) {
      const { said } = await ask(
        'openai',
        '/v1/chat/completions',
        { model: 'gpt-4o-mini', messages: user(promptOfTokens(tokens)) },
        { inputTokens: 5000 },
      )
      found.push(said.length)
    }
    assert.deepEqual(found, [0, 1, 1])
  })

  it('I03 learns nothing from a truncated sample, before and after an honest one', async () => {
    await ask('ollama', '/api/chat', native(12_920))
    assert.deepEqual(await residual(), {})
    for (const tokens of [2000, 2500]) await ask('ollama', '/api/chat', native(tokens))
    const learnt = await residual()
    assert.ok(Math.abs(learnt[`ollama/${model}`]! - 1) < 0.1)
    const { said } = await ask('ollama', '/api/chat', native(38_980))
    assert.equal(said.length, 1)
    assert.deepEqual(await residual(), learnt)
  })

  it('I05 takes a missing count for neither a cut nor a zero: the same prompt twice, the second without the field', async () => {
    await ask('ollama', '/api/chat', native(3000))
    const learnt = await residual()
    for (const usage of ['missing', { prompt_eval_count: 0 }] as const) {
      const { row, said, warning } = await ask('ollama', '/api/chat', native(3000), { usage })
      assert.equal(row.settlement, 'estimated')
      assert.ok(row.usage.input >= 3000 && row.usage.input < 4500, `input ${row.usage.input}`)
      assert.deepEqual([said.length, warning, row.warnings.includes('truncated')], [0, null, false])
    }
    assert.equal(await counted(), 0)
    assert.deepEqual(await residual(), learnt)
  })
})
