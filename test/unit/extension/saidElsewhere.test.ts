import assert from 'node:assert/strict'
import { wasSaidElsewhere } from '../../../extension/ui/saidElsewhere.ts'

const noon = Date.parse('2026-11-30T12:00:00Z')
const minute = 60_000

describe('what several windows notice by themselves', () => {
  it('is said by the first that has the focus, and by nobody afterwards', () => {
    assert.equal(wasSaidElsewhere(0, noon), false)
    assert.equal(wasSaidElsewhere(noon, noon), true)
  })

  it('was said where another window noticed it minutes earlier, or said it an hour later', () => {
    assert.equal(wasSaidElsewhere(noon - 9 * minute, noon), true)
    assert.equal(wasSaidElsewhere(noon + 60 * minute, noon), true)
  })

  it('is said again in the next session', () => {
    assert.equal(wasSaidElsewhere(noon - 11 * minute, noon), false)
  })
})
