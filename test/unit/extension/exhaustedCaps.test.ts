import assert from 'node:assert/strict'
import type { DaemonEvent } from '../../../extension/ui/eventFields.ts'
import { capsAfter, noCaps } from '../../../extension/ui/exhaustedCaps.ts'
import type { ExhaustedCap } from '../../../extension/ui/gateView.ts'
import { status, task } from './support.ts'

const time = '2026-11-30T12:00:00.000Z'

function event(name: DaemonEvent['event'], fields: Record<string, unknown> = {}): DaemonEvent {
  return { event: name, time, ...fields }
}

function refusal(fields: Record<string, unknown> = {}): DaemonEvent {
  return event('refused', {
    code: 'budget_exhausted',
    kind: 'spent',
    scope: 'user',
    scopeRef: 'me',
    own: true,
    window: 'day',
    unit: 'eur',
    limit: 10,
    resetsAt: '2026-12-01T00:00:00+01:00',
    ...fields,
  })
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

  it('all end when a person changes a cap or grants room', () => {
    const caps = after(refusal(), refusal(ofProject))
    assert.deepEqual(capsAfter(caps, event('caps_changed'), known), [])
    assert.deepEqual(capsAfter(caps, event('granted', { scope: 'user' }), known), [])
  })

  it('do not grow without end', () => {
    const many = Array.from({ length: 50 }, (_, index) => refusal({ ...ofProject, scopeRef: `p${index}` }))
    const caps = after(...many)
    assert.deepEqual([caps.length, caps.at(-1)?.ref], [20, 'p49'])
  })
})
