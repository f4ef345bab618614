import assert from 'node:assert/strict'
import { callDaemon } from '../../extension/daemon/api.ts'
import { gateUrl } from '../../shared/addresses.ts'
import type { DiscoveryRecord } from '../../shared/protocol.ts'
import type { Status } from '../../shared/status.ts'
import { prompts } from '../vscode/host/prompts.ts'
import { gateRecord } from '../vscode/host/profile.ts'
import { useStand } from './stand.ts'
import type { Workbench } from './workbench.ts'

/**
 * What the Spend view knows over a reload and over two windows, and *Raise a Cap for Today…* as a person sees it. Needs
 * `node esbuild.mjs` before.
 */
describe('what the Spend view remembers', function () {
  this.timeout(180_000)
  // Each step stands on the one before.
  this.bail(true)
  const stand = useStand(() => ({ extension: { checkout: '.' } }))
  let a: Workbench
  let b: Workbench

  before(async () => {
    a = await stand().openWindow()
    await a.spendShows(/€/)
  })

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await a.picture('spend-memory-failed')
  })

  const record = (): DiscoveryRecord => {
    const found = gateRecord(stand().profile)
    assert.ok(found, 'there is no record of a gate')
    return found
  }
  const control = (path: string, body: object): Promise<unknown> => callDaemon(record(), 'POST', path, body)
  const status = async (): Promise<Status> => (await callDaemon(record(), 'GET', '/api/status')) as Status

  async function call(prompt: string, task: string | null = null): Promise<string | null> {
    const { url, key } = record()
    const response = await fetch(`${gateUrl({ origin: url, key, task }, 'openai')}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-test' },
      body: JSON.stringify({ model: 'gpt-4o', max_tokens: 2000, messages: [{ role: 'user', content: prompt }] }),
    })
    await response.text()
    return response.headers.get('x-tollgate-code')
  }

  const badgeOf = (window: Workbench) => window.page.locator('.activitybar .badge-content').filter({ hasText: /\d/ })
  const openView = async (window: Workbench): Promise<void> => {
    await window.command('Tollgate: Focus on Spend View')
    await window.page.locator('.pane-body [aria-label^="Today:"]').first().waitFor({ timeout: 20_000 })
  }

  it('counts the same after a reload, and in a window that is opened later', async () => {
    await control('/api/kill', { scope: 'task', ref: 'held' })
    assert.deepEqual([await call('Hello', 'held'), await call('Hello', 'held')], ['killed', 'killed'])
    await a.blockedCalls(2)
    await a.page.reload()
    await a.ready()
    await a.blockedCalls(2)
    b = await stand().openWindow()
    await b.blockedCalls(2)
  })

  it('is looked at in one window for all of them: the other takes its number back when it gets the focus', async () => {
    await call('Hello')
    await b.focus()
    await openView(b)
    await badgeOf(b).waitFor({ state: 'detached' })
    await a.focus()
    await badgeOf(a).waitFor({ state: 'detached' })
    await a.page.reload()
    await a.ready()
    // Windows of one folder share what is open: this one comes back with the view of the other.
    await a.command('View: Show Explorer')
    await a.page.locator('.explorer-folders-view').waitFor()
    assert.equal(await badgeOf(a).count(), 0)
    // In the other window the view is open behind this one, where nobody sees it. Here it may take a moment until it is hidden.
    while (!(await badgeOf(a).isVisible())) {
      assert.equal(await call('Hello', 'held'), 'killed')
      await a.page.waitForTimeout(500)
    }
  })

  it('shows in two clicks how a cap is raised for today, and for how long', async () => {
    await call(prompts.dear)
    await control('/api/caps', { userDailyEur: Math.floor((await status()).today.spentEur * 100) / 100 })
    assert.equal(await call(prompts.dear), 'budget_exhausted')
    await a.focus()
    await openView(a)
    await a.command('Tollgate: Raise a Cap for Today')
    const list = a.page.locator('.quick-input-widget')
    await list.filter({ hasText: 'Raise for today' }).waitFor()
    await a.picture('raise-today')
    await a.page.keyboard.press('Enter')
    const allowed = a.page.locator('.pane-body .monaco-list-row').filter({ hasText: /^\+€.* until / })
    await allowed.hover()
    await a.picture('raised-today')
    await allowed.locator('[aria-label*="Take Back"]').click()
    await allowed.waitFor({ state: 'detached' })
    assert.equal(await call(prompts.dear), 'budget_exhausted')
  })
})
