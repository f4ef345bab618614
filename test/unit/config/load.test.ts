import assert from 'node:assert/strict'
import fc from 'fast-check'
import { loadConfig } from '../../../daemon/config/load.ts'
import type { Config } from '../../../shared/config.ts'

const systemTimezone = 'Europe/Berlin'

function load(file: unknown, env: Record<string, string | undefined> = {}): ReturnType<typeof loadConfig> {
  return loadConfig({ text: typeof file === 'string' ? file : JSON.stringify(file), env, systemTimezone })
}

function good(file: unknown, env: Record<string, string | undefined> = {}): Config {
  const loaded = load(file, env)
  assert.ok(loaded.ok, loaded.ok ? '' : loaded.problems.join(' '))
  return loaded.config
}

function problems(file: unknown, env: Record<string, string | undefined> = {}): readonly string[] {
  const loaded = load(file, env)
  assert.ok(!loaded.ok, 'the configuration was accepted')
  return loaded.problems
}

describe('loadConfig', () => {
  it('gives the embedded defaults without a file and without variables', () => {
    const loaded = loadConfig({ text: null, env: {}, systemTimezone })
    assert.ok(loaded.ok)
    assert.deepEqual(loaded.config.budgets.userDaily, { eur: 10, tokens: null })
    assert.deepEqual(loaded.config.budgets.tenantMonthly, { eur: 150, tokens: null })
    assert.equal(loaded.config.timezone, 'Europe/Berlin')
    assert.deepEqual(loaded.warnings, [])
  })

  it('keeps every default that a file leaves out', () => {
    const config = good({ budgets: { userDaily: { eur: 5 } } })
    assert.deepEqual(config.budgets.userDaily, { eur: 5, tokens: null })
    assert.equal(config.budgets.tenantMonthly.eur, 150)
    assert.equal(config.budgets.alertAt, 0.8)
  })

  it('keeps a cap of 0 as 0 and takes only null as unlimited (A13)', () => {
    const config = good({
      budgets: {
        userDaily: { eur: 0, tokens: 0 },
        tenantMonthly: { eur: null },
        projects: { shop: { eur: 0 } },
        models: { 'claude-opus-*': { tokens: 0 } },
      },
    })
    assert.deepEqual(config.budgets.userDaily, { eur: 0, tokens: 0 })
    assert.equal(config.budgets.tenantMonthly.eur, null)
    assert.deepEqual(config.budgets.projects['shop'], { eur: 0, tokens: null })
    assert.deepEqual(config.budgets.models['claude-opus-*'], { eur: null, tokens: 0 })
  })

  describe('refuses what would switch a limit off unseen (M09)', () => {
    const mistakes: readonly (readonly [string, unknown, string])[] = [
      ['an empty section', { budgets: null }, 'budgets must be an object, not null.'],
      ['a section of the wrong kind', { budgets: [] }, 'budgets must be an object, not a list.'],
      ['an empty cap', { budgets: { userDaily: null } }, 'budgets.userDaily must be an object, not null.'],
      [
        'a text instead of a number',
        { budgets: { userDaily: { eur: '5,00' } } },
        'budgets.userDaily.eur must be a number >= 0 or null, not "5,00".',
      ],
      [
        'a text that is a number',
        { budgets: { userDaily: { eur: '5' } } },
        'budgets.userDaily.eur must be a number >= 0 or null, not "5".',
      ],
      [
        'a negative number',
        { budgets: { userDaily: { eur: -1 } } },
        'budgets.userDaily.eur must be a number >= 0 or null, not -1.',
      ],
      [
        'true',
        { budgets: { userDaily: { eur: true } } },
        'budgets.userDaily.eur must be a number >= 0 or null, not true.',
      ],
      [
        'half a token',
        { budgets: { userDaily: { tokens: 1.5 } } },
        'budgets.userDaily.tokens must be a whole number >= 0 or null, not 1.5.',
      ],
      ['a share above 1', { budgets: { alertAt: 80 } }, 'budgets.alertAt must be at most 1.'],
      ['a share of null', { budgets: { alertAt: null } }, 'budgets.alertAt must be a number from 0 to 1, not null.'],
      [
        'more euros than can be counted',
        { budgets: { userDaily: { eur: 1e10 } } },
        'budgets.userDaily.eur must be at most 9000000 or null.',
      ],
      [
        'a project without a limit',
        { budgets: { projects: { shop: {} } } },
        'budgets.projects.shop must say eur, tokens or both.',
      ],
      ['a rate of 0', { currency: { usdRate: 0 } }, 'currency.usdRate must be a number > 0 and <= 1000000, not 0.'],
      [
        'a timer that the runtime cannot hold',
        { plans: { agent: { timeouts: { totalMs: 1e12 } } } },
        'plans.agent.timeouts.totalMs must be at most 2147483647 or null.',
      ],
      [
        'a limit of time of 0',
        { plans: { agent: { timeouts: { idleMs: 0 } } } },
        'plans.agent.timeouts.idleMs must be a whole number >= 1 or null, not 0.',
      ],
      ['a file that is a list', [], 'The configuration must be an object, not a list.'],
      ['a file that is null', 'null', 'The configuration must be an object, not null.'],
    ]
    for (const [what, file, sentence] of mistakes) {
      it(`${what}: ${sentence}`, () => assert.deepEqual(problems(file), [sentence]))
    }

    it('a number that is too large to be one', () => {
      assert.deepEqual(problems('{ "budgets": { "userDaily": { "eur": 1e999 } } }'), [
        'budgets.userDaily.eur must be at most 9000000 or null.',
      ])
    })

    it('an empty file, as an editor leaves it for a moment while it writes', () => {
      assert.deepEqual(problems('  \n'), ['The configuration is empty; write {} to use the defaults.'])
    })
  })

  it('names an unknown field and those that exist beside it', () => {
    const [problem] = problems({ budgets: { userDayly: { eur: 5 } } })
    assert.match(problem ?? '', /^budgets\.userDayly is not a known field; budgets has: userDaily, tenantDaily,/)
  })

  it('says all problems of a file at once', () => {
    const found = problems({ budgets: { userDaily: { eur: 'x' } }, plan: 'chat', refusals: 'never', drainSeconds: -1 })
    assert.equal(found.length, 3)
    assert.ok(found.includes('refusals must be one of "auto", "semantic", "final", not "never".'))
  })

  it('refuses a zone that is no name of the IANA database', () => {
    for (const timezone of ['Mars/Olympus', '+02:00', '', 'europe berlin']) {
      assert.match(problems({ timezone })[0] ?? '', /^timezone must be/)
    }
    assert.equal(good({ timezone: 'America/Sao_Paulo' }).timezone, 'America/Sao_Paulo')
  })

  it("counts days in UTC and says so where the system's zone is unknown", () => {
    const loaded = loadConfig({ text: null, env: {}, systemTimezone: 'Etc/Unknown' })
    assert.ok(loaded.ok)
    assert.equal(loaded.config.timezone, 'UTC')
    assert.equal(loaded.warnings.length, 1)
    const written = loadConfig({ text: '{"timezone":"Asia/Tokyo"}', env: {}, systemTimezone: 'Etc/Unknown' })
    assert.ok(written.ok)
    assert.deepEqual(written.warnings, [])
  })

  it('demands that plans which are named exist', () => {
    assert.deepEqual(problems({ plan: 'fast' }), ['plan must be one of agent, coding, chat.'])
    assert.deepEqual(problems({ keys: [{ key: 'k1' }, { key: 'k2', plan: 'fast' }], plans: { mine: {} } }), [
      'keys[1].plan must be one of agent, coding, chat, mine.',
    ])
  })

  it('refuses two entries for one key', () => {
    assert.deepEqual(problems({ keys: [{ key: 'same' }, { key: 'same' }] }), [
      'keys[1].key is the key of an earlier entry too.',
    ])
  })

  it('completes a key with null for what it does not say', () => {
    assert.deepEqual(good({ keys: [{ key: 'k1', user: 'ada' }] }).keys, [
      { key: 'k1', tenant: null, user: 'ada', project: null, plan: null },
    ])
  })

  it('never repeats a key or an address that may hold one (N04)', () => {
    const canary = 'CANARY-92f1'
    const files: readonly unknown[] = [
      { keys: [canary] },
      { keys: [{ key: `${canary} with a space` }] },
      { keys: canary },
      { ledger: `redis://user:${canary}@` },
      { ledger: `redis://user:${canary}@host:6379/0` },
      { upstreams: { mine: { baseUrl: `https://me:${canary}@host/v1`, dialect: 'openai' } } },
      { upstreams: { openai: { baseUrl: `https://host/v1?key=${canary}` } } },
      { upstreams: { openai: { baseUrl: 5, dialect: canary.repeat(4) } } },
      `{ "keys": [ { "key": "${canary}" } `,
      `{ "keys": [ { "key": ${canary} } ] }`,
    ]
    for (const file of files) assert.doesNotMatch(problems(file).join('\n'), /CANARY/)
    assert.doesNotMatch(
      problems({}, { TOLLGATE_KEYS: canary, TOLLGATE_LEDGER: `redis://:${canary}@` }).join('\n'),
      /CANARY/,
    )
  })

  describe('upstreams', () => {
    it('lets a built-in one be changed in part', () => {
      const { upstreams } = good({ upstreams: { openai: { baseUrl: 'http://127.0.0.1:9999/v1/' } } })
      assert.deepEqual(upstreams['openai'], { baseUrl: 'http://127.0.0.1:9999/v1', dialect: 'openai', free: false })
      assert.deepEqual(good({ upstreams: { openai: { free: true } } }).upstreams['openai'], {
        baseUrl: 'https://api.openai.com/v1',
        dialect: 'openai',
        free: true,
      })
    })

    it('takes one of the user, which is paid unless it says otherwise', () => {
      const { upstreams } = good({ upstreams: { box: { baseUrl: 'http://10.0.0.5:8000/v1', dialect: 'openai' } } })
      assert.deepEqual(upstreams['box'], { baseUrl: 'http://10.0.0.5:8000/v1', dialect: 'openai', free: false })
      assert.ok(upstreams['anthropic'])
    })

    const mistakes: readonly (readonly [string, unknown, string])[] = [
      ['box', { dialect: 'openai' }, 'upstreams.box.baseUrl is missing.'],
      ['box', { baseUrl: 'http://h' }, 'upstreams.box.dialect is missing.'],
      ['openai', { baseUrl: 'api.openai.com' }, 'upstreams.openai.baseUrl must be an http or https address.'],
      ['openai', { baseUrl: 'file:///etc/passwd' }, 'upstreams.openai.baseUrl must be an http or https address.'],
      ['openai', { baseUrl: 'https://a:b@h/v1' }, 'upstreams.openai.baseUrl must not hold a user name or a password.'],
      ['openai', { baseUrl: 'https://h/v1?x=1' }, 'upstreams.openai.baseUrl must not have a query or a fragment.'],
      ['openai', { baseUrl: 'https://h/v1#' }, 'upstreams.openai.baseUrl must not have a query or a fragment.'],
      [
        'api',
        { baseUrl: 'http://h', dialect: 'openai' },
        'upstreams.api: this name has a meaning of its own in addresses.',
      ],
      [
        'a b',
        { baseUrl: 'http://h', dialect: 'openai' },
        'upstreams["a b"]: the name must be 1 to 128 letters, digits, "-" or "_".',
      ],
    ]
    for (const [name, upstream, sentence] of mistakes) {
      it(`refuses: ${sentence}`, () => assert.deepEqual(problems({ upstreams: { [name]: upstream } }), [sentence]))
    }
  })

  it('refuses a project name that cannot stand in a base URL', () => {
    assert.match(problems({ budgets: { projects: { 'my shop': { eur: 1 } } } })[0] ?? '', /my shop.*letters, digits/)
  })

  it('reads a tool charge that says one of the two and refuses both and none', () => {
    assert.deepEqual(good({ toolCharges: { search: { eur: 0.005 } } }).toolCharges, { search: { eur: 0.005 } })
    for (const charge of [{}, { eur: 1, eurPerSecond: 1 }]) {
      assert.deepEqual(problems({ toolCharges: { search: charge } }), [
        'toolCharges.search must say either eur or eurPerSecond.',
      ])
    }
  })

  it('reads prices of the user', () => {
    const { prices } = good({
      prices: {
        overrides: [{ match: 'mine-*', prices: { input_mtok: 1, output_mtok: 2 } }],
        multipliers: { openai: { service_tier: { flex: 0.5, priority: 'deny' } } },
        toolFees: { anthropic: { web_search: 0.01 } },
      },
    })
    assert.deepEqual(prices.overrides, [{ provider: null, match: 'mine-*', prices: { input_mtok: 1, output_mtok: 2 } }])
    assert.equal(prices.multipliers['openai']?.['service_tier']?.['priority'], 'deny')
    assert.equal(prices.unpriced, 'refuse')
    assert.deepEqual(problems({ prices: { overrides: [{ match: 'm', prices: { input_mtok: 1 } }] } }), [
      'prices.overrides[0].prices.output_mtok is missing.',
    ])
  })

  it('does not pretend to share caps over Redis', () => {
    assert.match(problems({ ledger: 'redis://cache.internal:6379/0' })[0] ?? '', /SQLite only/)
    assert.match(problems({ ledger: 'postgres://x' })[0] ?? '', /^ledger must be "sqlite" or an address/)
  })

  it('gives a configuration that nobody can change', () => {
    const config = good({ keys: [{ key: 'k1' }], plans: { mine: { models: ['a'] } } })
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen))
    assert.ok(frozen(config))
  })

  it('keeps a changed file from changing the defaults of the next one', () => {
    good({ upstreams: { openai: { baseUrl: 'http://127.0.0.1:1' } }, budgets: { userDaily: { eur: 1 } } })
    assert.equal(good({}).upstreams['openai']?.baseUrl, 'https://api.openai.com/v1')
    assert.equal(good({}).budgets.userDaily.eur, 10)
  })

  it('never throws, whatever JSON a file holds', () => {
    const field = fc.constantFrom(
      'budgets',
      'userDaily',
      'eur',
      'plans',
      'agent',
      'task',
      'keys',
      'upstreams',
      'openai',
      'x',
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, 0, -1, 1.5, true, '', 'x', '5,00'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(field, tie('value'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(value, (file) => {
        const loaded = load(JSON.stringify(file))
        if (!loaded.ok)
          assert.ok(loaded.problems.length > 0 && loaded.problems.every((problem) => problem.endsWith('.')))
      }),
    )
  })
})
