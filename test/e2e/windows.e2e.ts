import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readHealth } from '../../extension/daemon/api.ts'
import type { DiscoveryRecord } from '../../shared/protocol.ts'
import type { CallRow, Status } from '../../shared/status.ts'
import { eventually } from '../integration/harness/eventually.ts'
import type { RecordedRequest } from '../upstream/recorded.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { prompts } from '../vscode/host/prompts.ts'
import { freePort, gateRecord } from '../vscode/host/profile.ts'
import type { Profile } from '../vscode/host/profile.ts'
import { gateProcesses } from './gateProcesses.ts'
import { slowPieces } from './heldProviders.ts'
import { packVsix } from './stand.ts'
import { ask, longestWaitMs, useTwoWindows } from './twoWindows.ts'
import type { TwoWindows } from './twoWindows.ts'
import type { Workbench } from './workbench.ts'

/**
 * Two windows of one VS Code and the one gate behind them: the same figures, one message for one thing, and a gate that dies.
 * The windows have the focus as on a desktop, one or the other. Needs `node esbuild.mjs --production` before.
 */
describe('two windows of one VS Code', function () {
  const opened = useTwoWindows(this, 'windows', packVsix)
  let windows: TwoWindows
  let upstream: Upstream
  let profile: Profile
  let a: Workbench
  let b: Workbench

  before(() => {
    windows = opened()
    ;({ upstream, profile, a, b } = windows)
  })

  const record = (): DiscoveryRecord => windows.record()
  const status = (): Promise<Status> => windows.status()
  const calls = (): Promise<readonly CallRow[]> => windows.calls()
  const bothShow = (pattern: RegExp): Promise<string> => windows.bothShow(pattern)
  /** Begins an answer that lasts until the test lets it end; `output` waits for the agent's end. */
  const askSlowly = async (
    window: Workbench,
  ): Promise<{ readonly request: RecordedRequest; readonly output: () => Promise<string> }> => {
    windows.hold(true)
    const before = upstream.generations.length
    const output = await window.begin(`node agent.mjs "${prompts.slow}"`)
    const request = await upstream.waitForRequests(before + 1, longestWaitMs)
    await eventually('the answer to begin', async () => ((await status()).inFlight[0]?.outputTokens ? true : null))
    return { request, output }
  }
  /** Kills the gate. One that another window began to start beside it must have seen that it comes too late, or it would take over. */
  const crash = async (): Promise<void> => {
    const { pid } = record()
    await eventually(
      'the gate to be the only one',
      async () => {
        const [first, ...others] = await gateProcesses(profile)
        return first === pid && others.length === 0 ? true : null
      },
      longestWaitMs,
    )
    process.kill(pid, 'SIGKILL')
  }
  /** Waits for the gate after the one with that process id. */
  const anotherGate = (pid: number): Promise<true> =>
    eventually(
      'another gate',
      async () => {
        const found = gateRecord(profile)
        if (found === undefined || found.pid === pid) return null
        return (await readHealth(found.url, 1000))?.pid === found.pid ? true : null
      },
      longestWaitMs,
    )
  /** What the windows have told and nobody closed, each with the focus; `a` has it afterwards. */
  const told = async (): Promise<{ readonly a: readonly string[]; readonly b: readonly string[] }> => {
    await b.focus()
    const inB = await b.notifications()
    await a.focus()
    return { a: await a.notifications(), b: inB }
  }
  const nothingIsTold = async (): Promise<void> => assert.deepEqual(await told(), { a: [], b: [] })

  it('share one gate and show the same figures', async () => {
    await bothShow(/^€0\.00 · 0$/)
    assert.deepEqual(await gateProcesses(profile), [record().pid])
    assert.equal((await readHealth(record().url, 5000))?.pid, record().pid)
    await a.openTerminal()
    assert.match(await ask(a, prompts.dear), /Done: \d+ pieces/)
    await bothShow(/^€0\.94 · 402k$/)
    await a.picture('windows-1-same-a')
    await b.picture('windows-1-same-b')
    assert.deepEqual(await gateProcesses(profile), [record().pid])
    await nothingIsTold()
  })

  it('say once that a cap is reached, in the window that has the focus, and both show it', async () => {
    await a.command('Tollgate: Open Cap Settings')
    await a.setNumber('Caps: Daily Eur', '0.94')
    await bothShow(/^€0\.94\/0\.94 · 402k$/)
    await a.closeSettings()
    const reached = upstream.generations.length
    assert.match(await ask(a, 'Hello'), /Stopped: 429/)
    await a.toast(/budget is used up/)
    await a.picture('windows-2-reached-a')
    for (let time = 0; time < 2; time += 1) assert.match(await ask(a, 'Hello'), /Stopped: 429/)
    await b.focus()
    await b.openTerminal()
    assert.match(await ask(b, 'Hello'), /Stopped: 429/)
    await bothShow(/^cap reached · €0\.94$/)
    // Each window has heard of every refusal.
    for (const window of [a, b]) await window.blockedCalls(4)
    assert.equal(upstream.generations.length, reached)
    await b.picture('windows-2-reached-b')
    // One that was not there when it was said shows it as well, and does not say it.
    await b.page.reload()
    await b.ready()
    await bothShow(/^cap reached · €0\.94$/)
    const { a: inA, b: inB } = await told()
    assert.equal(inA.length, 1)
    assert.match(inA[0] ?? '', /budget is used up: €0\.94 a day for you/)
    assert.deepEqual(inB, [])
  })

  it('let the refused agent pass once more was allowed for today, and the cap stays what it is', async () => {
    await a.focus()
    await (await a.openNotifications()).getByText('+€0.20 Today').click()
    await bothShow(/^€0\.94(\/1\.14)? · 402k$/)
    assert.match(await ask(a, 'Hello'), /Done: \d+ pieces/)
    const { today } = await status()
    assert.deepEqual([today.capEur, today.grantedEur], [0.94, 0.2])
    await nothingIsTold()
    for (const window of [a, b]) {
      await window.focus()
      const tooltip = await window.openTooltip()
      assert.match(await tooltip.innerText(), /€0\.20 allowed on top of the cap/)
      await window.picture(`windows-3-allowed-${window === a ? 'a' : 'b'}`)
      await window.page.mouse.move(400, 200)
    }
  })

  it('say that the figures are of this machine', async () => {
    const tooltip = await b.openTooltip()
    // The name of the remote, which a browser on VS Code's server has.
    assert.ok((await tooltip.innerText()).includes(`this machine (${new URL(b.page.url()).host})`))
    await b.page.mouse.move(400, 200)
  })

  it('stop and let pass together: stopped in one, resumed in the other', async () => {
    await a.focus()
    await a.page.keyboard.press('Control+Shift+Alt+K')
    await bothShow(/^model calls stopped$/)
    await b.focus()
    await b.command('Tollgate: Resume Model Calls')
    await bothShow(/^€0\.94/)
    // Each says what was done in it, and nothing of what was done in the other.
    const { a: inA, b: inB } = await told()
    assert.deepEqual([inA.length, inB.length], [1, 1])
    assert.match(inA[0] ?? '', /No call was running/)
    assert.match(inB[0] ?? '', /Model calls pass the gate again/)
    await a.clearToasts()
    await b.focus()
    await b.clearToasts()
    await a.focus()
  })

  it('take no restart that was asked for in one of them for a crash, however often it is', async () => {
    const noted = await b.noteSpend()
    // As many crashes would be too many.
    for (let time = 0; time < 5; time += 1) {
      const { pid } = record()
      await a.command('Tollgate: Restart the Gate')
      await anotherGate(pid)
      await bothShow(/^€0\.94/)
    }
    for (const text of await noted()) assert.match(text, /^(Tollgate|€0\.94(\/1\.14)? · \d+k)$/)
    assert.deepEqual(await gateProcesses(profile), [record().pid])
    await nothingIsTold()
  })

  it('go with the gate to another port and back, of which neither ends what the other has started', async () => {
    const usual = record().port
    const noted = await Promise.all([a, b].map((window) => window.noteSpend()))
    for (const port of [await freePort(), usual]) {
      const { pid } = record()
      windows.setMachineSetting('tollgate.daemon.port', port)
      await anotherGate(pid)
      await bothShow(/^€0\.94/)
      assert.deepEqual([record().port, await gateProcesses(profile)], [port, [record().pid]])
    }
    for (const texts of await Promise.all(noted.map((read) => read())))
      for (const text of texts) assert.match(text, /^(Tollgate|€0\.94(\/1\.14)? · \d+k)$/)
    await nothingIsTold()
  })

  it('leave a running answer alone when one of them is loaded anew, and count it once', async () => {
    const before = (await calls()).length
    const { request, output } = await askSlowly(a)
    await b.page.reload()
    await b.ready()
    await b.spendShows(/^€0\.94/)
    assert.equal(request.closed, null)
    windows.hold(false)
    assert.match(await output(), new RegExp(`Done: ${slowPieces} pieces`))
    assert.equal((await upstream.waitForClose(request, longestWaitMs)).finished, true)
    assert.equal((await calls()).length, before + 1)
    assert.equal((await calls())[0]?.usage.output, slowPieces)
    await bothShow(/^€0\.9\d/)
    assert.deepEqual(await gateProcesses(profile), [record().pid])
    await nothingIsTold()
  })

  it('bring a gate that was killed back once, with the spend of before, and the call that it lost at its worst case', async () => {
    await a.command('Tollgate: Focus on Spend View')
    await a.page.getByRole('treeitem', { name: /^Today: .* calls\.$/ }).waitFor()
    const { request, output } = await askSlowly(a)
    const before = await status()
    const dead = record().pid
    const noted = await Promise.all([a, b].map((window) => window.noteSpend()))
    await crash()
    await anotherGate(dead)
    assert.match(await output(), /Stopped: /)
    assert.equal((await upstream.waitForClose(request, longestWaitMs)).finished, false)
    assert.equal(upstream.generations.at(-1), request, 'nothing went past the gate')

    const after = await status()
    const [lost] = await calls()
    assert.deepEqual([lost?.settlement, after.integrity.orphaned], ['orphaned', 1])
    assert.ok(before.today.reservedEur > 0)
    assert.ok(Math.abs(after.today.spentEur - before.today.spentEur - before.today.reservedEur) < 1e-6)
    await bothShow(new RegExp(`^€${after.today.spentEur.toFixed(2)}(/1\\.14)? · `))
    await a.page.getByRole('treeitem', { name: /^Today: .* calls\.$/ }).waitFor()
    await a.picture('windows-6-recovered-a')
    await b.picture('windows-6-recovered-b')
    for (const texts of await Promise.all(noted.map((read) => read()))) {
      assert.ok(texts.includes('gate down'), texts.join(' | '))
      for (const text of texts) assert.match(text, /^(gate down|€[01]\.\d\d(\/1\.14)? · \d+k)$/)
    }
    assert.deepEqual(await gateProcesses(profile), [record().pid])
    windows.hold(false)
    assert.match(await ask(a, 'Hello'), /Done: \d+ pieces/)
    await nothingIsTold()
  })

  it('say once that the gate cannot be started, refuse by having none, and offer to try again', async () => {
    const config = join(profile.dataDir, 'config.json')
    const good = readFileSync(config)
    writeFileSync(config, '{ "budgets": ')
    await crash()
    await bothShow(/^gate down$/)
    await a.toast(/could not start its gate/)
    await a.picture('windows-7-not-started-a')
    const sent = upstream.generations.length
    assert.match(await ask(a, 'Hello'), /Stopped: Connection error/)
    assert.equal(upstream.generations.length, sent)
    assert.deepEqual(await gateProcesses(profile), [])
    const { a: inA, b: inB } = await told()
    assert.equal(inA.length, 1)
    assert.match(inA[0] ?? '', /It ended with code 2: The configuration is no valid JSON at line 1/)
    assert.deepEqual(inB, [])

    writeFileSync(config, good)
    await (await a.openNotifications()).getByText('Retry').click()
    await bothShow(/^€[01]\.\d\d/)
    assert.match(await ask(a, 'Hello'), /Done: \d+ pieces/)
    assert.deepEqual(await gateProcesses(profile), [record().pid])
    await nothingIsTold()
  })

  it('stop starting a gate that dies again and again, say so once, and start it when somebody asks', async () => {
    await b.focus()
    for (let time = 1; time <= 5; time += 1) {
      await bothShow(/^€[01]\.\d\d/)
      await crash()
      await bothShow(/^gate down$/)
    }
    await b.toast(/It ended 5 times within 3 minutes/)
    await b.picture('windows-8-crash-loop-b')
    const { a: inA, b: inB } = await told()
    assert.deepEqual([inA.length, inB.length], [0, 1])
    assert.deepEqual(await gateProcesses(profile), [])

    const tooltip = await a.openTooltip()
    assert.match(await tooltip.innerText(), /It keeps failing and is not started again by itself/)
    await a.picture('windows-8-crash-loop-a')
    await tooltip.getByRole('link', { name: 'Restart' }).click()
    await bothShow(/^€[01]\.\d\d/)
    await a.page.mouse.move(400, 200)
    assert.match(await ask(a, 'Hello'), /Done: \d+ pieces/)
    assert.deepEqual(await gateProcesses(profile), [record().pid])
  })
})
