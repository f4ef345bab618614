import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UsageByUtcDay } from '../../shared/reconciliation.ts'
import type { CallRow } from '../../shared/status.ts'
import { startUpstream } from '../upstream/upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { runCommand } from './harness/command.ts'
import type { CommandResult } from './harness/command.ts'
import { startDaemon } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { eventually } from './harness/eventually.ts'
import { parsePrometheus } from './harness/prometheus.ts'

const usdRate = 0.5
/** Dollars of a call: ten per million output tokens. */
const usdOf = (outputTokens: number): number => outputTokens / 100_000
const today = (): string => new Date().toISOString().slice(0, 10)

describe('tollgate reconcile', () => {
  let upstream: Upstream
  let daemon: Daemon
  let dataDir: string
  let config: string

  before(async () => {
    upstream = await startUpstream()
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-reconcile-'))
    config = join(dataDir, 'config.json')
    writeFileSync(
      config,
      `{
  "timezone": "Pacific/Auckland",
  "currency": { "code": "EUR", "usdRate": ${usdRate}, "asOf": "2026-11-01" },
  "upstreams": { "openai": { "baseUrl": "${upstream.baseUrls.openai}", "dialect": "openai" } },
  "budgets": { "userDaily": { "eur": 1000 }, "tenantMonthly": { "eur": 1000 } },
  "plans": { "agent": { "task": null, "loop": null, "storm": null, "maxOutputTokens": null } },
  "prices": {
    // Ours.
    "overrides": [{ "match": "flat-*", "prices": { "input_mtok": 0, "output_mtok": 10 } }]
  }
}
`,
    )
    daemon = await startDaemon({ dataDir })
    // $10 at the ordinary tier, and $2 served as priority, which costs twice as much.
    await call('flat-1', 600_000)
    await call('flat-1', 400_000)
    await call('flat-1', 100_000, 'priority')
    await daemon.settled(3)
  })
  after(async () => {
    await Promise.all([daemon.discard(), upstream.close()])
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** One call whose answer is reported with so many output tokens. */
  async function call(model: string, outputTokens: number, serviceTier?: string): Promise<void> {
    upstream.next({ usage: { completion_tokens: outputTokens }, ...(serviceTier === undefined ? {} : { serviceTier }) })
    const response = await fetch(`${daemon.base('openai')}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: outputTokens, messages: [{ role: 'user', content: 'hello' }] }),
    })
    assert.equal(response.status, 200, await response.text())
  }

  /** OpenAI's costs of today, by line item in dollars. */
  async function reconcile(items: Readonly<Record<string, number>>, ...words: string[]): Promise<CommandResult> {
    const file = join(dataDir, 'costs.json')
    const start = Date.parse(`${today()}T00:00:00Z`) / 1000
    const results = Object.entries(items).map(([line_item, value]) => ({
      object: 'organization.costs.result',
      amount: { value, currency: 'usd' },
      line_item,
    }))
    writeFileSync(
      file,
      JSON.stringify({
        object: 'page',
        data: [{ object: 'bucket', start_time: start, end_time: start + 86_400, results }],
      }),
    )
    return runCommand(['reconcile', file, '--data-dir', dataDir, ...words])
  }

  const agreeing = { 'flat-1, output': 10, 'priority | flat-1, output': 2 }
  const said = () => daemon.events('price_drift')
  const rows = async (): Promise<readonly CallRow[]> => daemon.calls()

  it('reads our side by UTC day, whatever the zone, each call at the rate of its own row', async () => {
    const usage = await daemon.json<UsageByUtcDay>(`/api/usage-by-utc-day?from=${today()}&to=${today()}`)
    assert.deepEqual(
      usage.days
        .map(({ day, provider, model, tier, calls, usd, outputTokens }) => [
          day,
          provider,
          model,
          tier,
          calls,
          usd,
          outputTokens,
        ])
        .sort(),
      [
        [today(), 'openai', 'flat-1', 'priority', 1, 2 * usdOf(100_000), 100_000],
        [today(), 'openai', 'flat-1', 'standard', 2, usdOf(1_000_000), 1_000_000],
      ],
    )
    const refused = await daemon.api('/api/usage-by-utc-day?from=today&to=tomorrow')
    assert.equal(refused.status, 400)
  })

  it('ends with 0 and says nothing where invoice and calls agree', async () => {
    const { code, stdout, stderr } = await reconcile(agreeing)
    assert.equal(stderr, '')
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^flat-1 +standard +\$10\.00 +\$10\.00 +1\.00 +matched$/m)
    assert.match(stdout, /^flat-1 +priority +\$2\.00 +\$2\.00 +1\.00 +matched$/m)
    assert.match(stdout, /^Coverage: 100\.0 % of the invoice\. Drift: 1\.00/m)
    assert.deepEqual(await said(), [])
    const [drift] = (await daemon.status()).integrity.drift
    assert.deepEqual([drift?.provider, drift?.drift, drift?.coverage, drift?.beyond], ['openai', 1, 1, false])
  })

  it('D18: classes a model that never passed the gate as provider only, shows the coverage, and says it once', async () => {
    const invoice = { ...agreeing, 'o3-2025-04-16, output': 188 }
    const { code, stdout } = await reconcile(invoice)
    assert.equal(code, 1)
    assert.match(stdout, /^o3 +standard +\$188\.00 +\$0\.00 +- +provider only/m)
    assert.match(stdout, /^Coverage: 6\.0 % of the invoice\. Drift: 16\.67/m)
    assert.match(stdout, /^! Not all calls passed the gate/m)
    assert.equal((await reconcile(invoice, '--json')).code, 1)
    const events = await said()
    assert.equal(events.length, 1)
    const [event] = events
    assert.deepEqual(
      [event?.['provider'], event?.['coverage'], event?.['invoice'], event?.['local']],
      ['openai', 0.06, 200, 12],
    )
    assert.deepEqual(event?.['models'], [
      { model: 'o3', tier: 'standard', invoice: 188, local: 0, ratio: null, class: 'provider_only' },
    ])
    const scrape = parsePrometheus(await (await daemon.api('/metrics')).text())
    assert.equal(scrape.value('tollgate_price_drift', { provider: 'openai', model: 'o3', tier: 'standard' }), Infinity)
    assert.equal(scrape.value('tollgate_price_drift', { provider: 'openai', model: 'flat-1', tier: 'priority' }), 1)
  })

  it('D17: shows the ratio of each tier, leaves every row as it was, and corrects the next call', async () => {
    const before = await rows()
    const invoice = { 'flat-1, output': 4.5, 'priority | flat-1, output': 0.9 }
    const { code, stdout } = await reconcile(invoice, '--apply-factor')
    assert.equal(code, 1, stdout)
    assert.match(stdout, /^flat-1 +standard +\$4\.50 +\$10\.00 +0\.45 +mismatch/m)
    assert.match(stdout, /^flat-1 +priority +\$0\.90 +\$2\.00 +0\.45 +mismatch/m)
    assert.match(stdout, /^! The drift is more than 3\.0 %/m)
    const correction = `{ "provider": "openai", "match": "flat-1", "factor": 0.45, "from": "${today()}" }`
    assert.ok(stdout.includes(correction), stdout)
    const text = readFileSync(config, 'utf8')
    assert.ok(text.includes(correction) && text.includes('// Ours.'), text)
    const scrape = parsePrometheus(await (await daemon.api('/metrics')).text())
    assert.equal(scrape.value('tollgate_price_drift', { provider: 'openai', model: 'flat-1', tier: 'standard' }), 0.45)

    await eventually('the changed configuration to be in force', async () =>
      (await daemon.events('caps_changed')).length > 0 ? true : null,
    )
    await call('flat-1', 1_000_000)
    const [next, ...earlier] = await daemon.settled(before.length + 1)
    assert.deepEqual(earlier, before)
    assert.equal(next?.eur, usdOf(1_000_000) * 0.45 * usdRate)
    assert.equal(next.reservedEur, usdOf(1_000_000) * 0.45 * usdRate)
    assert.deepEqual(await daemon.events('config_rejected'), [])
    assert.deepEqual((await daemon.json<{ drift: unknown[] }>('/api/check')).drift, [])
  })

  it('keeps what it came to over a restart of the daemon', async () => {
    const before = (await daemon.status()).integrity.drift
    assert.equal(before.length, 1)
    await daemon.stop()
    daemon = await startDaemon({ dataDir })
    assert.deepEqual((await daemon.status()).integrity.drift, before)
  })

  it('ends with 2 for a file that it cannot read', async () => {
    const file = join(dataDir, 'costs.csv')
    writeFileSync(file, 'start_time,amount_value,amount_currency\n1793577600,"1,234.56",usd\n')
    const { code, stderr } = await runCommand(['reconcile', file, '--data-dir', dataDir])
    assert.equal(code, 2)
    assert.match(stderr, /^Line 2: amount_value has a thousands separator/)
  })

  it('refuses a summary that is none', async () => {
    const response = await daemon.api('/api/reconciliations', { method: 'POST', body: '{"provider":"openai"}' })
    assert.equal(response.status, 400)
    const { error } = (await response.json()) as { error: { code: string } }
    assert.equal(error.code, 'invalid_request')
  })
})
