import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Upstream } from '../upstream/upstream.ts'
import { prompts } from '../vscode/host/prompts.ts'
import { packVsix, useStand } from './stand.ts'
import type { Workbench } from './workbench.ts'

const maxVsixBytes = 12 * 1024 * 1024

/**
 * What a new user does: installs the VSIX into an empty VS Code, opens a terminal, runs an agent there, looks at the status
 * bar, stops everything. Needs `node esbuild.mjs --production` before.
 */
describe('the packaged extension in an empty VS Code', function () {
  this.timeout(120_000)
  // Each step stands on the one before.
  this.bail(true)
  const stand = useStand(async () => {
    const vsix = await packVsix()
    const bytes = statSync(vsix).size
    assert.ok(bytes < maxVsixBytes, `the VSIX has ${bytes} bytes`)
    return {
      extension: { vsix },
      prepare: ({ workspace }) => {
        for (const agent of ['agent.mjs', 'ollamaAgent.mjs', 'loopingAgent.mjs']) {
          copyFileSync(join('test', 'e2e', agent), join(workspace, agent))
        }
        mkdirSync(join(workspace, 'node_modules'))
        symlinkSync(resolve('node_modules', 'openai'), join(workspace, 'node_modules', 'openai'), 'dir')
      },
    }
  })
  let upstream: Upstream
  let window: Workbench

  before(async () => {
    ;({ upstream } = stand())
    window = await stand().openWindow()
  })

  it('starts the gate without a question and shows that nothing is spent', async () => {
    assert.equal(await window.spendShows(/€/), '€0.00 · 0')
    assert.equal(await window.page.locator('.notification-list-item').count(), 0)
  })

  it('moves the status bar when an agent with the plain SDK runs in a terminal', async () => {
    await window.openTerminal()
    await window.typeLine(`node agent.mjs "${prompts.dear}"`)
    await window.spendShows(/^€0\.\d\d · 102k$/)
    await window.picture('1-spend')
    const sent = upstream.generations.at(-1)!
    assert.equal(sent.headers.authorization, 'Bearer sk-test')
    assert.match(String(sent.headers['user-agent']), /OpenAI/)
  })

  it('shows today, caps, models and running calls in the tooltip', async () => {
    await window.typeLine(`node agent.mjs "${prompts.slow}"`)
    await upstream.waitForRequests(2, 30_000)
    const tooltip = await window.openTooltip()
    const text = await tooltip.innerText()
    for (const part of [/this machine/, /€10\.00/, /€150\.00/, /gpt\u20114o/, /Running \(1\)/, /Stop all calls/]) {
      assert.match(text, part)
    }
    await window.picture('2-tooltip')
    // The tooltip stays open while its figures grow.
    await window.page
      .locator('.monaco-hover:visible')
      .filter({ hasText: /[3-9] s/ })
      .waitFor({ timeout: 15_000 })
  })

  it('stops the running call by its key, in all windows, with the terminal in focus, and says what it did', async () => {
    await window.page.mouse.move(400, 200)
    const other = await stand().openWindow()
    await other.spendShows(/^€0\.\d\d · /)
    await window.page.locator('.terminal-wrapper.active .xterm-helper-textarea').focus()
    const running = upstream.generations.at(-1)!
    await window.page.keyboard.press('Control+Shift+Alt+K')
    await window.spendShows(/^model calls stopped$/)
    await window.toast(/1 call stopped in \d+ ms/)
    await other.spendShows(/^model calls stopped$/)
    await other.page.close()
    assert.equal((await upstream.waitForClose(running, 10_000)).finished, false)
    await window.page.locator('.xterm-rows').filter({ hasText: 'Stopped:' }).waitFor({ timeout: 10_000 })
    await window.picture('3-stopped')
    await window.clearToasts()
  })

  it('lets calls pass again by the link in the tooltip', async () => {
    const tooltip = await window.openTooltip()
    await window.picture('4-stopped-tooltip')
    await tooltip.getByRole('link', { name: 'Resume' }).click()
    await window.spendShows(/^€0\.\d\d · /)
    await window.toast(/pass the gate again/)
    await window.page.mouse.move(400, 200)
    await window.clearToasts()
  })

  for (const [place, stop] of [
    ['the tooltip', async () => (await window.openTooltip()).getByRole('link', { name: 'Stop all calls' }).click()],
    [
      'the menu',
      async () => {
        await window.spendItem.click()
        await window.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'Stop all calls' }).click()
      },
    ],
    [
      'the title bar of the Spend view',
      async () => {
        await window.command('Tollgate: Focus on Spend View')
        await window.page
          .locator('.part.sidebar')
          .getByRole('button', { name: /Stop All Model Calls/ })
          .click()
      },
    ],
  ] as const) {
    it(`stops several calls by one click: in ${place}`, async () => {
      const before = upstream.generations.length
      await window.typeLine(`node agent.mjs "${prompts.slow}" & node agent.mjs "${prompts.slow}"`)
      await upstream.waitForRequests(before + 2, 30_000)
      const running = upstream.generations.slice(before)
      await stop()
      await window.spendShows(/^model calls stopped$/)
      await window.toast(/2 calls stopped in [1-9]\d* ms/)
      for (const call of running) assert.equal((await upstream.waitForClose(call, 10_000)).finished, false)
      await window.command('Tollgate: Resume Model Calls')
      await window.spendShows(/^€0\.\d\d · /)
      await window.page.mouse.move(400, 200)
      await window.clearToasts()
    })
  }

  it('I01: warns once when a local model answered on a truncated prompt', async () => {
    await window.typeLine('node ollamaAgent.mjs')
    const toast = await window.toast(/qwen3:4b read only /)
    assert.match(await toast.innerText(), /num_ctx/)
    await window.picture('5-truncated')
    await window.clearToasts()
  })

  it('halts an agent that loops in a guarded terminal, leads there, and knows the terminal again after a reload', async () => {
    await window.command('Tollgate: New Guarded Terminal')
    await window.answer('(1/3)', '2')
    await window.answer('(2/3)', '3')
    await window.answer('(3/3)', '')
    await window.terminalIsNamed('ok · guarded · term-')
    await window.typeLine(`node loopingAgent.mjs "${prompts.pages}"`)
    const toast = await window.toast(/guarded terminal term-\d+-\d+ .*halted at its ceiling of 3 calls/)
    await window.terminalIsNamed('halted · guarded · term-')
    await window.picture('9-guarded-halted')
    await window.openTerminal()
    await toast.getByText('Show Terminal').click()
    await window.terminalIsNamed('halted · guarded · term-')
    await window.clearToasts()

    await window.page.reload()
    await window.ready()
    await window.spendShows(/^€0\.\d\d · /)
    await window.selectTerminal('guarded')
    await window.terminalIsNamed('halted · guarded · term-')
    const tooltip = await window.openTooltip()
    await tooltip.getByRole('link', { name: 'Resume' }).click()
    await window.page.mouse.move(400, 200)
    await window.terminalIsNamed('ok · guarded · term-')
    await window.picture('10-guarded-resumed')
    await window.typeLine('exit')
    await window.page.locator('.terminal-tabs-entry').filter({ hasText: 'guarded' }).waitFor({ state: 'detached' })
    await window.clearToasts()
  })

  it('takes a cap from the settings page and warns when it is close', async () => {
    await window.command('Tollgate: Open Cap Settings')
    await window.setNumber('Caps: Daily Eur', '0.30')
    await window.spendShows(/^€0\.\d\d\/0\.30 · /)
    await window.closeSettings()
    await window.picture('6-close')
  })

  it('refuses at the cap, says so once and leads to the setting', async () => {
    await window.typeLine(`node agent.mjs "${prompts.dear}"`)
    await window.typeLine(`node agent.mjs "${prompts.dear}"`)
    await window.spendShows(/^cap reached · €0\.30$/)
    const toast = await window.toast(/budget is used up: €0\.30 a day for you/)
    await window.picture('7-cap-reached')
    await toast.getByText('Change Cap…').click()
    await window.page.locator('.settings-editor').getByText('Most that a day may cost').first().waitFor()
    await window.picture('8-settings')
    await window.closeSettings()
  })

  it('has a page in the Extensions view on which no picture is broken and no link leads nowhere', async () => {
    await window.command('Extensions: Show Installed Extensions')
    await window.page.locator('.extensions-list .monaco-list-row').filter({ hasText: 'Tollgate' }).click()
    const page = window.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame')
    // The last section: all of the README is there.
    await page.getByRole('heading', { name: 'What it does not do yet' }).waitFor()
    await window.picture('11-page')
    const pictures = await page.locator('img').evaluateAll(async (all) => {
      const shown = all as unknown as { alt: string; naturalWidth: number; decode(): Promise<void> }[]
      // A picture may still be on its way; one that is broken cannot be decoded.
      await Promise.allSettled(shown.map((one) => one.decode()))
      return shown.map(({ alt, naturalWidth }) => ({ alt, naturalWidth }))
    })
    assert.deepEqual(
      pictures.filter(({ naturalWidth }) => naturalWidth === 0),
      [],
    )
    const links = await page.locator('a').evaluateAll((all) => {
      const shown = all as unknown as { getAttribute(name: 'href'): string | null }[]
      // VS Code takes away an address that it would not follow.
      return shown.map((one) => one.getAttribute('href') ?? '')
    })
    for (const link of links) assert.match(link, /^(?:#|https:)/)
  })

  it('brings the documents that its page names', async () => {
    await window.command('Tollgate: Open Documentation…')
    const list = window.page.locator('.quick-input-list .monaco-list-row')
    await list.filter({ hasText: 'configuration.md' }).click()
    const preview = window.page.locator('iframe.webview.ready').last().contentFrame().locator('iframe#active-frame')
    await preview.contentFrame().getByRole('heading', { name: 'Configuration', exact: true }).waitFor()
    await window.picture('12-documentation')
  })
})
