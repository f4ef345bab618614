import assert from 'node:assert/strict'
import { Configuration } from '../../../daemon/config/configuration.ts'
import { loadConfig } from '../../../daemon/config/load.ts'
import type { Config } from '../../../shared/config.ts'

function file(budgets: unknown): Config {
  const loaded = loadConfig({ text: JSON.stringify({ budgets }), env: {}, systemTimezone: 'UTC' })
  assert.ok(loaded.ok)
  return loaded.config
}

describe('Configuration', () => {
  it('lays personal caps over the file, null and 0 included (A13)', () => {
    const configuration = new Configuration(file({}), { userDailyEur: 0, tenantMonthlyEur: null }, [], 0)
    const { budgets } = configuration.current(0)
    assert.deepEqual(budgets.userDaily, { eur: 0, tokens: null })
    assert.equal(budgets.tenantMonthly.eur, null)
  })

  it('lays a cap of a while over the personal one until its time, to the millisecond', () => {
    const raised = [{ field: 'userDailyEur', value: 12, untilMs: 1000 } as const]
    const configuration = new Configuration(file({}), { userDailyEur: 5 }, raised, 0)
    assert.equal(configuration.current(999).budgets.userDaily.eur, 12)
    assert.equal(configuration.current(1000).budgets.userDaily.eur, 5)
  })

  it('keeps the upper layers when the file changes', () => {
    const configuration = new Configuration(file({}), { userDailyEur: 5 }, [], 0)
    configuration.replaceFile(file({ userDaily: { eur: 99, tokens: 7 } }), 0)
    assert.deepEqual(configuration.current(0).budgets.userDaily, { eur: 5, tokens: 7 })
    configuration.replacePersonal({}, 0)
    assert.equal(configuration.current(0).budgets.userDaily.eur, 99)
  })
})
