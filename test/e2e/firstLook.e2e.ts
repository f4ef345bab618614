import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Locator } from 'playwright-core'
import { useStand } from './stand.ts'
import type { Workbench } from './workbench.ts'

/** What somebody sees first: the walkthrough. Needs `node esbuild.mjs --production` before. */
describe('a first look at the extension', function () {
  this.timeout(120_000)
  this.bail(true)
  const stand = useStand(() => ({
    extension: { checkout: '.' },
    view: { viewport: { width: 1100, height: 700 }, deviceScaleFactor: 1.5 },
  }))
  let window: Workbench

  before(async () => {
    window = await stand().openWindow()
    await window.spendShows(/€/)
  })

  afterEach(async function () {
    if (this.currentTest?.isFailed()) await window.picture('failed')
  })

  const step = (title: string): Locator => window.page.locator('.getting-started-step').filter({ hasText: title })
  /** A step that is unfolded takes no click. */
  const unfold = async (title: string): Promise<void> => {
    if ((await step(title).getAttribute('aria-expanded')) !== 'true') await step(title).click()
    await step(title).and(window.page.locator('.expanded')).waitFor()
  }
  const picture = (): Locator =>
    window.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame').locator('body > svg')

  /** Runs a command by its whole title. Something that loads may take the keyboard from the palette, which closes it: then once more. */
  const run = async (title: string): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await window.page.keyboard.press('Control+Shift+P')
        await window.page.locator('.quick-input-widget input:visible').fill(`>${title}`, { timeout: 3000 })
        const row = window.page.locator('.quick-input-list').getByRole('option', { name: new RegExp(`^${title}`) })
        return await row.first().click({ timeout: 5000 })
      } catch (error) {
        if (attempt === 5) throw error
        // Without a palette this key would lead away from the walkthrough.
        if (await window.page.locator('.quick-input-widget').isVisible()) await window.page.keyboard.press('Escape')
      }
    }
  }

  const choose = async (theme: string): Promise<void> => {
    await run('Preferences: Color Theme')
    await window.page.locator('.quick-input-widget input[placeholder*="Theme"]').fill(theme)
    await window.page.locator('.quick-input-list').getByRole('option', { name: theme }).first().click()
    await window.page.locator('.quick-input-widget').waitFor({ state: 'hidden' })
  }

  const steps = [
    ['running', 'It is already running'],
    ['spend', 'See what you spend'],
    ['cap', 'Set your cap'],
    ['stop', 'Run an agent, then stop everything'],
  ] as const

  it('opens the walkthrough by its command, with four steps', async () => {
    await run('Tollgate: Get Started')
    await step('It is already running').waitFor()
    assert.equal(await window.page.locator('.getting-started-step').count(), steps.length)
    await run('View: Close Primary Side Bar')
    await window.page.locator('.part.sidebar').waitFor({ state: 'hidden' })
  })

  for (const [name, theme] of [
    ['dark', 'Dark Modern'],
    ['light', 'Light Modern'],
    ['high-contrast', 'Dark High Contrast'],
  ] as const) {
    it(`draws every picture in the colours of the theme: ${theme}`, async () => {
      await choose(theme)
      for (const [id, title] of steps) {
        await unfold(title)
        await picture().waitFor()
        // A colour that the theme does not have would be painted black or not at all.
        const missing = await picture().evaluate((svg, names) => {
          const styleOf = Reflect.get(globalThis, 'getComputedStyle') as (element: unknown) => {
            getPropertyValue(name: string): string
          }
          return names.filter((one) => styleOf(svg).getPropertyValue(one).trim() === '')
        }, coloursOf(id))
        assert.deepEqual(missing, [], title)
        await window.picture(`walkthrough-${name}-${id}`)
      }
    })
  }

  it('ticks a step when it was done', async () => {
    await choose('Light Modern')
    await unfold('It is already running')
    await step('It is already running').getByRole('button', { name: 'Open the Spend View' }).click()
    await step('It is already running').locator('.codicon-getting-started-step-checked').waitFor()
    await run('View: Close All Editors')
  })
})

/** Names of the theme's colours in a picture of the walkthrough. */
function coloursOf(step: string): readonly string[] {
  const svg = readFileSync(`media/walkthrough/${step}.svg`, 'utf8')
  return [...svg.matchAll(/var\((--vscode-[\w-]+)\)/g)].map((match) => match[1] ?? '')
}
