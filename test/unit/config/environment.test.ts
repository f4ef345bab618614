import assert from 'node:assert/strict'
import { loadConfig } from '../../../daemon/config/load.ts'

function load(env: Record<string, string | undefined>, file: unknown = {}): ReturnType<typeof loadConfig> {
  return loadConfig({ text: JSON.stringify(file), env, systemTimezone: 'UTC' })
}

function good(
  env: Record<string, string | undefined>,
  file: unknown = {},
): Extract<ReturnType<typeof loadConfig>, { ok: true }> {
  const loaded = load(env, file)
  assert.ok(loaded.ok, loaded.ok ? '' : loaded.problems.join(' '))
  return loaded
}

function problems(env: Record<string, string | undefined>, file: unknown = {}): readonly string[] {
  const loaded = load(env, file)
  assert.ok(!loaded.ok, 'the environment was accepted')
  return loaded.problems
}

describe('environment variables of the configuration', () => {
  it('set single fields over the file', () => {
    const { config } = good(
      { TOLLGATE_BUDGETS_USERDAILY_EUR: '5', TOLLGATE_TIMEZONE: 'Asia/Tokyo', TOLLGATE_REFUSALS: 'final' },
      { budgets: { userDaily: { eur: 7, tokens: 100 } } },
    )
    assert.deepEqual(config.budgets.userDaily, { eur: 5, tokens: 100 })
    assert.equal(config.timezone, 'Asia/Tokyo')
    assert.equal(config.refusals, 'final')
  })

  it('work without a file', () => {
    const loaded = loadConfig({ text: null, env: { TOLLGATE_REQUIREKEY: 'false' }, systemTimezone: 'UTC' })
    assert.ok(loaded.ok)
    assert.equal(loaded.config.requireKey, false)
  })

  it('reach fields of built-in names and of names in the file', () => {
    const { config } = good(
      {
        TOLLGATE_UPSTREAMS_OPENAI_BASEURL: 'http://127.0.0.1:9/v1',
        TOLLGATE_PLANS_CHAT_MAXOUTPUTTOKENS: '50',
        TOLLGATE_BUDGETS_MODELS_CLAUDE_OPUS___EUR: '1',
        TOLLGATE_BUDGETS_PROJECTS_CHECKOUT_BOT_EUR: '4',
      },
      { budgets: { models: { 'claude-opus-*': { eur: 3 } }, projects: { 'checkout-bot': { eur: 2 } } } },
    )
    assert.equal(config.upstreams['openai']?.baseUrl, 'http://127.0.0.1:9/v1')
    assert.equal(config.plans['chat']?.maxOutputTokens, 50)
    assert.equal(config.budgets.models['claude-opus-*']?.eur, 1)
    assert.equal(config.budgets.projects['checkout-bot']?.eur, 4)
  })

  it('take null, lists and blocks as JSON', () => {
    const { config } = good({
      TOLLGATE_BUDGETS_TENANTMONTHLY_EUR: 'null',
      TOLLGATE_PLANS_AGENT_MODELS: '["claude-*"]',
      TOLLGATE_PLANS_AGENT_LOOP: 'null',
    })
    assert.equal(config.budgets.tenantMonthly.eur, null)
    assert.deepEqual(config.plans['agent']?.models, ['claude-*'])
    assert.equal(config.plans['agent'].loop, null)
  })

  it('take a text as it is, even one that looks like a number', () => {
    assert.equal(good({ TOLLGATE_USER: '123' }).config.user, '123')
  })

  for (const value of ['abc', '5,00', '', 'NaN', '-1', 'Infinity', '"5"']) {
    it(`refuse ${JSON.stringify(value)} as a cap and name the variable (M09)`, () => {
      const [problem] = problems({ TOLLGATE_BUDGETS_USERDAILY_EUR: value })
      assert.match(problem ?? '', /^TOLLGATE_BUDGETS_USERDAILY_EUR must be a number >= 0 or null, not /)
    })
  }

  it('are named in problems that need more than their own field', () => {
    assert.match(problems({ TOLLGATE_TIMEZONE: 'Mars/X' })[0] ?? '', /^TOLLGATE_TIMEZONE must be/)
    assert.deepEqual(problems({ TOLLGATE_PLAN: 'nope' }), ['TOLLGATE_PLAN must be one of agent, coding, chat.'])
    assert.match(problems({ TOLLGATE_UPSTREAMS_XAI_BASEURL: 'x' })[0] ?? '', /^TOLLGATE_UPSTREAMS_XAI_BASEURL must be/)
  })

  it('refuse a misspelt limit', () => {
    assert.deepEqual(problems({ TOLLGATE_BUDGETS_USERDAYLY_EUR: '5' }), [
      'TOLLGATE_BUDGETS_USERDAYLY_EUR names no field of the configuration.',
    ])
  })

  it('with the prefix that are something else do not stop a start', () => {
    const loaded = good({
      TOLLGATE_DATA_DIR: '/tmp/x',
      TOLLGATE_TEST_CACHE: '/tmp/cache',
      TOLLGATE_KEY: 'abc',
      TOLLGATE_SOMETHING: '1',
      PATH: '/bin',
      TOLLGATE_USER: undefined,
    })
    assert.deepEqual(loaded.warnings, ['TOLLGATE_SOMETHING names no field of the configuration and is ignored.'])
  })

  it('are said to be unclear where two names become one', () => {
    const file = { budgets: { projects: { 'a-b': { eur: 1 }, a_b: { eur: 2 } } } }
    assert.deepEqual(problems({ TOLLGATE_BUDGETS_PROJECTS_A_B_EUR: '3' }, file), [
      'TOLLGATE_BUDGETS_PROJECTS_A_B_EUR could be budgets.projects.a-b.eur or budgets.projects.a_b.eur.',
    ])
  })

  it('do not hide that the file itself is wrong', () => {
    assert.deepEqual(problems({ TOLLGATE_BUDGETS_USERDAILY_EUR: '5' }, { budgets: null }), [
      'budgets must be an object, not null.',
    ])
  })
})
