import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { refusalCodes, warningCodes } from '../../shared/codes.ts'
import type { CallRow, EventRow, Status } from '../../shared/status.ts'
import { readRefusal } from './harness/answers.ts'
import { connectControl } from './harness/controlClient.ts'
import type { ControlClient } from './harness/controlClient.ts'
import { against, startDaemon } from './harness/daemon.ts'
import { eventually } from './harness/eventually.ts'
import { flatAsk, flatConfig, flatModel, flatUsage } from './harness/flatPrice.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { parsePrometheus } from './harness/prometheus.ts'

const chat = '/v1/chat/completions'

/** Every field of a status with its type, as `shared/status.ts` has it; `Status` keeps the names honest at compile time. */
const spendShape = {
  spentEur: 'number',
  listPriceEur: 'number',
  reservedEur: 'number',
  tokens: { input: 'number', cacheRead: 'number', cacheWrite: 'number', output: 'number' },
  calls: 'number',
  unpricedCalls: 'number',
  capEur: 'number',
  capTokens: 'null',
  grantedEur: 'number',
  grantedTokens: 'number',
  grantedUntil: 'null',
  granted: [],
  resetsAt: 'string',
} satisfies Record<keyof Status['today'], unknown>

const statusShape = {
  time: 'string',
  version: 'string',
  killed: 'boolean',
  kills: [{ scope: 'string', ref: 'string' }],
  currency: 'string',
  timezone: 'string',
  alertAt: 'number',
  today: spendShape,
  month: spendShape,
  models: [
    {
      model: 'string',
      calls: 'number',
      unpricedCalls: 'number',
      eur: 'number',
      listPriceEur: 'number',
      billing: 'string',
    } satisfies Record<keyof Status['models'][number], unknown>,
  ],
  pacing: [],
  tasks: [
    {
      id: 'string',
      named: 'boolean',
      session: 'string',
      project: 'string',
      client: 'string',
      state: 'string',
      iterations: 'number',
      inputTokens: 'number',
      wallSeconds: 'number',
      startedAt: 'string',
      eur: 'number',
      costIncomplete: 'boolean',
      nearest: 'string',
      forecast: 'null',
      loop: 'null',
    } satisfies Record<keyof Status['tasks'][number], unknown>,
  ],
  inFlight: [
    { call: 'string', task: 'string', model: 'string', elapsedMs: 'number', outputTokens: 'number' } satisfies Record<
      keyof Status['inFlight'][number],
      unknown
    >,
  ],
  counters: Object.fromEntries([...Object.keys(refusalCodes), ...warningCodes].map((code) => [code, 'number'])),
  integrity: {
    orphaned: 'number',
    ledgerDrift: 'number',
    ledgerCheckedAt: 'null',
    ledgerAvailable: 'boolean',
    pricesAsOf: 'string',
    usdRateAsOf: 'string',
    usdRateStale: 'boolean',
    drift: [],
    residual: {},
  } satisfies Record<keyof Status['integrity'], unknown>,
} satisfies Record<keyof Status, unknown>

/** Types instead of values; of a list the first item stands for all. */
function shapeOf(value: unknown): unknown {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object') return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}

describe('the control interface', () => {
  let gate: Gate
  beforeEach(async () => {
    gate = await startGate({
      ...flatConfig(1, { plan: { task: {} } }),
      keys: [{ key: 'key-of-bob', user: 'bob', tenant: 'acme', project: 'shop' }],
    })
  })
  afterEach(() => gate.close())

  const post = (more: object = {}, task = 'work', key = gate.daemon.key) =>
    fetch(`${gate.daemon.base('openai', { task, project: 'site', key })}${chat}`, {
      method: 'POST',
      body: JSON.stringify(flatAsk(100, more)),
    })

  async function call(outputTokens: number, task = 'work'): Promise<void> {
    const before = (await gate.daemon.calls()).length
    gate.upstream.next(flatUsage(outputTokens))
    assert.equal((await (await post({}, task)).text()).length > 0, true)
    await gate.daemon.settled(before + 1)
  }

  it('GET /api/status has the shape of shared/status.ts, field by field', async () => {
    await call(100)
    gate.upstream.next({ firstByteDelayMs: 60_000 })
    const left = new AbortController()
    const running = fetch(`${gate.daemon.base('openai', { task: 'slow' })}${chat}`, {
      method: 'POST',
      body: JSON.stringify(flatAsk(100)),
      signal: left.signal,
    }).catch(() => null)
    await gate.upstream.waitForRequests(2)
    await gate.daemon.json('/api/kill', { scope: 'task', ref: 'elsewhere' })
    const status = await gate.daemon.status()
    const { tasks, integrity, ...rest } = status
    assert.ok(integrity.ledgerCheckedAt === null || Date.parse(integrity.ledgerCheckedAt) <= Date.now())
    const shown = {
      ...rest,
      tasks: tasks.filter(({ id }) => id === 'work'),
      integrity: { ...integrity, ledgerCheckedAt: null },
    }
    assert.deepEqual(shapeOf(shown), statusShape)
    assert.deepEqual(
      [status.killed, status.currency, status.timezone, status.alertAt, status.today.capEur, status.month.capEur],
      [false, 'EUR', 'Europe/Berlin', 0.8, 1, 150],
    )
    assert.deepEqual([status.today.spentEur, status.today.reservedEur, status.today.calls], [0.001, 0.001, 1])
    assert.equal(status.today.tokens.output, 100)
    assert.deepEqual(status.models, [
      { model: flatModel, calls: 1, unpricedCalls: 0, eur: 0.001, listPriceEur: 0, billing: 'metered' },
    ])
    assert.match(status.today.resetsAt, /T00:00:00\+0[12]:00$/)
    assert.match(status.month.resetsAt, /-01T00:00:00\+0[12]:00$/)
    assert.equal(status.inFlight[0]!.task, 'slow')
    left.abort()
    await running
  })

  it('GET /api/calls gives the newest first, since a time, up to a number, of one task', async () => {
    await call(10, 'first')
    await pause(5)
    const between = Date.now()
    await call(20, 'second')
    await call(30, 'second')
    const read = async (query: string) =>
      (await gate.daemon.json<{ calls: readonly CallRow[] }>(`/api/calls?${query}`)).calls.map(
        (row) => row.usage.output,
      )
    assert.deepEqual(await read(''), [30, 20, 10])
    assert.deepEqual(await read('limit=1'), [30])
    assert.deepEqual(await read('task=first'), [10])
    assert.deepEqual(await read('task=nobody'), [])
    assert.deepEqual(await read(`since=${between}`), [30, 20])
    assert.deepEqual(await read(`since=${new Date(between).toISOString()}&limit=1`), [30])
    assert.deepEqual(await read('limit=nonsense'), [30, 20, 10])
    const { calls } = await gate.daemon.json<{ calls: readonly CallRow[] }>('/api/calls?limit=1')
    const { tenant, user, project, task, upstream, dialect, model, state, settlement, outcome, status, eur } = calls[0]!
    assert.deepEqual(
      { tenant, user, project, task, upstream, dialect, model, state, settlement, outcome, status, eur },
      {
        tenant: 'personal',
        user: 'me',
        project: 'site',
        task: 'second',
        upstream: 'openai',
        dialect: 'openai-chat',
        model: flatModel,
        state: 'settled',
        settlement: 'exact',
        outcome: 'ok',
        status: 200,
        eur: 0.0003,
      },
    )
    assert.ok(Math.abs(Date.parse(calls[0]!.time) - Date.now()) < 60_000)
  })

  it('GET /api/events gives the newest last, since a time, up to a number, with numbers that grow', async () => {
    await call(10)
    await pause(5)
    const between = Date.now()
    await gate.daemon.json('/api/kill', {})
    await (await post()).text()
    await gate.daemon.json('/api/resume', {})
    const names = async (query: string) =>
      (await gate.daemon.json<{ events: readonly EventRow[] }>(`/api/events?${query}`)).events.map(({ event }) => event)
    assert.deepEqual(await names(''), ['call_started', 'call_settled', 'killed', 'refused', 'resumed'])
    assert.deepEqual(await names(`since=${between}`), ['killed', 'refused', 'resumed'])
    assert.deepEqual(await names('limit=2'), ['refused', 'resumed'])
    const ids = (await gate.daemon.events()).map(({ id }) => id)
    assert.ok(ids.every((id, at) => at === 0 || id > ids[at - 1]!))
    assert.deepEqual(await names('event=killed,resumed'), ['killed', 'resumed'])
    assert.deepEqual(await names(`event=killed,refused,resumed&limit=1&before=${ids[3]}`), ['killed'])
  })

  it('says with the start of a call who makes it and what it holds of the caps in euros', async () => {
    await call(10)
    const [started] = (await gate.daemon.events()).filter(({ event }) => event === 'call_started')
    const { calls } = await gate.daemon.json<{ calls: readonly CallRow[] }>('/api/calls')
    assert.ok(Number(started?.['heldEur']) > 0)
    assert.equal(started?.['heldEur'], calls[0]?.reservedEur)
    await (await post({}, 'work', 'key-of-bob')).text()
    const starts = (await gate.daemon.events()).filter(({ event }) => event === 'call_started')
    const whose = starts.map(({ tenant, user }) => [tenant, user])
    assert.deepEqual(whose, [
      [calls[0]?.tenant, calls[0]?.user],
      ['acme', 'bob'],
    ])
  })

  it('POST /api/caps raises a cap until midnight; calls pass, and the configured cap is not changed', async () => {
    await call(100_000)
    assert.equal((await post()).status, 429)
    const { userDaily } = await gate.daemon.json<{ userDaily: object }>('/api/caps', {
      userDailyEur: 2,
      until: 'midnight',
    })
    assert.deepEqual(userDaily, { eur: 2, tokens: null })
    await call(100)
    const [event] = await gate.daemon.events('caps_changed')
    assert.deepEqual(event!['caps'], { userDailyEur: 2 })
    const { today } = await gate.daemon.status()
    assert.equal(today.capEur, 2)
    assert.equal(Date.parse(String(event!['until'])), Date.parse(today.resetsAt))
    const file = join(gate.daemon.dataDir, 'test-config.json')
    assert.match(readFileSync(file, 'utf8'), /"userDaily":\{"eur":1\}/)
  })

  it('POST /api/caps holds until the time that was named, and then the configured cap is back by itself', async () => {
    await call(100_000)
    await gate.daemon.json('/api/caps', { userDailyEur: null, until: new Date(Date.now() + 2500).toISOString() })
    assert.equal((await gate.daemon.status()).today.capEur, null)
    await call(100)
    await eventually('the configured cap', async () => ((await gate.daemon.status()).today.capEur === 1 ? true : null))
    assert.equal((await readRefusal(await post())).figures.limit, 1)
  })

  it('POST /api/caps lowers a cap at once, to nothing if asked', async () => {
    await gate.daemon.json('/api/caps', { userDailyEur: 0 })
    assert.equal((await readRefusal(await post())).figures.limit, 0)
    await gate.daemon.json('/api/caps', { userDailyEur: 5, tenantMonthlyTokens: 10 })
    assert.deepEqual((await readRefusal(await post())).figures.window, 'month')
  })

  it('GET /metrics is text that Prometheus reads, with one counter per refusal and per warning from 0 on', async () => {
    const scrape = async () => parsePrometheus(await (await gate.daemon.api('/metrics')).text())
    const fresh = await scrape()
    for (const code of Object.keys(refusalCodes))
      assert.equal(fresh.value('tollgate_refusals_total', { code }), 0, code)
    for (const code of warningCodes) assert.equal(fresh.value('tollgate_warnings_total', { code }), 0, code)

    await call(100)
    await (await post({ model: 'nobody-knows-1' })).text()
    const odd = 'odd"name\\1'
    await (await gate.post('ollama', chat, flatAsk(100, { model: odd }))).text()
    await gate.daemon.settled(2)
    await gate.daemon.json('/api/kill', {})
    await (await post()).text()
    const response = await gate.daemon.api('/metrics')
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
    const later = parsePrometheus(await response.text())
    assert.equal(later.value('tollgate_refusals_total', { code: 'killed' }), 1)
    assert.equal(later.value('tollgate_refusals_total', { code: 'unpriced_model' }), 1)
    assert.equal(later.value('tollgate_calls_settled_total', { outcome: 'ok' }), 2)
    assert.equal(later.value('tollgate_budget_spent', { window: 'day', unit: 'eur' }), 0.001)
    assert.equal(later.value('tollgate_budget_cap', { window: 'day', unit: 'eur' }), 1)
    assert.equal(later.value('tollgate_killed'), 1)
    assert.equal(later.value('tollgate_ledger_available'), 1)
    const model = { gen_ai_request_model: flatModel, gen_ai_token_type: 'output' }
    assert.equal(later.value('gen_ai_client_token_usage_sum', model), 100)
    assert.ok(
      later.samples.some(({ labels }) => labels['gen_ai_request_model'] === 'odd\\"name\\\\1'),
      'escaped',
    )
    for (const [name, type] of later.types) {
      if (type === 'counter') assert.match(name, /_total$/)
      if (type !== 'histogram') continue
      const buckets = later.samples.filter((sample) => sample.name === `${name}_bucket`)
      for (const { labels, value } of later.samples.filter((sample) => sample.name === `${name}_count`)) {
        const mine = buckets.filter((bucket) =>
          Object.entries(labels).every(([key, wanted]) => bucket.labels[key] === wanted),
        )
        assert.ok(
          mine.every((bucket, at) => at === 0 || bucket.value >= mine[at - 1]!.value),
          'buckets add up',
        )
        assert.deepEqual([mine.at(-1)!.labels['le'], mine.at(-1)!.value], ['+Inf', value])
      }
    }
  })
})

describe('what the control interface does not take', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate(flatConfig(1))
  })
  after(() => gate.close())

  const apiError = async (response: Response) => ({
    status: response.status,
    ...((await response.json()) as { error: { code: string; message: string } }).error,
  })

  const send = (path: string, body: string) =>
    gate.daemon.api(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

  for (const [path, body, says] of [
    ['/api/caps', '{"userDailyEur":"5,00"}', /userDailyEur must be a number from 0 to 9000000 or null/],
    ['/api/caps', '{"userDailyEur":-1}', /userDailyEur must be/],
    ['/api/caps', '{"userDailyTokens":1.5}', /whole number of tokens/],
    ['/api/caps', '{"userDialyEur":5}', /userDialyEur is no cap\. Known: userDailyEur/],
    ['/api/caps', '{"until":"midnight"}', /Name at least one/],
    ['/api/caps', '{"userDailyEur":5,"until":"soon"}', /until must be/],
    ['/api/caps', '[]', /JSON object/],
    ['/api/kill', '{"scope":"everything"}', /scope must be global, tenant, key or task/],
    ['/api/kill', '{"scope":"task"}', /ref must name the task/],
    ['/api/kill', '{"scope":', /not valid JSON/],
    ['/api/resume', '{"scope":"tenant","ref":7}', /ref must be a string/],
  ] as const) {
    it(`refuses ${path} ${body} with a sentence and changes nothing`, async () => {
      const { status, code, message } = await apiError(await send(path, body))
      assert.deepEqual([status, code], [400, 'invalid_request'])
      assert.match(message, says)
      const { today, kills } = await gate.daemon.status()
      assert.deepEqual([today.capEur, kills], [1, []])
    })
  }

  it('asks for the token everywhere, takes no other, and does not take the local key for it', async () => {
    for (const [method, path] of [
      ['GET', '/api/status'],
      ['GET', '/api/calls'],
      ['GET', '/api/events'],
      ['GET', '/api/caps'],
      ['GET', '/api/check'],
      ['GET', '/api/nothing'],
      ['GET', '/metrics'],
      ['POST', '/api/kill'],
      ['POST', '/api/resume'],
      ['POST', '/api/caps'],
      ['POST', '/api/grants/1/withdraw'],
      ['POST', '/api/shutdown'],
    ] as const) {
      for (const authorization of [null, 'Bearer wrong', `Bearer ${gate.daemon.key}`, `Basic ${gate.daemon.token}`]) {
        const headers = authorization === null ? {} : { authorization }
        const response = await fetch(`${gate.daemon.url}${path}`, { method, headers })
        assert.equal(response.status, 401, `${method} ${path} with ${String(authorization)}`)
        assert.equal(((await response.json()) as { error: { code: string } }).error.code, 'invalid_token')
      }
    }
    for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
      const socket = new WebSocket(`${gate.daemon.url.replace('http', 'ws')}/control`, { headers })
      const [fault] = (await once(socket, 'error')) as [Error]
      assert.match(fault.message, /401/)
    }
    assert.deepEqual((await gate.daemon.status()).kills, [])
  })

  it('says what does not exist, and takes no large body', async () => {
    assert.equal((await apiError(await gate.daemon.api('/api/nothing'))).status, 404)
    assert.equal((await apiError(await gate.daemon.api('/api/kill'))).status, 404, 'GET of something to POST')
    assert.equal((await apiError(await send('/api/kill', `{"scope":"${'x'.repeat(70_000)}"}`))).status, 413)
    assert.equal((await apiError(await gate.daemon.api('/control'))).status, 426)
  })
})

describe('the control socket', () => {
  let gate: Gate
  let clients: ControlClient[]
  beforeEach(async () => {
    gate = await startGate(flatConfig(1))
    clients = []
  })
  afterEach(async () => {
    for (const client of clients) client.close()
    await gate.close()
  })

  async function connect(): Promise<ControlClient> {
    const client = await connectControl(gate.daemon)
    clients.push(client)
    return client
  }

  async function window(name: string): Promise<ControlClient> {
    const client = await connect()
    client.send({ type: 'hello', client: 'extension', window: name, version: '0.1.0' })
    return client
  }

  const post = (more: object = {}) => gate.post('openai', chat, flatAsk(100, more))

  it('sends the whole status first, then events as they happen, and coalesced statuses', async () => {
    const client = await connect()
    const first = await eventually('the first message', () => client.messages[0] ?? null)
    assert.ok(first.event === 'status')
    assert.deepEqual(Object.keys(first.status).sort(), Object.keys(await gate.daemon.status()).sort())
    gate.upstream.script(() => ({ ...flatUsage(100), outputTokens: 60, chunkDelayMs: 10 }))
    await Promise.all(Array.from({ length: 20 }, async () => (await post({ stream: true })).text()))
    await client.status((status) => status.today.calls === 20)
    const events = client.messages.map(({ event }) => event)
    assert.equal(events.filter((event) => event === 'call_started').length, 20)
    assert.equal(events.filter((event) => event === 'call_settled').length, 20)
    assert.ok(events.filter((event) => event === 'status').length < 20, 'not one status per event')
    const running = client.messages.flatMap((message) => (message.event === 'status' ? message.status.inFlight : []))
    assert.ok(
      running.some(({ outputTokens }) => outputTokens > 0),
      'outputs are seen to grow',
    )
    const settled = await client.event('call_settled')
    assert.deepEqual([settled['model'], settled['eur'], settled['outputTokens']], [flatModel, 0.001, 100])
  })

  it('lets one window show a notification: the one that had the focus last', async () => {
    const [left, right, terminal] = [await window('left'), await window('right'), await connect()]
    terminal.send({ type: 'hello', client: 'cli', window: 'cli-1', version: '0.1.0' })
    let round = 0
    async function chosen(): Promise<readonly boolean[]> {
      round += 1
      const mark = `round-${round}`
      // Focus messages travel on other connections than the request that causes the event.
      await pause(50)
      await gate.daemon.json('/api/kill', { scope: 'task', ref: mark })
      const events = await Promise.all(clients.map((client) => client.event('killed', ({ ref }) => ref === mark)))
      return events.map(({ notify }) => notify as boolean)
    }
    left.send({ type: 'focus', focused: true })
    assert.deepEqual(await chosen(), [true, false, false])
    right.send({ type: 'focus', focused: true })
    left.send({ type: 'focus', focused: false })
    assert.deepEqual(await chosen(), [false, true, false])
    right.send({ type: 'focus', focused: false })
    assert.deepEqual(await chosen(), [false, true, false], 'nobody has the focus: the last one that had it')
    right.close()
    clients.splice(1, 1)
    await right.closed
    assert.deepEqual(await chosen(), [true, false])
  })

  it('takes personal caps from a window at once, keeps them over a restart, and lets the file alone', async () => {
    const client = await window('settings')
    client.send({ type: 'settings', caps: { userDailyEur: 0.0005, tenantMonthlyEur: null } })
    await client.event('caps_changed')
    const { today, month } = await client.status((status) => status.today.capEur === 0.0005)
    assert.deepEqual([today.capEur, month.capEur], [0.0005, null])
    assert.equal((await readRefusal(await post())).figures.limit, 0.0005)
    client.send({ type: 'settings', caps: { userDailyEur: 2 } })
    await client.status((status) => status.today.capEur === 2 && status.month.capEur === 150)
    const stored = join(gate.daemon.dataDir, 'personal-caps.json')
    assert.deepEqual(JSON.parse(readFileSync(stored, 'utf8')), { userDailyEur: 2 })
    if (process.platform !== 'win32') assert.equal(statSync(stored).mode & 0o777, 0o600)

    await gate.daemon.kill9()
    const next = await startDaemon({ config: against(gate.upstream, flatConfig(1)), dataDir: gate.daemon.dataDir })
    assert.equal((await next.status()).today.capEur, 2)
    await next.kill9()
  })

  it('M09 keeps a cap that a newly opened window cannot use, over a restart too, until its setting is mended', async () => {
    const first = await window('first')
    first.send({ type: 'settings', caps: { userDailyEur: 2 } })
    await first.status((status) => status.today.capEur === 2)
    // "2,0" was typed, and another window opens: it knows of no value before.
    const second = await window('second')
    second.send({ type: 'settings', caps: { tenantMonthlyEur: 30 }, keep: ['userDailyEur'] })
    const { today } = await second.status((status) => status.month.capEur === 30)
    assert.equal(today.capEur, 2)

    await gate.daemon.kill9()
    const config = against(gate.upstream, flatConfig(1))
    const next = await startDaemon({ config, dataDir: gate.daemon.dataDir })
    assert.deepEqual([(await next.status()).today.capEur, (await next.status()).month.capEur], [2, 30])
    const third = await connectControl(next)
    third.send({ type: 'hello', client: 'extension', window: 'third', version: '0.1.0' })
    third.send({ type: 'settings', caps: {}, keep: ['userDailyEur'] })
    const kept = await third.status((status) => status.month.capEur === 150)
    assert.equal(kept.today.capEur, 2)
    third.send({ type: 'settings', caps: { userDailyEur: 3 } })
    await third.status((status) => status.today.capEur === 3)
    third.close()
    await next.kill9()
  })

  it('M09 takes the good caps of a message with a bad one, and answers the window that sent it with the bad ones', async () => {
    const [sender, other] = [await window('sender'), await window('other')]
    sender.sendText('{"type":"settings","caps":{"userDailyEur":3,"userDailyTokens":1e16,"tenantMonthlyEur":1e300}}')
    const status = await sender.status(({ today }) => today.capEur === 3)
    assert.deepEqual([status.today.capTokens, status.month.capEur], [null, 150])
    const { caps, notify } = await sender.event('caps_refused')
    assert.deepEqual([caps, notify], [['userDailyTokens', 'tenantMonthlyEur'], true])
    await other.event('caps_changed')
    assert.ok(other.messages.every(({ event }) => event !== 'caps_refused'))
  })

  it('keeps the caps and the connection when a message makes no sense', async () => {
    const client = await window('broken')
    for (const text of [
      'not json',
      '[]',
      '{"type":"unknown"}',
      '{"type":"settings","caps":{"userDailyEur":"5,00"}}',
      '{"type":"settings","caps":{"userDailyEur":-1}}',
      '{"type":"settings"}',
    ]) {
      client.sendText(text)
    }
    client.send({ type: 'settings', caps: { userDailyEur: 3 } })
    await client.status((status) => status.today.capEur === 3)
    assert.equal(client.messages.filter(({ event }) => event === 'caps_changed').length, 1)
  })

  it('tells a window that joins late where things stand', async () => {
    await (await post()).text()
    await gate.daemon.settled(1)
    await gate.daemon.json('/api/kill', {})
    const client = await connect()
    const status = await client.status(() => true)
    assert.deepEqual([status.killed, status.today.calls], [true, 1])
  })
})
