import assert from 'node:assert/strict'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { readArguments } from '../../../daemon/commands/arguments.ts'
import { diffText, withCeilings } from '../../../daemon/commands/calibrate/calibrateEdit.ts'
import type { CeilingsEdit, PlanCeilings } from '../../../daemon/commands/calibrate/calibrateEdit.ts'
import { runClientCommand } from '../../../daemon/commands/client.ts'
import type { ClientInvocation } from '../../../daemon/commands/client.ts'
import { lineDiff } from '../../../daemon/commands/calibrate/lineDiff.ts'
import { loadConfig } from '../../../daemon/config/load.ts'
import { setField } from '../../../daemon/config/setField.ts'
import type { CalibrationReport } from '../../../daemon/control/calibration.ts'
import { FakeDaemon, recordedTerminal } from './fakeDaemon.ts'

const proposed = { maxIterations: 31, maxInputTokens: 2_000_000, maxWallSeconds: 240, maxEur: 4.5 }
const inForce = { maxIterations: 25, maxInputTokens: 2_000_000, maxWallSeconds: 300, maxEur: 5 }
const figures = { iterations: 11, inputTokens: 200_000, wallSeconds: 31.2, eur: 0.63 }

const report: CalibrationReport = {
  days: 30,
  currency: 'EUR',
  since: '2026-11-01T12:00:00.000Z',
  healthyTasks: 52,
  haltedTasks: 1,
  leastTasks: 20,
  groups: [
    { client: 'OpenAI/JS', project: 'shop', plan: 'agent', tasks: 40, p99: figures, proposal: proposed },
    { client: 'claude-cli', project: null, plan: 'coding', tasks: 12, p99: figures, proposal: null },
  ],
  plans: [
    { plan: 'agent', inForce, proposal: proposed },
    { plan: 'coding', inForce: { ...inForce, maxIterations: 400 }, proposal: null },
  ],
}

const commented = `{
  // What an agent may do.
  "plans": {
    "agent": {
      "task": {
        "maxIterations": 25, // calls
        "maxWallSeconds": 300, // five minutes
        "maxEur": 5 // per task
      }
    }
  },
  "keys": [{ "key": "a-secret" }]
}
`

const calibrated = commented
  .replace('"maxIterations": 25,', '"maxIterations": 31,')
  .replace('"maxWallSeconds": 300,', '"maxWallSeconds": 240,')
  .replace('"maxEur": 5', '"maxEur": 4.5')

function edit(text: string, ...wanted: readonly PlanCeilings[]): CeilingsEdit {
  return withCeilings(text, wanted, (now) => loadConfig({ text: now, env: {}, systemTimezone: 'UTC' }))
}

describe('the arguments of calibrate', () => {
  it('have defaults', () => {
    assert.deepEqual(readArguments(['calibrate']), {
      command: 'calibrate',
      dataDir: null,
      ask: { days: null, plan: null, apply: false, config: null, json: false },
    })
  })

  it('are read', () => {
    const words = [
      'calibrate',
      '--days',
      '7',
      '--plan=agent',
      '--apply',
      '--config',
      'c.json',
      '--json',
      '--data-dir',
      'd',
    ]
    assert.deepEqual(readArguments(words), {
      command: 'calibrate',
      dataDir: 'd',
      ask: { days: 7, plan: 'agent', apply: true, config: 'c.json', json: true },
    })
  })

  it('say which days are possible', () => {
    for (const days of ['0', '366', '1.5', 'week']) {
      const invocation = readArguments(['calibrate', '--days', days])
      assert.ok(invocation.command === 'mistake')
      assert.equal(invocation.problem, `--days must be a whole number from 1 to 365, not "${days}".`)
    }
  })
})

describe('ceilings in a configuration text', () => {
  it('replace those that differ and leave comments and layout', () => {
    assert.deepEqual(edit(commented, { plan: 'agent', ceilings: proposed }), {
      ok: true,
      text: calibrated,
      notes: ['Plan chat takes these from agent: maxIterations 31, maxWallSeconds 240, maxEur 4.5.'],
    })
  })

  it('are added where the text leaves them out, and not where the default is the same', () => {
    const result = edit('{}\n', { plan: 'coding', ceilings: { ...proposed, maxEur: 20 } })
    assert.ok(result.ok)
    assert.deepEqual(JSON.parse(result.text), {
      plans: { coding: { task: { maxIterations: 31, maxInputTokens: 2_000_000, maxWallSeconds: 240 } } },
    })
    assert.deepEqual(result.notes, [])
  })

  it('hold for a plan that would have taken the new ones of agent', () => {
    const kept = { ...proposed, maxIterations: 25 }
    const result = edit('{}\n', { plan: 'chat', ceilings: kept }, { plan: 'agent', ceilings: proposed })
    assert.ok(result.ok)
    const loaded = loadConfig({ text: result.text, env: {}, systemTimezone: 'UTC' })
    assert.ok(loaded.ok)
    assert.equal(loaded.config.plans['agent']?.task?.maxIterations, 31)
    assert.equal(loaded.config.plans['chat']?.task?.maxIterations, 25)
    assert.deepEqual(result.notes, [])
  })

  it('are not given to a plan that is to have none, nor to one that the text does not have', () => {
    const off = '{"plans":{"chat":{"task":null}}}'
    const result = edit(off, { plan: 'chat', ceilings: proposed }, { plan: 'other', ceilings: proposed })
    assert.deepEqual(result, {
      ok: true,
      text: off,
      notes: ['Plan chat has no ceilings and gets none.', 'This file has no plan other.'],
    })
  })

  it('are not written into a text that is not valid, or where the result would not be', () => {
    assert.deepEqual(edit('{"plans": 3}', { plan: 'agent', ceilings: proposed }).ok, false)
    const result = edit('{}', { plan: 'agent', ceilings: { ...proposed, maxEur: 1e9 } })
    assert.ok(!result.ok)
    assert.match(result.problems.join(' '), /plans\.agent\.task\.maxEur must be at most/)
  })
})

describe('the lines that change', () => {
  it('are shown with their place, without context', () => {
    assert.equal(
      diffText('c.json', commented, calibrated),
      [
        '--- c.json',
        '+++ c.json',
        '@@ line 6, plans.agent.task @@',
        '-        "maxIterations": 25, // calls',
        '-        "maxWallSeconds": 300, // five minutes',
        '-        "maxEur": 5 // per task',
        '+        "maxIterations": 31, // calls',
        '+        "maxWallSeconds": 240, // five minutes',
        '+        "maxEur": 4.5 // per task',
        '',
      ].join('\n'),
    )
  })

  it('N04: hide keys, addresses and the ledger of a file that is one line', () => {
    const secret = JSON.stringify({
      keys: [{ key: 'a-secret', user: 'ada' }],
      ledger: 'redis://user:a-secret@127.0.0.1',
      upstreams: { own: { baseUrl: 'https://a-secret@127.0.0.1', dialect: 'openai' } },
    }).replace('a-secret', 'a-\\u0073ecret')
    const shown = diffText('c.json', secret, setField(secret, ['plans', 'agent', 'task', 'maxIterations'], 31))
    assert.doesNotMatch(shown, /ecret/)
    assert.match(shown, /"maxIterations": 31/)
  })

  it('rebuild the new text from the old one', () => {
    const line = fc.constantFrom('a', 'b', 'c', '{', '')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.array(line, { maxLength: 12 }), (old, fresh) => {
        const text = (lines: readonly string[]): string => lines.map((one) => `${one}\n`).join('')
        const rebuilt: string[] = [...old]
        for (const { line, removed, added } of lineDiff(text(old), text(fresh))) {
          assert.deepEqual(rebuilt.splice(line - 1, removed.length, ...added), removed)
        }
        assert.deepEqual(rebuilt, fresh)
      }),
    )
  })
})

describe('tollgate calibrate', () => {
  let daemon: FakeDaemon
  let file: string
  beforeEach(async () => {
    daemon = new FakeDaemon()
    file = join(daemon.dataDir, 'config.json')
    await daemon.start()
    daemon.answers['GET /api/calibration'] = { status: 200, body: report }
  })
  afterEach(() => daemon.remove())

  async function run(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
    const terminal = recordedTerminal()
    const invocation = readArguments(['calibrate', ...words, '--data-dir', daemon.dataDir])
    const code = await runClientCommand(invocation as ClientInvocation, terminal)
    return { code, out: terminal.written(), err: terminal.complained() }
  }

  it('prints the groups, what would change and how to apply it, and writes nothing', async () => {
    writeFileSync(file, commented)
    const { code, out } = await run('--days', '7')
    assert.equal(code, 0)
    assert.equal(daemon.seen.at(-1)?.route, 'GET /api/calibration?days=7')
    assert.match(out, /^52 healthy tasks since 2026-11-01\. 1 halted task is left out\.\n/)
    assert.match(out, /OpenAI\/JS +shop +agent +40 +11 +200k +32 s +€0\.63\n/)
    assert.match(out, /claude-cli +- +coding +12 .* nothing proposed below 20 tasks\n/)
    assert.match(out, /\n- {8}"maxIterations": 25, \/\/ calls\n/)
    assert.match(out, /\n\+ {8}"maxIterations": 31, \/\/ calls\n/)
    assert.match(out, /Plan chat takes these from agent/)
    assert.match(out, /--apply\.\n$/)
    assert.doesNotMatch(out, /a-secret/)
    assert.equal(readFileSync(file, 'utf8'), commented)
  })

  it('writes the file with --apply, keeps its rights and leaves no draft', async () => {
    writeFileSync(file, commented)
    chmodSync(file, 0o640)
    const { code, out } = await run('--apply')
    assert.equal(code, 0)
    assert.match(out, /config\.json is changed\. A daemon that runs on it takes the ceilings over by itself\.\n$/)
    assert.equal(readFileSync(file, 'utf8'), calibrated)
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o640)
    assert.ok(!readdirSync(daemon.dataDir).some((name) => name.endsWith('.new')))
    assert.match((await run('--apply')).out, /config\.json has these ceilings already\.\n$/)
  })

  it('makes a file that is not there, for its owner only', async () => {
    const { out } = await run('--apply')
    assert.match(out, /\n\+ {8}"maxIterations": 31,\n/)
    assert.doesNotMatch(out, /^-[^-]/m)
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {
      plans: { agent: { task: { maxIterations: 31, maxWallSeconds: 240, maxEur: 4.5 } } },
    })
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600)
  })

  it('changes the file that a link names, and the one of --config', async () => {
    if (process.platform === 'win32') return
    const [kept, other] = [join(daemon.dataDir, 'kept.json'), join(daemon.dataDir, 'other.json')]
    writeFileSync(kept, commented)
    symlinkSync(kept, file)
    await run('--apply')
    assert.ok(lstatSync(file).isSymbolicLink())
    assert.equal(readFileSync(kept, 'utf8'), calibrated)
    writeFileSync(other, commented)
    await run('--apply', '--config', other)
    assert.equal(readFileSync(other, 'utf8'), calibrated)
  })

  it('does not write where the configuration is not valid, and says why', async () => {
    const wrong = '{ "plans": { "agent": { "task": { "maxIterations": -1 } } } }'
    writeFileSync(file, wrong)
    const { code, err } = await run('--apply')
    assert.equal(code, 2)
    assert.match(
      err,
      /is not changed: plans\.agent\.task\.maxIterations must be a whole number >= 0 or null, not -1\.\n$/,
    )
    assert.equal(readFileSync(file, 'utf8'), wrong)
  })

  it('does not write back a file whose characters it cannot read', async () => {
    const latin = Buffer.from('{ } // für alle', 'latin1')
    writeFileSync(file, latin)
    const { code, err } = await run('--apply')
    assert.equal(code, 1)
    assert.match(err, /cannot be read: it is not UTF-8\.\n$/)
    assert.ok(readFileSync(file).equals(latin))
  })

  it('says so where the file cannot be written', async () => {
    const { code, err } = await run('--apply', '--config', join(daemon.dataDir, 'missing', 'config.json'))
    assert.equal(code, 1)
    assert.match(err, /config\.json cannot be written: ENOENT/)
    mkdirSync(file)
    assert.match((await run()).err, /config\.json cannot be read: EISDIR/)
  })

  it('looks at one plan only where it is asked to, and knows the plans', async () => {
    const { out } = await run('--plan', 'coding')
    assert.doesNotMatch(out, /OpenAI/)
    assert.match(out, /No client and project has 20 healthy tasks, so nothing is proposed\.\n$/)
    const { code, err } = await run('--plan', 'other')
    assert.equal(code, 1)
    assert.equal(err, 'There is no plan "other". Plans: agent, coding.\n')
  })

  it('gives the answer as it is with --json, and speaks of the file on stderr', async () => {
    const plain = await run('--json')
    assert.deepEqual(JSON.parse(plain.out), report)
    assert.equal(plain.err, '')
    const applied = await run('--json', '--apply')
    assert.deepEqual(JSON.parse(applied.out), report)
    assert.match(applied.err, /config\.json is changed/)
  })

  it('says what the daemon says where that says no', async () => {
    const error = { code: 'ledger_unavailable', message: 'The ledger cannot be read.' }
    daemon.answers['GET /api/calibration'] = { status: 503, body: { error } }
    const { code, err } = await run()
    assert.equal(code, 1)
    assert.equal(err, 'The ledger cannot be read.\n')
  })
})
