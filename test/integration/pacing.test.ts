import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteLedger } from '../../daemon/ledger/sqlite.ts'
import { startUpstream } from '../upstream/upstream.ts'
import { sampleAsk, sampleSettlement } from '../unit/ledger/sample.ts'
import { readRefusal } from './harness/answers.ts'
import { against, startDaemon } from './harness/daemon.ts'
import { eventually } from './harness/eventually.ts'
import { flatAsk, flatConfig, flatModel } from './harness/flatPrice.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { parsePrometheus } from './harness/prometheus.ts'

const claudeToken = 'sk-ant-oat01-canary-7c1e55d0'
const subscription = { authorization: `Bearer ${claudeToken}`, 'anthropic-version': '2023-06-01' }
const metered = { authorization: '', 'x-api-key': 'sk-ant-api03-x', 'anthropic-version': '2023-06-01' }

async function withGate(config: object, use: (gate: Gate) => Promise<void>): Promise<void> {
  const gate = await startGate(config)
  try {
    await use(gate)
  } finally {
    await gate.close()
  }
}

/** An Anthropic call whose answer has so many output tokens, read to its end. */
async function message(
  gate: Gate,
  tokens: number,
  headers: Record<string, string> = subscription,
  step: object = {},
): Promise<Response> {
  gate.upstream.next({ usage: { output_tokens: tokens }, ...step })
  const response = await gate.post('anthropic', '/v1/messages', flatAsk(tokens), { headers })
  if (response.ok) await response.text()
  return response
}

describe('calls that are paid for by a subscription', () => {
  it('are shown at list price and count into no euro cap, beside paid ones that do', () =>
    withGate(flatConfig(0.01), async (gate) => {
      for (let call = 0; call < 3; call += 1) {
        const response = await message(gate, 800)
        assert.equal(response.status, 200)
        assert.equal(response.headers.get('x-tollgate-reserved-eur'), '0')
      }
      assert.equal((await message(gate, 800, metered)).status, 200)
      assert.equal((await readRefusal(await message(gate, 800, metered))).code, 'budget_exhausted')
      assert.equal((await message(gate, 800)).status, 200)
      const calls = await gate.daemon.settled(5)
      assert.deepEqual(
        calls.map(({ billing, eur, listPriceEur }) => [billing, eur, listPriceEur]),
        [
          ['subscription', 0, 0.008],
          ['metered', 0.008, 0],
          ...Array.from({ length: 3 }, () => ['subscription', 0, 0.008]),
        ],
      )
      const { today, models } = await gate.daemon.status()
      assert.deepEqual([today.spentEur, today.listPriceEur, today.calls], [0.008, 0.032, 5])
      assert.deepEqual(
        models.map(({ model, eur, listPriceEur, billing }) => [model, eur, listPriceEur, billing]),
        [[flatModel, 0.008, 0.032, 'both']],
      )
      const settled = (await gate.daemon.events('call_settled')).map(({ eur, listPriceEur }) => [eur, listPriceEur])
      assert.deepEqual(settled[0], [0, 0.008])
      const check = await gate.daemon.json<{ drift: unknown[] }>('/api/check')
      assert.deepEqual(check.drift, [])
    }))

  it('leave nothing of the token on the disk, in the log or in the events', () =>
    withGate(flatConfig(0.01), async (gate) => {
      await message(gate, 100)
      await message(gate, 100, subscription, { status: 401 })
      await gate.daemon.settled(2)
      const seen = gate.upstream.requests.map(({ headers }) => headers['authorization'])
      assert.deepEqual(seen, [subscription.authorization, subscription.authorization])
      const { dataDir } = gate.daemon
      const files = readdirSync(dataDir, { withFileTypes: true }).filter((entry) => entry.isFile())
      assert.ok(files.some(({ name }) => name === 'ledger.db'))
      for (const { name } of files) assert.ok(!readFileSync(join(dataDir, name)).includes(claudeToken), name)
      assert.ok(!gate.daemon.stderr().includes(claudeToken))
      const metrics = await (await gate.daemon.api('/metrics')).text()
      const said = JSON.stringify([await gate.daemon.status(), await gate.daemon.calls(), await gate.daemon.events()])
      assert.ok(!(metrics + said).includes(claudeToken))
    }))

  it('are refused by a token cap all the same', () =>
    withGate(flatConfig(null, { budgets: { userDaily: { eur: null, tokens: 1000 } } }), async (gate) => {
      assert.equal((await message(gate, 700)).status, 200)
      const refused = await readRefusal(await message(gate, 700))
      assert.deepEqual([refused.code, refused.figures.unit], ['budget_exhausted', 'tokens'])
    }))

  it('A22: are stopped by the euro ceiling of their task, at list price', () =>
    withGate(flatConfig(null, { plan: { task: { maxEur: 0.02 } } }), async (gate) => {
      const headers = { ...subscription, 'x-tollgate-task': 'night' }
      assert.equal((await message(gate, 800, headers)).status, 200)
      assert.equal((await message(gate, 800, headers)).status, 200)
      const refused = await readRefusal(await message(gate, 800, headers))
      assert.deepEqual([refused.code, refused.figures.unit], ['task_halted', 'eur'])
      const { today, tasks } = await gate.daemon.status()
      assert.deepEqual([today.spentEur, tasks[0]?.eur], [0, 0.016])
    }))

  it('count like any other where the configuration says so', () =>
    withGate({ ...flatConfig(0.01), subscriptions: { countEuros: true } }, async (gate) => {
      assert.equal((await message(gate, 800)).status, 200)
      assert.equal((await readRefusal(await message(gate, 800))).code, 'budget_exhausted')
      const [call] = await gate.daemon.settled(1)
      assert.deepEqual([call?.billing, call?.eur, call?.listPriceEur], ['subscription', 0.008, 0])
      const { today } = await gate.daemon.status()
      assert.deepEqual([today.spentEur, today.listPriceEur], [0.008, 0])
    }))

  it('need no price, because no euro cap holds for them', () =>
    withGate(flatConfig(0.01), async (gate) => {
      gate.upstream.next({})
      const ask = { ...flatAsk(100), model: 'nobody-knows-1' }
      const response = await gate.post('anthropic', '/v1/messages', ask, { headers: subscription })
      assert.equal(response.status, 200)
      await response.text()
      const paid = await gate.post('anthropic', '/v1/messages', ask, { headers: metered })
      assert.equal((await readRefusal(paid)).code, 'unpriced_model')
    }))
})

describe('the pacing of a provider’s windows', () => {
  it('is read from the answers, shown, measured, and passed on as it came', () =>
    withGate(flatConfig(null), async (gate) => {
      const resetSeconds = Math.floor(Date.now() / 1000) + 3600
      const said = {
        'anthropic-ratelimit-unified-status': 'allowed',
        'anthropic-ratelimit-unified-5h-status': 'allowed',
        'anthropic-ratelimit-unified-5h-utilization': '0.42',
        'anthropic-ratelimit-unified-5h-reset': String(resetSeconds),
        'anthropic-ratelimit-unified-7d-status': 'allowed_warning',
        'anthropic-ratelimit-unified-7d-utilization': '0.9',
        'anthropic-ratelimit-unified-7d-reset': String(resetSeconds + 86_400),
      }
      const response = await message(gate, 10, subscription, { headers: said })
      for (const [name, value] of Object.entries(said)) assert.equal(response.headers.get(name), value, name)
      const { pacing } = await gate.daemon.status()
      assert.deepEqual(
        pacing.map(({ upstream, window, usedShare, state }) => [upstream, window, usedShare, state]),
        [
          ['anthropic', '5h', 0.42, 'allowed'],
          ['anthropic', '7d', 0.9, 'warning'],
        ],
      )
      assert.equal(Date.parse(pacing[0]!.resetsAt!), resetSeconds * 1000)
      const scrape = parsePrometheus(await (await gate.daemon.api('/metrics')).text())
      assert.equal(scrape.value('tollgate_pacing_used', { upstream: 'anthropic', window: '7d' }), 0.9)
    }))

  it('is read from a refusal of the provider too, and from ChatGPT’s headers', () =>
    withGate(flatConfig(null), async (gate) => {
      const headers = { authorization: 'Bearer eyJh.eyJz.c2ln', 'chatgpt-account-id': 'acc-1' }
      const said = {
        'x-codex-primary-used-percent': '100',
        'x-codex-primary-window-minutes': '300',
        'x-codex-primary-reset-after-seconds': '900',
      }
      gate.upstream.next({ status: 429, headers: said })
      const response = await gate.post('openai', '/v1/responses', { model: flatModel, input: 'hello' }, { headers })
      assert.equal(response.status, 429)
      await response.text()
      const [call] = await gate.daemon.settled(1)
      assert.equal(call?.billing, 'subscription')
      const { pacing } = await gate.daemon.status()
      assert.deepEqual(
        pacing.map(({ upstream, window, usedShare }) => [upstream, window, usedShare]),
        [['openai', '5h', 1]],
      )
    }))
})

describe('what is unusual about all calls together', () => {
  it('G09: is a cache that is written by each call and read by none, said once and counted', () =>
    withGate(flatConfig(null), async (gate) => {
      for (let call = 0; call < 5; call += 1) {
        await message(gate, 10, metered, { inputTokens: 4500, cacheWrite5mTokens: 4409 })
      }
      await gate.daemon.settled(5)
      const said = (await gate.daemon.events('anomaly')).filter(({ kind }) => kind === 'cache_unread')
      assert.equal(said.length, 1)
      const { model, writes, tokens, reason } = said[0]!
      assert.deepEqual([model, writes, tokens], [flatModel, 3, 13_227])
      assert.match(String(reason), /1\.25 times/)
      const scrape = parsePrometheus(await (await gate.daemon.api('/metrics')).text())
      assert.equal(scrape.value('tollgate_anomalies_total', { kind: 'cache_unread' }), 1)
    }))

  it('is an hour that costs many times the usual, said soon after a start and not again by the next daemon', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-pacing-'))
    const upstream = await startUpstream()
    try {
      await fillHistory(join(dataDir, 'ledger.db'))
      const said = async (daemon: Awaited<ReturnType<typeof startDaemon>>) =>
        (await daemon.events('anomaly')).filter(({ kind }) => kind === 'hour_spend')
      const daemon = await startDaemon({ dataDir, config: against(upstream, flatConfig(null)) })
      const [found] = await eventually('the anomaly of the hour', async () => {
        const events = await said(daemon)
        return events.length === 0 ? null : events
      })
      assert.deepEqual([found?.['eur'], found?.['medianEur'], found?.['factor']], [3, 0.5, 6])
      await daemon.stop()
      const next = await startDaemon({ dataDir, config: against(upstream, flatConfig(null)) })
      assert.equal((await said(next)).length, 1)
      await next.stop()
    } finally {
      await upstream.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})

/** Thirty hours at half a euro each, and a last one at three. */
async function fillHistory(path: string): Promise<void> {
  const nowMs = Date.now()
  const ledger = openSqliteLedger({ path, epoch: 'earlier', nowMs: () => nowMs, log: () => undefined })
  const spend = async (receivedAtMs: number, eur: number): Promise<void> => {
    const day = new Date(receivedAtMs).toISOString().slice(0, 10)
    const period = { day, month: day.slice(0, 7) }
    const scope = { scope: 'tenant', ref: 'acme', window: 'day', period: day } as const
    const scopes = [{ ...scope, capNanoEur: null, capTokens: null }]
    const ask = sampleAsk({ scopes, row: { receivedAtMs, ...period } })
    await ledger.reserve(ask)
    ledger.settle(sampleSettlement(ask.callId, { costNanoEur: eur * 1e9, settledAtMs: receivedAtMs + 1000 }))
  }
  for (let hours = 32; hours > 2; hours -= 1) await spend(nowMs - hours * 3_600_000, 0.5)
  await spend(nowMs - 600_000, 3)
  ledger.close()
}
