import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { readRefusal } from './harness/answers.ts'
import { against, startDaemon } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { providerKey, startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { chatAsk, promptOfChars, promptOfTokens } from './harness/prompts.ts'
import { chatAgent, codeOf, faultOf, patience } from './harness/sdkAgents.ts'
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

describe('known answer 2: what plan chat takes', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate({ plan: 'chat' })
  })
  after(() => gate.close())

  const ask = (messages: object[]): Promise<Response> =>
    gate.post('openai', '/v1/chat/completions', { model: 'gpt-4o-mini', messages })
  const user = (chars: number): object => ({ role: 'user', content: promptOfChars(chars) })

  it('is no body of 40,000 characters: 413', async () => {
    const refusal = await readRefusal(await ask([user(40_000)]))
    assert.deepEqual([refusal.status, refusal.code, refusal.figures.limit], [413, 'body_too_large', 32_768])
    assert.equal((await gate.daemon.status()).counters['body_too_large'], 1)
    assert.equal(gate.upstream.requests.length, 0)
  })

  it('is no message of 9,000 characters: 400', async () => {
    const refusal = await readRefusal(await ask([user(9000)]))
    assert.deepEqual([refusal.status, refusal.code, refusal.figures.limit], [400, 'message_too_long', 8000])
    assert.equal(gate.upstream.requests.length, 0)
  })

  it('is no message of 6,000 characters that comes a second time in its conversation: 422', async () => {
    const first = user(6000)
    assert.equal((await ask([first])).status, 200)
    const refusal = await readRefusal(await ask([first, { role: 'assistant', content: 'I see.' }, first]))
    assert.deepEqual([refusal.status, refusal.code, refusal.figures.limit], [422, 'conversation_too_long', 6000])
    assert.equal(gate.upstream.requests.length, 1)
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

describe('known answer 4: a model that asks for the same tool call every turn', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate({
      plans: { unguarded: { loop: null, task: null } },
      keys: [{ key: 'key-of-an-unguarded-plan', plan: 'unguarded' }],
    })
  })
  after(() => gate.close())
  beforeEach(() => {
    gate.upstream.reset()
    gate.upstream.script(() => ({ toolCall: { name: 'read_page', arguments: { page: 3 } } }))
  })

  it('makes 41 model calls without the guard', async () => {
    const agent = chatAgent({ daemon: gate.daemon, key: 'key-of-an-unguarded-plan' })
    agent.say('Read page 3 and tell me when it changes.')
    assert.equal(await agent.run(() => 'nothing new'), 'I give up.')
    assert.deepEqual([patience, gate.upstream.generations.length], [41, 41])
  })

  it('makes 3 with two repeats, and hears which tool it was', async () => {
    const agent = chatAgent({ daemon: gate.daemon })
    agent.say('Read page 3 and tell me when it changes.')
    const fault = await faultOf(agent.run(() => 'nothing new'))
    assert.deepEqual(codeOf(fault), { status: 403, code: 'loop_halted' })
    assert.match(fault.message, /read_page/)
    assert.equal(gate.upstream.generations.length, 3)
    const events = await gate.daemon.events('loop')
    assert.deepEqual(
      events.map(({ state, tool, repeats }) => [state, tool, repeats]),
      [
        ['warn', 'read_page', 2],
        ['halted', 'read_page', 3],
      ],
    )
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

describe('known answer 6: output ceilings of 2000, 8000 and 256 on a model that only thinks', () => {
  const usdRate = 0.92
  let gate: Gate
  before(async () => {
    gate = await startGate({
      currency: { code: 'EUR', usdRate, asOf: '2026-11-01' },
      prices: { overrides: [{ match: 'thinker-*', prices: { input_mtok: 3, output_mtok: 15 } }] },
    })
  })
  after(() => gate.close())

  const messages = [{ role: 'user', content: 'What is the name of this river?' }]
  const model = 'thinker-1'
  for (const [name, upstream, path, body] of [
    [
      'anthropic, streamed',
      'anthropic',
      '/v1/messages',
      (most: number) => ({ messages, max_tokens: most, stream: true }),
    ],
    ['openai chat', 'openai', '/v1/chat/completions', (most: number) => ({ messages, max_completion_tokens: most })],
    [
      'openai responses',
      'openai',
      '/v1/responses',
      (most: number) => ({ input: 'Its name?', max_output_tokens: most }),
    ],
    ['ollama', 'ollama', '/api/chat', (most: number) => ({ messages, options: { num_predict: most } })],
  ] as const) {
    it(`three empty answers, each known to the cent: ${name}`, async () => {
      const before = (await gate.daemon.calls()).length
      const saidBefore = (await gate.daemon.events('empty_answer')).length
      for (const most of [2000, 8000, 256]) {
        gate.upstream.next({ thinkingTokens: 20_000, inputTokens: 24 })
        const response = await gate.post(upstream, path, { model, ...body(most) })
        assert.equal(response.status, 200)
        await response.text()
      }
      const rows = (await gate.daemon.settled(before + 3)).slice(0, 3).toReversed()
      // Dollars per million tokens; a local model costs nothing.
      const eur = (output: number): number => (upstream === 'ollama' ? 0 : ((24 * 3 + output * 15) / 1e6) * usdRate)
      for (const [at, most] of [2000, 8000, 256].entries()) {
        const { warnings, usage, settlement, eur: charged } = rows[at]!
        assert.deepEqual([warnings, usage.input, usage.output, settlement], [['empty_answer'], 24, most, 'exact'])
        assert.ok(Math.abs(charged - eur(most)) < 1e-8, `${charged} EUR`)
      }
      const said = (await gate.daemon.events('empty_answer')).slice(saidBefore)
      assert.deepEqual(
        said.map(({ call, outputTokens }) => [call, outputTokens]),
        rows.map(({ id, usage }) => [id, usage.output]),
      )
      assert.equal((await gate.daemon.status()).counters['empty_answer'], saidBefore + 3)
    })
  }
})

describe('known answer 7: twenty calls at once from two processes that share one ledger', () => {
  let upstream: Upstream
  let folder: string
  const daemons: Daemon[] = []
  let callTokens: number
  let capTokens: number
  const configOf = (tokens: number | null): object =>
    against(upstream, {
      budgets: {
        userDaily: { eur: null, tokens },
        tenantMonthly: { eur: null },
        heldWaitMs: 0,
        minOutputTokens: 1_000_000,
      },
      plans: { agent: { estimator: 'chars3', task: null, loop: null, storm: null } },
    })
  const ask = (user: string, daemon: Daemon): Promise<Response> =>
    fetch(`${daemon.base('openai')}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-tollgate-user': user },
      body: JSON.stringify(chatAsk(promptOfChars(900), { max_tokens: 400 })),
    })

  before(async () => {
    upstream = await startUpstream()
    folder = mkdtempSync(join(tmpdir(), 'tollgate-shared-'))
    const [one, two] = ['one', 'two'].map((name) => join(folder, name)) as [string, string]
    for (const dataDir of [one, two]) mkdirSync(dataDir)
    const first = await startDaemon({ dataDir: one, config: configOf(null) })
    const probe = await ask('probe', first)
    await probe.text()
    callTokens = Number(probe.headers.get('x-tollgate-estimated-input')) + 400
    // Room for seven calls and almost for an eighth.
    capTokens = 8 * callTokens - 1
    await first.stop()
    // Each process owns its data directory; the file that they share stands in one and is linked into the other.
    symlinkSync(join(one, 'ledger.db'), join(two, 'ledger.db'))
    for (const dataDir of [one, two]) daemons.push(await startDaemon({ dataDir, config: configOf(capTokens) }))
  })
  after(async () => {
    for (const daemon of daemons) await daemon.discard()
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(() => {
    upstream.reset()
    // What is used is what was reserved, so that no settlement makes room for one more.
    upstream.script(() => ({
      usage: { prompt_tokens: callTokens - 400, completion_tokens: 400 },
      firstByteDelayMs: 50,
    }))
  })

  for (const user of ['ada', 'grace', 'linus']) {
    it(`not one token over the cap at any time: ${user}`, async () => {
      const ledger = new Database(join(folder, 'one', 'ledger.db'), { readonly: true })
      const used = ledger
        .prepare('SELECT max(spent_tokens + reserved_tokens) FROM windows WHERE scope = ? AND ref LIKE ?')
        .pluck()
      const seen = { ended: false, most: 0 }
      const look = (): void => {
        seen.most = Math.max(seen.most, Number(used.get('user', `%/${user}`) ?? 0))
      }
      const answers = Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          ask(user, daemons[at % 2]!).then(async (response) => {
            await response.text()
            return `${response.status} ${response.headers.get('x-tollgate-code') ?? 'ok'}`
          }),
        ),
      ).finally(() => (seen.ended = true))
      while (!seen.ended) {
        look()
        await pause(1)
      }
      const said = (await answers).toSorted()
      assert.deepEqual(said, [...Array<string>(7).fill('200 ok'), ...Array<string>(13).fill('429 budget_exhausted')])
      assert.equal(upstream.generations.length, 7)
      for (const daemon of daemons) {
        const rows = (await daemon.settled()).filter((row) => row.user === user)
        assert.equal(rows.length, 7, 'both see the calls of both')
        const tokens = rows.reduce((sum, { usage }) => sum + usage.input + usage.output, 0)
        assert.deepEqual([tokens, tokens <= capTokens], [7 * callTokens, true])
        assert.deepEqual(await daemon.json('/api/check'), { drift: [] })
      }
      look()
      assert.equal(seen.most, 7 * callTokens, 'reserved and spent together never passed the cap')
      ledger.close()
    })
  }
})

describe("known answer 8: 31 searches and 4 runs of a sandbox, beside a task's tokens", () => {
  it('come to 0.175 euros on the task', async () => {
    const gate = await startGate({
      toolCharges: { search: { eur: 0.005 }, sandbox: { eurPerSecond: 0.0004 } },
    })
    try {
      const [client, charges] = [gate.openai({ task: 'charged' }), '/api/tasks/charged/charges']
      gate.upstream.next({ inputTokens: 1000, outputTokens: 200 })
      await client.chat.completions.create({
        model: 'gpt-4o-mini',
        messages: [{ role: 'user', content: 'Look it up.' }],
      })
      const [row] = await gate.daemon.settled()
      await gate.daemon.json(charges, { tool: 'search', units: 31 })
      for (let run = 0; run < 4; run += 1) await gate.daemon.json(charges, { tool: 'sandbox', seconds: 12.5 })
      const task = (await gate.daemon.status()).tasks.find(({ id }) => id === 'charged')
      assert.ok(row!.eur > 0)
      assert.ok(Math.abs(task!.eur - row!.eur - 0.175) < 1e-9, `${task!.eur} EUR`)
      assert.deepEqual([task!.iterations, task!.inputTokens], [1, 1000], 'a charge is no model call')
      await assert.rejects(gate.daemon.json(charges, { tool: 'unknown' }), /400/)
    } finally {
      await gate.close()
    }
  })
})

/** Prices at which the arithmetic is that of the measurement: three euros per million input tokens, nothing for output. */
const threeEuros = {
  currency: { code: 'EUR', usdRate: 1, asOf: '2026-11-01' },
  prices: { overrides: [{ match: 'wide-*', prices: { input_mtok: 3, output_mtok: 0 } }] },
}

describe('known answer 9: one call of 900,000 input tokens at three euros per million', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate({
      ...threeEuros,
      plans: { narrow: { task: { maxInputTokens: 850_000 } } },
      keys: [{ key: 'key-of-a-narrow-plan', plan: 'narrow' }],
    })
  })
  after(() => gate.close())

  const body = JSON.stringify(chatAsk(promptOfTokens(900_000), { model: 'wide-1', max_tokens: 1000 }))
  const call = (key: string, task: string): Promise<Response> =>
    fetch(`${gate.daemon.base('openai', { key, task })}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${providerKey}` },
      body,
    })

  it('is refused before it is sent where a task may take 850,000', async () => {
    const refusal = await readRefusal(await call('key-of-a-narrow-plan', 'narrow'))
    assert.deepEqual([refusal.status, refusal.code], [403, 'task_halted'])
    const { unit, limit, spent, requested } = refusal.figures
    assert.deepEqual([unit, limit, spent], ['tokens', 850_000, 0])
    assert.ok(requested! >= 900_000 && requested! < 950_000, `${requested}`)
    assert.equal(gate.upstream.requests.length, 0)
  })

  it('costs 2.70 euros at iteration 1 of a task that a limit on iterations would let go on', async () => {
    gate.upstream.next({ inputTokens: 900_000 })
    const response = await call(gate.daemon.key, 'wide')
    assert.equal(response.status, 200)
    await response.text()
    const [row] = await gate.daemon.settled()
    assert.deepEqual([row!.usage.input, row!.eur], [900_000, 2.7])
    const task = (await gate.daemon.status()).tasks.find(({ id }) => id === 'wide')
    assert.deepEqual([task!.iterations, task!.inputTokens, task!.eur], [1, 900_000, 2.7])
  })
})

describe('known answer 10: twenty turns of a conversation that carries 38,980 tokens', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate({
      ...threeEuros,
      plans: { measured: { task: { maxInputTokens: 800_000 } } },
      keys: [{ key: 'key-of-a-measured-plan', plan: 'measured' }],
    })
  })
  after(() => gate.close())

  it('take about 780,000 input tokens, and the forecast of turn 3 says so', async () => {
    const url = `${gate.daemon.base('openai', { key: 'key-of-a-measured-plan', task: 'talk' })}/v1/chat/completions`
    const messages = [{ role: 'user', content: promptOfTokens(38_980) }]
    const turn = (): Promise<Response> =>
      fetch(url, { method: 'POST', body: JSON.stringify({ model: 'wide-1', max_tokens: 100, messages }) })
    const status = async () => (await gate.daemon.status()).tasks.find(({ id }) => id === 'talk')!
    const forecasts: Awaited<ReturnType<typeof status>>['forecast'][] = []
    for (let made = 1; made <= 20; made += 1) {
      const response = await turn()
      assert.equal(response.status, 200, `turn ${made}`)
      await response.text()
      await gate.daemon.settled(made)
      forecasts.push((await status()).forecast)
      messages.push({ role: 'assistant', content: 'Yes.' }, { role: 'user', content: `And ${made}?` })
    }
    const refusal = await readRefusal(await turn())
    assert.deepEqual([refusal.code, refusal.figures.unit], ['task_halted', 'tokens'])

    const done = await status()
    assert.ok(Math.abs(done.inputTokens - 780_000) < 5000, `${done.inputTokens} tokens`)
    assert.ok(Math.abs(done.eur - (done.inputTokens * 3) / 1e6) < 1e-9)
    const third = forecasts[2]!
    assert.equal(third.haltsInTurns, 17, 'three made, seventeen to go')
    const tokens = (third.eurAtHalt / 3) * 1e6
    assert.ok(Math.abs(tokens - done.inputTokens) < 0.01 * done.inputTokens, `${tokens} tokens were forecast`)
    assert.equal(forecasts[0], null, 'one turn is no trend')
  })
})
