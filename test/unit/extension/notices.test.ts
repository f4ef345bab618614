import assert from 'node:assert/strict'
import type { DaemonEvent } from '../../../extension/ui/eventFields.ts'
import {
  capChoices,
  capName,
  capNotice,
  exhaustedCap,
  isExhausted,
  settingOfCap,
} from '../../../extension/ui/notices.ts'
import { figures, spend, status, text } from './support.ts'

const time = '2026-11-30T12:00:00.000Z'

describe('the notification of a reached cap', () => {
  const refusal = (fields: Record<string, unknown> = {}): DaemonEvent => ({
    event: 'refused',
    time,
    code: 'budget_exhausted',
    kind: 'spent',
    scope: 'user',
    scopeRef: 'me',
    window: 'day',
    resetsAt: '2026-12-01T00:00:00+01:00',
    ...fields,
  })

  it('is about spent budgets, not about those held by running calls', () => {
    assert.ok(isExhausted(refusal()))
    assert.ok(!isExhausted(refusal({ kind: 'held' })))
    assert.ok(!isExhausted(refusal({ code: 'rate_limited' })))
  })

  it('takes the limit from the event, else from the status', () => {
    assert.equal(exhaustedCap(refusal({ limit: 3 }), status())?.limit, 3)
    assert.equal(exhaustedCap(refusal(), status())?.limit, 10)
    assert.equal(exhaustedCap(refusal({ window: 'month' }), status())?.limit, 150)
    assert.equal(exhaustedCap(refusal(), status({ today: spend({ capEur: null }) })), undefined)
  })

  it('names cap, owner and end of the window, once per window', () => {
    const cap = exhaustedCap(refusal(), status())!
    const notice = capNotice(refusal(), cap, Date.parse(time), text, figures)
    assert.match(notice.message, /^The budget is used up: €10\.00 a day for you\. Calls are refused until midnight\.$/)
    const later = refusal({ resetsAt: '2026-12-02T00:00:00+01:00' })
    assert.equal(capNotice(refusal(), cap, 0, text, figures).key, notice.key)
    assert.notEqual(capNotice(later, cap, 0, text, figures).key, notice.key)
  })

  it('says midnight of a window that ends with this day in the zone of the gate, and the time of any other end', () => {
    const until = (fields: Record<string, unknown>, nowIso = time): string =>
      capNotice(refusal(fields), { unit: 'eur', limit: 10 }, Date.parse(nowIso), text, figures).message.replace(
        /^.*: /,
        '',
      )
    const month = { scope: 'tenant', window: 'month' }
    assert.match(until({}), /until midnight\.$/)
    assert.match(until({ resetsAt: '2026-12-01T00:00:00+05:30' }), /until midnight\.$/)
    assert.match(until({ resetsAt: '2026-12-01T00:00:00Z' }), /until midnight\.$/)
    assert.match(until({ resetsAt: '2026-10-26T00:00:00+01:00' }, '2026-10-24T22:10:00Z'), /until midnight\.$/)
    assert.match(until(month), /until midnight\.$/, 'the last day of the month')
    assert.doesNotMatch(until(month, '2026-11-28T12:00:00Z'), /midnight/)
    assert.doesNotMatch(until({ resetsAt: '2026-12-01T06:00:00+01:00' }), /midnight/)
    assert.doesNotMatch(until({ resetsAt: '2026-03-29T01:00:00+03:00' }, '2026-03-28T12:00:00Z'), /midnight/)
    assert.match(until({ resetsAt: undefined }), /refused\.$/)
  })

  it('does not say "you" of the cap of another user or another account', () => {
    const named = (fields: Record<string, unknown>): string =>
      capName(refusal(fields), { unit: 'eur', limit: 10 }, text, figures)
    assert.equal(named({ own: true }), '€10.00 a day for you')
    assert.equal(named({ scopeRef: 'bob', own: false }), '€10.00 a day for user bob')
    assert.equal(
      named({ scope: 'tenant', scopeRef: 'acme', window: 'month', own: true }),
      '€10.00 a month for the account',
    )
    assert.equal(named({ scope: 'tenant', scopeRef: 'globex', own: false }), '€10.00 a day for account globex')
    assert.equal(named({ scope: 'project', scopeRef: 'shop', own: false }), '€10.00 a day for project shop')
  })

  it('leads to the setting that raises it, where there is one', () => {
    const eur = { unit: 'eur', limit: 10 } as const
    assert.equal(settingOfCap(refusal(), eur), 'tollgate.caps.dailyEur')
    const month = refusal({ scope: 'tenant', window: 'month' })
    assert.equal(settingOfCap(month, { ...eur, unit: 'tokens' }), 'tollgate.caps.monthlyTokens')
    assert.equal(settingOfCap(refusal({ scope: 'project' }), eur), undefined)
  })

  it('offers a fifth of the cap more for today, and the setting', () => {
    const eur = { unit: 'eur', limit: 10 } as const
    const choices = capChoices(refusal(), eur, text, figures)
    assert.deepEqual(
      choices.map(({ title }) => title),
      ['+€2.00 Today', 'Change Cap…'],
    )
    assert.deepEqual(choices[0]!.step, {
      kind: 'allow',
      grant: { scope: 'user', ref: 'me', eur: 2, by: 'extension' },
      done: '€2.00 more are allowed until midnight. The cap itself is unchanged.',
    })
    assert.deepEqual(choices[1]!.step, { kind: 'openSetting', setting: 'tollgate.caps.dailyEur' })
  })

  it('says what the refused call needs, and allows no less than that', () => {
    const dear = refusal({ requested: 4.2 })
    const cap = exhaustedCap(dear, status())!
    assert.match(capNotice(dear, cap, 0, text, figures).message, / The refused call can use up to €4\.20\.$/)
    assert.equal(capChoices(dear, cap, text, figures)[0]?.title, '+€5.00 Today')
  })

  it('offers to stop the task that ran into it, where the task has a name of its own', () => {
    const eur = { unit: 'eur', limit: 10 } as const
    assert.deepEqual(capChoices(refusal({ task: 'nightly' }), eur, text, figures).at(-1), {
      title: 'Stop Task',
      step: { kind: 'stop', task: 'nightly', name: 'Task nightly' },
    })
    assert.equal(capChoices(refusal({ task: '../x' }), eur, text, figures).at(-1)?.title, 'Change Cap…')
  })

  it('A13: offers nothing more where a cap of 0 refuses every paid call, nor for tokens, nor for the account', () => {
    const titles = (event: DaemonEvent, unit: 'eur' | 'tokens', limit: number): readonly string[] =>
      capChoices(event, { unit, limit }, text, figures).map(({ title }) => title)
    assert.deepEqual(titles(refusal(), 'eur', 0), ['Change Cap…'])
    assert.deepEqual(titles(refusal(), 'tokens', 6000), ['Change Cap…'])
    assert.deepEqual(titles(refusal({ scope: 'tenant', window: 'month' }), 'eur', 150), ['Change Cap…'])
    assert.deepEqual(titles(refusal({ scope: 'model', scopeRef: 'claude-opus-*' }), 'eur', 3), ['Show Why'])
  })
})
