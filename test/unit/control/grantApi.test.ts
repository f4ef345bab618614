import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createCalendar } from '../../../daemon/budget/calendar.ts'
import { defaults } from '../../../daemon/config/defaults.ts'
import { readGrant } from '../../../daemon/control/grantApi.ts'
import type { Grant } from '../../../daemon/ledger/ledger.ts'
import type { Budgets } from '../../../shared/config.ts'

const nowMs = Date.UTC(2026, 10, 30, 12)
const none = { eur: null, tokens: null }
const budgets: Budgets = { ...defaults.budgets, models: { 'claude-*': { eur: 1, tokens: null } } }

function read(value: unknown, own: Partial<Budgets> = {}): Grant | string {
  const calendar = createCalendar(() => 'Europe/Berlin')
  return readGrant(value, nowMs, { tenant: 'acme', budgets: { ...budgets, ...own } }, calendar)
}

function grant(value: object, own: Partial<Budgets> = {}): Grant {
  const result = read(value, own)
  if (typeof result === 'string') assert.fail(result)
  return result
}

const noAmounts = { nanoEur: 0, tokens: 0, iterations: 0, wallSeconds: 0 }

describe('the body of a grant', () => {
  it('gives a task euros, calls and minutes for its life', () => {
    assert.deepEqual(grant({ scope: 'task', ref: 't1', eur: 2, iterations: 20, minutes: 1.5, by: 'cli' }), {
      scope: 'task',
      ref: 't1',
      window: 'life',
      period: '-',
      nanoEur: 2_000_000_000,
      tokens: 0,
      iterations: 20,
      wallSeconds: 90,
      atMs: nowMs,
      by: 'cli',
      untilMs: null,
    })
  })

  it('gives the day of a user of the general tenant, or of the tenant that stands before the name', () => {
    const day = { scope: 'user', window: 'day', period: '2026-11-30', untilMs: null, by: 'api', atMs: nowMs }
    const amounts = { ...noAmounts, nanoEur: 500_000_000, tokens: 7 }
    assert.deepEqual(grant({ scope: 'user', ref: 'ada', eur: 0.5, tokens: 7 }), { ...day, ...amounts, ref: 'acme/ada' })
    assert.deepEqual(grant({ scope: 'user', ref: 'beta/ada', eur: 0.5, tokens: 7, window: 'day' }), {
      ...day,
      ...amounts,
      ref: 'beta/ada',
    })
  })

  it('gives the day of a project, and of a model pattern of the configuration', () => {
    for (const [scope, ref] of [
      ['project', 'shop'],
      ['model', 'claude-*'],
    ] as const) {
      const { window, period, ref: given } = grant({ scope, ref, tokens: 1 })
      assert.deepEqual([window, period, given], ['day', '2026-11-30', ref])
    }
  })

  it('gives a tenant the window that is named, else the month where only that limits what is given, else the day', () => {
    const capped = { eur: 1, tokens: null }
    const windowOf = (value: object, own: Partial<Budgets>): string => {
      const { window, period } = grant({ scope: 'tenant', ref: 'acme', eur: 1, ...value }, own)
      return `${window} ${period}`
    }
    assert.equal(windowOf({ window: 'month' }, { tenantDaily: capped }), 'month 2026-11')
    assert.equal(windowOf({ window: 'day' }, { tenantDaily: none, tenantMonthly: capped }), 'day 2026-11-30')
    assert.equal(windowOf({}, { tenantDaily: none, tenantMonthly: capped }), 'month 2026-11')
    assert.equal(windowOf({}, { tenantDaily: capped, tenantMonthly: capped }), 'day 2026-11-30')
    assert.equal(windowOf({}, { tenantDaily: none, tenantMonthly: none }), 'day 2026-11-30')
    const tokensADay = { tenantDaily: { eur: null, tokens: 5 }, tenantMonthly: capped }
    assert.equal(windowOf({}, tokensADay), 'month 2026-11', 'a cap of tokens does not limit euros')
    assert.equal(windowOf({ eur: 0, tokens: 1 }, tokensADay), 'day 2026-11-30')
  })

  it('ends at midnight of the zone, or at an ISO time', () => {
    const until = (text: unknown): number | null => grant({ scope: 'user', ref: 'ada', eur: 1, until: text }).untilMs
    assert.equal(until('midnight'), Date.parse('2026-12-01T00:00:00+01:00'))
    assert.equal(until('2026-11-30T18:00:00+01:00'), Date.parse('2026-11-30T17:00:00Z'))
    assert.equal(until(null), null)
  })

  const mistakes: readonly (readonly [string, unknown, RegExp])[] = [
    ['no object', 'ada', /^The body must be a JSON object/],
    ['no scope', { ref: 't1', eur: 1 }, /^scope must be one of task, user, tenant, project, model\.$/],
    ['another scope', { scope: 'global', ref: 'x', eur: 1 }, /^scope must be one of/],
    ['no ref', { scope: 'user', eur: 1 }, /^ref must name the user\.$/],
    ['an empty ref', { scope: 'task', ref: '', eur: 1 }, /^ref must name the task\.$/],
    ['no amount', { scope: 'task', ref: 't' }, /^Give eur, iterations or minutes, above 0\.$/],
    ['amounts of 0', { scope: 'user', ref: 'ada', eur: 0, tokens: 0 }, /^Give eur or tokens, above 0\.$/],
    ['less than nothing', { scope: 'user', ref: 'ada', eur: -1 }, /^eur must be a number from 0 to 9000000\.$/],
    ['a text for euros', { scope: 'user', ref: 'ada', eur: '5' }, /^eur must be a number/],
    ['more than sums hold', { scope: 'user', ref: 'ada', eur: 1e7 }, /^eur must be a number/],
    ['half a token', { scope: 'user', ref: 'ada', tokens: 0.5 }, /^tokens must be a whole number/],
    ['half a call', { scope: 'task', ref: 't', iterations: 0.5 }, /^iterations must be a whole number/],
    ['tokens for a task', { scope: 'task', ref: 't', tokens: 5 }, /^A task is given eur, iterations or minutes/],
    [
      'calls for a user',
      { scope: 'user', ref: 'ada', iterations: 5 },
      /^iterations and minutes are for tasks\. A user/,
    ],
    ['minutes for a model', { scope: 'model', ref: 'claude-*', minutes: 5 }, /are for tasks\. A model/],
    ['an unknown pattern', { scope: 'model', ref: 'gpt-*', eur: 1 }, /of budgets\.models\. Known: claude-\*\.$/],
    ['a window of a task', { scope: 'task', ref: 't', eur: 1, window: 'day' }, /^A task has no window\.$/],
    ['a month of a user', { scope: 'user', ref: 'ada', eur: 1, window: 'month' }, /^Only a tenant has a month\.$/],
    ['another window', { scope: 'tenant', ref: 'a', eur: 1, window: 'week' }, /^window must be "day" or "month"\.$/],
    [
      'the past',
      { scope: 'user', ref: 'a', eur: 1, until: '2026-11-30T11:59:59Z' },
      /^until must lie in the future\.$/,
    ],
    ['this instant', { scope: 'user', ref: 'a', eur: 1, until: '2026-11-30T12:00:00Z' }, /in the future/],
    [
      'a date alone',
      { scope: 'user', ref: 'a', eur: 1, until: '2026-12-24' },
      /^until must be "midnight", an ISO time/,
    ],
    ['no date', { scope: 'user', ref: 'a', eur: 1, until: '2026-13-45T99:00' }, /^until must be/],
    ['a number for a time', { scope: 'user', ref: 'a', eur: 1, until: 5 }, /^until must be/],
    ['a sentence as giver', { scope: 'task', ref: 't', eur: 1, by: 'x'.repeat(41) }, /^by must be 1 to 40/],
    ['a line feed as giver', { scope: 'task', ref: 't', eur: 1, by: 'a\nb' }, /^by must be/],
    [
      'a field that is misspelt',
      { scope: 'user', ref: 'ada', eur: 1, untill: null },
      /^A grant has no "untill"\. Known:/,
    ],
  ]
  for (const [what, value, sentence] of mistakes) {
    it(`is refused with a sentence for ${what}`, () => {
      const result = read(value)
      assert.ok(typeof result === 'string')
      assert.match(result, sentence)
    })
  }

  it('never throws, and what it accepts is whole, counts for something and lies ahead', () => {
    const amount = fc.oneof(fc.double(), fc.integer(), fc.constant(undefined), fc.string())
    const body = fc.record(
      {
        scope: fc.constantFrom('task', 'user', 'tenant', 'project', 'model', 'global'),
        ref: fc.constantFrom('ada', 'claude-*', 'acme/ada', ''),
        window: fc.constantFrom('day', 'month', 'year'),
        eur: amount,
        tokens: amount,
        iterations: amount,
        minutes: amount,
        until: fc.oneof(fc.string(), fc.constantFrom('midnight', '2027-01-01T00:00:00Z', null)),
        by: fc.string(),
      },
      { requiredKeys: ['scope', 'ref'] },
    )
    fc.assert(
      fc.property(fc.oneof(body, fc.jsonValue()), (value) => {
        const result = read(value)
        if (typeof result === 'string') return
        const amounts = [result.nanoEur, result.tokens, result.iterations, result.wallSeconds]
        assert.ok(amounts.every((one) => Number.isSafeInteger(one) && one >= 0))
        assert.ok(amounts.some((one) => one > 0))
        assert.ok(result.untilMs === null || result.untilMs > nowMs)
      }),
    )
  })
})
