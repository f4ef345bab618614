import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CapsAnswer } from '../../shared/caps.ts'
import type { GrantAnswer, GrantRequest } from '../../shared/protocol.ts'
import { startUpstream } from '../upstream/upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { readRefusal } from './harness/answers.ts'
import { runCommand } from './harness/command.ts'
import { against, startDaemon, stopAllDaemons } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { eventually } from './harness/eventually.ts'
import { flatAsk, flatConfig, flatUsage } from './harness/flatPrice.ts'
import { parsePrometheus } from './harness/prometheus.ts'

/** A call of so many output tokens costs exactly one euro. */
const oneEuro = 100_000

describe('a person says go on', () => {
  let upstream: Upstream
  let dir: string
  before(async () => {
    upstream = await startUpstream()
  })
  after(() => upstream.close())
  beforeEach(() => {
    upstream.reset()
    upstream.script(() => flatUsage(oneEuro))
    dir = mkdtempSync(join(tmpdir(), 'tollgate-grants-'))
  })
  afterEach(async () => {
    await stopAllDaemons()
    rmSync(dir, { recursive: true, force: true })
  })

  const start = (config: object) =>
    startDaemon({ config: against(upstream, { ...config, user: 'ada', tenant: 'acme' }), dataDir: dir })

  const post = (daemon: Daemon, parts: { readonly task?: string; readonly project?: string } = {}) =>
    fetch(`${daemon.base('openai', parts)}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(flatAsk(oneEuro)),
    })

  /** Makes a call to its end; the status. */
  async function call(daemon: Daemon, parts: { readonly task?: string; readonly project?: string } = {}) {
    const response = await post(daemon, parts)
    await response.text()
    if (response.status === 200) await daemon.settled()
    return response.status
  }

  const grant = (daemon: Daemon, request: GrantRequest) => daemon.json<GrantAnswer>('/api/grants', request)

  const messageOf = (body: Readonly<Record<string, unknown>>): string =>
    (body['error'] as { readonly message: string }).message

  it('lets a day that is used up go on, leaves the cap where it is, and holds after kill -9', async () => {
    const config = flatConfig(2)
    const first = await start(config)
    assert.deepEqual([await call(first), await call(first), await call(first)], [200, 200, 429])
    const answer = await grant(first, { scope: 'user', ref: 'ada', eur: 1, by: 'extension' })
    assert.deepEqual(answer, {
      id: 1,
      scope: 'user',
      ref: 'ada',
      window: 'day',
      until: null,
      limitEur: 3,
      limitTokens: null,
    } satisfies GrantAnswer)
    const { today, month } = await first.status()
    assert.deepEqual([today.capEur, today.grantedEur, today.grantedTokens, month.grantedEur], [2, 1, 0, 0])
    assert.equal(await call(first), 200)

    const refused = await readRefusal(await post(first))
    assert.deepEqual([refused.status, refused.code], [429, 'budget_exhausted'])
    assert.deepEqual([refused.figures.limit, refused.figures.spent, refused.figures.scopeRef], [3, 3, 'ada'])
    assert.match(messageOf(refused.body), /user ada is used up: 3\.00 of 3\.00 EUR/)
    await first.kill9()

    const second = await start(config)
    assert.equal((await readRefusal(await post(second))).figures.limit, 3)
    const status = await second.status()
    assert.deepEqual([status.today.capEur, status.today.grantedEur, status.today.spentEur], [2, 1, 3])
    const scrape = parsePrometheus(await (await second.api('/metrics')).text())
    assert.equal(scrape.value('tollgate_budget_cap', { window: 'day', unit: 'eur' }), 3)
    await grant(second, { scope: 'user', ref: 'acme/ada', eur: 1 })
    assert.deepEqual([await call(second), await call(second)], [200, 429])
    const told = (await second.events('granted')).map(({ scope, ref, window, eur, until, by }) => ({
      scope,
      ref,
      window,
      eur,
      until,
      by,
    }))
    const day = { scope: 'user', ref: 'ada', window: 'day', eur: 1, until: null }
    assert.deepEqual(told, [
      { ...day, by: 'extension' },
      { ...day, by: 'api' },
    ])
    assert.deepEqual(await second.json('/api/check'), { drift: [] })
  })

  it('is taken back: calls that were admitted stay, new ones are refused, also after kill -9', async () => {
    const config = flatConfig(2, { budgets: { tenantMonthly: { eur: 150 }, projects: { shop: { tokens: 10 } } } })
    const first = await start(config)
    const { id } = await grant(first, { scope: 'user', ref: 'ada', eur: 1, until: 'midnight' })
    const other = await grant(first, { scope: 'tenant', ref: 'acme', window: 'month', eur: 5 })
    assert.deepEqual([await call(first), await call(first), await call(first), await call(first)], [200, 200, 200, 429])
    const { caps } = await first.json<CapsAnswer>('/api/caps')
    assert.deepEqual(
      caps.map(({ scope, ref, name, window, isGeneral, eur, tokens }) => ({
        scope,
        ref,
        name,
        window,
        isGeneral,
        eur,
        tokens,
      })),
      [
        {
          scope: 'user',
          ref: 'acme/ada',
          name: 'ada',
          window: 'day',
          isGeneral: true,
          eur: { cap: 2, granted: 1, spent: 3, reserved: 0 },
          tokens: null,
        },
        {
          scope: 'tenant',
          ref: 'acme',
          name: 'acme',
          window: 'month',
          isGeneral: true,
          eur: { cap: 150, granted: 5, spent: 3, reserved: 0 },
          tokens: null,
        },
        {
          scope: 'project',
          ref: 'shop',
          name: 'shop',
          window: 'day',
          isGeneral: false,
          eur: null,
          tokens: { cap: 10, granted: 0, spent: 0, reserved: 0 },
        },
      ],
    )
    const { today } = await first.status()
    assert.deepEqual(caps[0]!.grants, [{ id, eur: 1, tokens: 0, until: today.resetsAt, by: 'api' }])
    assert.equal(today.grantedUntil, today.resetsAt)
    assert.deepEqual(today.granted, [{ eur: 1, tokens: 0, until: today.resetsAt }])

    const path = `/api/grants/${id}/withdraw`
    const answer = await first.json<GrantAnswer>(path, {})
    assert.deepEqual([answer.id, answer.scope, answer.ref, answer.limitEur], [id, 'user', 'ada', 2])
    for (const gone of [path, '/api/grants/99/withdraw']) {
      assert.equal((await first.api(gone, { method: 'POST' })).status, 404)
    }
    const refused = await readRefusal(await post(first))
    assert.deepEqual([refused.figures.limit, refused.figures.spent], [2, 3])
    const [told] = await first.events('grant_withdrawn')
    assert.deepEqual([told?.['scope'], told?.['ref'], told?.['eur']], ['user', 'ada', 1])
    await first.kill9()

    const second = await start(config)
    const status = await second.status()
    assert.deepEqual([status.today.spentEur, status.today.grantedEur, status.today.grantedUntil], [3, 0, null])
    assert.equal(status.month.grantedEur, 5)
    assert.equal(await call(second), 429)
    assert.deepEqual(await second.json('/api/check'), { drift: [] })
    assert.equal((await second.json<GrantAnswer>(`/api/grants/${other.id}/withdraw`, {})).limitEur, 150)
  })

  it('gives room to the month of a tenant, to a project and to a model, each its own', async () => {
    const caps = {
      userDaily: { eur: null },
      tenantMonthly: { eur: 1 },
      projects: { shop: { eur: 1 } },
      models: { 'flat-*': { eur: 1 } },
    }
    const daemon = await start(flatConfig(null, { budgets: caps }))
    assert.equal(await call(daemon, { project: 'shop' }), 200)
    const nextScope = async (): Promise<unknown> => {
      const response = await post(daemon, { project: 'shop' })
      if (response.status === 429) return (await readRefusal(response)).figures.scope
      await response.text()
      await daemon.settled()
      return null
    }
    assert.equal(await nextScope(), 'tenant')
    const month = await grant(daemon, { scope: 'tenant', ref: 'acme', eur: 1 })
    assert.deepEqual([month.window, month.limitEur], ['month', 2])
    assert.equal((await daemon.status()).month.grantedEur, 1)
    assert.equal(await nextScope(), 'project')
    await grant(daemon, { scope: 'project', ref: 'shop', eur: 1 })
    assert.equal(await nextScope(), 'model')
    await grant(daemon, { scope: 'model', ref: 'flat-*', eur: 1 })
    assert.equal(await nextScope(), null)
    assert.equal(await nextScope(), 'tenant')
  })

  it('lets a call go that waits for its siblings, while they still run', async () => {
    const daemon = await start(flatConfig(1, { budgets: { heldWaitMs: 60_000 } }))
    upstream.script(() => ({ ...flatUsage(oneEuro), firstByteDelayMs: 60_000 }))
    const calls = [post(daemon), post(daemon)].map((one) => one.catch(() => 'cut'))
    const waiting = async (): Promise<number | null> =>
      parsePrometheus(await (await daemon.api('/metrics')).text()).value('tollgate_calls_waiting')
    await eventually('a call that waits', async () => ((await waiting()) === 1 ? true : null))
    assert.equal(upstream.generations.length, 1)
    await grant(daemon, { scope: 'user', ref: 'ada', eur: 1 })
    await upstream.waitForRequests(2)
    assert.equal(await waiting(), 0)
    assert.equal((await daemon.status()).today.reservedEur, 2)
    await daemon.kill9()
    assert.deepEqual(await Promise.all(calls), ['cut', 'cut'])
  })

  it('A13: a cap of 0 may be spent up to what is granted', async () => {
    const daemon = await start(flatConfig(0))
    assert.equal(await call(daemon), 429)
    await grant(daemon, { scope: 'user', ref: 'ada', eur: 1 })
    assert.deepEqual([await call(daemon), await call(daemon)], [200, 429])
    const { today } = await daemon.status()
    assert.deepEqual([today.capEur, today.spentEur], [0, 1])
  })

  it('is refused with 400 for a time in the past or an amount that does not fit, and then nothing is given', async () => {
    const daemon = await start(flatConfig(1))
    for (const [more, sentence] of [
      [{ eur: 1, until: '2020-01-01T00:00:00Z' }, /^until must lie in the future\.$/],
      [{ iterations: 5 }, /^iterations and minutes are for tasks/],
      [{ eur: -1 }, /^eur must be a number/],
    ] as const) {
      const body = JSON.stringify({ scope: 'user', ref: 'ada', ...more })
      const response = await daemon.api('/api/grants', { method: 'POST', body })
      assert.equal(response.status, 400)
      assert.match(messageOf((await response.json()) as Record<string, unknown>), sentence)
    }
    assert.equal((await daemon.status()).today.grantedEur, 0)
    assert.deepEqual(await daemon.events('granted'), [])
  })

  it('lets a task that its iterations halted go on by the command, also after a restart', async () => {
    const task = { maxIterations: 1, maxInputTokens: null, maxWallSeconds: null, maxEur: null, onConstrained: null }
    const config = flatConfig(null, { plan: { task } })
    const t1 = { task: 't1' }
    const refusedAt = async (daemon: Daemon, parts: { readonly task: string }): Promise<unknown> => {
      const { code, figures } = await readRefusal(await post(daemon, parts))
      return [code, figures.unit, figures.limit]
    }

    const first = await start(config)
    assert.equal(await call(first, t1), 200)
    assert.deepEqual(await refusedAt(first, t1), ['task_halted', 'calls', 1])
    const granted = await runCommand(['grant', 't1', '--iterations', '5', '--data-dir', dir])
    assert.deepEqual(granted, {
      code: 0,
      stdout: '5 calls granted to task t1 as long as the task lives.\n',
      stderr: '',
    })
    assert.equal(await call(first, t1), 200)
    const [told] = await first.events('granted')
    assert.deepEqual([told?.['task'], told?.['iterations'], told?.['by']], ['t1', 5, 'cli'])
    await first.kill9()

    const second = await start(config)
    // How many of its calls are still counted is not asked here: only how many it may make.
    for (let calls = 0; calls < 6 && (await call(second, t1)) === 200; calls += 1);
    assert.deepEqual(await refusedAt(second, t1), ['task_halted', 'calls', 6])
    assert.equal(await call(second, { task: 't2' }), 200)
    assert.deepEqual(await refusedAt(second, { task: 't2' }), ['task_halted', 'calls', 1])
  })
})
