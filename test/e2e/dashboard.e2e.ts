import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gateUrl } from '../../shared/addresses.ts'
import { startPlayedUpstream } from '../vscode/host/playedGate.ts'
import { gateRecord } from '../vscode/host/profile.ts'
import type { Profile } from '../vscode/host/profile.ts'
import { growingTask, seedLedger } from './dashboardLedger.ts'
import { dashboardOf } from './dashboardPage.ts'
import { useStand } from './stand.ts'
import type { Workbench } from './workbench.ts'

/** Runs in the page: whether inline code runs, and whether it can call anybody. */
const tryToEscape = `(async () => {
  const script = document.createElement('script')
  script.textContent = 'globalThis.wasRun = true'
  document.body.append(script)
  const button = document.createElement('button')
  button.setAttribute('onclick', 'globalThis.wasRun = true')
  button.click()
  const call = await fetch('http://127.0.0.1:9/').then(() => 'went out', () => 'refused')
  return [globalThis.wasRun === true, call]
})()`

/** Runs in VS Code: everything that it keeps in the browser, which it writes every few seconds and not when a tab is closed. */
const keptByVsCode = `(async () => {
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  const found = []
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name))
    for (const store of database.objectStoreNames) {
      found.push(...(await done(database.transaction(store).objectStore(store).getAll())))
    }
    database.close()
  }
  return found.filter((value) => typeof value === 'string').join('\\n')
})()`

/** Runs in the page: what a screen reader calls the element that has the focus. */
const nameOfFocus = `(() => {
  const it = document.activeElement
  return it.getAttribute('aria-label') ?? it.parentElement.querySelector('label')?.textContent ?? it.textContent
})()`

/**
 * The dashboard of a window that has a month of calls behind it, as a person sees and uses it: by the mouse, by the keyboard and in
 * every kind of theme. Needs `node esbuild.mjs --production` before.
 */
describe('the dashboard in a window with a month of calls', function () {
  this.timeout(120_000)
  this.bail(true)
  const stand = useStand(() => ({
    extension: { checkout: '.' },
    play: async () => {
      const { upstream, gateConfig } = await startPlayedUpstream()
      return { upstream, gateConfig: { ...(gateConfig as object), timezone: 'Europe/Berlin' } }
    },
    prepare: ({ dataDir }) => seedLedger(dataDir, Date.now()),
    view: { viewport: { width: 1280, height: 1500 } },
  }))
  let profile: Profile
  let window: Workbench

  before(async () => {
    ;({ profile } = stand())
    window = await stand().openWindow()
    await window.spendShows(/€/)
  })

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window.picture('dashboard-failed')
  })

  const { page: dashboard, chart, choose } = dashboardOf(() => window)

  const openFile = async (name: string): Promise<void> => {
    await window.page.keyboard.press('Control+P')
    await window.page.locator('.quick-input-widget input:visible').fill(name)
    await window.page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: name }).waitFor()
    await window.page.keyboard.press('Enter')
    await window.page.getByRole('tab', { name }).waitFor()
  }

  it('is a page of less than 120 KB', () => {
    assert.ok(statSync(join('dist', 'dashboard.js')).size < 120_000)
  })

  it('shows the spend of the month and the latest task', async () => {
    await window.command('Tollgate: Open Dashboard')
    const spend = chart('Spend over time')
    await spend.getByText('claude-opus-5').waitFor()
    assert.ok((await spend.locator('.legend li').count()) >= 5)
    assert.match((await dashboard().locator('.headline').textContent()) ?? '', /^€\d+\.\d\d spent · [\d,]+ calls · /)
    assert.match((await chart('Refusals by reason').textContent()) ?? '', /Earlier \(incomplete\)/)
    await choose('Task', growingTask.id)
    await chart('Turns of a task').getByText(`${growingTask.id}: ${growingTask.turns} turns`).waitFor()
    // The refusals of the ledger are of yesterday and of before the extension: there is nothing to look at.
    assert.equal(await window.page.locator('.activitybar .badge-content').filter({ hasText: /\d/ }).count(), 0)
    await window.command('View: Close Primary Side Bar')
  })

  it('runs no code and loads nothing that it did not bring', async () => {
    const policy = dashboard().locator('meta[http-equiv="Content-Security-Policy"]')
    assert.match(
      (await policy.getAttribute('content')) ?? '',
      /^default-src 'none'; script-src 'nonce-[\w-]+'; style-src 'nonce-/,
    )
    const outcome = await dashboard().locator('body').evaluate(tryToEscape)
    assert.deepEqual(outcome, [false, 'refused'])
  })

  it('is read by the keyboard: controls, charts, tables, in the order of the page', async () => {
    const page = dashboard()
    await page.getByLabel('Period', { exact: true }).focus()
    const visited: string[] = []
    for (let step = 0; step < 9; step += 1) {
      visited.push(String(await page.locator('body').evaluate(nameOfFocus)))
      await window.page.keyboard.press('Tab')
    }
    assert.deepEqual(visited.slice(0, 3), ['Period', 'By', 'Show'])
    assert.equal(visited[3], 'Export CSV: Spend over time')
    assert.match(visited[4] ?? '', /^Cost by Model: €\d/)
    assert.equal(visited[5], 'Table')
    assert.deepEqual(visited.slice(6, 8), ['Task', 'Export CSV: Turns of a task'])
    assert.match(visited[8] ?? '', /^36 turns\. The first read/)

    const turns = chart('Turns of a task')
    await turns.locator('.picture').focus()
    await window.page.keyboard.press('End')
    assert.match(
      (await turns.locator('.reading').textContent()) ?? '',
      /^Turn 36, .*claude-sonnet-5: .*Cached input \d+k/,
    )
    await window.page.keyboard.press('ArrowLeft')
    assert.match((await turns.locator('.reading').textContent()) ?? '', /^Turn 35, /)
    await window.picture('dashboard-keyboard')
    await turns.locator('summary').focus()
    await window.page.keyboard.press('Enter')
    await turns.getByRole('row').nth(growingTask.turns).waitFor()
    await turns.locator('summary').press('Enter')
  })

  it('follows a task while it runs, without being asked', async () => {
    const { url, key } = gateRecord(profile)!
    const base = gateUrl({ origin: url, key, task: 'live-task' }, 'openai')
    await choose('Task', 'Latest task')
    for (let turn = 1; turn <= 3; turn += 1) {
      const response = await fetch(`${base}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer sk-test' },
        body: JSON.stringify({
          model: 'gpt-4o',
          max_tokens: 100,
          messages: [{ role: 'user', content: 'Hello '.repeat(400 * turn) }],
        }),
      })
      assert.equal(response.status, 200)
      await response.text()
      await chart('Turns of a task')
        .getByText(new RegExp(`^live-task: ${turn} turns?, €`))
        .waitFor({ timeout: 10_000 })
    }
  })

  it('keeps what was chosen when it is hidden and when the window is loaded anew', async () => {
    await choose('Period', 'Last 7 days')
    await choose('Per', 'Hour')
    await choose('By', 'Project')
    await choose('Task', growingTask.id)
    await chart('Spend over time').getByText('checkout-bot').waitFor()
    await window.picture('dashboard-hours')
    const chosen = async (): Promise<string[]> => {
      await chart('Turns of a task').getByText(`${growingTask.id}: `).waitFor({ timeout: 30_000 })
      const controls = dashboard().locator('.controls select, .tools select')
      return controls.evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value))
    }
    const before = await chosen()
    assert.deepEqual(before, ['week', 'hour', 'project', 'eur', growingTask.id])
    await openFile('package.json')
    await window.page.locator('iframe.webview.ready').waitFor({ state: 'hidden' })
    await window.page.getByRole('tab', { name: 'Tollgate Dashboard' }).click()
    assert.deepEqual(await chosen(), before)
    await waitUntil(async () => {
      const kept = String(await window.page.evaluate(keptByVsCode))
      return /unit[\\":]+hour[\\",]+by[\\":]+project[^}]+refactor-cart/.test(kept)
    }, 30_000)
    await window.page.reload()
    await window.ready()
    // VS Code may have kept the tabs as they were before the last click.
    await window.page.getByRole('tab', { name: 'Tollgate Dashboard' }).click()
    assert.deepEqual(await chosen(), before)
  })

  it('exports what is shown as a file', async () => {
    await choose('Period', 'Last 30 days')
    await choose('By', 'Model')
    await chart('Spend over time').getByText('claude-opus-5').waitFor()
    await chart('Spend over time').getByRole('button').click()
    const input = window.page.locator('.quick-input-widget input:visible')
    // The dialog begins with the folder alone.
    let path = ''
    await waitUntil(async () => {
      path = await input.inputValue()
      return /\/tollgate-spend-\d{4}-\d\d-\d\d\.csv$/.test(path)
    })
    await window.page.keyboard.press('Enter')
    const file = join(profile.workspace, path.slice(path.lastIndexOf('/') + 1))
    await waitUntil(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\r\n'))
    const lines = readFileSync(file, 'utf8').trimEnd().split('\r\n')
    assert.equal(lines.length, 31)
    assert.match(lines[0]!, /^Time,.*claude-opus-5.*,Total$/)
    assert.match(lines[30]!, /^\d{4}-\d\d-\d\d,[\d.]+,/)
  })

  for (const [name, theme] of [
    ['dark', 'Dark Modern'],
    ['light', 'Light Modern'],
    ['high-contrast', 'Dark High Contrast'],
    ['high-contrast-light', 'Light High Contrast'],
  ] as const) {
    it(`is drawn in the colours of the theme: ${theme}`, async () => {
      await window.page.keyboard.press('Control+K')
      await window.page.keyboard.press('Control+T')
      const input = window.page.locator('.quick-input-widget input:visible')
      await input.fill(theme)
      await window.page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: theme }).waitFor()
      await window.page.keyboard.press('Enter')
      await dashboard().locator(`body.vscode-${name}`).waitFor()
      await chart('Spend over time').getByText('claude-opus-5').waitFor()
      await window.picture(`dashboard-${name}`)
    })
  }

  it('says that the gate is down, keeps the figures and offers to start it', async () => {
    process.kill(gateRecord(profile)!.pid, 'SIGKILL')
    const notice = dashboard().locator('.notice')
    await notice.getByText('The gate is not running').waitFor()
    assert.ok((await chart('Spend over time').locator('.legend li').count()) >= 5)
    await notice.waitFor({ state: 'hidden', timeout: 30_000 })
  })
})

async function waitUntil(look: () => boolean | Promise<boolean>, ms = 15_000): Promise<void> {
  const untilMs = Date.now() + ms
  while (!(await look())) {
    assert.ok(Date.now() < untilMs, 'waited in vain')
    await new Promise((done) => setTimeout(done, 100))
  }
}
