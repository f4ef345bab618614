import assert from 'node:assert/strict'
import { builtInUpstreams } from '../../../shared/addresses.ts'
import { defaults } from '../../../daemon/config/defaults.ts'
import { loadConfig } from '../../../daemon/config/load.ts'

describe('the embedded defaults', () => {
  it('have exactly the built-in upstreams, the local ones free', () => {
    assert.deepEqual(Object.keys(defaults.upstreams).sort(), [...builtInUpstreams].sort())
    for (const [name, { baseUrl, free }] of Object.entries(defaults.upstreams)) {
      assert.equal(new URL(baseUrl).hostname === '127.0.0.1', free, name)
    }
  })

  it('would pass as a configuration file of their own', () => {
    const loaded = loadConfig({ text: JSON.stringify(defaults), env: {}, systemTimezone: 'UTC' })
    assert.ok(loaded.ok, loaded.ok ? '' : loaded.problems.join(' '))
    const { plans, timezone, ...rest } = loaded.config
    assert.deepEqual(rest, defaults)
    assert.equal(timezone, 'UTC')
    assert.ok(plans['agent'])
  })

  it('would pass written out in full, plans included, and come out the same', () => {
    const first = loadConfig({ text: null, env: {}, systemTimezone: 'UTC' })
    assert.ok(first.ok)
    const again = loadConfig({ text: JSON.stringify(first.config), env: {}, systemTimezone: 'UTC' })
    assert.ok(again.ok, again.ok ? '' : again.problems.join(' '))
    assert.deepEqual(again.config, first.config)
  })
})
