import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readHealth } from '../../extension/daemon/api.ts'
import { gateUrl } from '../../shared/addresses.ts'
import type { DiscoveryRecord } from '../../shared/protocol.ts'
import type { CallRow, Status } from '../../shared/status.ts'
import { eventually } from '../integration/harness/eventually.ts'
import type { RecordedRequest } from '../upstream/recorded.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { prompts } from '../vscode/host/prompts.ts'
import { gateRecord } from '../vscode/host/profile.ts'
import type { Profile } from '../vscode/host/profile.ts'
import { gateProcesses } from './gateProcesses.ts'
import { slowPieces } from './heldProviders.ts'
import { packVsixAs, presentVersion } from './newerVsix.ts'
import { packVsix } from './stand.ts'
import { ask, longestWaitMs, useTwoWindows } from './twoWindows.ts'
import type { TwoWindows } from './twoWindows.ts'
import type { Workbench } from './workbench.ts'

const newerVersion = presentVersion.replace(/\d+$/, (patch) => String(Number(patch) + 1))
/** How long it is watched that nothing happens: several times what a window waits before it replaces a gate. */
const watchedMs = 10_000

/**
 * A newer VSIX is installed while an agent's answer runs: the running gate finishes it, then the newer one takes its place.
 * Window `a` is loaded anew after each installation, as VS Code asks; window `b` keeps the extension that it began with.
 * Needs `node esbuild.mjs --production` before.
 */
describe('an upgrade of the extension', function () {
  let olderVsix = ''
  let newerVsix = ''
  const opened = useTwoWindows(this, 'upgrade', async () => {
    olderVsix = await packVsix()
    newerVsix = await packVsixAs(newerVersion)
    return olderVsix
  })
  let windows: TwoWindows
  let upstream: Upstream
  let profile: Profile
  let a: Workbench
  let b: Workbench
  /** The gate that the older extension started. */
  let older: DiscoveryRecord
  let newer: DiscoveryRecord
  let slow: RecordedRequest

  before(() => {
    windows = opened()
    ;({ upstream, profile, a, b } = windows)
  })

  const record = (): DiscoveryRecord => windows.record()
  const status = (): Promise<Status> => windows.status()
  const calls = (): Promise<readonly CallRow[]> => windows.calls()
  const bothShow = (pattern: RegExp): Promise<string> => windows.bothShow(pattern)
  const reload = async (window: Workbench): Promise<void> => {
    await window.page.reload()
    await window.ready()
    await window.spendShows(/^€/, longestWaitMs)
  }
  const isOnlyGate = async (pid: number): Promise<void> => {
    await eventually('one gate', async () => ((await gateProcesses(profile)).length === 1 ? true : null))
    assert.deepEqual(await gateProcesses(profile), [pid])
  }
  const olderFolder = (): string => join(profile.extensionsDir, `tollgate.tollgate-${presentVersion}`)
  const copies = (): readonly string[] =>
    readdirSync(join(profile.serverDataDir, 'data', 'User', 'globalStorage', 'tollgate.tollgate', 'daemon'))

  it('begins with a gate of the older version', async () => {
    await bothShow(/^€0\.00 · 0$/)
    older = record()
    assert.equal(older.version, presentVersion)
    assert.equal((await readHealth(older.url, 5000))?.version, presentVersion)
    for (const window of [b, a]) {
      await window.focus()
      await window.openTerminal()
    }
    assert.match(await ask(a, prompts.dear), /Done: \d+ pieces/)
    await bothShow(/^€0\.94 · 402k$/)
    await isOnlyGate(older.pid)
  })

  it('leaves the gate alone while an answer runs, shows its figures and says what waits', async () => {
    await a.typeLine(`node agent.mjs "${prompts.slow}"`)
    slow = await upstream.waitForRequests(2, longestWaitMs)
    await eventually('the answer to begin', async () =>
      ((await status()).inFlight[0]?.outputTokens ?? 0) > 0 ? true : null,
    )
    await windows.stand.install(newerVsix)
    assert.equal(installedVersion(profile), newerVersion)
    await reload(a)
    const tooltip = await a.openTooltip()
    const waits = `An older Tollgate (${presentVersion}) is busy. It is replaced when its calls have ended.`
    await tooltip.getByText(waits).waitFor()
    assert.match(await tooltip.innerText(), /Running \(1\)/)
    await a.picture('upgrade-1-waiting')
    await a.page.mouse.move(400, 200)
    assert.equal(slow.closed, null)
    await isOnlyGate(older.pid)
    assert.deepEqual(await a.toasts(), [])
  })

  it('does not need the older extension any more for what the gate loads late', async () => {
    rmSync(olderFolder(), { recursive: true, force: true })
    const { key, url } = older
    const base = gateUrl({ origin: url, key, task: null, project: null }, 'openai')
    // A body of this size is read in a thread of its own, which begins with the gate's program file.
    const content = 'word '.repeat(400_000)
    const body = JSON.stringify({ model: 'gpt-4.1', max_tokens: 10, messages: [{ role: 'user', content }] })
    const response = await fetch(`${base}/v1/chat/completions`, { method: 'POST', body })
    assert.equal(response.status, 200, await response.text())
    assert.ok(!existsSync(olderFolder()))
    assert.equal(record().pid, older.pid)
    assert.equal(slow.closed, null)
  })

  it('finishes the answer, then the newer gate takes over: same address, same ledger, and the windows show no gap', async () => {
    const noted = await Promise.all([a, b].map((window) => window.noteSpend()))
    windows.hold(false)
    const screen = a.page.locator('.terminal-wrapper.active .xterm-rows')
    await screen.filter({ hasText: `Done: ${slowPieces} pieces.` }).waitFor({ timeout: longestWaitMs })
    assert.equal((await upstream.waitForClose(slow, longestWaitMs)).finished, true)
    newer = await eventually(
      'the newer gate',
      () => {
        const found = gateRecord(profile)
        return found?.version === newerVersion ? found : null
      },
      longestWaitMs,
    )
    assert.notEqual(newer.pid, older.pid)
    assert.deepEqual([newer.url, newer.key], [older.url, older.key])
    assert.equal((await readHealth(newer.url, 5000))?.version, newerVersion)
    await isOnlyGate(newer.pid)

    const slowSent = upstream.generations.filter((one) => one.body.includes(prompts.slow))
    assert.equal(slowSent.length, 1)
    const slowRows = (await calls()).filter((call) => call.usage.output === slowPieces)
    assert.deepEqual(
      slowRows.map((call) => [call.outcome, call.settlement]),
      [['ok', 'exact']],
    )
    const rows = await calls()
    const { today, integrity } = await status()
    const spentEur = rows.reduce((sum, call) => sum + call.eur, 0)
    assert.ok(Math.abs(today.spentEur - spentEur) < 1e-6, `${today.spentEur} and ${spentEur}`)
    assert.equal(rows.length, 3)
    assert.deepEqual([today.calls, today.reservedEur, integrity.orphaned, integrity.drift], [3, 0, 0, []])

    await bothShow(new RegExp(`^€${today.spentEur.toFixed(2)} · `))
    for (const texts of await Promise.all(noted.map((read) => read()))) {
      for (const text of texts) assert.match(text, /^€\d\.\d\d · [\d.]+k$/, texts.join(' | '))
    }
    await a.picture('upgrade-2-newer-a')
    await b.picture('upgrade-2-newer-b')
    assert.deepEqual([...(await a.toasts()), ...(await b.toasts())], [])
  })

  it('removes the copy of the older gate', async () => {
    const left = await eventually('one copy', () => (copies().length === 1 ? copies() : null))
    assert.match(left[0] ?? '', new RegExp(`^${newerVersion}-`))
  })

  it('lets terminals of before go on', async () => {
    await a.focus()
    assert.match(await ask(a), /Done: \d+ pieces/)
    assert.equal((await calls()).length, 4)
  })

  it('has brought them the newer command, which asks the newer gate', async () => {
    const printed = await a.run('tollgate --version && tollgate status --json | grep -c drift')
    assert.equal(printed.replace(/\s/g, ''), `${newerVersion}1`)
  })

  it('leaves a window with the older extension at the newer gate, which it does not replace', async () => {
    await b.focus()
    assert.match(await ask(b, prompts.dear), /Done: \d+ pieces/)
    assert.equal((await calls()).length, 5)
    const { today } = await status()
    await bothShow(new RegExp(`^€${today.spentEur.toFixed(2)} · `))
    assert.equal(record().pid, newer.pid)
  })

  it('is not taken back by the older VSIX: it attaches to the newer gate and nobody fights', async () => {
    await a.focus()
    await windows.stand.install(olderVsix)
    assert.equal(installedVersion(profile), presentVersion)
    await reload(a)
    assert.match(await ask(a), /Done: \d+ pieces/)
    const untilMs = Date.now() + watchedMs
    while (Date.now() < untilMs) {
      assert.deepEqual(await gateProcesses(profile), [newer.pid])
      assert.equal(record().pid, newer.pid)
      await a.page.waitForTimeout(500)
    }
    assert.equal((await calls()).length, 6)
    const { today } = await status()
    await bothShow(new RegExp(`^€${today.spentEur.toFixed(2)} · `))
    const tooltip = await a.openTooltip()
    assert.doesNotMatch(await tooltip.innerText(), /older Tollgate/)
    await a.picture('upgrade-3-downgraded')
    assert.deepEqual([...(await a.toasts()), ...(await b.toasts())], [])
    assert.equal(copies().length, 1)
    assert.equal((await a.run('tollgate --version')).trim(), newerVersion)
  })
})

/** Version of Tollgate that a window gets when it is loaded now. */
function installedVersion({ extensionsDir }: Profile): string | undefined {
  const text = readFileSync(join(extensionsDir, 'extensions.json'), 'utf8')
  const all = JSON.parse(text) as readonly { readonly identifier: { readonly id: string }; readonly version: string }[]
  return all.find(({ identifier }) => identifier.id === 'tollgate.tollgate')?.version
}
