import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { callDaemon } from '../../extension/daemon/api.ts'
import type { DiscoveryRecord } from '../../shared/protocol.ts'
import type { CallRow, Status } from '../../shared/status.ts'
import { eventually } from '../integration/harness/eventually.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { gateRecord } from '../vscode/host/profile.ts'
import type { Profile } from '../vscode/host/profile.ts'
import { heldProviders } from './heldProviders.ts'
import { useStand } from './stand.ts'
import type { Stand } from './stand.ts'
import type { Workbench } from './workbench.ts'

/** The longest wait for something that takes a program's start, in milliseconds. */
export const longestWaitMs = 60_000

/** Two windows of one VS Code, and the gate behind them. */
export interface TwoWindows {
  readonly stand: Stand
  readonly upstream: Upstream
  readonly profile: Profile
  /** Has the focus at first. */
  readonly a: Workbench
  readonly b: Workbench
  record(): DiscoveryRecord
  status(): Promise<Status>
  calls(): Promise<readonly CallRow[]>
  /** Waits until both windows show the same text, one like this. */
  bothShow(pattern: RegExp): Promise<string>
  /** Changes a setting of the machine, of which both windows hear. */
  setMachineSetting(name: string, value: unknown): void
  /** Says whether slow answers are slow from now on. */
  hold(isHeld: boolean): void
}

/**
 * Opens two windows before the tests of a suite, on a folder with an agent that has the plain SDK; what it returns gives them to the
 * tests. The providers are `heldProviders`, held at first. Each step of the suite stands on the one before. A failed one leaves
 * pictures of both windows under the suite's `name`.
 */
export function useTwoWindows(suite: Mocha.Suite, name: string, vsix: () => Promise<string>): () => TwoWindows {
  suite.timeout(240_000)
  suite.bail(true)
  let isHeld = true
  let windows: TwoWindows | undefined
  const stand = useStand(async () => ({
    extension: { vsix: await vsix() },
    play: () => heldProviders(() => isHeld),
    prepare: ({ workspace }) => {
      copyFileSync(join('test', 'e2e', 'agent.mjs'), join(workspace, 'agent.mjs'))
      mkdirSync(join(workspace, 'node_modules'))
      symlinkSync(resolve('node_modules', 'openai'), join(workspace, 'node_modules', 'openai'), 'dir')
    },
  }))

  before(async () => {
    const a = await stand().openWindow()
    const b = await stand().openWindow()
    for (const window of [b, a]) {
      await window.spendShows(/€/)
      await giveFocus(window)
    }
    windows = {
      ...openedOn(stand(), a, b),
      hold: (held) => {
        isHeld = held
      },
    }
  })

  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return
    await windows?.a.picture(`${name}-failed-a`)
    await windows?.b.picture(`${name}-failed-b`)
  })
  return () => windows!
}

/**
 * Gives a window the focus, clears its notifications and waits until its extension knows: what it answers comes after it has told the gate, which lets the window
 * with the focus say things.
 */
export async function giveFocus(window: Workbench): Promise<void> {
  await window.focus()
  await window.command('Tollgate: Show All Messages Again')
  await window.toast(/No message was silenced/)
  await window.clearToasts()
  // That one counts among the three that VS Code shows within 800 ms.
  await window.page.waitForTimeout(1000)
}

/** Asks the model in a window's terminal; gives what the agent wrote. */
export function ask(window: Workbench, prompt = 'Hello'): Promise<string> {
  return window.run(`node agent.mjs "${prompt}"`)
}

function openedOn(stand: Stand, a: Workbench, b: Workbench): Omit<TwoWindows, 'hold'> {
  const { upstream, profile } = stand
  const record = (): DiscoveryRecord => {
    const found = gateRecord(profile)
    assert.ok(found, 'there is no record of a gate')
    return found
  }
  return {
    stand,
    upstream,
    profile,
    a,
    b,
    record,
    status: async () => (await callDaemon(record(), 'GET', '/api/status')) as Status,
    calls: async () =>
      ((await callDaemon(record(), 'GET', '/api/calls?since=0&limit=100')) as { calls: readonly CallRow[] }).calls,
    setMachineSetting: (name, value) => {
      const file = join(profile.serverDataDir, 'data', 'Machine', 'settings.json')
      const settings = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>
      writeFileSync(file, JSON.stringify({ ...settings, [name]: value }))
    },
    bothShow: (pattern) =>
      eventually(
        `both windows to show ${String(pattern)}`,
        async () => {
          const [left, right] = await Promise.all([a, b].map((window) => window.spendShows(pattern, longestWaitMs)))
          return left !== undefined && left === right ? left : null
        },
        longestWaitMs,
      ),
  }
}
