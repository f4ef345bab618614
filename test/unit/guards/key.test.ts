import assert from 'node:assert/strict'
import { loadConfig } from '../../../daemon/config/load.ts'
import { identify } from '../../../daemon/guards/key.ts'
import type { Claim } from '../../../daemon/guards/key.ts'

const keys = [
  { key: 'bound', user: 'bob', tenant: 'acme', project: 'shop', plan: 'chat' },
  { key: 'open', tenant: 'acme' },
]

function who(claim: Partial<Claim>, change: object = {}) {
  const loaded = loadConfig({ text: JSON.stringify({ keys, ...change }), env: {}, systemTimezone: 'Europe/Berlin' })
  if (!loaded.ok) assert.fail(loaded.problems.join(' '))
  const given = { key: 'LOCAL', user: null, project: null, userAgent: '', ...claim }
  const found = identify(given, loaded.config, 'LOCAL', (left, right) => left === right)
  if ('code' in found) return found.code
  const { keyId, tenant, user, project, planName } = found
  return { keyId, tenant, user, project, planName }
}

describe('the key guard', () => {
  it('N03, N06: answers a missing and a wrong key alike', () => {
    assert.equal(who({ key: null }), 'invalid_key')
    assert.equal(who({ key: 'wrong' }), 'invalid_key')
  })

  it('lets calls without a key pass where none is asked for, and a wrong one even there not', () => {
    assert.deepEqual(who({ key: null }, { requireKey: false }), who({}))
    assert.equal(who({ key: 'wrong' }, { requireKey: false }), 'invalid_key')
  })

  it('takes user and project of the claim for the own key of the data directory', () => {
    const found = who({ user: 'ada', project: 'site' })
    assert.deepEqual(found, { keyId: 'default', tenant: 'personal', user: 'ada', project: 'site', planName: 'agent' })
  })

  it('does not let a claim lead away from the user and project that a key is bound to', () => {
    const found = who({ key: 'bound', user: 'ada', project: 'site' })
    assert.deepEqual(found, { keyId: 'key-1', tenant: 'acme', user: 'bob', project: 'shop', planName: 'chat' })
  })

  it('takes what a key leaves open from the claim', () => {
    const found = who({ key: 'open', user: 'ada', project: 'site' })
    assert.deepEqual(found, { keyId: 'key-2', tenant: 'acme', user: 'ada', project: 'site', planName: 'agent' })
  })

  it('finds the plan that expects the client, unless the key has its own', () => {
    const client = { userAgent: 'claude-cli/2.1 (external)' }
    assert.deepEqual((who(client) as { planName: string }).planName, 'coding')
    assert.deepEqual((who({ ...client, key: 'bound' }) as { planName: string }).planName, 'chat')
  })

  for (const userAgent of [
    'claude-cli/2.1.4 (external, cli)',
    'codex_cli_rs/0.60.1',
    'GeminiCLI/0.20.0/gemini-3-pro (linux; x64)',
    'Cline/3.40.0',
    'OpenAI/JS 7.59.0 Cline',
    'OpenAI/JS 7.59.0 Roo Code',
    'Kilo-Code/4.1.0',
    'litellm/1.80.0 Aider',
    'opencode/1.0.110',
    'Continue/1.2.8',
  ]) {
    it(`takes ${userAgent} for a coding tool`, () => {
      assert.equal((who({ userAgent }) as { planName: string }).planName, 'coding')
    })
  }

  for (const userAgent of ['OpenAI/JS 7.59.0', 'python-httpx/0.28', 'Anthropic/JS 1.14.0', 'my-agent/1.0', '']) {
    it(`takes "${userAgent}" for an agent under development`, () => {
      assert.equal((who({ userAgent }) as { planName: string }).planName, 'agent')
    })
  }
})
