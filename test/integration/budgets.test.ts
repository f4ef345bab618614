import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { readRefusal } from './harness/answers.ts'
import { eventually } from './harness/eventually.ts'
import { flatAsk, flatConfig, flatEur, flatModel, flatUsage } from './harness/flatPrice.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { promptOfTokens } from './harness/prompts.ts'
import { pipelined } from './harness/raw.ts'

const chat = '/v1/chat/completions'

/** Runs `use` against a gate of its own. */
async function withGate(config: object, use: (gate: Gate) => Promise<void>): Promise<void> {
  const gate = await startGate(config)
  try {
    await use(gate)
  } finally {
    await gate.close()
  }
}

/** Posts a call that the provider answers with `outputTokens`, and waits for its settlement. */
async function spend(gate: Gate, outputTokens: number, more: object = {}): Promise<void> {
  const before = (await gate.daemon.calls()).length
  gate.upstream.next(flatUsage(outputTokens))
  const response = await gate.post('openai', chat, flatAsk(outputTokens, more))
  assert.equal(response.status, 200)
  await response.text()
  await gate.daemon.settled(before + 1)
}

const count = (responses: readonly Response[], status: number) =>
  responses.filter((response) => response.status === status).length

async function noDrift(gate: Gate): Promise<void> {
  assert.deepEqual(await gate.daemon.json('/api/check'), { drift: [] })
}

describe('calls that run at once', () => {
  it('A01 admits exactly two of eight calls that arrive together and would fill the cap two and a half times', () =>
    withGate(flatConfig(0.01), async (gate) => {
      gate.upstream.script(() => ({ ...flatUsage(400), firstByteDelayMs: 900 }))
      const responses = await Promise.all(Array.from({ length: 8 }, () => gate.post('openai', chat, flatAsk(400))))
      assert.deepEqual([count(responses, 200), count(responses, 429)], [2, 6])
      for (const response of responses.filter(({ status }) => status === 429)) {
        const { figures } = await readRefusal(response)
        assert.deepEqual([figures.kind, figures.limit, figures.requested], ['held', 0.01, 0.004])
        assert.ok(figures.spent! + figures.reserved! <= 0.01, 'spent and reserved stay below the cap')
      }
      await gate.daemon.settled(2)
      const { today } = await gate.daemon.status()
      assert.deepEqual([today.spentEur, today.reservedEur], [0.008, 0])
      assert.equal(gate.upstream.requests.length, 2)
      await noDrift(gate)
    }))

  it('A02 counts what is outstanding, not only what is settled: 4.75 of 5.00 leaves room for two calls of 0.0884', () =>
    withGate(flatConfig(5), async (gate) => {
      await spend(gate, 475_272)
      gate.upstream.script(() => ({ ...flatUsage(8840), firstByteDelayMs: 400 }))
      const responses = await Promise.all(Array.from({ length: 4 }, () => gate.post('openai', chat, flatAsk(8840))))
      assert.deepEqual([count(responses, 200), count(responses, 429)], [2, 2])
      await gate.daemon.settled(3)
      assert.equal((await gate.daemon.status()).today.spentEur, 4.92952)
    }))

  it('A03 admits three of fifty pipelined calls on one connection and refuses 47 without asking the provider', () =>
    withGate(flatConfig(flatEur(1200)), async (gate) => {
      gate.upstream.script(() => ({ ...flatUsage(400), firstByteDelayMs: 300 }))
      const url = `${gate.daemon.base('openai')}${chat}`
      const answers = await pipelined(url, Array<string>(50).fill(JSON.stringify(flatAsk(400))))
      const statuses = answers.map(({ status }) => status)
      assert.deepEqual(
        [statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 429).length],
        [3, 47],
      )
      assert.equal(gate.upstream.requests.length, 3)
      assert.ok(new Set(gate.upstream.requests.map((request) => request.socketId)).size <= 3)
      assert.equal((await gate.daemon.status()).counters['budget_exhausted'], 47)
      await noDrift(gate)
    }))

  it('A05 holds a user that nobody has seen to the cap from the first call on', () =>
    withGate(flatConfig(0.01, { budgets: { projects: { fresh: { eur: 0.005 } } } }), async (gate) => {
      gate.upstream.script(() => ({ ...flatUsage(400), firstByteDelayMs: 400 }))
      const burst = (headers: Readonly<Record<string, string>>) =>
        Promise.all(Array.from({ length: 8 }, () => gate.post('openai', chat, flatAsk(400), { headers })))
      assert.equal(count(await burst({ 'x-tollgate-user': 'nobody-yet' }), 200), 2)
      assert.equal(count(await burst({ 'x-tollgate-user': 'another', 'x-tollgate-project': 'fresh' }), 200), 1)
      assert.equal(gate.upstream.requests.length, 3)
    }))

  it('A09 keeps the counters that are enforced equal to the rows, over 200 calls that end in every way', () =>
    withGate(flatConfig(1), async (gate) => {
      gate.upstream.script(
        ({ number }) =>
          [
            flatUsage(30),
            { outputTokens: 60, chunkDelayMs: 3 },
            { status: 500 },
            { status: 429, headers: { 'retry-after': '1' } },
            { outputTokens: 60, cutAfterChunks: 5 },
            { outputTokens: 60, resetAfterChunks: 5 },
            { usage: 'missing' as const },
          ][number % 7],
      )
      async function one(index: number): Promise<void> {
        const left = new AbortController()
        const headers = index % 5 === 0 ? { 'x-stainless-retry-count': '1' } : {}
        const user = { 'x-tollgate-user': `user-${index % 3}`, 'x-tollgate-task': `task-${index % 4}` }
        const call = gate.post('openai', chat, flatAsk(100, { stream: index % 2 === 0 }), {
          signal: left.signal,
          headers: { ...headers, ...user },
        })
        if (index % 3 === 0) setTimeout(() => left.abort(), index % 40)
        await call.then((response) => response.text()).catch(() => '')
      }
      for (let from = 0; from < 200; from += 20) {
        await Promise.all(Array.from({ length: 20 }, (_, at) => one(from + at)))
      }
      const rows = await gate.daemon.settled()
      assert.ok(rows.length > 100, `${rows.length} rows`)
      const outcomes = new Set(rows.map((row) => row.outcome))
      for (const outcome of ['ok', 'client_closed', 'upstream_error', 'upstream_truncated']) {
        assert.ok(outcomes.has(outcome), `a call ended as ${outcome}`)
      }
      assert.ok(rows.some((row) => row.isRetry))
      const { today, month, inFlight, integrity } = await gate.daemon.status()
      const sum = rows.reduce((total, row) => total + Math.round(row.eur * 1e9), 0) / 1e9
      assert.equal(today.spentEur, sum)
      assert.equal(month.spentEur, sum)
      assert.deepEqual([today.reservedEur, inFlight.length, integrity.ledgerDrift], [0, 0, 0])
      await noDrift(gate)
    }))
})

describe('what is reserved', () => {
  it('A10 prices a long prompt by its long-context tier and a flex call by half of it, before as after the call', () =>
    withGate({ budgets: { userDaily: { eur: 100 } }, currency: { usdRate: 1 } }, async (gate) => {
      const long = (more: object = {}) => ({
        model: 'gpt-5.4',
        max_completion_tokens: 1000,
        messages: [{ role: 'user', content: promptOfTokens(300_000) }],
        ...more,
      })
      const short = { ...long(), messages: [{ role: 'user', content: promptOfTokens(30_000) }] }
      gate.upstream.next(
        { inputTokens: 300_000, usage: { completion_tokens: 1000 } },
        { inputTokens: 300_000, usage: { completion_tokens: 1000 }, serviceTier: 'flex' },
        { inputTokens: 30_000, usage: { completion_tokens: 1000 } },
      )
      for (const ask of [long(), long({ service_tier: 'flex' }), short]) {
        await (await gate.post('openai', chat, ask)).text()
      }
      const [low, flex, high] = await gate.daemon.settled(3)
      // Above 272,000 tokens the whole request costs 5.00 and 22.50 dollars a million instead of 2.50 and 15.00.
      assert.equal(high!.eur, 1.5225)
      assert.equal(flex!.eur, 0.76125)
      assert.equal(low!.eur, 0.09)
      for (const [row, inputPrice, outputPrice] of [
        [high!, 5, 22.5],
        [flex!, 2.5, 11.25],
        [low!, 2.5, 15],
      ] as const) {
        const worst = (row.estimatedInput * inputPrice + 1000 * outputPrice) / 1e6
        assert.ok(Math.abs(row.reservedEur - worst) < 1e-6, `reserved ${row.reservedEur}, expected ${worst}`)
        assert.ok(row.reservedEur >= row.eur)
      }
    }))

  it('A10 reserves for a tier that the table does not know at the dearest one, or refuses it', () =>
    withGate({ budgets: { userDaily: { eur: 100 } }, currency: { usdRate: 1 } }, async (gate) => {
      const ask = (tier: string) => ({
        model: 'gpt-5.4',
        max_completion_tokens: 1000,
        service_tier: tier,
        messages: [{ role: 'user', content: 'x' }],
      })
      for (const tier of ['default', 'brand-new', 'priority']) await (await gate.post('openai', chat, ask(tier))).text()
      const [priority, unknown, standard] = await gate.daemon.settled(3)
      assert.equal(unknown!.reservedEur, priority!.reservedEur)
      assert.ok(unknown!.reservedEur > 1.9 * standard!.reservedEur)
    }))

  it('A11 never refills: refuses after 500 calls of 2,000 µ€ against 1,000,000 µ€, and the rest shrinks with each', () =>
    withGate(flatConfig(1), async (gate) => {
      gate.upstream.script(() => flatUsage(200))
      let lastRest = 1
      for (let call = 1; call <= 500; call += 1) {
        const response = await gate.post('openai', chat, flatAsk(200))
        assert.equal(response.status, 200, `call ${call}`)
        await response.text()
        if (call % 50 !== 0 && call > 20) continue
        await gate.daemon.settled(Math.min(call, 500))
        const { today } = await gate.daemon.status()
        const rest = 1 - today.spentEur - today.reservedEur
        assert.ok(rest < lastRest, `after call ${call}`)
        lastRest = rest
      }
      for (let call = 501; call <= 510; call += 1) {
        const refusal = await readRefusal(await gate.post('openai', chat, flatAsk(200)))
        assert.deepEqual([refusal.status, refusal.figures.kind, refusal.figures.spent], [429, 'spent', 1])
      }
      assert.equal(gate.upstream.requests.length, 500)
    }))

  it('A12 reserves at least the last turn of a conversation that the provider keeps', () =>
    withGate({ budgets: { userDaily: { eur: 100 } } }, async (gate) => {
      gate.upstream.next({ inputTokens: 180_000, outputTokens: 20 })
      const first = (await (
        await gate.post('openai', '/v1/responses', { model: 'gpt-4o-mini', input: 'start' })
      ).json()) as { id: string }
      await gate.daemon.settled(1)
      const go = { model: 'gpt-4o-mini', input: 'go' }
      await (await gate.post('openai', '/v1/responses', { ...go, previous_response_id: first.id })).text()
      const [known] = await gate.daemon.settled(2)
      assert.ok(known!.estimatedInput >= 180_000, `estimated ${known!.estimatedInput}`)
      assert.ok(known!.estimatedInput < 200_000, 'but not the largest window of all')
      // The provider's own counter would know; where it does not answer, nobody does.
      gate.upstream.script(({ path }) => (path.endsWith('/input_tokens') ? { status: 500 } : undefined))
      await (await gate.post('openai', '/v1/responses', { ...go, previous_response_id: 'resp_of_long_ago' })).text()
      const [unknown] = await gate.daemon.settled(3)
      assert.ok(unknown!.estimatedInput >= 128_000, 'the whole window of the model')
    }))
})

describe('what a cap of nothing and no cap mean', () => {
  it('A13 blocks every paid call at a cap of 0 and lets local models pass', () =>
    withGate({ budgets: { userDaily: { eur: 0 } } }, async (gate) => {
      const ask = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
      const refusal = await readRefusal(await gate.post('openai', chat, ask))
      assert.deepEqual([refusal.status, refusal.code, refusal.figures.limit], [429, 'budget_exhausted', 0])
      assert.equal(gate.upstream.requests.length, 0)
      for (const [path, model] of [
        ['/api/chat', 'gemma3:4b'],
        [chat, 'gemma3:4b'],
      ] as const) {
        const local = await gate.post('ollama', path, { ...ask, model, stream: false })
        assert.equal(local.status, 200, path)
        await local.text()
      }
      assert.equal((await gate.daemon.events('alert')).length, 0, 'a cap of 0 is no cap that is nearly used up')
    }))

  it('A13 takes null, and only null, for unlimited', () =>
    withGate(
      { ...flatConfig(null), budgets: { userDaily: { eur: null }, tenantMonthly: { eur: null } } },
      async (gate) => {
        gate.upstream.script(() => flatUsage(3_000_000))
        for (let call = 0; call < 3; call += 1) {
          const response = await gate.post('openai', chat, flatAsk(3_000_000))
          assert.equal(response.status, 200)
          await response.text()
        }
        await gate.daemon.settled(3)
        const { today } = await gate.daemon.status()
        assert.deepEqual([today.capEur, today.spentEur], [null, 90])
      },
    ))
})

describe('what a refused client is told', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate({
      ...flatConfig(0.01, {
        budgets: {
          projects: { shop: { eur: 0.005 } },
          models: { 'flat-dear*': { eur: 0.003 } },
          tenantMonthly: { eur: 0.02 },
        },
      }),
      keys: [{ key: 'key-of-bob', user: 'bob', tenant: 'acme' }],
    })
    await spend(gate, 1000)
    for (const [outputTokens, more, headers] of [
      [300, { model: 'flat-dear-1' }, { 'x-tollgate-user': 'eve' }],
      [500, {}, { 'x-tollgate-user': 'kim', 'x-tollgate-project': 'shop' }],
    ] as const) {
      gate.upstream.next(flatUsage(outputTokens))
      const response = await gate.post('openai', chat, flatAsk(outputTokens, more), { headers })
      assert.equal(response.status, 200)
      await response.text()
    }
    await gate.daemon.settled(3)
    gate.upstream.reset()
  })
  after(() => gate.close())

  const refusedCalls = async () => (await gate.daemon.status()).counters['budget_exhausted'] ?? 0

  it('A15 makes the OpenAI SDK with its default retries ask once, and leaves the provider alone', async () => {
    const before = await refusedCalls()
    const call = gate.openai().chat.completions.create(flatAsk(400) as OpenAI.ChatCompletionCreateParamsNonStreaming)
    const error = await call.then(
      () => assert.fail('the call was refused'),
      (fault: unknown) => fault as InstanceType<typeof OpenAI.APIError>,
    )
    assert.ok(error instanceof OpenAI.RateLimitError)
    assert.equal(error.code, 'budget_exhausted')
    assert.match(error.message, /Daily spending budget of user me is used up: 0\.01 of 0\.01 EUR/)
    const { headers } = error as { headers: Headers }
    assert.equal(headers.get('x-should-retry'), 'false')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    assert.equal(await refusedCalls(), before + 1, 'one request of one SDK call')
    assert.equal(gate.upstream.requests.length, 0)
  })

  it('A15 makes the Anthropic SDK with its default retries ask once too', async () => {
    const before = await refusedCalls()
    const call = gate.anthropic().messages.create({ model: flatModel, max_tokens: 400, messages: [] })
    await assert.rejects(call, (error: unknown) => {
      assert.ok(error instanceof Anthropic.RateLimitError)
      assert.match(error.message, /Daily spending budget of user me/)
      return true
    })
    assert.equal(await refusedCalls(), before + 1)
    assert.equal(gate.upstream.requests.length, 0)
  })

  it('A15 counts every repeated refusal and writes no row for it', async () => {
    const before = await refusedCalls()
    const rows = (await gate.daemon.calls()).length
    for (let call = 0; call < 100; call += 1) {
      assert.equal((await gate.post('openai', chat, flatAsk(400))).status, 429)
    }
    assert.equal(await refusedCalls(), before + 100)
    assert.equal((await gate.daemon.calls()).length, rows)
    assert.equal(gate.upstream.requests.length, 0)
  })

  for (const [name, headers, more, expected, lifts] of [
    [
      'the day of a user',
      {},
      {},
      { scope: 'user', scopeRef: 'me', window: 'day' },
      /Raise it with "Tollgate: Open Cap Settings" in VS Code, or in budgets\.userDaily of config\.json\./,
    ],
    [
      'the month of a tenant',
      { 'x-tollgate-user': 'zoe' },
      {},
      { scope: 'tenant', scopeRef: 'personal', window: 'month' },
      /Who pays can raise it with .* in VS Code, or in budgets\.tenantMonthly of config\.json\./,
    ],
    [
      'the day of a project',
      { 'x-tollgate-user': 'kim', 'x-tollgate-project': 'shop' },
      { max_tokens: 100 },
      { scope: 'project', scopeRef: 'shop', window: 'day' },
      /Raise it in budgets\.projects\.shop of config\.json\./,
    ],
    [
      'the day of an expensive model',
      { 'x-tollgate-user': 'eve' },
      { model: 'flat-dear-2', max_tokens: 100 },
      { scope: 'model', scopeRef: 'flat-dear*', window: 'day' },
      /Raise it in budgets\.models of config\.json\./,
    ],
  ] as const) {
    it(`A16 names ${name} and who can lift it`, async () => {
      const refusal = await readRefusal(await gate.post('openai', chat, flatAsk(400, more), { headers }))
      const { scope, scopeRef, window } = refusal.figures
      assert.deepEqual({ code: refusal.code, scope, scopeRef, window }, { code: 'budget_exhausted', ...expected })
      assert.match((refusal.body['error'] as { message: string }).message, lifts)
      const isMonth = window === 'month'
      assert.equal(refusal.retryAfter === '3600', isMonth)
      assert.equal(refusal.figures.retryAfterSeconds, Number(refusal.retryAfter))
    })
  }

  it('A16 keeps the users of two tenants apart', async () => {
    gate.upstream.next(flatUsage(400))
    const url = `${gate.daemon.base('openai', { key: 'key-of-bob' })}${chat}`
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(flatAsk(400)) })
    assert.equal(response.status, 200)
    await response.text()
    gate.upstream.reset()
  })

  it('A16 tells a stop from a cap', async () => {
    await gate.daemon.json('/api/kill', { scope: 'global' })
    try {
      const refusal = await readRefusal(await gate.post('openai', chat, flatAsk(400)))
      assert.deepEqual([refusal.status, refusal.code, refusal.retryAfter], [403, 'killed', null])
      assert.match((refusal.body['error'] as { message: string }).message, /tollgate resume/)
    } finally {
      await gate.daemon.json('/api/resume', {})
    }
  })

  it('A17 gives programs the figures in the shape of OpenAI', async () => {
    const { status, body } = await readRefusal(await gate.post('openai', chat, flatAsk(400)))
    const { message, tollgate, ...shape } = body['error'] as Record<string, unknown>
    assert.equal(status, 429)
    assert.equal(typeof message, 'string')
    assert.deepEqual(shape, { type: 'tollgate_refusal', param: null, code: 'budget_exhausted' })
    const { resetsAt, retryAfterSeconds, ...figures } = tollgate as Record<string, unknown>
    assert.deepEqual(figures, {
      code: 'budget_exhausted',
      scope: 'user',
      scopeRef: 'me',
      window: 'day',
      unit: 'eur',
      kind: 'spent',
      limit: 0.01,
      spent: 0.01,
      reserved: 0,
      requested: 0.004,
      also: [],
    })
    assert.match(String(resetsAt), /^\d{4}-\d\d-\d\dT00:00:00\+0[12]:00$/)
    const { today } = await gate.daemon.status()
    assert.equal(resetsAt, today.resetsAt, 'the same time that the status shows')
    assert.ok(Number.isInteger(retryAfterSeconds) && Number(retryAfterSeconds) > 0)
  })

  it('A17 gives programs the same figures in the shape of Anthropic', async () => {
    const openai = await readRefusal(await gate.post('openai', chat, flatAsk(400)))
    const anthropic = await readRefusal(await gate.post('anthropic', '/v1/messages', flatAsk(400)))
    const body = anthropic.body as { type: string; request_id: string; error: { type: string; message: string } }
    assert.deepEqual([body.type, body.error.type], ['error', 'rate_limit_error'])
    assert.match(body.request_id, /^call_/)
    const stable = ({ figures }: typeof openai) => ({ ...figures, retryAfterSeconds: 0 })
    assert.deepEqual(stable(anthropic), stable(openai))
  })
})

describe('held and spent', () => {
  it('lets a call wait for its sibling and pass once that has settled for less', () =>
    withGate(flatConfig(0.01, { budgets: { heldWaitMs: 10_000 } }), async (gate) => {
      gate.upstream.next({ ...flatUsage(100), firstByteDelayMs: 600 }, flatUsage(100))
      const first = gate.post('openai', chat, flatAsk(800))
      await gate.upstream.waitForRequests(1)
      const second = gate.post('openai', chat, flatAsk(800))
      await eventually('the second one to wait', async () => ((await waiting(gate)) === 1 ? true : null))
      assert.equal(gate.upstream.requests.length, 1)
      assert.deepEqual([(await first).status, (await second).status], [200, 200])
      await gate.daemon.settled(2)
      assert.equal((await gate.daemon.status()).today.spentEur, 0.002)
      assert.equal((await gate.daemon.status()).counters['budget_exhausted'], 0)
    }))

  it('lets waiting calls pass in the order in which they came', () =>
    withGate(flatConfig(0.01, { budgets: { heldWaitMs: 10_000 } }), async (gate) => {
      gate.upstream.script(() => ({ ...flatUsage(10), firstByteDelayMs: 150 }))
      const calls: Promise<Response>[] = []
      for (const name of ['a', 'b', 'c', 'd']) {
        calls.push(gate.post('openai', chat, flatAsk(900, { user: name })))
        const ahead = calls.length - 1
        await eventually('the call to run or to wait', async () => {
          const { length } = (await gate.daemon.status()).inFlight
          return length >= 1 && (await waiting(gate)) === ahead ? true : null
        })
      }
      for (const call of calls) await (await call).text()
      assert.deepEqual(
        gate.upstream.generations.map((request) => request.json['user']),
        ['a', 'b', 'c', 'd'],
      )
    }))

  it('refuses a call with the word held when its siblings take longer than it may wait', () =>
    withGate(flatConfig(0.01, { budgets: { heldWaitMs: 150 } }), async (gate) => {
      gate.upstream.next({ ...flatUsage(100), firstByteDelayMs: 1500 })
      const first = gate.post('openai', chat, flatAsk(800))
      await gate.upstream.waitForRequests(1)
      const refusal = await readRefusal(await gate.post('openai', chat, flatAsk(800)))
      assert.deepEqual([refusal.status, refusal.figures.kind, refusal.retryAfter], [429, 'held', '1'])
      assert.deepEqual([refusal.figures.spent, refusal.figures.reserved], [0, 0.008])
      assert.equal((await first).status, 200)
    }))

  it('refuses a spent budget at once, with the word spent, however long calls may wait', () =>
    withGate(flatConfig(0.01, { budgets: { heldWaitMs: 60_000 } }), async (gate) => {
      await spend(gate, 1000)
      const refusal = await readRefusal(await gate.post('openai', chat, flatAsk(800)))
      assert.deepEqual([refusal.figures.kind, refusal.figures.spent], ['spent', 0.01])
    }))

  it('keeps nothing of a waiting call whose client left, and stops waiting calls with the others', () =>
    withGate(flatConfig(0.01, { budgets: { heldWaitMs: 60_000 } }), async (gate) => {
      gate.upstream.next({ ...flatUsage(100), firstByteDelayMs: 30_000 })
      const first = gate.post('openai', chat, flatAsk(800))
      await gate.upstream.waitForRequests(1)
      const left = new AbortController()
      const second = gate.post('openai', chat, flatAsk(800), { signal: left.signal })
      const third = gate.post('openai', chat, flatAsk(800))
      await eventually('two waiting calls', async () => ((await waiting(gate)) === 2 ? true : null))
      left.abort()
      await assert.rejects(second)
      await eventually('one waiting call', async () => ((await waiting(gate)) === 1 ? true : null))
      assert.equal((await gate.daemon.json<{ cancelled: number }>('/api/kill', {})).cancelled, 2)
      assert.deepEqual(await Promise.all([first, third].map(async (call) => (await readRefusal(await call)).code)), [
        'killed',
        'killed',
      ])
      assert.equal(gate.upstream.requests.length, 1)
      const rows = await gate.daemon.settled()
      assert.equal(rows.length, 1, 'what never got a reservation has no row')
      assert.deepEqual(
        [(await gate.daemon.status()).today.reservedEur, (await gate.daemon.status()).inFlight.length],
        [0, 0],
      )
    }))

  it('lowers the output ceiling to what is left of the budget, and says so', () =>
    withGate(flatConfig(0.01, { budgets: { minOutputTokens: 256 } }), async (gate) => {
      await spend(gate, 400)
      const response = await gate.post('openai', chat, flatAsk(2000))
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('x-tollgate-changes'), 'max_tokens=600')
      assert.equal(response.headers.get('x-tollgate-reserved-eur'), '0.006')
      assert.equal(gate.upstream.generations.at(-1)!.json['max_tokens'], 600)
      await response.text()
    }))

  it('does not lower the output ceiling below a useful answer: then the budget is spent', () =>
    withGate(flatConfig(0.01, { budgets: { minOutputTokens: 256 } }), async (gate) => {
      await spend(gate, 800)
      const refusal = await readRefusal(await gate.post('openai', chat, flatAsk(2000)))
      assert.deepEqual([refusal.figures.kind, refusal.figures.spent], ['spent', 0.008])
      const small = await gate.post('openai', chat, flatAsk(200))
      assert.equal(small.status, 200, 'a call that asks for less than that still fits')
      await small.text()
    }))

  it('says an alert once per scope and window, also when many calls cross the line together', () =>
    withGate(flatConfig(0.01), async (gate) => {
      gate.upstream.script(() => ({ ...flatUsage(100), firstByteDelayMs: 200 }))
      await Promise.all(Array.from({ length: 10 }, () => gate.post('openai', chat, flatAsk(100))))
      await gate.daemon.settled(10)
      await pause(50)
      const alerts = await gate.daemon.events('alert')
      assert.deepEqual(
        alerts.map(({ scope, scopeRef, window, unit, limit }) => ({ scope, scopeRef, window, unit, limit })),
        [{ scope: 'user', scopeRef: 'me', window: 'day', unit: 'eur', limit: 0.01 }],
      )
    }))
})

/** Calls that wait for their siblings, as the gauge says. */
async function waiting(gate: Gate): Promise<number> {
  const text = await (await gate.daemon.api('/metrics')).text()
  return Number(/^tollgate_calls_waiting (\d+)$/m.exec(text)?.[1])
}
