import assert from 'node:assert/strict'
import { scopesOfCall } from '../../../daemon/budget/scopes.ts'
import { modelAllowlist } from '../../../daemon/guards/modelAllowlist.ts'
import { outputCeiling, setCeiling } from '../../../daemon/guards/outputCeiling.ts'
import { unpricedModel } from '../../../daemon/guards/unpricedModel.ts'
import { judgeBy, refusalOf } from './guarded.ts'
import { defaults } from '../../../daemon/config/defaults.ts'

const ceilings = [
  { path: ['max_tokens'], tokens: 1000 },
  { path: ['fallbacks', 0, 'max_tokens'], tokens: 8000 },
]

describe('a request that may run on several models', () => {
  it('is refused where the plan does not allow one of them, which is named', () => {
    const plan = { models: ['claude-haiku-*'] }
    const facts = { model: 'claude-haiku-4-5', otherModels: ['claude-haiku-5', 'claude-opus-5'] }
    const refusal = refusalOf(judgeBy(modelAllowlist, { plan, facts }))
    assert.equal(refusal.code, 'model_not_allowed')
    assert.match(refusal.message, /"claude-opus-5"/)
    assert.equal(judgeBy(modelAllowlist, { plan, facts: { ...facts, otherModels: ['claude-haiku-5'] } }).kind, 'allow')
  })
  it('E01: is refused where one of them has no price, which is named', () => {
    const state = { priced: false, unpricedModel: 'claude-unheard-of' }
    const refusal = refusalOf(judgeBy(unpricedModel, { facts: { model: 'claude-opus-5' }, state }))
    assert.match(refusal.message, /"claude-unheard-of"/)
    assert.equal(refusal.scopeRef, 'claude-unheard-of')
  })
  it('is charged to the daily cap of each of them', () => {
    const budgets = { ...defaults.budgets, models: { 'claude-opus-*': { eur: 3, tokens: null } } }
    const ada = { tenant: 'acme', user: 'ada', project: null }
    const period = { day: '2026-11-30', month: '2026-11' }
    const scopes = (others?: readonly string[]): readonly string[] =>
      scopesOfCall(ada, 'claude-haiku-5', null, period, budgets, new Map(), others).flatMap(({ scope, ref }) =>
        scope === 'model' ? [ref] : [],
      )
    assert.deepEqual(scopes(), [])
    assert.deepEqual(scopes(['claude-opus-5']), ['claude-opus-*'])
  })
})

describe('a request with several ceilings', () => {
  it('has the higher ones lowered, and none raised', () => {
    const change = setCeiling(['max_tokens'], 4000, ceilings)
    assert.deepEqual(change.edits, [{ path: ['fallbacks', 0, 'max_tokens'], value: 4000 }])
    assert.deepEqual(change.says, ['max_tokens=4000'])
    assert.deepEqual(
      setCeiling(['max_tokens'], 500, ceilings).edits.map(({ path }) => path.join('.')),
      ['max_tokens', 'fallbacks.0.max_tokens'],
    )
  })
  it('H07: is held to the plan’s maximum in each of them', () => {
    const facts = { producesOutput: true, outputField: ['max_tokens'], requestedOutputTokens: 8000, ceilings }
    const verdict = judgeBy(outputCeiling, { plan: { maxOutputTokens: 2000 }, facts })
    if (verdict.kind !== 'change') assert.fail(`expected a change, got ${verdict.kind}`)
    assert.equal(verdict.outputCeiling, 2000)
    assert.deepEqual(verdict.edits, [{ path: ['fallbacks', 0, 'max_tokens'], value: 2000 }])
  })
})
