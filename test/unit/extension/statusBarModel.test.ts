import assert from 'node:assert/strict'
import fc from 'fast-check'
import { statusBarShows } from '../../../extension/settings.ts'
import { noCaps } from '../../../extension/ui/exhaustedCaps.ts'
import type { ExhaustedCap, StatusBarState } from '../../../extension/ui/gateView.ts'
import { renderStatusBar } from '../../../extension/ui/statusBarModel.ts'
import type { StatusBarView } from '../../../extension/ui/statusBarModel.ts'
import { tooltipCommands } from '../../../extension/ui/tooltipLinks.ts'
import { createFigures } from '../../../extension/ui/figures.ts'
import type { Status } from '../../../shared/status.ts'
import { figures, spend, status, text } from './support.ts'

const nowMs = Date.parse('2026-11-30T12:00:00Z')
const guarded = { bypassed: false, wrongHost: false, skipped: [] }

const ownCap: ExhaustedCap = {
  unit: 'eur',
  limit: 10,
  resetsAtMs: nowMs + 1000,
  scope: 'user',
  ref: 'me',
  tenant: null,
  window: 'day',
  isOwn: true,
}
const projectCap: ExhaustedCap = { ...ownCap, limit: 2, scope: 'project', ref: 'checkout-bot', isOwn: false }

function draw(gate: StatusBarState['gate'], changes: Partial<StatusBarState> = {}, language = 'en'): StatusBarView {
  const shown = language === 'en' ? figures : createFigures(language)
  const state = { gate, terminals: guarded, host: null, show: 'spendAndTokens', nowMs, ...changes } as const
  return renderStatusBar(state, text, shown)
}

function drawUp(changes: Partial<Status> = {}, rest: Partial<StatusBarState> = {}): StatusBarView {
  return draw({ kind: 'up', status: status(changes), exhausted: noCaps }, rest)
}

describe('the status bar item', () => {
  it('shows euros and new tokens, without a colour while nothing is close', () => {
    const view = drawUp()
    assert.equal(view.text, '$(pulse) €1.84 · 128k')
    assert.equal(view.background, 'none')
    assert.equal(view.accessibleLabel, 'Model spend today €1.84 of €10.00, 18%. 128,000 new tokens.')
  })

  it('leaves cache reads out of the tokens but lists them in the tooltip', () => {
    const view = drawUp({
      today: spend({ tokens: { input: 1000, cacheRead: 5_000_000, cacheWrite: 200, output: 300 } }),
    })
    assert.match(view.text, /· 1\.5k$/)
    assert.match(view.tooltip, /\| &nbsp;&nbsp;&nbsp;1\.2k \| &nbsp;&nbsp;&nbsp;5M \| &nbsp;&nbsp;&nbsp;300 \|/)
  })

  it('counts the growing output of running calls and says how many there are', () => {
    const inFlight = [
      { call: 'a', task: 'shop-3', model: 'gpt-5', elapsedMs: 12_400, outputTokens: 2000 },
      { call: 'b', task: null, model: 'qwen3', elapsedMs: 200, outputTokens: 0 },
    ]
    const view = drawUp({ inFlight })
    assert.equal(view.text, '$(pulse) €1.84 · 130k')
    assert.match(view.tooltip, /\| \*\*Running \(2\)\*\* \|/)
    assert.match(
      view.tooltip,
      /\| gpt\u20115 \| &nbsp;&nbsp;&nbsp;12 s \| &nbsp;&nbsp;&nbsp;shop\u20113 \| &nbsp;&nbsp;&nbsp;2k \|/,
    )
    assert.match(view.tooltip, /\| qwen3 \| &nbsp;&nbsp;&nbsp;0 s \| &nbsp;&nbsp;&nbsp; \| &nbsp;&nbsp;&nbsp;0 \|/)
    assert.match(view.accessibleLabel, /2 calls running\.$/)
  })

  it('warns from the configured share of a cap on', () => {
    const view = drawUp({
      today: spend({ spentEur: 8.1, tokens: { input: 1_200_000, cacheRead: 0, cacheWrite: 0, output: 0 } }),
    })
    assert.equal(view.text, '$(warning) €8.10/10.00 · 1.2M')
    assert.equal(view.background, 'warning')
    assert.equal(drawUp({ today: spend({ spentEur: 7.99 }) }).background, 'none')
    assert.equal(drawUp({ alertAt: 0.5, today: spend({ spentEur: 5 }) }).background, 'warning')
  })

  it('names the cap that is closest, be it of the month or in tokens', () => {
    assert.match(drawUp({ month: spend({ spentEur: 149, capEur: 150 }) }).text, /^\$\(warning\) €149\.00\/150\.00/)
    const tokens = drawUp({
      today: spend({ capTokens: 6000, tokens: { input: 3000, cacheRead: 1000, cacheWrite: 500, output: 600 } }),
    })
    assert.equal(tokens.text, '$(warning) 5.1k/6k tokens · €1.84')
  })

  it('is red when a cap is used up, and when a cap refused a call whose worst case no longer fitted', () => {
    const full = drawUp({ today: spend({ spentEur: 10 }) })
    assert.equal(full.text, '$(circle-slash) cap reached · €10.00')
    assert.equal(full.background, 'error')
    const exhausted = [ownCap]
    const nearly = draw({ kind: 'up', status: status({ today: spend({ spentEur: 9.98 }) }), exhausted })
    assert.equal(nearly.text, '$(circle-slash) cap reached · €10.00')
    const tomorrow = draw({ kind: 'up', status: status(), exhausted }, { nowMs: nowMs + 1001 })
    assert.equal(tomorrow.background, 'none')
  })

  it('shows the ordinary spend as a warning while the cap of one project is used up, and names it', () => {
    const view = draw({ kind: 'up', status: status(), exhausted: [projectCap] })
    assert.equal(view.text, '$(warning) €1.84 · 128k')
    assert.equal(view.background, 'warning')
    assert.match(view.accessibleLabel, /^A cap is used up: €2\.00 a day for project checkout-bot\. Model spend today/)
    assert.ok(
      view.tooltip.includes(
        '**Cap reached: €2.00 a day for project checkout-bot.** Calls that would pass it are refused.',
      ),
    )
    const tomorrow = draw({ kind: 'up', status: status(), exhausted: [projectCap] }, { nowMs: nowMs + 1001 })
    assert.deepEqual([tomorrow.text, tomorrow.background], ['$(pulse) €1.84 · 128k', 'none'])
    assert.doesNotMatch(tomorrow.tooltip, /Cap reached/)
  })

  it('is red for the own cap although one of a project is used up too, and yellow beside a cap that is close', () => {
    const exhausted = [ownCap, projectCap]
    assert.equal(draw({ kind: 'up', status: status(), exhausted }).text, '$(circle-slash) cap reached · €10.00')
    const close = draw({ kind: 'up', status: status({ today: spend({ spentEur: 8.1 }) }), exhausted: [projectCap] })
    assert.equal(close.text, '$(warning) €8.10/10.00 · 128k')
    assert.match(close.tooltip, /for project checkout-bot/)
  })

  it('names the latest three used up caps and counts the others', () => {
    const exhausted = ['a', 'b', 'c', 'd](command:evil)'].map((ref): ExhaustedCap => ({ ...projectCap, ref }))
    const { tooltip } = draw({ kind: 'up', status: status(), exhausted })
    assert.doesNotMatch(tooltip, /project a\./)
    assert.match(tooltip, /project b\.[^]*project c\.[^]*project d\\\]\\\(command\\:evil\\\)\.[^]*and 1 more/)
  })

  it('counts what was allowed on top of a cap, and says how much that is', () => {
    const view = drawUp({ today: spend({ spentEur: 10.5, grantedEur: 5 }) })
    assert.equal(view.text, '$(pulse) €10.50 · 128k')
    assert.match(view.accessibleLabel, /€10\.50 of €15\.00, 70%/)
    assert.match(view.tooltip, /\| &nbsp;&nbsp;&nbsp;€15\.00 \| &nbsp;&nbsp;&nbsp;70% \|/)
    assert.match(view.tooltip, /Today: €5\.00 allowed on top of the cap until /)
    const granted = [
      { eur: 4, tokens: 0, until: '2026-11-30T18:00:00+01:00' },
      { eur: 1, tokens: 0, until: '2026-12-01T00:00:00+01:00' },
    ]
    const inParts = drawUp({ today: spend({ spentEur: 10.5, grantedEur: 5, granted }) }).tooltip
    assert.match(inParts, /Today: €5\.00 allowed on top of the cap \(€4\.00 until [^,]+, €1\.00 until [^,]+\)\n/)
    const tokens = { input: 5000, cacheRead: 0, cacheWrite: 0, output: 600 }
    assert.equal(drawUp({ today: spend({ capTokens: 6000, grantedTokens: 2000, tokens }) }).background, 'none')
    assert.equal(drawUp({ today: spend({ spentEur: 15, grantedEur: 5 }) }).background, 'error')
  })

  it('A13: treats a cap of 0 as reached, because it refuses every paid call', () => {
    assert.equal(drawUp({ today: spend({ spentEur: 0, capEur: 0 }) }).text, '$(circle-slash) cap reached · €0.00')
  })

  it('shows the kill switch before everything else', () => {
    const view = drawUp({ killed: true, today: spend({ spentEur: 12 }) })
    assert.equal(view.text, '$(stop-circle) model calls stopped')
    assert.equal(view.background, 'error')
    assert.match(view.tooltip, /\[\$\(play-circle\) Resume\]\(command:tollgate\.resume\)/)
    assert.doesNotMatch(view.tooltip, /command:tollgate\.stopAll/)
  })

  it('A08: is red while the ledger cannot be used, instead of showing nothing spent', () => {
    const healthy = status()
    const view = drawUp({
      today: spend({ spentEur: 0 }),
      integrity: { ...healthy.integrity, ledgerAvailable: false },
    })
    assert.equal(view.text, '$(error) ledger unavailable')
    assert.equal(view.background, 'error')
  })

  it('says that the gate is down, why, and that guarded calls fail', () => {
    const view = draw({ kind: 'down', reason: 'It ended with code 1.', gaveUp: true })
    assert.equal(view.text, '$(debug-disconnect) gate down')
    assert.equal(view.background, 'error')
    assert.equal(
      view.accessibleLabel,
      'The Tollgate gate is down, so guarded model calls fail. It ended with code 1. ' +
        'It keeps failing and is not started again by itself. Restart it, or look at the log.',
    )
    const retried = draw({ kind: 'down', reason: 'It ended with code 1.', gaveUp: false })
    assert.match(retried.accessibleLabel, / It ended with code 1\. It is being started again\.$/)
    assert.match(view.tooltip, /fail closed/)
    assert.match(view.tooltip, /It ended with code 1\./)
    assert.match(view.tooltip, /command:tollgate\.restartDaemon/)
    assert.match(view.tooltip, /command:tollgate\.bypass/)
  })

  it('names the setting of a port that cannot be had, and opens it', () => {
    const reason = text.reasonPortTaken(4141)
    const { tooltip } = draw({ kind: 'down', reason, gaveUp: true, setting: 'tollgate.daemon.port' })
    assert.match(tooltip, /Port 4141 is used by another program/)
    const [, argument = ''] = /\(command:tollgate\.openSettings\?([^)]+)\)/.exec(tooltip) ?? []
    assert.deepEqual(JSON.parse(decodeURIComponent(argument)), ['tollgate.daemon.port'])
    const { tooltip: other } = draw({ kind: 'down', reason: 'It ended.', gaveUp: true })
    assert.doesNotMatch(other, /openSettings/)
  })

  describe('beside a gate that this window cannot follow', () => {
    const linked = (tooltip: string): readonly string[] =>
      [...tooltip.matchAll(/\(command:tollgate\.([^)?]+)/g)].map(([, command = '']) => command)
    const drawn = (why: 'newer' | 'busy' | 'failed', changes: Partial<StatusBarState> = {}): StatusBarView =>
      draw({ kind: 'unfollowed', why, version: '9.0.0', ownVersion: '0.1.0' }, changes)

    it('says that it runs and counts, and not that it is down', () => {
      for (const why of ['newer', 'busy', 'failed'] as const) {
        const { text: shown, tooltip, accessibleLabel } = drawn(why)
        assert.equal(shown, '$(eye-closed) gate not shown')
        assert.match(
          tooltip,
          /\*\*The gate runs, but this window cannot show it\.\*\* Calls go through it; they are counted/,
        )
        for (const said of [tooltip, accessibleLabel])
          assert.doesNotMatch(said, /not running|no connection|fail|started again|keeps/)
      }
      assert.match(drawn('newer').accessibleLabel, /A newer Tollgate \(9\.0\.0\) runs .* Update the extension/)
      assert.match(drawn('busy').accessibleLabel, /An older Tollgate \(9\.0\.0\) is busy/)
      assert.match(drawn('failed').tooltip, /Tollgate 0\.1\.0 could not start, so the older gate goes on/)
    })

    it('can be stopped, and has what helps; a restart only where that may help', () => {
      assert.deepEqual(linked(drawn('newer').tooltip), ['stopAll', 'resume', 'showExtension', 'showLog'])
      assert.deepEqual(linked(drawn('busy').tooltip), ['stopAll', 'resume', 'showLog'])
      assert.deepEqual(linked(drawn('failed').tooltip), ['stopAll', 'resume', 'restartDaemon', 'showLog'])
      const bypassed = drawn('newer', { terminals: { ...guarded, bypassed: true } })
      assert.ok(linked(bypassed.tooltip).includes('guard'))
    })

    it('has a colour only where somebody has to do something', () => {
      const colours = (['newer', 'busy', 'failed'] as const).map((why) => drawn(why).background)
      assert.deepEqual(colours, ['warning', 'none', 'warning'])
    })
  })

  it('never shows an unpriced call as €0.00', () => {
    assert.equal(drawUp({ today: spend({ spentEur: 0, unpricedCalls: 2 }) }).text, '$(pulse) €? · 128k')
    assert.equal(drawUp({ today: spend({ unpricedCalls: 1 }) }).text, '$(pulse) ≥ €1.84 · 128k')
  })

  it('shows list prices, marked as such, while nothing but calls of a subscription was made', () => {
    const view = drawUp({ today: spend({ spentEur: 0, listPriceEur: 1.84 }) })
    assert.equal(view.text, '$(pulse) €1.84 list · 128k')
    assert.equal(view.accessibleLabel, 'Subscription calls today: €1.84 at list price, not billed. 128,000 new tokens.')
    const both = drawUp({ today: spend({ spentEur: 0.1, listPriceEur: 1.84 }) })
    assert.equal(both.text, '$(pulse) €0.10 · 128k')
    const unknown = drawUp({ today: spend({ spentEur: 0, listPriceEur: 1.84, unpricedCalls: 1 }) })
    assert.equal(unknown.text, '$(pulse) €? · 128k', 'what may be billed is not hidden behind what is not')
    const close = drawUp({
      today: spend({
        spentEur: 0,
        listPriceEur: 1.84,
        capTokens: 6000,
        tokens: { input: 5000, cacheRead: 0, cacheWrite: 0, output: 0 },
      }),
    })
    assert.equal(close.text, '$(warning) 5k/6k tokens · €1.84 list')
  })

  it('shows what the setting says, as long as there is nothing to warn of', () => {
    const shown = (changes: Partial<Status> = {}): readonly string[] =>
      statusBarShows.map((show) => drawUp(changes, { show }).text)
    assert.deepEqual(shown(), [
      '$(pulse) €1.84 · 128k',
      '$(pulse) €1.84',
      '$(pulse) €1.84/10.00',
      '$(pulse) 128k tokens',
    ])
    const ofCap = (today: Partial<Status['today']>): string =>
      drawUp({ today: spend(today) }, { show: 'spendOfCap' }).text
    assert.equal(ofCap({ capEur: null }), '$(pulse) €1.84')
    assert.equal(ofCap({ grantedEur: 5 }), '$(pulse) €1.84/15.00')
    assert.equal(ofCap({ unpricedCalls: 1 }), '$(pulse) ≥ €1.84/10.00')
    assert.equal(ofCap({ spentEur: 0, unpricedCalls: 1 }), '$(pulse) €?')
    assert.equal(ofCap({ spentEur: 0, listPriceEur: 3 }), '$(pulse) €3.00 list')
    for (const changes of [{ killed: true }, { today: spend({ spentEur: 10 }) }, { today: spend({ spentEur: 8.1 }) }])
      assert.equal(new Set(shown(changes)).size, 1)
  })

  it('says of when prices and exchange rate are, and what helps where they are old', () => {
    const { integrity } = status()
    const last = (changes: Partial<Status['integrity']>, rest: Partial<Status> = {}): string | undefined =>
      drawUp({ ...rest, integrity: { ...integrity, ...changes } })
        .tooltip.split('\n\n---')[0]
        ?.split('\n\n')
        .at(-1)
    assert.equal(last({}), 'Prices of Nov 1, 2026, exchange rate of Nov 20, 2026.')
    assert.match(last({ pricesAsOf: '2026-08-01' }) ?? '', /more than 120 days old: `tollgate prices update FILE`/)
    assert.doesNotMatch(last({ pricesAsOf: '2026-08-02' }) ?? '', /days old/)
    assert.match(last({ usdRateStale: true }) ?? '', /rate is more than 90 days old, .*`currency\.usdRate`/)
    assert.equal(last({}, { currency: 'USD' }), 'Prices of Nov 1, 2026.', 'dollars need no rate')
  })

  it('shows four decimals below one cent, so that small calls are seen to cost', () => {
    assert.match(drawUp({ today: spend({ spentEur: 0.0032 }) }).text, /€0\.0032/)
  })

  it('warns while new terminals bypass the gate', () => {
    const view = drawUp({}, { terminals: { ...guarded, bypassed: true } })
    assert.equal(view.text, '$(debug-disconnect) gate bypassed · €1.84')
    assert.equal(view.background, 'warning')
    assert.match(view.tooltip, /command:tollgate\.guard/)
  })

  it('says whose calls are not guarded and which variable is the reason', () => {
    const skipped = [{ family: 'openai', why: 'elsewhere', variable: 'OPENAI_BASE_URL' }] as const
    assert.match(drawUp({}, { terminals: { ...guarded, skipped } }).tooltip, /OpenAI clients .*`OPENAI_BASE_URL`/)
  })

  it('writes numbers in the language of the window', () => {
    const view = draw({ kind: 'up', status: status({ today: spend({ spentEur: 8.1 }) }), exhausted: noCaps }, {}, 'de')
    assert.equal(view.text.replace(/\u00a0/g, ' '), '$(warning) 8,10/10,00 € · 128k')
  })

  it('shows calls of subscriptions at list price and the providers’ own windows in the tooltip', () => {
    const paced = { upstream: 'anthropic', state: null, resetsAt: null, seenAt: '2026-11-30T12:00:00+01:00' }
    const { tooltip } = drawUp({
      today: spend({ spentEur: 0.1, listPriceEur: 3.2 }),
      models: [
        { model: 'haiku', calls: 2, eur: 0.1, listPriceEur: 0.2, billing: 'both' },
        { model: 'opus', calls: 4, eur: 0, listPriceEur: 3, billing: 'subscription' },
      ],
      pacing: [
        { ...paced, window: '5h', usedShare: 0.424 },
        { ...paced, window: '7d', usedShare: null, state: 'rejected', resetsAt: '2026-12-05T14:00:00+01:00' },
      ],
    })
    assert.ok(tooltip.includes('Subscription calls today: €3.20 at list price, not billed.'))
    assert.match(
      tooltip,
      /\| opus \| &nbsp;&nbsp;&nbsp;€3\.00 list \|.*\n\| haiku \| &nbsp;&nbsp;&nbsp;€0\.10 \+ €0\.20 list \|/,
    )
    assert.match(tooltip, /anthropic, window 5h: 42% used {2}\nanthropic, window 7d: used up, resets .*December/)
    assert.doesNotMatch(drawUp().tooltip, /list price|window/)
  })

  it('gives a model name from a client no power in the tooltip', () => {
    const model = 'a|b](command:evil) $(zap) <img> **x**'
    const view = drawUp({ models: [{ model, calls: 1, eur: 1, listPriceEur: 0, billing: 'metered' }] })
    assert.ok(view.tooltip.includes('a\\|b\\]\\(command\\:evil\\) \\\\$\\(zap\\) \\<img\\> \\*\\*x\\*\\*'))
  })

  it('offers to resume whatever a switch stops, and to stop the rest where it is not all', () => {
    const links = (kills: Status['kills']): readonly boolean[] => {
      const { tooltip } = drawUp({ kills, killed: kills.some(({ scope }) => scope === 'global') })
      return ['tollgate.resume', 'tollgate.stopAll'].map((command) => tooltip.includes(`(command:${command})`))
    }
    const all = { scope: 'global', ref: '' } as const
    assert.deepEqual(links([]), [false, true])
    for (const scope of ['key', 'tenant', 'task'] as const) assert.deepEqual(links([{ scope, ref: 'x' }]), [true, true])
    assert.deepEqual(links([all]), [true, false])
    assert.deepEqual(links([{ scope: 'key', ref: 'x' }, all]), [true, false])
  })

  it('links only to commands that the tooltip is trusted for, in every state', () => {
    const gates: StatusBarState['gate'][] = [
      { kind: 'off' },
      { kind: 'starting' },
      { kind: 'down', reason: '', gaveUp: false },
      { kind: 'down', reason: '', gaveUp: true, setting: 'tollgate.daemon.port' },
      { kind: 'unfollowed', why: 'newer', version: '9', ownVersion: '1' },
      { kind: 'unfollowed', why: 'busy', version: '9', ownVersion: '1' },
      { kind: 'unfollowed', why: 'failed', version: '9', ownVersion: '1' },
      { kind: 'up', status: status({ killed: true, kills: [{ scope: 'global', ref: '' }] }), exhausted: noCaps },
      { kind: 'up', status: status(), exhausted: noCaps },
    ]
    for (const gate of gates) {
      for (const bypassed of [false, true]) {
        const { tooltip } = draw(gate, { terminals: { ...guarded, bypassed } })
        const linked = [...tooltip.matchAll(/\(command:([^)?]+)[^)]*\)/g)].map((match) => match[1])
        assert.ok(linked.length > 0)
        for (const command of linked) assert.ok(tooltipCommands.some((name) => name === command))
      }
    }
  })
})

describe('token figures', () => {
  it('have at most three digits before the suffix and never mislead by more than 6 percent', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 900_000_000_000 }), (count) => {
        const shown = /^([\d.]{1,4})([kMG]?)$/.exec(figures.tokens(count))
        assert.ok(shown, figures.tokens(count))
        const factor = { '': 1, k: 1e3, M: 1e6, G: 1e9 }[shown[2] ?? ''] ?? NaN
        assert.ok(Math.abs(Number(shown[1]) * factor - count) <= count * 0.06)
        assert.ok(Number(shown[1]) < 1000)
      }),
    )
  })
})
