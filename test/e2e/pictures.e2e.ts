import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gateUrl } from '../../shared/addresses.ts'
import { startUpstream } from '../upstream/upstream.ts'
import { gateRecord } from '../vscode/host/profile.ts'
import type { Profile } from '../vscode/host/profile.ts'
import { prompts } from '../vscode/host/prompts.ts'
import { growingTask, seedLedger } from './dashboardLedger.ts'
import { packVsix, useStand } from './stand.ts'
import type { Played } from './stand.ts'
import type { Workbench } from './workbench.ts'

/** A call of the day that is played: who makes it, what it reports. */
interface PlayedCall {
  readonly upstream: 'openai' | 'anthropic'
  readonly model: string
  readonly task: string
  readonly project: string
  readonly inputTokens: number
  readonly outputTokens: number
}

/** What the agent of the picture is asked; its answer takes half a minute. */
const releaseNotes = 'Write the release notes.'
const windowSize = { width: 1100, height: 720 }
const dayMs = 86_400_000

/**
 * The pictures of the README, of the packed extension in an empty VS Code, as its users see it. They land in
 * `artifacts/`; `npm run pictures` also takes them over (`keepPictures.ts`). Needs `node esbuild.mjs --production` before.
 */
describe('the pictures of the README', function () {
  this.timeout(120_000)
  this.bail(true)
  const stand = useStand(async () => ({
    extension: { vsix: await packVsix() },
    play: playedDay,
    prepare: async (profile) => {
      // The month before this day, which the tests play.
      await seedLedger(profile.dataDir, Date.now() - dayMs)
      furnish(profile)
    },
    view: { viewport: windowSize, deviceScaleFactor: 1.5 },
  }))
  let profile: Profile
  let window: Workbench

  before(async () => {
    ;({ profile } = stand())
    window = await stand().openWindow()
    await window.spendShows(/€/)
  })

  afterEach(async function () {
    if (this.currentTest?.isFailed()) await window.picture('pictures-failed')
  })

  const call = async (asked: PlayedCall): Promise<unknown> => {
    const { url, key } = gateRecord(profile)!
    const base = gateUrl({ origin: url, key, task: asked.task, project: asked.project }, asked.upstream)
    const content = `in=${asked.inputTokens} out=${asked.outputTokens} of ${asked.task}`
    const path = asked.upstream === 'openai' ? '/v1/chat/completions' : '/v1/messages'
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer sk-test',
        'x-api-key': 'sk-test',
        'anthropic-version': '2023-06-01',
      },
      body: JSON.stringify({
        model: asked.model,
        max_tokens: 2000,
        stream: true,
        messages: [{ role: 'user', content }],
      }),
    })
    return response.text()
  }

  const guardedTerminal = async (eur: string, calls: string): Promise<void> => {
    await window.command('Tollgate: New Guarded Terminal')
    await window.answer('(1/3)', eur)
    await window.answer('(2/3)', calls)
    await window.answer('(3/3)', '')
    await window.terminalIsNamed('ok · guarded · term-')
    await window.page.locator('.terminal-wrapper.active .xterm-rows').filter({ hasText: '$' }).waitFor()
  }

  const widenSideBar = async (px: number): Promise<void> => {
    const { mouse } = window.page
    const { x, y, width } = (await window.page.locator('.part.sidebar').boundingBox())!
    await mouse.move(x + width, y + 300)
    await mouse.down()
    await mouse.move(x + width + px, y + 300, { steps: 5 })
    await mouse.up()
  }

  const chooseTheme = async (theme: string): Promise<void> => {
    await window.page.keyboard.press('Control+K')
    await window.page.keyboard.press('Control+T')
    await window.page.locator('.quick-input-widget input:visible').fill(theme)
    await window.page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: theme }).waitFor()
    await window.page.keyboard.press('Enter')
    await window.page.locator('.quick-input-widget').waitFor({ state: 'hidden' })
  }

  /** Ends the shell; with the last terminal the panel goes too. */
  const leaveTerminal = async (): Promise<void> => {
    await window.typeLine('exit')
    await window.page.locator('.part.panel').waitFor({ state: 'hidden' })
  }

  it('truncated: the message about a local model that read a part of its prompt', async () => {
    await window.command('View: Close Primary Side Bar')
    await guardedTerminal('', '')
    await window.typeLine('node ollamaAgent.mjs')
    const toast = await window.toast(/qwen3:4b read only /)
    await window.picture('readme-truncated', toast)
    await window.clearToasts()
    await leaveTerminal()
  })

  it('loop: the message that halts an agent in a guarded terminal', async () => {
    await guardedTerminal('2', '40')
    await window.page.setViewportSize({ width: 1000, height: 430 })
    await window.command('View: Toggle Maximized Panel')
    await window.typeLine(`node loopingAgent.mjs "${prompts.loop}"`)
    await window.toast(/guarded terminal term-\d+-\d+ .*is halted: it called the tool read_page 3 times/)
    await window.terminalIsNamed('halted · guarded · term-')
    await window.page.locator('.xterm-rows').filter({ hasText: 'Stopped: ' }).waitFor()
    await window.picture('readme-loop')
    await window.clearToasts()
    await window.command('View: Toggle Maximized Panel')
    await leaveTerminal()
    await window.page.setViewportSize(windowSize)
  })

  it('spend: the Spend view and the tooltip while an agent runs', async () => {
    const shop = { upstream: 'openai', model: 'gpt-4o', task: 'fix-basket', project: 'checkout-bot' } as const
    const docs = { upstream: 'anthropic', model: 'claude-sonnet-4-5', task: 'write-docs', project: 'handbook' } as const
    for (let turn = 1; turn <= 20; turn += 1) {
      await call({ ...shop, inputTokens: 4000 + 1500 * turn, outputTokens: 180 })
    }
    for (let turn = 1; turn <= 6; turn += 1) {
      await call({ ...docs, inputTokens: 21_000 + 2000 * turn, outputTokens: 420 })
    }
    await guardedTerminal('2', '40')
    await window.typeLine(`node agent.mjs "${releaseNotes}"`)
    await window.page.locator('.xterm-rows').filter({ hasText: 'The model answers.' }).waitFor()
    await window.command('Tollgate: Focus on Spend View')
    await widenSideBar(90)
    await window.page.getByRole('treeitem', { name: /^Task fix-basket .*near its ceiling/ }).waitFor()
    const tooltip = await window.openTooltip()
    assert.match(await tooltip.innerText(), /Running \(1\)/)
    await window.picture('readme-spend')
    await window.page.mouse.move(400, 200)
  })

  it('dashboard: a month of calls, and the turns of a task', async () => {
    await window.page.setViewportSize({ width: 1100, height: 1040 })
    await window.command('View: Close Panel')
    await window.command('View: Close Primary Side Bar')
    await chooseTheme('Dark Modern')
    await window.command('Tollgate: Open Dashboard')
    const page = window.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame')
    await page.getByLabel('Task', { exact: true }).selectOption({ label: growingTask.id })
    await page.getByText(`${growingTask.id}: ${growingTask.turns} turns`).waitFor()
    await window.clearToasts()
    await window.picture('readme-dashboard')
  })
})

/** What the workspace of the pictures has: agents, and a shell whose prompt says nothing about the machine. */
function furnish({ workspace, serverDataDir }: Profile): void {
  for (const agent of ['agent.mjs', 'ollamaAgent.mjs', 'loopingAgent.mjs']) {
    copyFileSync(join('test', 'e2e', agent), join(workspace, agent))
  }
  mkdirSync(join(workspace, 'node_modules'))
  symlinkSync(resolve('node_modules', 'openai'), join(workspace, 'node_modules', 'openai'), 'dir')
  const file = join(serverDataDir, 'data', 'Machine', 'settings.json')
  const settings = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  writeFileSync(
    file,
    JSON.stringify({
      ...settings,
      'terminal.integrated.profiles.linux': { plain: { path: 'bash', args: ['--norc', '--noprofile'] } },
      'terminal.integrated.defaultProfile.linux': 'plain',
      'terminal.integrated.env.linux': { PS1: '$ ' },
    }),
  )
}

/** Providers that report as the prompt says. */
async function playedDay(): Promise<Played> {
  const upstream = await startUpstream()
  upstream.script((request) => {
    const body = request.body.toString('utf8')
    if (body.includes(releaseNotes)) return { inputTokens: 18_400, outputTokens: 600, chunkDelayMs: 50 }
    if (body.includes(prompts.loop)) return { toolCall: { name: 'read_page', arguments: { page: 3 } } }
    const asked = /in=(\d+) out=(\d+)/.exec(body)
    if (!asked) return undefined
    const [inputTokens, outputTokens] = asked.slice(1).map(Number)
    return { inputTokens: inputTokens!, outputTokens: outputTokens!, chunkDelayMs: 0 }
  })
  const { openai, anthropic, ollama } = upstream.baseUrls
  const gateConfig = {
    timezone: 'Europe/Berlin',
    upstreams: {
      openai: { baseUrl: openai, dialect: 'openai' },
      anthropic: { baseUrl: anthropic, dialect: 'anthropic' },
      ollama: { baseUrl: ollama, dialect: 'ollama', free: true },
    },
  }
  return { upstream, gateConfig }
}
