import assert from 'node:assert/strict'
import type { CallRow } from '../../shared/status.ts'
import { startUpstream } from '../upstream/upstream.ts'
import type { Script, Upstream } from '../upstream/upstream.ts'
import type { RecordedRequest } from '../upstream/recorded.ts'
import { readRefusal } from './harness/answers.ts'
import { startDaemon } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { providerKey } from './harness/gate.ts'
import { promptOfTokens } from './harness/prompts.ts'

/** Input tokens that one task may take; a prompt for Claude is estimated at about 1.35 times what it is. */
const ceiling = 12_000

/** Two keys whose plans differ in nothing but the estimator. */
const plan = { task: { maxInputTokens: ceiling, maxEur: null }, loop: null, storm: null }
const keys = [
  { key: 'key-exact', plan: 'counted' },
  { key: 'key-plain', plan: 'estimated' },
  { key: 'key-turns', plan: 'turns' },
  { key: 'key-poor', plan: 'poor', user: 'grace' },
]

function configOf({ baseUrls }: Upstream): object {
  const { anthropic, openai } = baseUrls
  const free = { dialect: 'anthropic', free: true, baseUrl: anthropic }
  return {
    timezone: 'Europe/Berlin',
    budgets: { userDaily: { eur: null }, tenantMonthly: { eur: null } },
    plans: {
      counted: { ...plan, estimator: 'exact' },
      estimated: { ...plan, estimator: 'tokenizer' },
      turns: { ...plan, task: null, estimator: 'exact', maxConversationTokens: ceiling },
      poor: { ...plan, task: { maxInputTokens: null, maxEur: 0.012 }, estimator: 'exact' },
    },
    keys,
    upstreams: {
      anthropic: { dialect: 'anthropic', baseUrl: anthropic },
      openai: { dialect: 'openai', baseUrl: openai },
      vllm: { dialect: 'openai', baseUrl: openai, free: true },
      llamacpp: { dialect: 'openai', baseUrl: openai, free: true },
      // A counter that failed rests for ten seconds, so that each test of a failure has one of its own.
      silent: free,
      broken: free,
      missing: free,
      busy: free,
    },
  }
}

const isCounter = ({ path }: RecordedRequest): boolean => /count_tokens|input_tokens|tokenize|apply-template/.test(path)
/** Plays a step for counters only. */
const counters =
  (step: ReturnType<Script>): Script =>
  (request) =>
    isCounter(request) ? step : undefined

let made = 0
/** A request for Claude of about so many tokens, unlike every other. */
function claudeAsk(tokens: number, more: object = {}): object {
  const content = `${(made += 1)} ${promptOfTokens(tokens)}`
  return { model: 'claude-haiku-4-5', max_tokens: 50, messages: [{ role: 'user', content }], ...more }
}

/** The provider's count with the margin that is put on it. */
const withMargin = (tokens: number): number => tokens + Math.max(8, Math.ceil(tokens / 100))

describe('counting a call exactly before it is made', () => {
  let upstream: Upstream
  let daemon: Daemon
  before(async () => {
    upstream = await startUpstream()
    daemon = await startDaemon({ config: configOf(upstream) })
  })
  after(async () => {
    await daemon.discard()
    await upstream.close()
  })
  beforeEach(() => upstream.reset())

  interface Sent {
    readonly key?: string
    readonly upstream?: string
    readonly path?: string
    readonly task?: string
    readonly headers?: Readonly<Record<string, string>>
  }
  function post(body: object, sent: Sent = {}): Promise<Response> {
    const parts = { key: sent.key ?? 'key-exact', ...(sent.task === undefined ? {} : { task: sent.task }) }
    return fetch(`${daemon.base(sent.upstream ?? 'anthropic', parts)}${sent.path ?? '/v1/messages'}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': providerKey, ...sent.headers },
      body: JSON.stringify(body),
    })
  }
  async function passes(body: object, sent: Sent = {}): Promise<CallRow> {
    const before = (await daemon.settled(0)).length
    const response = await post(body, sent)
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return (await daemon.settled(before + 1))[0]!
  }
  const asked = (): readonly RecordedRequest[] => upstream.requests.filter(isCounter)

  it('lets a call through whose estimate is above the ceiling of its task and whose count is below', async () => {
    const estimated = await readRefusal(await post(claudeAsk(10_000), { key: 'key-plain' }))
    assert.equal(estimated.code, 'task_halted')
    assert.ok(estimated.figures.requested! > ceiling)
    assert.deepEqual(asked(), [], 'the estimator "tokenizer" asks nobody')

    const row = await passes(claudeAsk(10_000))
    assert.equal(asked().length, 1)
    const counted = row.usage.input
    assert.ok(counted > 9000 && counted < ceiling)
    assert.equal(row.estimatedInput, withMargin(counted))
  })

  it('refuses a call whose estimate is below and whose count is above, and sends it nowhere', async () => {
    const before = (await daemon.calls()).length
    upstream.script(counters({ inputTokens: 15_000 }))
    const refused = await readRefusal(await post(claudeAsk(7000)))
    assert.deepEqual([refused.code, refused.figures.requested], ['task_halted', withMargin(15_000)])
    assert.equal(asked().length, 1)
    assert.equal(upstream.generations.length, 0)
    assert.equal((await daemon.calls()).length, before)
  })

  it('holds on to its count where the task comes so near that the call is made smaller', async () => {
    const ask = claudeAsk(10_000, { max_tokens: 4000 })
    upstream.script(counters({ inputTokens: 11_000 }))
    const before = (await daemon.settled(0)).length
    const response = await post(ask)
    await response.text()
    assert.equal(response.headers.get('x-tollgate-state'), 'constrained')
    assert.equal(upstream.generations[0]!.json['max_tokens'], 1024)
    assert.equal((await daemon.settled(before + 1))[0]!.estimatedInput, withMargin(11_000))
  })

  it('is counted against the tokens that a turn of a conversation may have', async () => {
    const row = await passes(claudeAsk(10_000), { key: 'key-turns' })
    assert.equal(row.estimatedInput, withMargin(row.usage.input))
    upstream.script(counters({ inputTokens: 15_000 }))
    const refused = await readRefusal(await post(claudeAsk(7000), { key: 'key-turns' }))
    assert.deepEqual([refused.code, refused.figures.requested], ['conversation_too_long', withMargin(15_000)])
  })

  it('is counted against the euros of a task', async () => {
    // Ten thousand tokens of this model are about one cent.
    const row = await passes(claudeAsk(10_000), { key: 'key-poor' })
    assert.equal(row.estimatedInput, withMargin(row.usage.input))
  })

  it('asks once for equal calls, at once and one after the other (H02)', async () => {
    const body = claudeAsk(9000)
    const before = (await daemon.settled(0)).length
    const statuses = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const response = await post(body)
        await response.text()
        return response.status
      }),
    )
    assert.deepEqual(statuses, [200, 200, 200, 200, 200])
    await daemon.settled(before + 5)
    await passes(body)
    assert.equal(asked().length, 1)
    assert.equal(upstream.generations.length, 6)
  })

  it('gives the counter the headers, the query and the fields of the call, and no others', async () => {
    const headers = {
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'context-management-2025-06-27,unknown-2027',
      'x-tollgate-project': 'shop',
      'idempotency-key': 'once',
    }
    const tools = [{ name: 'read', input_schema: { type: 'object' } }]
    const body = claudeAsk(9000, { system: 'Be brief.', tools, stream: true, metadata: { user_id: 'u' } })
    await passes(body, { headers, path: '/v1/messages?beta=true' })
    const [request] = asked()
    assert.equal(request?.path, '/anthropic/v1/messages/count_tokens?beta=true')
    assert.equal(request.headers['x-api-key'], providerKey)
    assert.equal(request.headers['anthropic-beta'], headers['anthropic-beta'])
    assert.equal(request.headers['anthropic-version'], headers['anthropic-version'])
    assert.equal(request.headers['content-type'], 'application/json')
    const own = Object.keys(request.headers).filter((name) => /^x-tollgate|^idempotency/.test(name))
    assert.deepEqual(own, [])
    assert.deepEqual(Object.keys(request.json).sort(), ['messages', 'model', 'system', 'tools'])
    assert.deepEqual(request.json['messages'], (body as { messages: unknown }).messages)
  })

  it('is neither charged nor recorded nor an iteration', async () => {
    const before = await daemon.status()
    const row = await passes(claudeAsk(9000), { task: 'counted-once' })
    const after = await daemon.status()
    assert.equal(asked().length, 1)
    assert.equal(after.today.calls - before.today.calls, 1)
    assert.ok(Math.abs(after.today.spentEur - before.today.spentEur - row.eur) < 1e-9)
    const task = after.tasks.find(({ id }) => id === 'counted-once')
    assert.equal(task?.iterations, 1)
    assert.equal(task.inputTokens, row.usage.input)
  })

  it('asks about the first call of a task only', async () => {
    const first = claudeAsk(5000) as { messages: readonly object[] }
    await passes(first, { task: 'long' })
    assert.equal(asked().length, 1)
    const messages = [...first.messages, { role: 'assistant', content: 'Yes.' }, { role: 'user', content: 'And?' }]
    await passes({ ...first, messages }, { task: 'long' })
    assert.equal(asked().length, 1)
  })

  it('does not ask about a call that is far from every limit', async () => {
    const row = await passes(claudeAsk(1000))
    assert.notEqual(row.estimatedInput, withMargin(row.usage.input))
    assert.deepEqual(asked(), [])
  })

  it('H03: does not believe a counter that leaves most of the prompt out', async () => {
    upstream.script(counters({ inputTokens: 48 }))
    const row = await passes(claudeAsk(7000))
    assert.equal(asked().length, 1)
    assert.ok(row.estimatedInput > row.usage.input)
  })

  const failures: readonly (readonly [string, string, ReturnType<Script>])[] = [
    ['never answers', 'silent', { hangForever: true }],
    ['is overloaded', 'busy', { status: 529 }],
    ['does not exist', 'missing', { status: 404 }],
    ['answers without a count', 'broken', { garbage: '{"input_tokens":"many"}' }],
  ]
  for (const [what, name, step] of failures) {
    it(`H02: lets a call through on its estimate where the counter ${what}, and leaves it alone for a while`, async () => {
      upstream.script(counters(step))
      const body = claudeAsk(7000)
      const counted = await passes(body, { upstream: name })
      const plain = await passes(body, { upstream: name, key: 'key-plain' })
      assert.equal(counted.estimatedInput, plain.estimatedInput)
      assert.equal(asked().length, 1)
      await passes(claudeAsk(7000), { upstream: name })
      assert.equal(asked().length, 1)
    })
  }

  describe('of OpenAI', () => {
    const responses = { upstream: 'openai', path: '/v1/responses' }

    /** A conversation that the provider keeps and the gate has not seen. */
    async function keptResponse(tokens: number): Promise<string> {
      const response = await fetch(`${upstream.baseUrls.openai}/responses`, {
        method: 'POST',
        body: JSON.stringify({ model: 'gpt-4o-mini', input: promptOfTokens(tokens) }),
      })
      return ((await response.json()) as { id: string }).id
    }

    it('A12: counts what the provider keeps, however small the call is and whatever the plan estimates by', async () => {
      const ask = async (input: string) => ({
        model: 'gpt-4o-mini',
        input,
        previous_response_id: await keptResponse(3000),
        max_output_tokens: 50,
      })
      for (const key of ['key-plain', 'key-exact']) {
        const row = await passes(await ask(`go on for ${key}`), { ...responses, key })
        assert.ok(row.usage.input > 3000)
        assert.equal(row.estimatedInput, withMargin(row.usage.input))
      }
      assert.equal(asked().length, 2)
      assert.equal(asked()[0]!.path, '/openai/v1/responses/input_tokens')
    })

    it('A12: refuses such a call when what is kept is too much', async () => {
      const ask = { model: 'gpt-4o-mini', input: 'go on', previous_response_id: await keptResponse(ceiling) }
      const before = upstream.generations.length
      const refused = await readRefusal(await post(ask, responses))
      assert.equal(refused.code, 'task_halted')
      assert.ok(refused.figures.requested! > ceiling && refused.figures.requested! < 2 * ceiling)
      assert.equal(upstream.generations.length, before)
    })

    it('A12: counts a conversation anew each time, because it grows', async () => {
      const ask = { model: 'gpt-4o-mini', input: 'and then', conversation: 'conv_1', max_output_tokens: 50 }
      for (const inputTokens of [3000, 4000]) {
        upstream.script(counters({ inputTokens }))
        assert.equal((await passes(ask, responses)).estimatedInput, withMargin(inputTokens))
      }
    })

    it('counts a chat completion in the words of its counter', async () => {
      const content = promptOfTokens(10_000)
      const ask = { model: 'gpt-4o-mini', max_tokens: 50, messages: [{ role: 'user', content }] }
      upstream.script(counters({ inputTokens: 10_007 }))
      const row = await passes(ask, { upstream: 'openai', path: '/v1/chat/completions' })
      assert.equal(row.estimatedInput, withMargin(10_007))
      assert.deepEqual(asked()[0]!.json, { model: 'gpt-4o-mini', input: [{ role: 'user', content }] })
    })

    it('estimates a chat completion that cannot be put so', async () => {
      const messages = [{ role: 'user', name: 'ada', content: promptOfTokens(10_000) }]
      await passes(
        { model: 'gpt-4o-mini', max_tokens: 50, messages },
        { upstream: 'openai', path: '/v1/chat/completions' },
      )
      assert.deepEqual(asked(), [])
    })
  })

  describe('of a local server', () => {
    const chat = '/v1/chat/completions'
    const ask = () => ({ ...claudeAsk(9000), model: 'qwen3:4b' })

    it('is tokenize of vLLM', async () => {
      const row = await passes(ask(), { upstream: 'vllm', path: chat })
      assert.deepEqual(
        asked().map(({ path }) => path),
        ['/openai/tokenize'],
      )
      assert.equal(row.estimatedInput, withMargin(row.usage.input))
    })

    it('is the template and tokenize of llama.cpp', async () => {
      const row = await passes(ask(), { upstream: 'llamacpp', path: chat })
      assert.deepEqual(
        asked().map(({ path }) => path),
        ['/openai/apply-template', '/openai/tokenize'],
      )
      assert.ok(row.estimatedInput > row.usage.input && row.estimatedInput < withMargin(row.usage.input + 50))
    })
  })
})
