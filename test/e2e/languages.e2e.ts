import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Locator } from 'playwright-core'
import { useStand } from './stand.ts'
import type { Workbench } from './workbench.ts'

type Sentences = Readonly<Record<string, string>>

function read(path: string): Sentences {
  return JSON.parse(readFileSync(path, 'utf8')) as Sentences
}

/**
 * A window in the display language of somebody who has its language pack, whose own part is all that is missing here: VS Code's
 * menus stay English. Needs `node esbuild.mjs` before.
 */
for (const [language, nothingSpent] of [
  ['de', /^0,00 €/],
  ['tr', /^€0,00/],
] as const) {
  describe(`a window in the language ${language}`, function () {
    this.timeout(120_000)
    this.bail(true)
    const stand = useStand(() => ({ extension: { checkout: '.' } }))
    const manifest = read(`package.nls.${language}.json`)
    const bundle = read(`l10n/bundle.l10n.${language}.json`)
    let window: Workbench

    before(async () => {
      // What the workbench takes its language from; with a pack, VS Code's server sets it.
      await stand().context.addInitScript(`globalThis._VSCODE_NLS_LANGUAGE = '${language}'`)
      window = await stand().openWindow()
    })

    afterEach(async function () {
      if (this.currentTest?.isFailed()) await window.picture(`failed-${language}`)
    })

    const dashboard = (): Locator =>
      window.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame').locator('html')

    it('writes money as the language does', async () => {
      await window.spendShows(nothingSpent)
    })

    it('says in the Spend view what to do first', async () => {
      await window.page.locator('.activitybar .action-item a[aria-label*="Tollgate"]').first().click()
      const buttons = window.page.locator('.welcome-view-content .monaco-button')
      await buttons.first().waitFor()
      const wanted = [...(manifest['welcome.nothingYet'] ?? '').matchAll(/^\[([^\]]+)\]\(command/gm)]
      assert.deepEqual(
        await buttons.allTextContents(),
        wanted.map(([, name]) => name),
      )
    })

    it('has its commands in the language, and VS Code finds them in English as well', async () => {
      await window.command('Tollgate: Open Dashboard')
      await dashboard().locator('h1').waitFor()
      assert.equal(await dashboard().locator('h1').textContent(), bundle['Model spend'])
      assert.equal(await dashboard().getAttribute('lang'), language)
      await dashboard()
        .getByText(
          bundle[
            'No model call was counted in this period. Run an agent in a new terminal, or choose a longer period.'
          ] ?? '',
        )
        .waitFor()
      await window.picture(`language-${language}`)
    })

    it('writes the doctor’s report in it', async () => {
      await window.command('Tollgate: Doctor')
      const heading = `# ${bundle['Tollgate Doctor']}`
      await window.page.locator('.view-line').filter({ hasText: heading }).first().waitFor({ timeout: 30_000 })
    })
  })
}
