import assert from 'node:assert/strict'
import type { DaemonEvent } from '../../../extension/ui/eventFields.ts'
import {
  capName,
  capNotice,
  capOffer,
  exhaustedCap,
  isExhausted,
  overtakenCaps,
  settingOfCap,
} from '../../../extension/ui/notices.ts'
import type { Choice } from '../../../extension/ui/offer.ts'
import type { Status } from '../../../shared/status.ts'
import { figures, spend, status, task, text } from './support.ts'

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
  const choicesOf = (event: DaemonEvent, now: Status = status()): readonly Choice[] =>
    capOffer(event, now, text, figures)?.choices ?? []
  const titlesOf = (event: DaemonEvent, now?: Status): readonly string[] =>
    choicesOf(event, now).map(({ title }) => title)
  /** A refusal by the account's month. */
  const ofMonth = (fields: Record<string, unknown> = {}): DaemonEvent =>
    refusal({ scope: 'tenant', scopeRef: 'local', window: 'month', limit: 150, ...fields })

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
    assert.deepEqual(titlesOf(refusal({ limit: 10 })), ['+€2.00 Today', 'Change Cap…'])
    const [allow, change] = choicesOf(refusal({ limit: 10 }))
    assert.deepEqual(allow?.step, {
      kind: 'allow',
      grant: { scope: 'user', ref: 'me', eur: 2, by: 'extension' },
      done: '€2.00 more are allowed until midnight. The cap itself is unchanged.',
    })
    assert.deepEqual(change?.step, { kind: 'openSetting', setting: 'tollgate.caps.dailyEur' })
  })

  it('allows it to the user of the account that was refused, and tells two of the same name apart', () => {
    const [bob, other] = ['acme', 'globex'].map((tenant) => refusal({ limit: 10, scopeRef: 'bob', own: false, tenant }))
    const step = choicesOf(bob!)[0]?.step
    assert.equal(step?.kind === 'allow' && step.grant.ref, 'acme/bob')
    assert.notEqual(capOffer(bob!, status(), text, figures)?.key, capOffer(other!, status(), text, figures)?.key)
  })

  it('says what the refused call needs, and allows no less than that', () => {
    const dear = refusal({ requested: 4.2 })
    assert.match(capOffer(dear, status(), text, figures)?.message ?? '', / The refused call can use up to €4\.20\.$/)
    assert.equal(titlesOf(dear)[0], '+€5.00 Today')
    const small = refusal({ unit: 'tokens', limit: 6000, requested: 1 })
    assert.match(capOffer(small, status(), text, figures)?.message ?? '', / The refused call can use up to 1 token\.$/)
  })

  it('offers to stop the task that ran into it, where the task has a name of its own', () => {
    const made = task({ id: 's239c2ce0cd000002-1', named: false, client: 'OpenAI/JS' })
    assert.deepEqual(choicesOf(refusal({ task: 'nightly' })).at(-1), {
      title: 'Stop Task',
      step: { kind: 'stop', task: 'nightly', name: 'Task nightly' },
    })
    const step = choicesOf(refusal({ task: made.id }), status({ tasks: [made] })).at(-1)?.step
    assert.match(step?.kind === 'stop' ? step.name : '', /^A task of OpenAI\/JS \(since /)
    assert.equal(titlesOf(refusal({ task: '../x' })).at(-1), 'Change Cap…')
  })

  it('asks how much more for today where no amount fits one click: tokens, months, projects, models, accounts', () => {
    assert.deepEqual(titlesOf(refusal({ unit: 'tokens', limit: 6000 })), ['Raise for Today…', 'Change Cap…'])
    assert.deepEqual(titlesOf(ofMonth()), ['Raise for Today…', 'Change Cap…'])
    assert.deepEqual(titlesOf(ofMonth({ window: 'day' })), ['Raise for Today…'])
    for (const [scope, scopeRef] of [
      ['project', 'shop'],
      ['model', 'claude-opus-*'],
    ]) {
      const event = refusal({ scope, scopeRef, limit: 3, own: false, tenant: 'local', task: 'nightly' })
      assert.deepEqual(titlesOf(event), ['Raise for Today…', 'Stop Task'])
      assert.deepEqual(choicesOf(event)[0]?.step, {
        kind: 'raise',
        cap: { scope, ref: scopeRef, tenant: 'local', window: 'day', unit: 'eur' },
      })
    }
  })

  it('A13: offers nothing more where a cap of 0 refuses every paid call, nor where nothing can be granted', () => {
    assert.deepEqual(titlesOf(refusal({ limit: 0 })), ['Change Cap…'])
    assert.deepEqual(titlesOf(refusal({ scope: 'model', scopeRef: 'claude-opus-*', limit: 0 })), ['Show Why'])
    assert.deepEqual(titlesOf(refusal({ scope: 'key', scopeRef: 'local', limit: 3 })), ['Show Why'])
    assert.deepEqual(titlesOf(refusal({ scope: 'project', scopeRef: 'shop', window: 'task', limit: 3 })), ['Show Why'])
  })

  it('has no more buttons than fit beside the one that silences it', () => {
    const beside = (event: DaemonEvent): readonly string[] => titlesOf({ ...event, limit: 3, task: 'nightly' })
    assert.deepEqual(beside(refusal()), ['+€0.50 Today', 'Change Cap…', 'Stop Task'])
    for (const event of [refusal({ unit: 'tokens' }), ofMonth(), refusal({ scope: 'project' })])
      assert.deepEqual(beside(event), ['Raise for Today…', 'Stop Task'])
  })

  it('tells what the task that ran into it would come to without the cap, where that is known', () => {
    const told = (forecast: { haltsInTurns: number; eurAtHalt: number } | null, id = 'shop-3'): string => {
      const now = status({ tasks: [task({ forecast })] })
      return capOffer(refusal({ task: id }), now, text, figures)?.message.replace(/^.*midnight\.\s*/, '') ?? ''
    }
    assert.equal(
      told({ haltsInTurns: 12, eurAtHalt: 4.3 }),
      'Without this cap, its task could make about 12 more calls and would have cost €4.30 then.',
    )
    assert.equal(
      told({ haltsInTurns: 1, eurAtHalt: 1.9 }),
      'Without this cap, its task could make about 1 more call and would have cost €1.90 then.',
    )
    assert.equal(told({ haltsInTurns: 0, eurAtHalt: 1.9 }), 'Its task is at its own ceiling as well.')
    assert.equal(told(null), '')
    assert.equal(told({ haltsInTurns: 12, eurAtHalt: 4.3 }, 'another'), '')
  })

  it('is over when a cap was changed or raised: what still refuses is said again', () => {
    const key = capOffer(refusal(), status(), text, figures)?.key ?? ''
    for (const name of ['caps_changed', 'granted'] as const)
      assert.ok(overtakenCaps({ event: name, time }).some((prefix) => key.startsWith(prefix)))
    assert.deepEqual(overtakenCaps(refusal()), [])
  })
})
