import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'

const artifactsDir = 'artifacts'

/** Runs in the page: keeps the texts of an element that VS Code may make anew. */
const noteTexts = `(id) => {
  const text = () => (document.getElementById(id)?.textContent ?? '').replace(/\\u00a0/g, ' ').trim()
  const noted = [text()]
  globalThis.notedTexts = noted
  new MutationObserver(() => {
    if (noted.at(-1) !== text()) noted.push(text())
  }).observe(document.querySelector('.statusbar'), { childList: true, subtree: true, characterData: true })
}`

/** Runs in the page: tells the notifications that are there from those that come. */
const markToasts = `for (const toast of document.querySelectorAll('.notifications-toasts .notification-list-item')) {
  toast.classList.add('is-of-before')
}`

/** VS Code in a browser page, as a person sees and uses it. */
export class Workbench {
  readonly page: Page
  /** Tollgate's item in the status bar. */
  readonly spendItem: Locator
  /** How many lines were run in terminals. */
  #lines = 0

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

  /**
   * Gives the window the focus, as a click on it does, and takes it from the others. A page that nobody gave it believes to have it
   * always: a driver pretends that to every page.
   */
  async focus(): Promise<void> {
    const session = await this.page.context().newCDPSession(this.page)
    await session.send('Emulation.setFocusEmulationEnabled', { enabled: false })
    await this.page.bringToFront()
    await this.page.waitForFunction('document.hasFocus()')
  }

  /** Notes every text that the item shows from now on; what it returns gives them in order, the present one first. */
  async noteSpend(): Promise<() => Promise<readonly string[]>> {
    const id = await this.spendItem.getAttribute('id')
    // A text is evaluated as it is; only a function would be called.
    await this.page.evaluate(`(${noteTexts})(${JSON.stringify(id)})`)
    return () => this.page.evaluate<readonly string[]>('globalThis.notedTexts')
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

  /**
   * Types a line into the terminal that has the keyboard. A terminal that is being attached anew loses keys, so the line is sent only
   * once it stands there.
   */
  async typeLine(line: string): Promise<void> {
    const terminal = this.page.locator('.terminal-wrapper.active')
    for (let attempt = 1; ; attempt++) {
      await terminal.locator('.xterm-helper-textarea').first().focus()
      await this.page.keyboard.type(line)
      if (await this.#standsAtEnd(terminal, line)) break
      if (attempt === 5) throw new Error(`The terminal did not take "${line}".`)
      await this.page.keyboard.press('Control+U')
    }
    await this.page.keyboard.press('Enter')
  }

  /** Whether the terminal comes to end with the whole line; blanks do not count, because one can fall to the end of a row. */
  async #standsAtEnd(terminal: Locator, line: string): Promise<boolean> {
    const dense = (text: string): string => text.replace(/\s/g, '')
    for (let look = 0; look < 30; look++) {
      const text = (await terminal.locator('.xterm-rows').first().textContent()) ?? ''
      if (dense(text).endsWith(dense(line))) return true
      await this.page.waitForTimeout(100)
    }
    return false
  }

  /** Runs a line in the terminal that has the keyboard; gives what it wrote, without line ends, once it is done. */
  async run(line: string): Promise<string> {
    const end = await this.begin(line)
    return end()
  }

  /** Begins to run a line in the terminal; what it returns waits for its end and gives what it wrote, without line ends. */
  async begin(line: string): Promise<() => Promise<string>> {
    this.#lines += 1
    const [typed, written] = [`end-$((${this.#lines}))`, `end-${this.#lines}`]
    await this.typeLine(`${line}; echo ${typed}`)
    // A second one sticks to the top when there is more than fits.
    const rows = this.page.locator('.terminal-wrapper.active .xterm-rows').first()
    return async () => {
      await rows.filter({ hasText: written }).waitFor({ timeout: 60_000 })
      const text = ((await rows.textContent()) ?? '').replace(/\u00a0/g, ' ')
      return text.slice(text.lastIndexOf(typed) + typed.length, text.lastIndexOf(written))
    }
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

  /** Waits until the number at the icon of the Spend view says how many calls were blocked. */
  async blockedCalls(count: number): Promise<void> {
    const badge = this.page.locator('.activitybar .badge-content').filter({ hasText: new RegExp(`^${count}$`) })
    await badge.waitFor({ timeout: 30_000 })
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

  /** The texts of the notifications that are shown now; one that nobody closed leaves after some seconds. */
  async toasts(): Promise<readonly string[]> {
    return this.page.locator('.notifications-toasts .notification-list-item').allInnerTexts()
  }

  /** Opens the list of notifications, where those are that left the screen by themselves; gives its entries. */
  async openNotifications(): Promise<Locator> {
    await this.command('Notifications: Show Notifications')
    await this.page.locator('.notifications-center.visible').waitFor()
    return this.page.locator('.notifications-center .notification-list-item')
  }

  /** The texts of all notifications that were not closed. */
  async notifications(): Promise<readonly string[]> {
    const texts = await (await this.openNotifications()).allInnerTexts()
    await this.command('Notifications: Hide Notifications')
    await this.page.locator('.notifications-center.visible').waitFor({ state: 'hidden' })
    return texts
  }

  /** Closes what notifications there are, and waits until that is done: one that comes then stays. */
  async clearToasts(): Promise<void> {
    await this.page.evaluate(markToasts)
    await this.command('Notifications: Clear All Notifications')
    await this.page.locator('.quick-input-widget').first().waitFor({ state: 'hidden' })
    await this.page.locator('.notifications-toasts .is-of-before').first().waitFor({ state: 'detached' })
  }

  /** Keeps a picture of the whole window or of a part, after hovers and notifications have come to rest. */
  async picture(name: string, part: Locator | Page = this.page): Promise<void> {
    mkdirSync(artifactsDir, { recursive: true })
    await this.page.waitForTimeout(600)
    await part.screenshot({ path: join(artifactsDir, `${name}.png`) })
  }
}
