import assert from 'node:assert/strict'
import { isUnpriced } from '../../../extension/calls.ts'
import { priceText } from '../../../extension/ui/callDetails.ts'
import { callTable } from '../../../extension/ui/callTable.ts'
import { costText, spentOf } from '../../../extension/ui/costText.ts'
import { noCaps } from '../../../extension/ui/exhaustedCaps.ts'
import { renderStatusBar } from '../../../extension/ui/statusBarModel.ts'
import { taskEntries } from '../../../extension/ui/taskEntries.ts'
import type { ModelStatus, Status } from '../../../shared/status.ts'
import { callRow } from '../callRow.ts'
import { drawn, nowMs, row } from './spend/parts.ts'
import { figures, spend, status, task, text } from './support.ts'

const unknown: ModelStatus = {
  model: 'mystery',
  calls: 2,
  unpricedCalls: 2,
  eur: 0,
  listPriceEur: 0,
  billing: 'metered',
}

/** The item with its tooltip, without what keeps the columns apart. */
function item(changes: Partial<Status>): ReturnType<typeof renderStatusBar> {
  const gate = { kind: 'up', status: status(changes), exhausted: noCaps } as const
  const terminals = { bypassed: false, wrongHost: false, skipped: [] }
  const view = renderStatusBar({ gate, terminals, host: null, show: 'spendOfCap', nowMs }, text, figures)
  return { ...view, tooltip: view.tooltip.replaceAll('&nbsp;', '') }
}

describe('a price that nobody knows', () => {
  it('makes an amount a floor, and unknown where it is all there is', () => {
    const spent = (eur: number, isFloor: boolean): string => spentOf(eur, isFloor, text, figures)
    assert.deepEqual([spent(0, false), spent(0, true), spent(1.84, true)], ['€0.00', '€?', '≥ €1.84'])
    const cost = (eur: number, listPriceEur: number, isFloor: boolean): string =>
      costText({ eur, listPriceEur }, isFloor, text, figures)
    assert.equal(cost(0, 0.5, false), '€0.50 list')
    assert.match(cost(0, 0.5, true), /^€\?.*€0\.50 list$/)
  })

  it('is no €0.00 of a model, in the tooltip or the Spend view before its report was read', () => {
    const { tooltip } = item({ models: [unknown, { ...unknown, model: 'partly', unpricedCalls: 1, eur: 0.5 }] })
    assert.match(tooltip, /\| mystery \| €\? \|/)
    assert.match(tooltip, /\| partly \| ≥ €0\.50 \|/)
    assert.equal(row(drawn({ models: [unknown] }), 'model/mystery').description, '€? · 2 calls')
  })

  it('is no €0.00 of a task, in the tooltip or the list from which one is picked', () => {
    const incomplete = task({ eur: 0, costIncomplete: true, state: 'constrained' })
    assert.match(item({ tasks: [incomplete] }).tooltip, /\| shop\u20113 [^|]*\| €\? \|/)
    assert.match(taskEntries([incomplete], () => true, nowMs, text, figures)[0]!.description, / · €\?$/)
    const partly = { ...incomplete, eur: 0.5 }
    assert.match(taskEntries([partly], () => true, nowMs, text, figures)[0]!.description, / · ≥ €0\.50$/)
  })

  it('is no share of a cap, for the eye or for the ear', () => {
    const { tooltip, accessibleLabel } = item({ today: spend({ spentEur: 0, unpricedCalls: 2 }) })
    assert.match(tooltip, /\| Today \| €\? \| €10\.00 \| {2}\|/)
    assert.match(accessibleLabel, /^Model spend today €\? of €10\.00\. /)
    assert.match(item({ today: spend({ spentEur: 0 }) }).accessibleLabel, /^Model spend today €0\.00 of €10\.00, 0%\. /)
  })

  it('is none where the provider said what it charged', () => {
    const reported = callRow({ eur: 0.25, warnings: ['unpriced_call', 'price_reported'], usage: callRow().usage })
    assert.ok(!isUnpriced(reported))
    assert.equal(priceText(reported, text, figures), '€0.25')
    assert.doesNotMatch(callTable({ id: 't', name: 'Task t' }, [reported], false, text, figures), /€\?|≥/)
    const partly = callRow({ eur: 0.25, warnings: ['unpriced_call'] })
    assert.equal(priceText(partly, text, figures), '≥ €0.25')
    assert.match(callTable({ id: 't', name: 'Task t' }, [partly], false, text, figures), /≥ €0\.25/)
  })
})
