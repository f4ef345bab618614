import assert from 'node:assert/strict'
import type { DaemonEvent } from '../../../extension/ui/eventFields.ts'
import { capsAfter, capsUnder, noCaps } from '../../../extension/ui/exhaustedCaps.ts'
import type { ExhaustedCap } from '../../../extension/ui/gateView.ts'
import type { Status } from '../../../shared/status.ts'
import { refusal, status, task } from './support.ts'

const time = '2026-11-30T12:00:00.000Z'

function event(name: DaemonEvent['event'], fields: Record<string, unknown> = {}): DaemonEvent {
  return { event: name, time, ...fields }
}

const ofProject = { scope: 'project', scopeRef: 'checkout-bot', own: false, limit: 2 }
const known = status({
  tasks: [task({ id: 'shop-3', project: 'checkout-bot' }), task({ id: 'blog-1', project: null })],
})

function after(...events: readonly DaemonEvent[]): readonly ExhaustedCap[] {
  return events.reduce((caps, one) => capsAfter(caps, one, known), noCaps)
}

describe('caps that refused a call', () => {
  it('are kept with what they are of, and each once, however often it refuses', () => {
    const caps = after(refusal(), refusal(ofProject), refusal(), refusal(ofProject))
    assert.deepEqual(
      caps.map(({ scope, ref, limit, isOwn }) => [scope, ref, limit, isOwn]),
      [
        ['user', 'me', 10, true],
        ['project', 'checkout-bot', 2, false],
      ],
    )
    assert.equal(capsAfter(caps, refusal(), known), caps, 'nothing is drawn anew for the same refusal')
    assert.deepEqual(
      after(refusal(ofProject), refusal({ ...ofProject, limit: 3 })).map(({ limit }) => limit),
      [3],
    )
  })

  it('are the own ones only where the daemon does not say otherwise', () => {
    assert.deepEqual(
      after(refusal({ scopeRef: 'bob', own: false }), refusal({ scope: 'tenant', window: 'month' })).map(
        ({ ref, isOwn }) => [ref, isOwn],
      ),
      [
        ['bob', false],
        ['me', true],
      ],
    )
  })

  it('are not those that running calls only hold, and other refusals are none', () => {
    for (const other of [refusal({ kind: 'held' }), refusal({ code: 'rate_limited' }), event('alert')])
      assert.equal(after(other), noCaps)
  })

  it('end when a call of theirs goes out, and not when another one does', () => {
    const caps = after(
      refusal(),
      refusal(ofProject),
      refusal({ scope: 'model', scopeRef: 'claude-opus-*', own: false }),
    )
    const scopes = (name: string | null): readonly string[] =>
      capsAfter(caps, event('call_started', { task: name, model: 'gpt-5' }), known).map(({ scope }) => scope)
    assert.deepEqual(scopes('shop-3'), ['model'])
    assert.deepEqual(scopes('blog-1'), ['project', 'model'])
    assert.deepEqual(scopes(null), ['project', 'model'])
    const narrow = after(refusal(ofProject))
    assert.equal(capsAfter(narrow, event('call_started', { task: 'blog-1' }), known), narrow)
    const ofTask = after(refusal({ scope: 'task', scopeRef: 'shop-3', own: false, window: 'task', resetsAt: null }))
    assert.equal(capsAfter(ofTask, event('call_started', { task: 'blog-1' }), known), ofTask)
    assert.deepEqual(capsAfter(ofTask, event('call_started', { task: 'shop-3' }), known), [])
  })

  it('of a user do not end when a call of another user goes out, and those of the account when a call of another account does', () => {
    const mine = refusal({ tenant: 'acme' })
    const bobs = refusal({ tenant: 'acme', scopeRef: 'bob', own: false })
    const ours = refusal({ tenant: 'acme', scope: 'tenant', scopeRef: 'acme', window: 'month', limit: 150 })
    const caps = after(mine, bobs, ours)
    const left = (tenant: string, user: string): readonly string[] =>
      capsAfter(caps, event('call_started', { tenant, user, task: null, heldEur: 0.01 }), known).map(({ ref }) => ref)
    assert.deepEqual(left('acme', 'bob'), ['me'])
    assert.deepEqual(left('acme', 'me'), ['bob'])
    assert.deepEqual(left('acme', 'eve'), ['me', 'bob'])
    // Another account may have users of the same names.
    for (const user of ['me', 'bob']) assert.deepEqual(left('beta', user), ['me', 'bob', 'acme'])
    const room = { scope: 'user', ref: 'me', window: 'day', eur: 5 }
    assert.equal(capsAfter(caps, event('granted', { ...room, tenant: 'beta' }), known), caps)
    assert.equal(capsAfter(caps, event('granted', { ...room, tenant: 'acme' }), known).length, 2)
    assert.equal(after(mine, refusal({ tenant: 'beta', own: false })).length, 2)
  })

  it('of an older gate, which does not say who makes a call, end with the next paid call', () => {
    const caps = after(refusal({ tenant: 'acme' }), refusal({ tenant: 'acme', scopeRef: 'bob', own: false }))
    assert.deepEqual(
      capsAfter(caps, event('call_started', { task: null }), known).map(({ ref }) => ref),
      ['bob'],
    )
  })

  it('in euros do not end when a call goes out that costs nothing, as one to a local model', () => {
    const caps = after(refusal(), refusal(ofProject), refusal({ unit: 'tokens', limit: 5000 }))
    const units = (heldEur: number | undefined): readonly string[] =>
      capsAfter(caps, event('call_started', { task: 'shop-3', heldEur }), known).map(({ unit }) => unit)
    assert.deepEqual(units(0), ['eur', 'eur'])
    assert.deepEqual(units(0.01), [])
    // An older gate does not say.
    assert.deepEqual(units(undefined), [])
  })

  it('all end when a person changes a cap, and the one that is given room when somebody grants it', () => {
    const month = refusal({ scope: 'tenant', scopeRef: 'acme', window: 'month', limit: 150 })
    const caps = after(refusal(), refusal(ofProject), month)
    assert.deepEqual(capsAfter(caps, event('caps_changed'), known), [])
    const left = (fields: Record<string, unknown>): readonly string[] =>
      capsAfter(caps, event('granted', fields), known).map(({ scope }) => scope)
    assert.deepEqual(left({ scope: 'user', ref: 'me', window: 'day', eur: 5 }), ['project', 'tenant'])
    assert.deepEqual(left({ scope: 'project', ref: 'checkout-bot', window: 'day', eur: 5 }), ['user', 'tenant'])
    assert.deepEqual(left({ scope: 'tenant', ref: 'acme', window: 'month', eur: 5 }), ['user', 'project'])
    // Room for one task or for the other window lets no call pass that the cap refuses.
    for (const other of [
      { scope: 'task', ref: 'shop-3', task: 'shop-3', iterations: 20 },
      { scope: 'tenant', ref: 'acme', window: 'day' },
      { scope: 'user', ref: 'bob', window: 'day' },
    ])
      assert.equal(capsAfter(caps, event('granted', other), known), caps, JSON.stringify(other))
  })

  it('follow the status where the own cap was changed while nobody told this window', () => {
    const month = refusal({ scope: 'tenant', scopeRef: 'acme', window: 'month', limit: 150 })
    const caps = after(refusal(), refusal(ofProject), month)
    const limits = (today: Partial<Status['today']>): readonly number[] => {
      const { today: day, month: whole } = known
      const of = { ...known, today: { ...day, capEur: 10, ...today }, month: { ...whole, capEur: 150 } }
      return capsUnder(caps, of).map(({ limit }) => limit)
    }
    assert.deepEqual(limits({}), [10, 2, 150])
    assert.deepEqual(limits({ capEur: 12 }), [2, 150])
    assert.deepEqual(limits({ grantedEur: 0.1 }), [2, 150])
    assert.deepEqual(limits({ capEur: null }), [2, 150])
    assert.deepEqual(limits({ capEur: 8 }), [8, 2, 150])
    // 9.9 and 0.1 are 10.
    assert.deepEqual(limits({ capEur: 9.9, grantedEur: 0.1 }), [10, 2, 150])
    const day = { ...known.today, capEur: 10 }
    assert.equal(capsUnder(after(refusal()), { ...known, today: day }).length, 1)
    const tokens = after(refusal({ unit: 'tokens', limit: 5000 }))
    assert.equal(capsUnder(tokens, { ...known, today: { ...day, capTokens: 5000 } }), tokens, 'the same list')
  })

  it('do not grow without end', () => {
    const many = Array.from({ length: 50 }, (_, index) => refusal({ ...ofProject, scopeRef: `p${index}` }))
    const caps = after(...many)
    assert.deepEqual([caps.length, caps.at(-1)?.ref], [20, 'p49'])
  })
})
