import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { readRefusal } from './harness/answers.ts'
import { against, startDaemon } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { chatAsk, promptOfChars, promptOfTokens } from './harness/prompts.ts'
import { startUpstream } from '../upstream/upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'

/** The message of known answer 1 and what the provider reports about it. */
const message = promptOfChars(6052)
const reported = { inputTokens: 1930, outputTokens: 40 }

const budgets = { userDaily: { eur: null, tokens: 6000 }, tenantMonthly: { eur: null, tokens: 9000 }, heldWaitMs: 0 }
const config = { plan: 'chat', plans: { chat: { estimator: 'chars3' } }, budgets }

/** Seconds from now to the next midnight in Berlin, worked out without the code under test. */
function secondsToMidnight(): number {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'medium' }).format(new Date())
  const [hours, minutes, seconds] = clock.split(':').map(Number)
  return 86_400 - (hours! * 3600 + minutes! * 60 + seconds!)
}

describe('known answer 1: six calls against 6,000 tokens a day and 9,000 a month', () => {
  let upstream: Upstream
  let daemon: Daemon
  before(async () => {
    upstream = await startUpstream()
  })
  after(() => upstream.close())
  beforeEach(() => {
    upstream.reset()
    upstream.script(() => reported)
  })
  afterEach(() => daemon.discard())

  async function play(call: (user: string) => Promise<Response>): Promise<void> {
    const answers: [string, number][] = []
    const refusals: Awaited<ReturnType<typeof readRefusal>>[] = []
    for (const user of ['ada', 'ada', 'ada', 'grace', 'grace', 'linus']) {
      const response = await call(user)
      answers.push([user, response.status])
      if (response.status === 200) await response.text()
      else refusals.push(await readRefusal(response))
      await daemon.settled()
    }
    assert.deepEqual(answers, [
      ['ada', 200],
      ['ada', 200],
      ['ada', 429],
      ['grace', 200],
      ['grace', 200],
      ['linus', 429],
    ])
    assert.equal(upstream.requests.length, 4, 'no refused call reached the provider')

    const [day, month] = refusals
    assert.ok(day !== undefined && month !== undefined)
    assert.equal(day.code, 'budget_exhausted')
    assert.deepEqual(
      [day.figures.scope, day.figures.scopeRef, day.figures.window, day.figures.unit, day.figures.kind],
      ['user', 'ada', 'day', 'tokens', 'spent'],
    )
    assert.deepEqual([day.figures.limit, day.figures.spent], [6000, 3940])
    // The whole day is not one length where the clock changes, so the expected value may be an hour off.
    const drift = Math.abs(Number(day.retryAfter) - secondsToMidnight())
    assert.ok(drift <= 5 || Math.abs(drift - 3600) <= 5, `retry-after ${day.retryAfter}`)
    assert.equal(month.code, 'budget_exhausted')
    assert.deepEqual(
      [month.figures.scope, month.figures.window, month.figures.limit, month.figures.spent, month.retryAfter],
      ['tenant', 'month', 9000, 7880, '3600'],
    )

    const rows = await daemon.calls()
    assert.deepEqual(
      rows.map((row) => [row.user, row.usage.input, row.usage.output]),
      [
        ['grace', 1930, 40],
        ['grace', 1930, 40],
        ['ada', 1930, 40],
        ['ada', 1930, 40],
      ],
    )
    const alerts = await daemon.events('alert')
    assert.equal(alerts.length, 1)
    const { scope, window, spent, limit } = alerts[0]!
    assert.deepEqual({ scope, window, spent, limit }, { scope: 'tenant', window: 'month', spent: 7880, limit: 9000 })
  }

  it('comes out with users named by a header', async () => {
    daemon = await startDaemon({ config: against(upstream, config) })
    await play((user) =>
      fetch(`${daemon.base('openai')}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'x-tollgate-user': user },
        body: JSON.stringify(chatAsk(message)),
      }),
    )
  })

  it('comes out with users named by their keys, in another dialect', async () => {
    const keys = ['ada', 'grace', 'linus'].map((user) => ({ key: `key-of-${user}`, user, plan: 'chat' }))
    daemon = await startDaemon({ config: against(upstream, { ...config, plan: 'agent', keys }) })
    await play((user) =>
      fetch(`${daemon.base('anthropic', { key: `key-of-${user}` })}/v1/messages`, {
        method: 'POST',
        body: JSON.stringify({ ...chatAsk(message, { model: 'claude-haiku-4-5' }), max_tokens: 400 }),
      }),
    )
  })

  it('reserves about 2,430 tokens for such a call', async () => {
    daemon = await startDaemon({ config: against(upstream, config) })
    upstream.script(() => ({ ...reported, firstByteDelayMs: 500 }))
    const call = fetch(`${daemon.base('openai')}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(chatAsk(message)),
    })
    await upstream.waitForRequests(1)
    const [row] = await daemon.calls()
    const reservedTokens = row!.estimatedInput + 400
    assert.ok(reservedTokens >= 2400 && reservedTokens <= 2480, `reserved ${reservedTokens}`)
    assert.equal(
      upstream.generations[0]!.json['max_completion_tokens'] ?? upstream.generations[0]!.json['max_tokens'],
      400,
    )
    await (await call).text()
  })
})

describe('known answer 2: a body of 40,000 characters', () => {
  it('is refused with 413 by the plan chat and does not reach the provider', async () => {
    const gate = await startGate({ plan: 'chat' })
    try {
      const response = await gate.post('openai', '/v1/chat/completions', chatAsk(promptOfChars(40_000)))
      const refusal = await readRefusal(response)
      assert.deepEqual([refusal.status, refusal.code], [413, 'body_too_large'])
      assert.equal(refusal.figures.limit, 32_768)
      assert.equal(gate.upstream.requests.length, 0)
      assert.equal((await gate.daemon.status()).counters['body_too_large'], 1)
      const fits = await gate.post('openai', '/v1/chat/completions', chatAsk(promptOfChars(7000)))
      assert.equal(fits.status, 200)
    } finally {
      await gate.close()
    }
  })
})

describe('known answer 3: a client that leaves, and a limit of three seconds', () => {
  it('closes the socket of the provider when the client closes after 2 s, and settles the call', async () => {
    const gate = await startGate({ plan: 'chat' })
    try {
      gate.upstream.next({ firstByteDelayMs: 60_000 })
      const left = new AbortController()
      const call = gate.post('openai', '/v1/chat/completions', chatAsk(message), { signal: left.signal })
      const request = await gate.upstream.waitForRequests(1)
      await pause(2000)
      assert.equal(request.closed, null, 'nobody else ended it before')
      left.abort()
      await assert.rejects(call)
      assert.equal((await gate.upstream.waitForClose(request)).finished, false)
      const [row] = await gate.daemon.settled()
      assert.deepEqual([row!.outcome, row!.settlement], ['client_closed', 'partial'])
      assert.ok(row!.eur > 0 && row!.usage.input > 0)
      assert.equal((await gate.daemon.status()).today.reservedEur, 0)
    } finally {
      await gate.close()
    }
  })

  it('answers 504 with the phase total after a total limit of 3 s, and settles the call', async () => {
    const gate = await startGate({ plan: 'chat', plans: { chat: { timeouts: { totalMs: 3000 } } } })
    try {
      gate.upstream.next({ firstByteDelayMs: 60_000 })
      const refusal = await readRefusal(await gate.post('openai', '/v1/chat/completions', chatAsk(message)))
      assert.deepEqual([refusal.status, refusal.code, refusal.figures.phase], [504, 'upstream_timeout', 'total'])
      assert.equal((await gate.upstream.waitForClose(gate.upstream.generations[0]!)).finished, false)
      const [row] = await gate.daemon.settled()
      assert.deepEqual([row!.outcome, row!.settlement], ['upstream_timeout', 'partial'])
      assert.ok(row!.usage.input > 0)
    } finally {
      await gate.close()
    }
  })
})

describe('known answer 5: what a window of 4,096 tokens makes of four prompts', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate()
  })
  after(() => gate.close())

  for (const [tokens, report, truncated] of [
    [12_920, 2051, true],
    [38_980, 2051, true],
    [666, null, false],
    [3204, null, false],
  ] as const) {
    it(`${tokens} tokens: ${truncated ? 'truncated' : 'no verdict'}`, async () => {
      const said = (await gate.daemon.events('truncated')).length
      const rows = (await gate.daemon.calls()).length
      const ask = {
        model: 'gemma3:4b',
        stream: false,
        messages: [{ role: 'user', content: promptOfTokens(tokens) }],
        options: { num_ctx: 4096 },
      }
      const response = await gate.post('ollama', '/api/chat', ask)
      const answer = (await response.json()) as { prompt_eval_count: number }
      if (report === null) assert.ok(Math.abs(answer.prompt_eval_count - tokens) < 20)
      else assert.equal(answer.prompt_eval_count, report)
      const [row] = await gate.daemon.settled(rows + 1)
      assert.equal(row!.warnings.includes('truncated'), truncated)
      const more = truncated ? 1 : 0
      assert.equal((await gate.daemon.events('truncated')).length, said + more)
      assert.equal((await gate.daemon.status()).counters['truncated'], said + more)
    })
  }
})
