import assert from 'node:assert/strict'
import fc from 'fast-check'
import { foreignServer, runEnvironment, shellProject } from '../../../daemon/commands/run/runEnvironment.ts'
import { durationText, exitCodeOf, runSummary } from '../../../daemon/commands/run/runSummary.ts'
import type { RunReport } from '../../../daemon/commands/run/runSummary.ts'
import { RunTally } from '../../../daemon/commands/run/runTally.ts'
import { RunWatch } from '../../../daemon/commands/run/runWatch.ts'
import { windowsStart } from '../../../daemon/commands/run/runWindows.ts'
import type { ControlMessage } from '../../../shared/protocol.ts'
import type { CallRow, TaskStatus } from '../../../shared/status.ts'
import { noUsage } from '../../../shared/usage.ts'
import type { Usage } from '../../../shared/usage.ts'
import { status } from './fakeDaemon.ts'
import { callRow } from '../callRow.ts'

const startMs = Date.parse('2026-11-30T12:00:00.000Z')
const at = (seconds: number): string => new Date(startMs + seconds * 1000).toISOString()

describe('the environment of a run', () => {
  const address = { origin: 'http://127.0.0.1:4141', key: 'k1', project: 'shop', task: 'run-7' }

  it('sends every client through the gate as one task, Ollama included', () => {
    const env = runEnvironment({ PATH: '/bin', OPENAI_API_KEY: 'sk-1' }, address)
    assert.equal(env['OPENAI_BASE_URL'], 'http://127.0.0.1:4141/k/k1/t/run-7/p/shop/openai/v1')
    assert.equal(env['ANTHROPIC_BASE_URL'], 'http://127.0.0.1:4141/k/k1/t/run-7/p/shop/anthropic')
    assert.equal(env['OLLAMA_HOST'], 'http://127.0.0.1:4141/k/k1/t/run-7/p/shop/ollama')
    assert.equal(env['GOOGLE_GEMINI_BASE_URL'], 'http://127.0.0.1:4141/k/k1/t/run-7/p/shop/gemini')
    assert.deepEqual([env['PATH'], env['OPENAI_API_KEY'], env['NO_PROXY']], ['/bin', 'sk-1', undefined])
  })

  it('excepts the gate from a proxy and keeps what was excepted before', () => {
    const both = runEnvironment({ HTTP_PROXY: 'http://proxy', NO_PROXY: 'intra.net' }, address)
    assert.equal(both['NO_PROXY'], 'intra.net,127.0.0.1,localhost')
    assert.equal(both['no_proxy'], 'intra.net,127.0.0.1,localhost')
    const small = runEnvironment({ https_proxy: 'http://proxy', no_proxy: 'localhost, a.b' }, address)
    assert.equal(small['no_proxy'], 'localhost, a.b,127.0.0.1')
    assert.equal(small['NO_PROXY'], '127.0.0.1,localhost')
  })

  const foreign: readonly (readonly [string, string, string])[] = [
    ['OPENAI_BASE_URL', 'https://openrouter.ai/api/v1', 'openrouter.ai'],
    ['OPENAI_API_BASE', 'http://localhost:8000/v1', 'localhost:8000'],
    ['ANTHROPIC_BASE_URL', 'https://api.anthropic.com.example.org', 'api.anthropic.com.example.org'],
    ['GOOGLE_GEMINI_BASE_URL', 'https://relay.example.com/gemini', 'relay.example.com'],
    ['OLLAMA_HOST', 'gpu-box:11434', 'gpu-box:11434'],
    ['OLLAMA_HOST', ':::', ':::'],
  ]
  for (const [variable, value, host] of foreign) {
    it(`does not replace ${variable}=${value}, whose key is for another server`, () => {
      assert.deepEqual(foreignServer({ PATH: '/bin', [variable]: value }), { variable, host })
    })
  }

  it('replaces what leads to the providers themselves or to a gate', () => {
    const values = {
      OPENAI_BASE_URL: 'https://api.openai.com/v1',
      OPENAI_API_BASE: 'http://127.0.0.1:4141/k/k1/p/shop/openai/v1',
      ANTHROPIC_BASE_URL: 'http://localhost:4141/anthropic',
      ANTHROPIC_API_URL: '',
      GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:4141/k/k1/gemini',
      OLLAMA_HOST: '0.0.0.0',
      OLLAMA_BASE_URL: 'http://localhost:11434',
    }
    assert.equal(foreignServer(values), null)
  })

  it("finds the project of the editor's terminal", () => {
    assert.equal(shellProject({ OPENAI_BASE_URL: 'http://127.0.0.1:4141/k/k1/p/shop/openai/v1' }), 'shop')
    assert.equal(
      shellProject({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:4141/k/k1/t/old/p/my-shop/anthropic' }),
      'my-shop',
    )
    assert.equal(shellProject({ OPENAI_BASE_URL: 'http://127.0.0.1:4141/k/k1/openai/v1' }), null)
    assert.equal(shellProject({ OPENAI_BASE_URL: 'https://elsewhere.org/p/shop/openai' }), null)
    assert.equal(shellProject({}), null)
  })
})

describe('the watch over a run', () => {
  const watch = (): RunWatch => new RunWatch('run-7', 'ok', 30_000)
  const changed = (state: string, seconds: number, task = 'run-7'): ControlMessage => ({
    event: 'state_changed',
    time: at(seconds),
    task,
    state,
  })
  const refused = (seconds: number, code = 'task_halted', task = 'run-7'): ControlMessage => ({
    event: 'refused',
    time: at(seconds),
    task,
    code,
    message: 'The task has reached its ceiling.',
  })
  const listed = (state: TaskStatus['state'], id = 'run-7'): ControlMessage => ({
    event: 'status',
    status: status({
      tasks: [
        {
          id,
          named: true,
          session: null,
          project: null,
          client: '',
          state,
          iterations: 1,
          inputTokens: 1,
          wallSeconds: 1,
          startedAt: '2026-11-30T12:00:00.000Z',
          eur: 1,
          nearest: null,
          costIncomplete: false,
          forecast: null,
          loop: null,
        },
      ],
    }),
  })
  const heard = (it: RunWatch, messages: readonly ControlMessage[]): readonly boolean[] =>
    messages.map((message) => it.hear(message))

  it('asks for the stop once the halted task still calls after its grace period', () => {
    const it = watch()
    assert.deepEqual(heard(it, [changed('halted', 0), refused(0), refused(29), refused(30)]), [
      false,
      false,
      false,
      true,
    ])
    assert.equal(it.refusals, 3)
    assert.equal(it.halt?.code, 'task_halted')
  })

  it('does so in whatever order the halt and its refusal are said', () => {
    assert.deepEqual(heard(watch(), [refused(0), changed('halted', 0), refused(31)]), [false, false, true])
  })

  it('does so for a task that repeats itself, whatever the counters say', () => {
    const it = watch()
    assert.deepEqual(heard(it, [refused(0, 'loop_halted'), listed('ok'), refused(31, 'loop_halted')]), [
      false,
      false,
      true,
    ])
    assert.equal(it.state, 'halted')
  })

  it('leaves a command alone that has stopped calling', () => {
    assert.deepEqual(heard(watch(), [changed('halted', 0), refused(0), refused(3600)]), [false, false, false])
  })

  it('leaves a command alone whose task was resumed', () => {
    const it = watch()
    const messages = [changed('halted', 0), refused(0), changed('ok', 20), refused(40), refused(60)]
    assert.deepEqual(heard(it, messages), [false, false, false, false, false])
    assert.deepEqual(heard(it, [refused(71)]), [true])
    assert.deepEqual(heard(it, [changed('ok', 80)]), [false])
    assert.deepEqual([it.state, it.halt], ['ok', null])
  })

  it('leaves a command alone whose calls are refused for another reason', () => {
    const it = watch()
    const messages = [refused(0, 'budget_exhausted'), refused(40, 'budget_exhausted'), refused(90, 'killed')]
    assert.deepEqual(heard(it, messages), [false, false, false])
    assert.deepEqual([it.state, it.refusals, it.lastRefusal?.code], ['ok', 3, 'killed'])
  })

  it('does not listen to what is said of other tasks', () => {
    const it = watch()
    heard(it, [changed('halted', 0, 'other'), refused(0, 'task_halted', 'other'), listed('halted', 'other')])
    assert.deepEqual([it.hear(refused(40, 'task_halted', 'other')), it.state, it.refusals], [false, 'ok', 0])
    it.hear(listed('warn'))
    assert.equal(it.state, 'warn')
  })

  it('begins anew where it has missed something', () => {
    const it = watch()
    heard(it, [changed('halted', 0), refused(0)])
    it.missed()
    assert.deepEqual(heard(it, [refused(40), refused(69), refused(70)]), [false, false, true])
  })

  it('survives messages that make no sense', () => {
    const it = watch()
    const odd: ControlMessage[] = [
      { event: 'state_changed', time: 'never', task: 'run-7', state: 'asleep' },
      { event: 'state_changed', time: 'never', task: 'run-7', state: 'halted' },
      { event: 'refused', time: 'never', task: 'run-7', code: 7 },
      { event: 'refused', time: 'never', task: 'run-7', code: 'task_halted' },
    ]
    assert.deepEqual(heard(it, odd), [false, false, false, false])
  })

  it('never asks for the stop within the grace period of a halt', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 29_999 }), { maxLength: 20 }), (offsetsMs) => {
        const it = watch()
        it.hear(changed('halted', 0))
        for (const offsetMs of offsetsMs.sort((left, right) => left - right))
          assert.equal(it.hear(refused(offsetMs / 1000)), false)
      }),
    )
  })
})

/** A settled call of a run. */
function row(id: string, seconds: number, usage: Partial<Usage>, changes: Partial<CallRow> = {}): CallRow {
  return callRow({
    id,
    time: at(seconds),
    task: 'run-7',
    model: 'm',
    responseModel: 'm',
    usage: { ...noUsage, ...usage },
    eur: 0.1,
    reservedEur: 0.2,
    rateAsOf: '2026-11-20',
    durationMs: 1,
    firstByteMs: 1,
    ...changes,
  })
}

describe('the tally of a run', () => {
  it('tells new and cached input apart and leaves out what was never sent', () => {
    const tally = new RunTally(startMs)
    tally.add([
      row('a', 1, { input: 100, cacheRead: 900, cacheWrite5m: 20, cacheWrite1h: 3, output: 50, reasoning: 40 }),
      row('b', 2, { input: 7, output: 1 }, { eur: 0.2, warnings: ['unpriced_call'] }),
      row('c', 3, {}, { settlement: 'released', eur: 0 }),
      row('d', 4, {}, { state: 'reserved', settlement: null, eur: 0 }),
    ])
    assert.deepEqual(tally.totals(), {
      calls: 3,
      newInputTokens: 130,
      cachedInputTokens: 900,
      outputTokens: 51,
      spentNanoEur: 300_000_000,
      unpricedCalls: 1,
      openCalls: 1,
    })
  })

  it('asks again from the oldest call that is open, and never from before the start', () => {
    const tally = new RunTally(startMs)
    assert.equal(tally.sinceMs, startMs)
    tally.add([row('a', 10, {})])
    assert.equal(tally.sinceMs, startMs)
    tally.add([row('b', 100, {}, { state: 'reserved', settlement: null }), row('c', 500, {})])
    assert.equal(tally.sinceMs, startMs + 100_000)
    tally.add([row('b', 100, {})])
    assert.equal(tally.sinceMs, startMs + 440_000)
  })

  it('counts each call once, whatever the lists overlap', () => {
    const one = fc.record({ seconds: fc.nat(2000), input: fc.nat(1000), settledAfter: fc.nat(600) })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 40 }), fc.array(fc.nat(2600), { maxLength: 8 }), (calls, looks) => {
        const tally = new RunTally(startMs)
        for (const look of [...looks.sort((left, right) => left - right), 3000]) {
          const rows = calls.flatMap(({ seconds, input, settledAfter }, id) => {
            if (seconds > look || startMs + seconds * 1000 < tally.sinceMs) return []
            const isOpen = seconds + settledAfter > look
            return [row(String(id), seconds, { input }, isOpen ? { state: 'reserved', settlement: null, eur: 0 } : {})]
          })
          tally.add(rows)
        }
        const { calls: counted, spentNanoEur, openCalls } = tally.totals()
        assert.deepEqual([counted, spentNanoEur, openCalls], [calls.length, calls.length * 100_000_000, 0])
      }),
    )
  })
})

describe('the summary of a run', () => {
  const report: RunReport = {
    task: 'run-7',
    program: 'node',
    end: { code: 0, signal: null },
    durationMs: 8200,
    totals: {
      calls: 12,
      newInputTokens: 312_000,
      cachedInputTokens: 900_000,
      outputTokens: 8100,
      spentNanoEur: 1_840_000_000,
      unpricedCalls: 0,
      openCalls: 0,
    },
    refusals: 0,
    lastRefusal: null,
    state: 'ok',
    halt: null,
    stoppedBy: null,
    graceSeconds: 30,
    capEur: null,
    capIterations: null,
    currency: 'EUR',
    isComplete: true,
  }

  it('says calls, tokens, euros and state', () => {
    assert.equal(
      runSummary(report),
      [
        '',
        'Task run-7 ended with exit code 0 after 8.2 s',
        '  calls      12',
        '  input      312k new, 900k cached',
        '  output     8.1k',
        '  spent      €1.84',
        '  state      ok',
        '',
      ].join('\n'),
    )
  })

  it('says what stopped it, within its limits', () => {
    const refusal = { code: 'task_halted', message: 'Task run-7 has made 40 of 40 calls.' }
    const text = runSummary({
      ...report,
      end: { code: null, signal: 'SIGKILL' },
      totals: { ...report.totals, openCalls: 1, unpricedCalls: 2 },
      state: 'halted',
      refusals: 3,
      lastRefusal: refusal,
      halt: refusal,
      stoppedBy: 'SIGKILL',
      capEur: 2,
      capIterations: 40,
    })
    assert.match(text, /^Task run-7 was ended by SIGKILL after 8\.2 s$/m)
    assert.match(text, /^ {2}calls {6}12 of 40, 3 refused, 1 not settled yet$/m)
    assert.match(text, /^ {2}spent {6}€1\.84 of 2\.00, and 2 calls without a known price$/m)
    assert.match(text, /^ {2}halted by {2}Task run-7 has made 40 of 40 calls\. \(task_halted\)$/m)
    assert.match(text, /^ {2}stopped {4}node still called 30 s after the halt; its processes were ended with SIGKILL$/m)
    assert.doesNotMatch(text, /refused {2}/)
  })

  it('says why calls were refused of a task that was not halted, and what it may lack', () => {
    const text = runSummary({
      ...report,
      refusals: 1,
      lastRefusal: { code: 'budget_exhausted', message: 'Used up.\u001b[2J' },
      isComplete: false,
    })
    assert.match(text, /^ {2}refused {4}Used up\.\?\[2J \(budget_exhausted\)$/m)
    assert.match(text, /^ {2}note {7}the daemon did not answer at the end/m)
  })

  it('writes durations for a person', () => {
    assert.deepEqual([0, 59_949, 59_950, 134_000, 3_599_499, 3_600_000, 3_780_000].map(durationText), [
      '0.0 s',
      '59.9 s',
      '1 min 0 s',
      '2 min 14 s',
      '59 min 59 s',
      '1 h 0 min',
      '1 h 3 min',
    ])
  })

  it('gives the exit code that a shell would', () => {
    assert.equal(exitCodeOf({ code: 7, signal: null }), 7)
    assert.equal(exitCodeOf({ code: null, signal: 'SIGINT' }), 130)
    assert.equal(exitCodeOf({ code: null, signal: 'SIGTERM' }), 143)
    assert.equal(exitCodeOf({ code: null, signal: null }), 1)
  })
})

describe('starting a command on Windows', () => {
  const env = { Path: 'C:\\bin;C:\\npm', PATHEXT: '.EXE;.CMD', ComSpec: 'C:\\Windows\\System32\\cmd.exe' }
  const files = new Set(['C:\\bin\\python.EXE', 'C:\\npm\\claude.CMD', 'tools\\agent.cmd'])
  const start = (...words: readonly [string, ...string[]]) => windowsStart(words, env, (path) => files.has(path))

  it('starts a program as it is', () => {
    assert.deepEqual(start('python', 'a b'), { file: 'C:\\bin\\python.EXE', args: ['a b'], isVerbatim: false })
    assert.deepEqual(start('missing', 'x'), { file: 'missing', args: ['x'], isVerbatim: false })
  })

  it('hands a script to cmd.exe with every special character quoted', () => {
    const { file, args, isVerbatim } = start('claude', '-p', 'say "100%" & exit', 'end\\')
    assert.equal(file, 'C:\\Windows\\System32\\cmd.exe')
    assert.equal(isVerbatim, true)
    const line = [
      'C:\\npm\\claude.CMD',
      '^^^"-p^^^"',
      '^^^"say^^^ \\^^^"100^^^%\\^^^"^^^ ^^^&^^^ exit^^^"',
      '^^^"end\\\\^^^"',
    ].join(' ')
    assert.deepEqual(args, ['/d', '/s', '/c', `"${line}"`])
    assert.equal(start('tools\\agent.cmd').args.at(-1), '"tools\\agent.cmd"')
  })
})
