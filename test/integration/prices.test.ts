import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startUpstream } from '../upstream/upstream.ts'
import type { Step } from '../upstream/step.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { readRefusal } from './harness/answers.ts'
import { runCommand } from './harness/command.ts'
import { against, startDaemon } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { eventually } from './harness/eventually.ts'

const million = 1_000_000

describe('prices', () => {
  let upstream: Upstream
  let dataDir: string
  let daemon: Daemon | null

  beforeEach(async () => {
    upstream = await startUpstream()
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-prices-'))
    daemon = null
  })
  afterEach(async () => {
    await Promise.all([daemon?.discard(), upstream.close()])
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** Starts the daemon on `config.json` of the data directory, which commands change and it watches. */
  async function start(config: object = {}, env: Readonly<Record<string, string>> = {}): Promise<Daemon> {
    writeConfig(config)
    daemon = await startDaemon({ dataDir, env })
    return daemon
  }

  function writeConfig(config: object): void {
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify(against(upstream, config), null, 2))
  }

  /** One call; the upstream reports `inputTokens` and 10 output tokens unless `step` says otherwise. */
  async function call(gate: Daemon, model: string, step: Step = {}, task?: string): Promise<Response> {
    upstream.next({ inputTokens: 1000, outputTokens: 10, ...step })
    const response = await fetch(`${gate.base('openai', task === undefined ? {} : { task })}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }),
    })
    if (response.status === 200) await response.text()
    return response
  }

  const prices = (...words: readonly string[]) => runCommand(['prices', ...words, '--data-dir', dataDir])

  /** Calls until the daemon has taken over a change of the prices. */
  function answered(gate: Daemon, model: string): Promise<true> {
    return eventually(`${model} to have a price`, async () => ((await call(gate, model)).status === 200 ? true : null))
  }

  it('E01: an unknown model is refused with the command that helps, and passes after it without a restart', async () => {
    const gate = await start({ currency: { usdRate: 1 } })
    const refused = await readRefusal(await call(gate, 'house-model-9'))
    assert.deepEqual([refused.status, refused.code], [422, 'unpriced_model'])
    assert.equal(upstream.requests.length, 0)
    const { message } = refused.body['error'] as { message: string }
    const command = /tollgate (prices set .* --input )N( --output )N\./.exec(message) ?? assert.fail(message)
    const words = `${command[1] ?? ''}3${command[2] ?? ''}15`.split(' ')
    const { code, stdout, stderr } = await prices(...words.slice(1))
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^house-model-9 costs 3 in and 15 out/)
    await answered(gate, 'house-model-9')
    const [row] = await gate.settled()
    assert.equal(row?.eur, (1000 * 3 + 10 * 15) / million)
    assert.equal(row.price, 'override house-model-9 (3/15)')
    assert.equal((await gate.status()).counters['unpriced_model']! > 0, true)
    // What stood in the file is still there.
    assert.match(readFileSync(join(dataDir, 'config.json'), 'utf8'), /"timezone": "Europe\/Berlin"/)
  })

  it('E08: a price that moves more than tenfold is not taken without --yes', async () => {
    const gate = await start({ currency: { usdRate: 1 } })
    const words = ['set', 'gpt-5', '--provider', 'openai', '--input', '1250', '--output', '10000'] as const
    const refused = await prices(...words)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /gpt-5 at openai: input from 1\.25 to 1250 USD per million tokens/)
    assert.equal((await call(gate, 'gpt-5')).status, 200)
    assert.equal((await gate.settled())[0]?.eur, (1000 * 1.25 + 10 * 10) / million)
    const taken = await prices(...words, '--yes')
    assert.equal(taken.code, 0, taken.stderr)
  })

  it('E08, E09: an update holds from the next call on, with its date and source in each row, until it is taken away', async () => {
    const gate = await start({ currency: { usdRate: 1 } })
    assert.equal((await gate.status()).integrity.pricesAsOf, '2026-09-23')
    const file = join(dataDir, 'new.json')
    writeFileSync(
      file,
      JSON.stringify([{ id: 'openai', models: [{ id: 'new-1', prices: { input_mtok: 2, output_mtok: 4 } }] }]),
    )
    const { code, stderr } = await prices('update', file, '--as-of', '2026-11-29')
    assert.equal(code, 0, stderr)
    await answered(gate, 'new-1')
    assert.equal((await gate.settled())[0]?.price, 'openai/new-1 (update of 2026-11-29; 2/4)')
    assert.equal((await gate.status()).integrity.pricesAsOf, '2026-11-29')
    assert.equal((await call(gate, 'gpt-5')).status, 200)
    assert.equal((await gate.settled(2))[0]?.price, 'openai/gpt-5 (table of 2026-09-23; 1.25/10)')

    // It outlives the daemon.
    await gate.stop()
    const next = await startDaemon({ dataDir })
    daemon = next
    assert.equal((await call(next, 'new-1')).status, 200)
    assert.equal((await prices('reset')).code, 0)
    await eventually('the built-in table to hold', async () =>
      (await call(next, 'new-1')).status === 422 ? true : null,
    )
    assert.equal((await next.status()).integrity.pricesAsOf, '2026-09-23')
  })

  it('M10: the past does not move when the rate does', async () => {
    const gate = await start({ currency: { usdRate: 1, asOf: '2026-11-01' } }, { TOLLGATE_CURRENCY_ASOF: '' })
    assert.equal((await call(gate, 'gpt-5')).status, 200)
    await gate.settled(1)
    const before = (await gate.status()).today.spentEur
    writeConfig({ currency: { usdRate: 0.5, asOf: '2026-11-15' } })
    await eventually('the new rate to hold', async () =>
      (await gate.status()).integrity.usdRateAsOf === '2026-11-15' ? true : null,
    )
    assert.equal((await gate.status()).today.spentEur, before, 'a rate is not applied to what was spent')
    assert.equal((await call(gate, 'gpt-5')).status, 200)
    const rows = await gate.settled(2)
    const usd = (1000 * 1.25 + 10 * 10) / million
    assert.deepEqual(
      rows.map(({ eur, usdRate, rateAsOf }) => [eur, usdRate, rateAsOf]),
      [
        [usd / 2, 0.5, '2026-11-15'],
        [usd, 1, '2026-11-01'],
      ],
    )
    assert.equal((await gate.status()).today.spentEur, usd * 1.5)
    assert.deepEqual(await gate.json('/api/check'), { drift: [] })
  })

  it('M10: a stale rate warns, makes reservations 2 % larger, and changes no cost', async () => {
    const config = {
      currency: { usdRate: 1 },
      prices: { overrides: [{ match: 'flat', prices: { input_mtok: 0, output_mtok: 10 } }] },
    }
    const gate = await start(config, { TOLLGATE_CURRENCY_ASOF: '2020-01-31' })
    assert.match(gate.stderr(), /the exchange rate is older than 90 days, so reservations hold 2 % more/)
    const { integrity } = await gate.status()
    assert.deepEqual([integrity.usdRateAsOf, integrity.usdRateStale], ['2020-01-31', true])
    assert.match(
      (await runCommand(['status', '--data-dir', dataDir])).stdout,
      /^The exchange rate is of 2020-01-31, so reservations hold 2 % more\./m,
    )
    assert.equal((await call(gate, 'flat')).status, 200)
    const [row] = await gate.settled(1)
    assert.deepEqual([row?.reservedEur, row?.eur], [0.00102, 0.0001])
    await gate.stop()

    const fresh = await startDaemon({ dataDir })
    daemon = fresh
    assert.equal((await fresh.status()).integrity.usdRateStale, false)
    assert.doesNotMatch(fresh.stderr(), /exchange rate/)
    assert.equal((await call(fresh, 'flat')).status, 200)
    assert.equal((await fresh.settled(2))[0]?.reservedEur, 0.001)
  })

  const noBudgets = { userDaily: { eur: null }, tenantMonthly: { eur: null } }

  it('E10: under the euro ceiling of a task a call without a price is refused, so that its sum is whole', async () => {
    const gate = await start({ budgets: noBudgets, plans: { agent: { task: { maxEur: 0.05 } } } })
    assert.equal((await call(gate, 'gpt-5', {}, 'work')).status, 200)
    const refused = await readRefusal(await call(gate, 'my-private-model', {}, 'work'))
    assert.equal(refused.code, 'unpriced_model')
    assert.equal((await call(gate, 'gpt-5', {}, 'work')).status, 200)
    const [task] = (await gate.status()).tasks
    assert.deepEqual([task?.iterations, task?.costIncomplete], [2, false])
  })

  it('E10: a task in which such a call was let through is marked, and the call is counted as unpriced', async () => {
    const gate = await start({ prices: { unpriced: 'free' } })
    assert.equal((await call(gate, 'gpt-5', {}, 'work')).status, 200)
    assert.equal((await call(gate, 'my-private-model', {}, 'work')).status, 200)
    const [row] = await gate.settled(2)
    assert.deepEqual([row?.eur, row?.price, row?.warnings], [0, null, ['unpriced_call']])
    const { tasks, today } = await gate.status()
    assert.deepEqual([tasks[0]?.costIncomplete, today.unpricedCalls], [true, 1])
  })

  it('D13: a served tier that nobody knows is charged as the dearest and said with the call', async () => {
    const gate = await start({ currency: { usdRate: 1 } })
    assert.equal((await call(gate, 'gpt-5', { serviceTier: 'hyperspeed' })).status, 200)
    const [row] = await gate.settled(1)
    assert.equal(row?.eur, (2 * (1000 * 1.25 + 10 * 10)) / million)
    assert.deepEqual(row.warnings, ['price_uncertain'])
  })

  it('lowers a ceiling to what a task has left, and never to less than the thinking budget', async () => {
    const gate = await start({
      currency: { usdRate: 1 },
      prices: { overrides: [{ match: 'flat', prices: { input_mtok: 0, output_mtok: 10 } }] },
      plans: { agent: { task: { maxEur: 0.03, onConstrained: null } } },
    })
    const ask = (task: string, thinking: number): Promise<Response> =>
      fetch(`${gate.base('anthropic', { task })}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify({
          model: 'flat',
          max_tokens: 8000,
          thinking: { type: 'enabled', budget_tokens: thinking },
          messages: [{ role: 'user', content: 'hello' }],
        }),
      })
    assert.equal((await ask('fits', 2048)).status, 200)
    assert.equal((upstream.requests[0]?.json as { max_tokens: number }).max_tokens, 3000)
    const { code } = await readRefusal(await ask('too-much', 4096))
    assert.equal(code, 'task_halted')
    assert.equal(upstream.requests.length, 1, 'the provider would have answered with an error')
  })

  it('M04: a day that was opened is not opened again by a daemon whose clock shows an earlier one', async () => {
    // Two zones whose dates always differ stand for a clock that is set back.
    const config = { currency: { usdRate: 1 }, timezone: 'Pacific/Kiritimati', budgets: { heldWaitMs: 0 } }
    const gate = await start(config)
    assert.equal((await call(gate, 'gpt-5')).status, 200)
    await gate.settled(1)
    const before = (await gate.status()).today
    await gate.stop()
    writeConfig({ ...config, timezone: 'Etc/GMT+12' })
    const next = await startDaemon({ dataDir })
    daemon = next
    const after = (await next.status()).today
    assert.deepEqual([after.calls, after.spentEur], [1, before.spentEur])
    assert.equal(after.resetsAt.slice(0, 10), before.resetsAt.slice(0, 10), 'the same day ends')
    assert.equal((await call(next, 'gpt-5')).status, 200)
    await next.settled(2)
    assert.equal((await next.status()).today.calls, 2)
  })
})
