import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chartNames } from '../../extension/dashboard/page.ts'
import { startPlayedUpstream } from '../vscode/host/playedGate.ts'
import { seedUnpricedLedger, unpricedTask } from './dashboardLedger.ts'
import { dashboardOf } from './dashboardPage.ts'
import { useStand } from './stand.ts'
import type { Workbench } from './workbench.ts'

/**
 * The dashboard where something is not known: before anything could be read, because the gate cannot be started, and then where a model
 * has no known price. Needs `node esbuild.mjs --production` before.
 */
describe('the dashboard where something is not known', function () {
  this.timeout(120_000)
  this.bail(true)
  let config = ''
  let goodConfig = ''
  const stand = useStand(() => ({
    extension: { checkout: '.' },
    play: async () => {
      const { upstream, gateConfig } = await startPlayedUpstream()
      return { upstream, gateConfig: { ...(gateConfig as object), timezone: 'Europe/Berlin' } }
    },
    prepare: async ({ dataDir }) => {
      await seedUnpricedLedger(dataDir, Date.now())
      config = join(dataDir, 'config.json')
      goodConfig = readFileSync(config, 'utf8')
      writeFileSync(config, '{ "budgets": ')
    },
    view: { viewport: { width: 1280, height: 1300 } },
  }))
  let window: Workbench
  const { page, chart, choose } = dashboardOf(() => window)

  before(async () => {
    window = await stand().openWindow()
    await window.spendShows(/^gate down$/)
  })

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window.picture('dashboard-unknown-failed')
  })

  it('claims nothing and waits for nothing when it is opened while the gate is down', async () => {
    await window.command('Tollgate: Open Dashboard')
    const notice = page().locator('.notice')
    await notice.getByText('The gate is not running, so nothing is counted now.', { exact: true }).waitFor()
    const unknown = page().getByText('Not known now. It is shown as soon as it can be read.')
    assert.equal(await unknown.count(), chartNames.length)
    const said = (await page().locator('body').textContent()) ?? ''
    assert.doesNotMatch(said, /Reading the figures|Nothing was refused|No task made calls|counted before/)
    await window.clearToasts()
    await window.picture('dashboard-opened-down')
  })

  it('fills by itself once its button has started the gate', async () => {
    writeFileSync(config, goodConfig)
    await page().locator('.notice').getByRole('button', { name: 'Restart' }).click()
    await chart('Spend over time').getByText(unpricedTask.model).waitFor({ timeout: 30_000 })
    assert.equal(await page().locator('.notice').isVisible(), false)
  })

  it('shows what was spent beside calls without a known price as a floor, and their model as unknown', async () => {
    const headline = (await page().locator('.headline').textContent()) ?? ''
    assert.match(headline, /^≥ €\d+\.\d\d spent · .* · 6 calls without a known price$/)
    const spend = chart('Spend over time')
    assert.equal(await spend.locator(`.legend li[data-name="${unpricedTask.model}"] .total`).textContent(), '€?')
    await spend.locator('.picture').focus()
    await window.page.keyboard.press('End')
    assert.match((await spend.locator('.reading').textContent()) ?? '', /: Total €\? · mystery-1 €\?$/)
    await choose('Task', unpricedTask.id)
    await chart('Turns of a task')
      .getByText(`${unpricedTask.id}: 6 turns, €? · 6 calls without a known price`)
      .waitFor()
    await spend.locator('summary').click()
    await spend.getByRole('row').last().scrollIntoViewIfNeeded()
    await window.picture('dashboard-unpriced')
    await spend.locator('summary').click()
  })

  it('does not say of such calls that they cost nothing', async () => {
    await choose('Period', 'Today')
    const spend = chart('Spend over time')
    await spend.getByText('What was spent in this period is not known: 6 calls without a known price.').waitFor()
    assert.match((await page().locator('.headline').textContent()) ?? '', /^€\? spent · 6 calls · /)
    await window.picture('dashboard-unpriced-today')
    await choose('Show', 'New tokens')
    await spend.locator('.legend').getByText(unpricedTask.model).waitFor()
  })
})
