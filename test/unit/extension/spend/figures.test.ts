import assert from 'node:assert/strict'
import { createFigures } from '../../../../extension/ui/figures.ts'

describe('figures of the Spend view', () => {
  it('never write an amount of money above 0 as nothing', () => {
    const figures = createFigures('en')
    assert.deepEqual(
      [0, 0.00002, 0.00005, 0.0032, 0.01, 1.84].map((amount) => figures.eur(amount)),
      ['€0.00', '<€0.0001', '€0.0001', '€0.0032', '€0.01', '€1.84'],
    )
  })

  it('write moments of a table with seconds, of the same width', () => {
    const figures = createFigures('en')
    const stamps = ['2026-01-02T03:04:05.000Z', '2026-11-30T22:59:59.000Z'].map((iso) => figures.stamp(iso))
    assert.match(stamps[0]!, /:\d\d:05$/)
    assert.equal(stamps[0]!.length, stamps[1]!.length)
    assert.equal(figures.stamp('never'), 'never')
  })

  it('write a calendar date in the language, whatever the zone of the machine', () => {
    assert.equal(createFigures('en').day('2026-11-01'), 'Nov 1, 2026')
    assert.equal(createFigures('de').day('2026-11-01'), '01.11.2026')
    assert.equal(createFigures('en').day('soon'), 'soon')
  })
})
