import assert from 'node:assert/strict'
import { callDaemon } from '../../extension/daemon/api.ts'
import { gateUrl } from '../../shared/addresses.ts'
import { eventually } from '../integration/harness/eventually.ts'
import { prompts } from '../vscode/host/prompts.ts'
import { packVsix } from './stand.ts'
import { giveFocus, longestWaitMs, useTwoWindows } from './twoWindows.ts'
import type { TwoWindows } from './twoWindows.ts'
import type { Workbench } from './workbench.ts'

/** Runs in the page: texts of the buttons of notifications that are wider than what is shown of them. */
const cutOffButtons = `[...document.querySelectorAll('.notification-list-item-buttons-container .monaco-button')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent)`

/**
 * Messages as VS Code shows them: which it takes off the screen by itself, which it keeps, and what is said beside those. Needs
 * `node esbuild.mjs --production` before.
 */
describe('the messages in two windows', function () {
  const opened = useTwoWindows(this, 'messages', packVsix)
  let windows: TwoWindows
  let a: Workbench
  let b: Workbench

  before(() => {
    windows = opened()
    ;({ a, b } = windows)
  })

  const control = (path: string, body?: object): Promise<unknown> => callDaemon(windows.record(), 'POST', path, body)
  /** One call of a task; gives the code of a refusal. */
  async function call(prompt: string, task: string | null = null): Promise<string | null> {
    const { url, key } = windows.record()
    const response = await fetch(`${gateUrl({ origin: url, key, task }, 'openai')}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-test' },
      body: JSON.stringify({ model: 'gpt-4o', max_tokens: 4000, messages: [{ role: 'user', content: prompt }] }),
    })
    await response.text()
    return response.headers.get('x-tollgate-code')
  }
  /** Lets a task run into its ceiling of one call. */
  async function halt(task: string): Promise<void> {
    await control('/api/tasks', { id: task, iterations: 1 })
    assert.equal(await call('Hello', task), null)
    assert.equal(await call('Hello', task), 'task_halted')
  }
  const toastsOf = ({ page }: Workbench) => page.locator('.notifications-toasts .notification-list-item')
  const cutOff = ({ page }: Workbench) => page.evaluate<readonly string[]>(cutOffButtons)

  it('ask whether a halted task may go on beside the warning before, which has left the screen unanswered', async () => {
    const spentEur = async (): Promise<number> => (await windows.status()).today.spentEur
    const before = await spentEur()
    assert.equal(await call(prompts.dear), null)
    await control('/api/tasks', { id: 'dear', eur: ((await spentEur()) - before) / 0.9 })
    assert.equal(await call(prompts.dear, 'dear'), null)
    await a.toast(/Task dear .*is close to its ceiling: €0\.\d\d of €1\.\d\d/)
    await a.picture('messages-1-constrained')
    await toastsOf(a).first().waitFor({ state: 'hidden', timeout: longestWaitMs })

    // What a call costs is known after it, so another one may pass.
    const isHalted = async () => ((await call(prompts.dear, 'dear')) === 'task_halted' ? true : null)
    await eventually('the halt', isHalted, longestWaitMs)
    await a.toast(/Task dear .*is halted at its ceiling of €1\.\d\d\. May it go on\?/)
    assert.deepEqual(await cutOff(a), [])
    await a.picture('messages-2-halted')
    // VS Code lets nobody close the one that does not matter any more, so both are in its list.
    const inA = await a.notifications()
    assert.equal(inA.length, 2)
    assert.match(inA[0] ?? '', /is halted/)
    await a.clearToasts()
  })

  it('ask about the next halt after another window let the task go on, and not about the one that is over', async () => {
    await halt('shared')
    const question = /Task shared .*is halted at its ceiling of 1 call\. May it go on\?/
    await a.toast(question)
    await b.focus()
    await control('/api/resume', { scope: 'task', ref: 'shared' })
    await giveFocus(a)
    await halt('shared')
    await a.toast(question)
    assert.equal((await a.notifications()).length, 1)
    await b.focus()
    assert.deepEqual(await b.notifications(), [])
    await giveFocus(a)
  })

  it('are at most three at once, and the next ones come when those are gone', async () => {
    const tasks = Array.from({ length: 5 }, (_, index) => `worker-${index + 1}`)
    await Promise.all(tasks.map(halt))
    const said = new Set<string>()
    const look = async (): Promise<number> => {
      const texts = await toastsOf(a).allInnerTexts()
      for (const text of texts) said.add(/worker-\d/.exec(text)?.[0] ?? text)
      return texts.length
    }
    await eventually('three messages', async () => ((await look()) === 3 ? true : null), longestWaitMs)
    await a.picture('messages-3-flood')
    assert.equal((await a.notifications()).length, 3)
    await a.clearToasts()
    await eventually('the others', async () => ((await look()) === 2 && said.size === 5 ? true : null), longestWaitMs)
    await a.clearToasts()
  })

  it('offer more for today where a month is used up, with what the task would come to', async () => {
    await control('/api/tasks', { id: 'nightly', iterations: 20 })
    for (let time = 0; time < 2; time += 1) assert.equal(await call(prompts.dear, 'nightly'), null)
    const { month } = await windows.status()
    // The window knows of both calls, and so of the forecast.
    await a.spendShows(new RegExp(`^€${month.spentEur.toFixed(2)} `))
    await control('/api/caps', { tenantMonthlyEur: Math.floor(month.spentEur * 100) / 100, until: 'midnight' })
    assert.equal(await call('Hello', 'nightly'), 'budget_exhausted')
    const toast = await a.toast(/budget is used up: €\d\.\d\d a month for the account/)
    assert.match(
      await toast.innerText(),
      /Without this cap, its task could make about \d+ more calls? and would have cost €/,
    )
    for (const button of ['Raise for Today…', 'Stop Task', "Don't Show Again"])
      assert.ok(await toast.getByText(button).isVisible(), button)
    assert.deepEqual(await cutOff(a), [])
    await a.picture('messages-4-month')
    await toast.getByText('Raise for Today…').click()
    await a.page.locator('.quick-input-widget').filter({ hasText: 'a month for the account' }).waitFor()
    await a.picture('messages-5-raise')
    await a.page.keyboard.press('Escape')
  })
})
