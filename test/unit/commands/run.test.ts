import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { WebSocket } from 'ws'
import { isLivingMember } from '../../../daemon/commands/run/runGroup.ts'
import { noUsage } from '../../../shared/usage.ts'
import { FakeDaemon, status } from './fakeDaemon.ts'
import { callRow } from '../callRow.ts'

const program = fileURLToPath(new URL('../../../daemon/main.ts', import.meta.url))

function isAlive(pid: number, group: number): boolean {
  try {
    return isLivingMember(readFileSync(`/proc/${pid}/stat`, 'utf8'), group)
  } catch {
    return false
  }
}

/** A run in a process of its own, as a shell would start it. */
class Run {
  readonly #child: ChildProcess
  #out = ''
  #err = ''
  readonly code: Promise<number | null>

  constructor(daemon: FakeDaemon, options: readonly string[], words: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const gate = /^(OPENAI|ANTHROPIC|OLLAMA)_/
    const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !gate.test(name)))
    this.#child = spawn(
      process.execPath,
      [
        '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
        program,
        'run',
        '--data-dir',
        daemon.dataDir,
        ...options,
        '--',
        ...words,
      ],
      { stdio: ['pipe', 'pipe', 'pipe'], env: { ...own, ...env } },
    )
    this.#child.stdout!.on('data', (part: Buffer) => void (this.#out += part.toString()))
    this.#child.stderr!.on('data', (part: Buffer) => void (this.#err += part.toString()))
    this.code = once(this.#child, 'close').then(([code]) => code as number | null)
  }

  get out(): string {
    return this.#out
  }

  get err(): string {
    return this.#err
  }

  async saw(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#out)) await wait(10)
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  type(text: string): void {
    this.#child.stdin!.end(text)
  }
}

describe('tollgate run', () => {
  let daemon: FakeDaemon
  let sockets: WebSocket[]
  let runs: Run[]

  beforeEach(async () => {
    daemon = new FakeDaemon()
    sockets = []
    runs = []
    daemon.onControl = (socket) => {
      sockets.push(socket)
      socket.send(JSON.stringify({ event: 'status', status: status() }))
    }
    daemon.answers['POST /api/tasks'] = { status: 200, body: { id: 'run-7', state: 'ok', haltGraceSeconds: 30 } }
    daemon.answers['GET /api/calls'] = { status: 200, body: { calls: [] } }
    daemon.answers['GET /api/status'] = { status: 200, body: status() }
    await daemon.start()
  })

  afterEach(async () => {
    for (const one of runs) one.signal('SIGTERM')
    await Promise.all(runs.map((one) => one.code))
    await daemon.remove()
  })

  function run(options: readonly string[], script: string, env: NodeJS.ProcessEnv = {}): Run {
    const one = new Run(daemon, options, [process.execPath, '-e', script], env)
    runs.push(one)
    return one
  }

  const tell = (message: object): void => {
    for (const socket of sockets) socket.send(JSON.stringify(message))
  }
  const refused = (time: string): object => ({
    event: 'refused',
    time,
    task: 'run-7',
    code: 'task_halted',
    message: 'Task run-7 has made 40 of 40 calls.',
  })

  it('registers the limits, passes the terminal and the environment on, and gives the exit code', async () => {
    const one = run(
      ['--eur', '2', '--iterations', '40', '--minutes', '1.5', '--task', 'run-7', '--project', 'shop'],
      'process.stdin.on("data", (text) => { process.stdout.write(process.env.OPENAI_BASE_URL + " " + text); process.exit(7) })',
    )
    one.type('typed')
    assert.equal(await one.code, 7)
    assert.equal(one.out, `${daemon.url}/k/local-key/t/run-7/p/shop/openai/v1 typed`)
    const asked = daemon.seen.find(({ route }) => route === 'POST /api/tasks')!
    assert.deepEqual(JSON.parse(asked.body), { id: 'run-7', eur: 2, iterations: 40, minutes: 1.5 })
    assert.equal(asked.authorization, 'Bearer control-token')
    assert.match(one.err, /^Task run-7: at most €2\.00, 40 calls, 1\.5 minutes\.\n/)
    assert.match(one.err, /\nTask run-7 ended with exit code 7 after /)
  })

  it('takes a new task for each run and the project of the shell', async () => {
    const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9999/k/other/p/shop/anthropic' }
    const both = ['', ''].map(() => run([], 'process.stdout.write(process.env.OLLAMA_HOST)', env))
    assert.deepEqual(await Promise.all(both.map((one) => one.code)), [0, 0])
    const tasks = both.map(({ out }) => /\/k\/local-key\/t\/(run-[0-9a-f]{8})\/p\/shop\/ollama$/.exec(out)?.[1])
    assert.ok(tasks[0] !== undefined && tasks[1] !== undefined)
    assert.notEqual(tasks[0], tasks[1])
    assert.match(both[0]!.err, /: the ceilings of the plan\.\n/)
  })

  it('says what the calls have cost', async () => {
    const call = callRow({
      time: new Date(Date.now() + 1000).toISOString(),
      task: 'run-7',
      model: 'm',
      responseModel: 'm',
      usage: { ...noUsage, input: 312_000, cacheRead: 900_000, output: 8100 },
      eur: 1.84,
      reservedEur: 2,
      rateAsOf: '2026-11-20',
      durationMs: 1,
      firstByteMs: 1,
    })
    daemon.answers['GET /api/calls'] = { status: 200, body: { calls: [call] } }
    const one = run(['--task', 'run-7', '--eur', '2'], '')
    assert.equal(await one.code, 0)
    assert.match(
      one.err,
      / {2}calls {6}1\n {2}input {6}312k new, 900k cached\n {2}output {5}8\.1k\n {2}spent {6}€1\.84 of 2\.00\n/,
    )
    assert.match(
      daemon.seen.find(({ route }) => route.startsWith('GET /api/calls'))!.route,
      /\?task=run-7&since=\d+&limit=1000$/,
    )
  })

  it('stops the command and what it started once the halted task still calls after the grace period', async () => {
    const one = run(
      ['--task', 'run-7'],
      `const { spawn } = require("node:child_process");
       const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"], { stdio: "ignore" });
       child.on("spawn", () => console.log("group " + process.pid + " child " + child.pid)); setInterval(() => undefined, 1000)`,
    )
    await one.saw(/child \d+\n/)
    tell({ event: 'state_changed', time: '2026-11-30T12:00:00.000Z', task: 'run-7', state: 'halted' })
    tell(refused('2026-11-30T12:00:00.000Z'))
    tell(refused('2026-11-30T12:00:31.000Z'))
    assert.equal(await one.code, 143)
    assert.match(one.err, /was ended by SIGTERM after /)
    assert.match(one.err, / {2}calls {6}0, 2 refused\n/)
    assert.match(
      one.err,
      / {2}state {6}halted\n {2}halted by {2}Task run-7 has made 40 of 40 calls\. \(task_halted\)\n/,
    )
    assert.match(
      one.err,
      / {2}stopped {4}node still called 30 s after the halt; its processes were ended with SIGTERM\n/,
    )
    const [, group, child] = /group (\d+) child (\d+)/.exec(one.out)!
    while (isAlive(Number(child), Number(group))) await wait(10)
  })

  it('lets a command end by itself that stops calling when it is halted', async () => {
    const one = run(['--task', 'run-7'], 'console.log("up"); process.stdin.on("data", () => process.exit(3))')
    await one.saw(/up/)
    tell({ event: 'state_changed', time: '2026-11-30T12:00:00.000Z', task: 'run-7', state: 'halted' })
    tell(refused('2026-11-30T12:00:01.000Z'))
    one.type('done')
    assert.equal(await one.code, 3)
    assert.match(one.err, / {2}state {6}halted\n/)
    assert.doesNotMatch(one.err, / {2}stopped /)
  })

  for (const [name, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    it(`passes ${name} on and ends as the command does`, async () => {
      const one = run([], 'console.log("up"); setInterval(() => undefined, 1000)')
      await one.saw(/up/)
      one.signal(name)
      assert.equal(await one.code, code)
      assert.match(one.err, new RegExp(`was ended by ${name} after`))
    })
  }

  it('listens again, and says the limits again, when the daemon comes back', async () => {
    const one = run(['--task', 'run-7', '--eur', '2'], 'console.log("up"); setInterval(() => undefined, 1000)')
    await one.saw(/up/)
    sockets.splice(0).forEach((socket) => socket.terminate())
    while (sockets.length === 0) await wait(10)
    while (daemon.seen.filter(({ route }) => route === 'POST /api/tasks').length < 2) await wait(10)
    tell(refused('2026-11-30T12:00:00.000Z'))
    tell(refused('2026-11-30T12:00:31.000Z'))
    assert.equal(await one.code, 143)
  })

  it('goes on without the daemon, whose gate is shut then, and says that figures may be missing', async () => {
    const one = run([], 'console.log("up"); process.stdin.on("data", () => process.exit(4))')
    await one.saw(/up/)
    await daemon.die()
    one.type('done')
    assert.equal(await one.code, 4)
    assert.match(one.err, / {2}note {7}the daemon did not answer at the end/)
  })

  it('starts nothing where no daemon runs', async () => {
    await daemon.die()
    const one = run([], 'console.log("up")')
    assert.equal(await one.code, 1)
    assert.equal(one.out, '')
    assert.match(one.err, /^Tollgate is not running for .*\. Start it with: tollgate serve\n$/)
  })

  it('starts nothing where the daemon does not take the limits or does not let it listen', async () => {
    daemon.answers['POST /api/tasks'] = { status: 404, body: { error: { message: 'There is no POST /api/tasks.' } } }
    const old = run([], 'console.log("up")')
    assert.deepEqual([await old.code, old.out, old.err], [1, '', 'There is no POST /api/tasks.\n'])
    daemon.answers['POST /api/tasks'] = { status: 200, body: {} }
    daemon.onControl = (socket) => socket.terminate()
    const deaf = run([], 'console.log("up")')
    assert.deepEqual([await deaf.code, deaf.out], [1, ''])
    assert.match(deaf.err, /does not let this command listen\.\n$/)
  })

  it('starts nothing that would send the key of another server to the provider', async () => {
    const one = run([], 'console.log("up")', { OPENAI_BASE_URL: 'https://openrouter.ai/api/v1' })
    assert.deepEqual([await one.code, one.out], [1, ''])
    assert.match(one.err, /^OPENAI_BASE_URL points to openrouter\.ai, .*: unset OPENAI_BASE_URL,/)
    assert.deepEqual(daemon.seen, [])
  })

  it('ends with 127 and one sentence where there is no such program', async () => {
    const one = new Run(daemon, [], ['tollgate-no-such-program'])
    runs.push(one)
    assert.equal(await one.code, 127)
    assert.match(one.err, /\nThere is no program "tollgate-no-such-program"\.\n$/)
  })
})
