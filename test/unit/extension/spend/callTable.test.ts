import assert from 'node:assert/strict'
import { readCalls } from '../../../../extension/calls.ts'
import { callTable } from '../../../../extension/ui/callTable.ts'
import type { CallRow } from '../../../../shared/status.ts'
import { noUsage } from '../../../../shared/usage.ts'
import { figures, text } from '../support.ts'
import { callRow } from '../../callRow.ts'

const call = (changes: Partial<CallRow> = {}): CallRow =>
  callRow({
    id: 'c',
    task: 'shop-3',
    client: 'claude-cli/2.1',
    dialect: 'openai',
    stream: true,
    usage: { ...noUsage, input: 12_920, cacheRead: 90_000, cacheWrite5m: 80, output: 820 },
    eur: 0.31,
    reservedEur: 0.4,
    estimatedInput: 12_000,
    ...changes,
  })

const table = (calls: readonly CallRow[], isCut = false): readonly string[] =>
  callTable({ id: 'shop-3', name: 'Task shop-3' }, calls, isCut, text, figures).split('\n')

describe("the table of a task's calls", () => {
  it('has the oldest call first, aligned columns and the sum below', () => {
    const lines = table([
      call({
        time: '2026-11-30T12:01:00.000Z',
        model: 'gpt-4o-mini',
        eur: 0.0031,
        settlement: 'partial',
        outcome: 'aborted',
      }),
      call(),
    ])
    assert.equal(lines[0], 'Task shop-3, calls')
    const [head, rule, first, second, , sum] = lines.slice(2)
    assert.match(head!, /^Time +Model +New +Cached +Output +Cost +Seconds +Ended +Notes$/)
    assert.match(rule!, /^─+$/)
    assert.match(first!, /:00:00 +gpt-4o +13,000 +90,000 +820 +€0\.31 +3\.1 +stop$/)
    assert.match(second!, /:01:00 +gpt-4o-mini +13,000 +90,000 +820 +€0\.0031 +3\.1 +aborted +partial$/)
    assert.match(sum!, /^Sum +26,000 +180,000 +1,640 +€0\.31$/)
    assert.equal(first!.indexOf('€0.31') + 5, second!.indexOf('€0.0031') + 7)
    assert.equal(first!.indexOf('stop'), second!.indexOf('aborted'))
  })

  it('has the id of a task that is called by its client', () => {
    const made = { id: 's239c2ce0cd000002-1', name: 'A task of OpenAI/JS (since 09:14)' }
    assert.deepEqual(callTable(made, [], false, text, figures).split('\n').slice(0, 3), [
      'A task of OpenAI/JS (since 09:14), calls',
      'Task: s239c2ce0cd000002-1',
      '',
    ])
  })

  it('counts the letters of names that are not Latin', () => {
    const [, , first, second] = table([call({ model: '模型' }), call({ model: '🦙🦙' })]).slice(2)
    assert.equal(Array.from(first!).indexOf('€'), Array.from(second!).indexOf('€'))
  })

  it('says of a running call that it runs, and leaves it out of the sum', () => {
    const lines = table([call({ state: 'reserved', settlement: null, finish: null, durationMs: null }), call()])
    assert.match(lines[5]!, /gpt-4o +running$/)
    assert.match(lines[7]!, /€0\.31$/)
  })

  it('E01: shows an unknown price as unknown, and a subscription at its list price', () => {
    const unpriced = table([call({ eur: 0, warnings: ['unpriced_call'] })])
    assert.match(unpriced[4]!, / €\? .*unpriced_call$/)
    assert.match(unpriced[6]!, /€\?$/)
    const listed = table([call({ eur: 0, listPriceEur: 0.5, billing: 'subscription' })])
    assert.match(listed[4]!, / €0\.50 list /)
    assert.match(table([call(), call({ eur: 0, warnings: ['unpriced_call'] })])[7]!, /≥ €0\.31$/)
  })

  it('shows the status of a fault, a retry, and no line break of a name', () => {
    const lines = table([call({ status: 529, finish: null, outcome: 'upstream_error', isRetry: true, model: 'a\nb' })])
    assert.equal(lines.length, 8)
    assert.match(lines[4]!, / a b .* 529 upstream_error +retry$/)
  })

  it('says when there are none, and when the older ones are left out', () => {
    assert.deepEqual(table([]), ['Task shop-3, calls', '', 'No call of this task is kept.', ''])
    assert.equal(table([call()], true)[1], 'The newest 1 calls.')
  })

  it('is read from an answer of the daemon only', () => {
    assert.deepEqual(readCalls({ calls: [call(), { time: 1 }, null] }), [call()])
    assert.deepEqual(readCalls(undefined), [])
    assert.deepEqual(readCalls({ calls: 'none' }), [])
  })
})
