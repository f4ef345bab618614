import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { UsageByUtcDay, UsageOfDay } from '../../../../shared/reconciliation.ts'
import { readArguments } from '../../../../daemon/commands/arguments.ts'
import { runClientCommand } from '../../../../daemon/commands/client.ts'
import type { ReconcileAsk } from '../../../../daemon/commands/reconcile/reconcileArguments.ts'
import { runReconcile } from '../../../../daemon/commands/reconcile/reconcile.ts'
import { usageOf } from '../../reconcile/usage.ts'
import { FakeDaemon, recordedTerminal } from '../fakeDaemon.ts'

const head = 'start_time,amount_value,amount_currency,line_item\n'
const november2 = 1_793_577_600
const nowMs = (): number => Date.parse('2026-11-30T12:00:00Z')

describe('the words of reconcile', () => {
  const asked = (...words: string[]): unknown => {
    const invocation = readArguments(['reconcile', ...words])
    return invocation.command === 'reconcile'
      ? invocation.ask
      : invocation.command === 'mistake'
        ? invocation.problem
        : null
  }

  it('are a file and what to do with it', () => {
    assert.deepEqual(asked('costs.csv'), {
      file: 'costs.csv',
      provider: null,
      from: null,
      to: null,
      map: null,
      applyFactor: false,
      config: null,
      output: 'text',
    } satisfies ReconcileAsk)
    assert.deepEqual(
      asked('a.csv', '--json', '--map', 'date=D,usd=C', '--provider', 'groq', '--apply-factor', '--from', '2026-11-01'),
      {
        file: 'a.csv',
        provider: 'groq',
        from: '2026-11-01',
        to: null,
        map: { date: 'D', usd: 'C', model: null, item: null, tier: null },
        applyFactor: true,
        config: null,
        output: 'json',
      } satisfies ReconcileAsk,
    )
  })

  it('are refused with a sentence where they are not', () => {
    assert.match(String(asked()), /needs the file/)
    assert.match(String(asked('a', 'b')), /takes no "b"/)
    assert.match(
      String(asked('a', '--from', '30.11.2026')),
      /--from must be a day such as 2026-11-30, not "30.11.2026"\./,
    )
    assert.match(String(asked('a', '--from', '2026-12-01', '--to', '2026-11-30')), /later than --to/)
    assert.match(String(asked('a', '--map', 'date=D,usd=C')), /--map needs --provider/)
    assert.match(String(asked('a', '--map', 'x', '--provider', 'p')), /--map takes pairs/)
    assert.match(String(asked('a', '--json', '--csv')), /one of --json and --csv/)
  })
})

describe('tollgate reconcile', () => {
  let fake: FakeDaemon
  beforeEach(async () => {
    fake = new FakeDaemon()
    await fake.start()
    answer([usageOf()])
    fake.answers['POST /api/reconciliations'] = { status: 200, body: { beyond: false, isNew: true } }
  })
  afterEach(() => fake.remove())

  function answer(days: readonly UsageOfDay[], more: Partial<UsageByUtcDay> = {}): void {
    const body: UsageByUtcDay = { from: '2026-11-02', to: '2026-11-02', oldest: '2026-10-01', days, ...more }
    fake.answers['GET /api/usage-by-utc-day'] = { status: 200, body }
  }

  async function reconcile(
    text: string,
    ask: Partial<ReconcileAsk> = {},
    columns: number | null = null,
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
    const file = join(fake.dataDir, 'costs.csv')
    writeFileSync(file, text)
    const terminal = recordedTerminal(columns)
    const whole: ReconcileAsk = {
      file,
      provider: null,
      from: null,
      to: null,
      map: null,
      applyFactor: false,
      config: null,
      output: 'text',
      ...ask,
    }
    const code = await runReconcile(fake.dataDir, whole, terminal, nowMs)
    return { code, out: terminal.written(), err: terminal.complained() }
  }

  it('prints each model with both figures, their ratio and class, and tells the daemon', async () => {
    const { code, out } = await reconcile(`${head}${november2},1.00,usd,"gpt-5-mini-2025-08-07, input"\n`)
    assert.equal(code, 0)
    assert.equal(
      out,
      `OpenAI costs (CSV) of openai, 2026-11-02 to 2026-11-02 (UTC days)

model       tier      invoice  ours   ratio  class
gpt-5-mini  standard  $1.00    $1.00  1.00   matched
total                 $1.00    $1.00  1.00

Coverage: 100.0 % of the invoice. Drift: 1.00 (+0.0 %).
`,
    )
    const posted = fake.seen.find(({ route }) => route === 'POST /api/reconciliations')
    assert.deepEqual(JSON.parse(posted?.body ?? ''), {
      provider: 'openai',
      format: 'OpenAI costs (CSV)',
      unit: 'usd',
      from: '2026-11-02',
      to: '2026-11-02',
      invoice: 1,
      local: 1,
      drift: 1,
      coverage: 1,
      models: [{ model: 'gpt-5-mini', tier: 'standard', invoice: 1, local: 1, ratio: 1, class: 'matched' }],
    })
  })

  it('D18: marks in red that money was spent beside the gate, and ends with 1', async () => {
    const text = `${head}${november2},1,usd,"gpt-5-mini, input"\n${november2},15.79,usd,"o3, output"\n`
    const { code, out } = await reconcile(text, {}, 80)
    assert.equal(code, 1)
    assert.match(out, /^o3 +standard +\$15\.79 +\$0\.00 +- +provider only +1 of 1 day apart$/m)
    assert.match(out, /^Coverage: 6\.0 % of the invoice\. Drift: 16\.79 \(\+1579\.0 %\)\.$/m)
    assert.match(
      out,
      /^\u001b\[31mNot all calls passed the gate, .*94\.0 % of the invoice is unknown here.*\u001b\[0m$/m,
    )
    assert.match((await reconcile(text)).out, /^! Not all calls passed the gate/m)
  })

  it('D17: shows the factor that would mend a price, and writes it only when it is asked to', async () => {
    answer([usageOf({ usd: 10 })])
    const text = `${head}${november2},4.5,usd,"gpt-5-mini, input"\n`
    const shown = await reconcile(text)
    assert.equal(shown.code, 1)
    assert.match(shown.out, /^! The drift is more than 3\.0 %/m)
    assert.match(shown.out, /^\+ .*"match": "gpt-5-mini", "factor": 0\.45, "from": "2026-11-30"/m)
    assert.match(shown.out, /--apply-factor\.\n$/)
    const config = join(fake.dataDir, 'config.json')
    assert.throws(() => readFileSync(config), /ENOENT/)
    writeFileSync(config, '{\n  // ours\n  "plan": "agent"\n}\n')
    const applied = await reconcile(text, { applyFactor: true })
    assert.equal(applied.code, 1)
    assert.equal(
      readFileSync(config, 'utf8'),
      '{\n  // ours\n  "plan": "agent",\n  "prices": {\n    "corrections": [\n      { "provider": "openai", "match": "gpt-5-mini", "factor": 0.45, "from": "2026-11-30" }\n    ]\n  }\n}\n',
    )
    assert.match(
      (await reconcile(text, { applyFactor: true })).out,
      /No factor is needed that is not there already\.\n$/,
    )
  })

  it('prints JSON with the days, and CSV in which no name is a formula', async () => {
    const text = `${head}${november2},1,usd,"gpt-5-mini, input"\n${november2},0.5,usd,"=HYPERLINK(1), ""x"""\n`
    const json = JSON.parse((await reconcile(text, { output: 'json' })).out) as Record<string, unknown>
    assert.equal(json['beyond'], true)
    assert.deepEqual((json['rows'] as object[])[1], {
      day: '2026-11-02',
      model: 'gpt-5-mini',
      tier: 'standard',
      invoice: 1,
      local: 1,
      ratio: 1,
      class: 'matched',
    })
    assert.equal(
      (await reconcile(text, { output: 'csv' })).out,
      `day,model,tier,invoice_usd,local_usd,ratio,class
2026-11-02,"'=hyperlink(1), ""x""",,0.5,0,,provider_only
2026-11-02,gpt-5-mini,standard,1,1,1.0000,matched
`,
    )
  })

  it('lets no part of a name in its CSV be a formula where the semicolon ends a cell', async () => {
    const text = `${head}${november2},0.5,usd,"x;=1+1"\n`
    assert.match((await reconcile(text, { output: 'csv' })).out, /^2026-11-02,"x;'=1\+1",,0\.5,0,,provider_only$/m)
  })

  it('gives no factor for an export without money', async () => {
    const text = `start_time,num_model_requests,model,input_tokens,output_tokens\n${november2},3,gpt-5-mini,9000,100\n`
    const { code, out } = await reconcile(text, { applyFactor: true })
    assert.equal(code, 1)
    assert.match(out, /^gpt-5-mini +standard +9\.1k +1\.1k +8\.27 +mismatch/m)
    assert.match(out, /The export has no money/)
  })

  it('says what it cannot know: days before the ledger, a day that is not over, another upstream', async () => {
    answer([usageOf({ upstream: 'groq', provider: 'groq' })], { to: '2026-11-30', oldest: '2026-11-10' })
    const { out } = await reconcile(
      `${head}${november2},1,usd,"gpt-5-mini, input"\n1795996800,1,usd,"gpt-5-mini, input"\n`,
    )
    assert.match(out, /^The oldest call of the ledger is of 2026-11-10: .*--from 2026-11-10\.$/m)
    assert.match(out, /^The last day is not over in UTC/m)
    assert.match(out, /^No call went to openai; calls went to groq\./m)
  })

  it('counts an upstream by its own name, or by the provider behind it', async () => {
    answer([usageOf({ upstream: 'work' }), usageOf({ upstream: 'other', provider: 'other' })])
    const text = `${head}${november2},1,usd,"gpt-5-mini, input"\n`
    assert.equal((await reconcile(text)).code, 0)
    assert.equal((await reconcile(text, { provider: 'work' })).code, 0)
    assert.equal((await reconcile(text, { provider: 'other' })).code, 0)
    assert.equal((await reconcile(text, { provider: 'none' })).code, 1)
  })

  it('ends with 2 and a sentence for a file that it cannot read, and asks no daemon', async () => {
    const unreadable = await reconcile('a,b\n1,2\n')
    assert.equal(unreadable.code, 2)
    assert.match(unreadable.err, /which is no known export/)
    assert.equal(unreadable.out, '')
    assert.match((await reconcile(head)).err, /no rows.*--from and --to/)
    const map = { date: 'D', usd: 'C', model: null, item: null, tier: null }
    assert.match((await reconcile('D,C\n2026-11-02,1\n', { map })).err, /--provider\.\n$/)
    assert.match((await reconcile(`${head}${november2},1,usd,x\n`, { from: '2026-12-01' })).err, /ends on 2026-11-02/)
    assert.deepEqual(fake.seen, [])
  })

  it('says how to start a daemon where none runs', async () => {
    await fake.die()
    const file = join(fake.dataDir, 'costs.csv')
    writeFileSync(file, `${head}${november2},1,usd,"gpt-5-mini, input"\n`)
    const invocation = readArguments(['reconcile', file, '--data-dir', fake.dataDir])
    assert.ok(invocation.command === 'reconcile')
    const terminal = recordedTerminal()
    assert.equal(await runClientCommand(invocation, terminal), 1)
    assert.match(terminal.complained(), /Start it with: tollgate serve/)
  })
})
