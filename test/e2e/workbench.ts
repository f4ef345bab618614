import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'

const artifactsDir = 'artifacts'

/** VS Code in a browser page, as a person sees and uses it. */
export class Workbench {
  readonly page: Page
  /** Tollgate's item in the status bar. */
  readonly spendItem: Locator

  constructor(page: Page) {
    this.page = page
    this.spendItem = page.locator('.statusbar-item[id="tollgate.tollgate.tollgate.spend"]')
  }

  /** Waits until the extension's item is there. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench').waitFor({ timeout: 60_000 })
    await this.spendItem.waitFor({ timeout: 60_000 })
  }

  /** Waits for a text of the item; icons have no text. */
  async spendShows(pattern: RegExp, timeoutMs = 30_000): Promise<string> {
    const untilMs = Date.now() + timeoutMs
    for (;;) {
      const text = ((await this.spendItem.textContent()) ?? '').replace(/\u00a0/g, ' ').trim()
      if (pattern.test(text)) return text
      if (Date.now() > untilMs) {
        await this.picture('failed')
        throw new Error(`The status bar shows "${text}", not ${String(pattern)}.`)
      }
      await this.page.waitForTimeout(100)
    }
  }

  /** Runs a command from the palette by its title. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('Control+Shift+P')
    const input = this.page.locator('.quick-input-widget input')
    await input.waitFor()
    await input.fill(`>${title}`)
    await this.page.locator('.quick-input-list .monaco-list-row').first().waitFor()
    await this.page.keyboard.press('Enter')
  }

  /** Answers the input box with this title. */
  async answer(title: string, value: string): Promise<void> {
    const box = this.page.locator('.quick-input-widget').filter({ hasText: title })
    await box.locator('input').first().fill(value)
    await this.page.keyboard.press('Enter')
  }

  /** Waits until the active terminal has such a name. */
  async terminalIsNamed(part: string): Promise<void> {
    const input = this.page.locator(`.terminal-wrapper.active textarea[aria-label*="${part}"]`)
    await input.first().waitFor({ state: 'attached', timeout: 20_000 })
  }

  /** Brings a terminal to the front by its entry in the list of terminals. */
  async selectTerminal(name: string): Promise<void> {
    await this.page.locator('.terminal-tabs-entry').filter({ hasText: name }).first().click()
  }

  /** Opens an integrated terminal and gives it the keyboard. */
  async openTerminal(): Promise<void> {
    await this.command('Terminal: Create New Terminal')
    await this.page.locator('.terminal-wrapper.active .xterm').waitFor({ timeout: 30_000 })
    await this.page
      .locator('.terminal-wrapper.active .xterm-rows')
      .filter({ hasText: /[#$%>]/ })
      .waitFor()
  }

  /** Types a line into the terminal that has the keyboard. */
  async typeLine(line: string): Promise<void> {
    await this.page.locator('.terminal-wrapper.active .xterm-helper-textarea').first().focus()
    await this.page.keyboard.type(line)
    await this.page.keyboard.press('Enter')
  }

  /** Types a number into a setting of the open settings page. */
  async setNumber(setting: string, value: string): Promise<void> {
    const item = this.page.locator('.settings-editor .setting-item-contents').filter({ hasText: setting }).first()
    await item.waitFor()
    await item.locator('input').fill(value)
  }

  /** Closes the settings page, which lies over the window and takes every key. */
  async closeSettings(): Promise<void> {
    const page = this.page.locator('.settings-editor')
    for (let attempt = 0; attempt < 5 && (await page.isVisible()); attempt++) {
      await this.page.keyboard.press('Escape')
      await this.page.waitForTimeout(300)
    }
    if (await page.isVisible()) await this.command('View: Close All Editors')
  }

  /** Points at the item until its tooltip is there. */
  async openTooltip(): Promise<Locator> {
    await this.page.mouse.move(400, 200)
    await this.spendItem.hover()
    const tooltip = this.page.locator('.monaco-hover:visible').filter({ hasText: 'Tollgate' })
    await tooltip.first().waitFor({ timeout: 10_000 })
    return tooltip.first()
  }

  /** A notification with this text. */
  async toast(pattern: RegExp): Promise<Locator> {
    const toast = this.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: pattern })
    await toast.first().waitFor({ timeout: 20_000 })
    return toast.first()
  }

  /** Closes what notifications there are. */
  async clearToasts(): Promise<void> {
    await this.command('Notifications: Clear All Notifications')
  }

  /** Keeps a picture of the whole window, after hovers and notifications have come to rest. */
  async picture(name: string): Promise<void> {
    mkdirSync(artifactsDir, { recursive: true })
    await this.page.waitForTimeout(600)
    await this.page.screenshot({ path: join(artifactsDir, `${name}.png`) })
  }
}
