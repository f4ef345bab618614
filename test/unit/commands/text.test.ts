import assert from 'node:assert/strict'
import { money, moneyOfCap, tokenCount } from '../../../daemon/commands/amounts.ts'
import { killText, statusText } from '../../../daemon/commands/statusText.ts'
import { cutTo, printable } from '../../../daemon/commands/terminal.ts'
import { WatchScreen } from '../../../daemon/commands/watch/watchScreen.ts'
import { eventLine, watchLine } from '../../../daemon/commands/watch/watchText.ts'
import type { ControlMessage } from '../../../shared/protocol.ts'
import type { TaskStatus } from '../../../shared/status.ts'
import { spend, status } from './fakeDaemon.ts'

describe('amounts', () => {
  const counts: readonly (readonly [number, string])[] = [
    [0, '0'],
    [999, '999'],
    [1000, '1k'],
    [1250, '1.3k'],
    [9949, '9.9k'],
    [9950, '10k'],
    [128_000, '128k'],
    [999_499, '999k'],
    [999_500, '1M'],
    [1_240_000, '1.2M'],
    [2_500_000_000, '2.5G'],
  ]
  for (const [tokens, text] of counts) {
    it(`shows ${tokens} tokens as ${text}`, () => assert.equal(tokenCount(tokens), text))
  }

  it('shows money with the sign of the euro, or the code of another currency', () => {
    assert.equal(money(1.84, 'EUR'), '€1.84')
    assert.equal(money(0.0032, 'EUR'), '€0.0032')
    assert.equal(money(1.84, 'CHF'), '1.84 CHF')
    assert.equal(moneyOfCap(1, 10, 'EUR'), '€1.00 of 10.00')
  })

  it('shows a cap of 0 as a cap and null as none (A13)', () => {
    assert.equal(moneyOfCap(0, 0, 'EUR'), '€0.00 of 0.00')
    assert.equal(moneyOfCap(0, null, 'EUR'), '€0.00')
  })
})

describe('the status as text', () => {
  it('shows windows, models, running calls and what was refused', () => {
    const text = statusText(
      status({
        today: spend({ spentEur: 1.84, reservedEur: 0.02, calls: 41, capTokens: 6000 }),
        models: [{ model: 'gpt-5', calls: 1, eur: 0.9, listPriceEur: 0, billing: 'metered' }],
        inFlight: [{ call: 'c', task: 'run-7', model: 'gpt-5', elapsedMs: 812, outputTokens: 120 }],
        counters: { budget_exhausted: 2, killed: 0 },
      }),
      'http://127.0.0.1:4141',
    )
    assert.match(text, /^Tollgate 0\.1\.0 at http:\/\/127\.0\.0\.1:4141\n/)
    assert.match(
      text,
      /Today {2}€1\.84 of 10\.00 {3}€0\.02 held {2,}0 of 6k tokens {2}41 calls {2}resets 2026-12-01 00:00\n/,
    )
    assert.match(text, /gpt-5 {2}1 call {2}€0\.90\n/)
    assert.match(text, /gpt-5 {2}0\.8 s {2}120 out {2}task run-7\n/)
    assert.match(text, /budget_exhausted {2}2\n/)
    assert.doesNotMatch(text, /killed/)
  })

  it('shows calls of subscriptions at list price and the providers’ own windows, a line each', () => {
    const seenAt = '2026-11-30T12:00:00+01:00'
    const paced = { upstream: 'anthropic', state: null, resetsAt: null, seenAt }
    const text = statusText(
      status({
        today: spend({ spentEur: 0, listPriceEur: 3.2 }),
        models: [
          { model: 'opus', calls: 4, eur: 0, listPriceEur: 3, billing: 'subscription' },
          { model: 'haiku', calls: 2, eur: 0.1, listPriceEur: 0.2, billing: 'both' },
        ],
        pacing: [
          { ...paced, window: '5h', usedShare: 0.424, resetsAt: '2026-11-30T14:00:00+01:00' },
          { ...paced, window: '7d', usedShare: null, state: 'warning' },
          { ...paced, window: '7d_opus', usedShare: null, state: 'rejected' },
          { ...paced, window: '30d', usedShare: null, state: 'allowed' },
        ],
      }),
      'u',
    )
    assert.match(text, /\nSubscription calls today: €3\.20 at list price, not billed\n/)
    assert.match(text, /opus {3}4 calls {2}€3\.00 at list price\n/)
    assert.match(text, /haiku {2}2 calls {2}€0\.10 \+ €0\.20 at list price\n/)
    assert.match(text, /anthropic {2}5h +42 % used +resets 2026-11-30 14:00\n/)
    assert.match(text, /7d +near its limit\n/)
    assert.match(text, /7d_opus +used up\n/)
    assert.match(text, /30d +open\n/)
    assert.doesNotMatch(statusText(status(), 'u'), /list price|windows/)
  })

  it('shows no unknown price as nothing', () => {
    const today = spend({ spentEur: 0, unpricedCalls: 2 })
    const mystery = {
      model: 'mystery',
      calls: 2,
      unpricedCalls: 2,
      eur: 0,
      listPriceEur: 0,
      billing: 'metered',
    } as const
    const models = [mystery, { ...mystery, model: 'partly', unpricedCalls: 1, eur: 0.5, listPriceEur: 3 }]
    const text = statusText(status({ today, models }), 'u')
    assert.match(text, /Today {2}€\? of 10\.00 /)
    assert.match(text, /mystery {2}2 calls {2}€\?\n/)
    assert.match(text, /partly {3}2 calls {2}≥ €0\.50 \+ €3\.00 at list price\n/)
    assert.match(watchLine(status({ today })), /^€\? of 10\.00 · /)
    assert.match(watchLine(status({ today: spend({ spentEur: 1, unpricedCalls: 2 }) })), /^≥ €1\.00 of 10\.00 · /)
    assert.equal(money(0, 'CHF', true), '? CHF')
  })

  it('shows what was granted beside the cap, which stays as it is configured', () => {
    const today = spend({ spentEur: 11, grantedEur: 5, capTokens: 6000, grantedTokens: 2000 })
    const text = statusText(status({ today }), 'u')
    assert.match(
      text,
      /Today {2}€11\.00 of 10\.00 \+ 5\.00 granted {2}nothing held {2}0 of 6k \+ 2k granted tokens {2}/,
    )
    assert.match(text, /Month {2}€0\.00 of 150\.00 {2,}nothing held {2}0 tokens /)
    assert.match(watchLine(status({ today })), /^€11\.00 of 10\.00 \+ 5\.00 granted · /)
    assert.equal(moneyOfCap(1, 0, 'EUR', 0.0032), '€1.00 of 0.00 + 0.0032 granted')
    assert.equal(moneyOfCap(1, null, 'EUR', 5), '€1.00', 'where there is no cap, a grant changes nothing')
  })

  it('names a task that repeats itself although its counters are far from a ceiling, and what it repeats', () => {
    const well: TaskStatus = {
      id: 'well',
      named: true,
      session: null,
      project: null,
      client: '',
      state: 'ok',
      iterations: 3,
      inputTokens: 900,
      wallSeconds: 4,
      startedAt: '2026-11-30T11:59:00.000Z',
      eur: 0.02,
      costIncomplete: false,
      nearest: null,
      forecast: null,
      loop: null,
    }
    const loop = { tool: 'read\u001b[2J', repeats: 3, cycleLength: 1, haltedAt: '2026-11-30T12:00:00.000Z' }
    const tasks = [well, { ...well, id: 'circling', loop }, { ...well, id: 'echo', loop: { ...loop, tool: null } }]
    const text = statusText(status({ tasks }), 'u')
    assert.match(text, /\nTasks near their ceiling or halted\n/)
    assert.match(text, /circling {2}halted, repeats read\?\[2J +3 calls {2}€0\.02\n/)
    assert.match(text, /echo +halted, repeats itself +3 calls {2}€0\.02\n/)
    assert.doesNotMatch(text, /well/)
  })

  it('says what is wrong before anything else', () => {
    const text = statusText(
      status({
        killed: true,
        kills: [{ scope: 'global', ref: '' }],
        integrity: { ...status().integrity, ledgerAvailable: false, orphaned: 1 },
      }),
      'u',
    )
    const [, first, second, third] = text.split('\n')
    assert.match(first ?? '', /kill switch is on: all calls are refused/)
    assert.match(second ?? '', /ledger cannot be used/)
    assert.equal(third, '1 call of a daemon that died counted at the worst case.')
  })

  it('names a switch of one task with the command that lifts it', () => {
    assert.equal(
      killText(status({ kills: [{ scope: 'task', ref: 'run-7' }] })),
      'The kill switch is on for task run-7. Lift it with: tollgate resume --scope task --ref run-7',
    )
    assert.equal(killText(status()), null)
  })

  it('does not let the name of a model control the terminal', () => {
    const model = 'gpt\u001b]0;owned\u0007\u001b[2J\r\u202e'
    const call = { call: 'c', task: model, model, elapsedMs: 1, outputTokens: 1 }
    const state = status({
      models: [{ model, calls: 1, eur: 0, listPriceEur: 0, billing: 'metered' }],
      inFlight: [call],
    })
    for (const text of [statusText(state, 'u').replaceAll('\n', ''), watchLine(state)]) {
      assert.equal(printable(text), text)
      assert.ok(text.includes('gpt?]0;owned'))
    }
  })
})

describe('the live line', () => {
  it('is spend, tokens and nothing more when nothing runs', () => {
    assert.equal(watchLine(status({ today: spend({ capEur: null }) })), '€0.00 · 0 tokens')
  })

  it('says first that calls are stopped, or that the ledger is away', () => {
    assert.match(watchLine(status({ killed: true })), /^STOPPED · /)
    const integrity = { ...status().integrity, ledgerAvailable: false }
    assert.match(watchLine(status({ integrity })), /^NO LEDGER · /)
  })

  it('names the two calls with the most output and counts the rest', () => {
    const inFlight = [10, 30, 20].map((outputTokens) => ({
      call: 'c',
      task: null,
      model: `m${outputTokens}`,
      elapsedMs: 1,
      outputTokens,
    }))
    assert.match(watchLine(status({ inFlight })), / · 3 running · m30 30 out · m20 20 out$/)
  })
})

describe('lines about events', () => {
  const time = '2026-11-30T12:00:00.000Z'
  const line = (message: ControlMessage): string | null =>
    eventLine(message, 'EUR')?.replace(/^\d\d:\d\d:\d\d /, '') ?? null

  it('tell of refusals, alerts, truncation and kills', () => {
    assert.equal(
      line({ event: 'refused', time, code: 'velocity', message: 'Too fast.' }),
      'refused velocity: Too fast.',
    )
    assert.equal(
      line({ event: 'alert', time, scope: 'user', scopeRef: 'me', window: 'day', unit: 'eur', spent: 8.1, limit: 10 }),
      'alert: user me has used 8.1 of 10 eur of the day',
    )
    assert.equal(
      line({ event: 'truncated', time, model: 'qwen3', estimated: 12920, reported: 2051 }),
      'truncated: qwen3 read 2051 of about 12920 tokens',
    )
    assert.equal(
      line({ event: 'killed', time, scope: 'global', ref: '', cancelled: 5, tookMs: 12 }),
      'stopped global: 5 calls in 12 ms',
    )
  })

  it('tell of a grant whom it is for, who gave it and only what it gives', () => {
    const none = { eur: 0, tokens: 0, iterations: 0, minutes: 0, until: null }
    assert.equal(
      line({ event: 'granted', time, ...none, scope: 'task', ref: 't1', iterations: 1, minutes: 10, by: 'cli' }),
      'granted to task t1: 1 call and 10 minutes, by cli',
    )
    assert.equal(
      line({ event: 'granted', time, ...none, scope: 'user', ref: 'ada', eur: 5, tokens: 2000, by: 'extension' }),
      'granted to user ada: €5.00 and 2k tokens, by extension',
    )
    assert.equal(
      line({ event: 'grant_withdrawn', time, scope: 'user', ref: 'ada', window: 'day', eur: 5, tokens: 0, by: 'cli' }),
      'taken back from user ada: €5.00',
    )
  })

  it('leave out calls that went well and tell of those that did not', () => {
    assert.equal(line({ event: 'call_started', time, model: 'm' }), null)
    assert.equal(line({ event: 'call_settled', time, model: 'm', outcome: 'ok', eur: 1 }), null)
    assert.equal(
      line({ event: 'call_settled', time, model: 'm', outcome: 'client_closed', eur: 0.5 }),
      'client closed: m, €0.50',
    )
  })
})

describe('the screen of watch', () => {
  function screen(columns: number | null): {
    readonly it: WatchScreen
    readonly text: () => string
    readonly pass: (ms: number) => void
  } {
    let text = ''
    let nowMs = 0
    let timers: { readonly atMs: number; readonly act: () => void }[] = []
    const it = new WatchScreen({
      out: (more) => void (text += more),
      columns: () => columns,
      nowMs: () => nowMs,
      later: (act, ms) => {
        const timer = { atMs: nowMs + ms, act }
        timers.push(timer)
        return () => void (timers = timers.filter((each) => each !== timer))
      },
    })
    return {
      it,
      text: () => text,
      pass: (ms) => {
        nowMs += ms
        const due = timers.filter(({ atMs }) => atMs <= nowMs)
        timers = timers.filter((timer) => !due.includes(timer))
        for (const { act } of due) act()
      },
    }
  }

  it('draws at most four times a second, and then the latest line', () => {
    const { it: watch, text, pass } = screen(80)
    for (let at = 0; at < 100; at += 1) {
      watch.show(`line ${at}`)
      pass(10)
    }
    // At 0, 250, 500, 750 and 1000 ms, each time what was newest then.
    assert.deepEqual(text().split('\r\u001b[K').slice(1), ['line 0', 'line 24', 'line 49', 'line 74', 'line 99'])
  })

  it('does not draw the same line again', () => {
    const { it: watch, text, pass } = screen(80)
    watch.show('same')
    pass(1000)
    watch.show('same')
    pass(1000)
    assert.equal(text(), '\r\u001b[Ksame')
  })

  it('puts lasting lines above the live one', () => {
    const { it: watch, text } = screen(80)
    watch.show('live')
    watch.say('event')
    assert.equal(text(), '\r\u001b[Klive\r\u001b[Kevent\nlive')
  })

  it('cuts the live line to the width of the terminal, so that it never wraps', () => {
    const { it: watch, text } = screen(10)
    watch.show('€1.84 of 10.00 · 128k tokens')
    assert.equal(text(), '\r\u001b[K€1.84 of…')
    assert.equal(cutTo('👍👍👍', 2), '👍…')
  })

  it('writes no control sequence where the output is a file', () => {
    const { it: watch, text, pass } = screen(null)
    watch.show('one')
    watch.say('event')
    pass(300)
    watch.show('two')
    watch.end()
    assert.equal(text(), 'one\nevent\ntwo\n')
  })

  it('leaves the cursor below the last line at the end and draws nothing after it', () => {
    const { it: watch, text, pass } = screen(80)
    watch.show('one')
    watch.show('two')
    watch.end()
    pass(1000)
    assert.equal(text(), '\r\u001b[Kone\n')
  })
})
