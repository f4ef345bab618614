import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readArguments } from '../../../daemon/commands/arguments.ts'
import { runClientCommand } from '../../../daemon/commands/client.ts'
import type { ClientInvocation } from '../../../daemon/commands/client.ts'
import { acrossSuccession, CommandFailure, DaemonAway, findDaemon } from '../../../daemon/commands/daemonClient.ts'
import { pendingStops } from '../../../daemon/control/pendingStops.ts'
import { globalStop } from '../../../shared/pendingStop.ts'
import { handOverCloseCode } from '../../../shared/protocol.ts'
import { FakeDaemon, recordedTerminal, spend, status } from './fakeDaemon.ts'

describe('commands that talk to the daemon', () => {
  let daemon: FakeDaemon
  beforeEach(async () => {
    daemon = new FakeDaemon()
    await daemon.start()
  })
  afterEach(() => daemon.remove())

  async function run(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
    const terminal = recordedTerminal()
    const invocation = readArguments([...words, '--data-dir', daemon.dataDir])
    const code = await runClientCommand(invocation as ClientInvocation, terminal)
    return { code, out: terminal.written(), err: terminal.complained() }
  }

  it('show the status as a table', async () => {
    daemon.answers['GET /api/status'] = { status: 200, body: status({ today: spend({ spentEur: 1.84, calls: 41 }) }) }
    const { code, out } = await run('status')
    assert.equal(code, 0)
    assert.match(out, /Today\s+€1\.84 of 10\.00/)
    assert.ok(out.includes(daemon.url))
  })

  it('give the status as it is with --json, and carry the token', async () => {
    const body = status({ counters: { killed: 3 } })
    daemon.answers['GET /api/status'] = { status: 200, body }
    const { out } = await run('status', '--json')
    assert.deepEqual(JSON.parse(out), body)
    assert.equal(daemon.seen.find(({ route }) => route === 'GET /api/status')?.authorization, 'Bearer control-token')
  })

  it('stop everything and say how many calls and how fast', async () => {
    daemon.answers['POST /api/kill'] = { status: 200, body: { cancelled: 5, tookMs: 39.2 } }
    const { code, out } = await run('kill')
    assert.equal(code, 0)
    assert.equal(out, '5 calls stopped in 40 ms.\n')
    assert.equal(daemon.seen.at(-1)?.body, '{"scope":"global"}')
  })

  it('stop one task and speak of one call in the singular', async () => {
    daemon.answers['POST /api/kill'] = { status: 200, body: { cancelled: 1, tookMs: 3 } }
    const { out } = await run('kill', '--scope', 'task', '--ref', 'run-7')
    assert.equal(out, '1 call stopped in 3 ms.\n')
    assert.deepEqual(JSON.parse(daemon.seen.at(-1)!.body), { scope: 'task', ref: 'run-7' })
  })

  it('allow calls again', async () => {
    daemon.answers['POST /api/resume'] = { status: 200, body: { killed: false } }
    assert.equal((await run('resume')).out, 'Calls are allowed again.\n')
    assert.equal(
      (await run('resume', '--scope', 'tenant', '--ref', 'acme')).out,
      'Calls are allowed again for tenant acme.\n',
    )
  })

  it('grant room and say how far a window may go now', async () => {
    daemon.answers['GET /api/status'] = { status: 200, body: status() }
    const answer = { scope: 'user', ref: 'ada', window: 'day', until: null, limitEur: 15, limitTokens: null }
    daemon.answers['POST /api/grants'] = { status: 200, body: answer }
    const { code, out } = await run('grant', '--scope', 'user', '--ref', 'ada', '--eur', '5', '--tokens', '9')
    assert.equal(code, 0)
    assert.equal(
      out,
      '€5.00 and 9 tokens granted to user ada until the end of the day.\nThe limit of the day is €15.00 now. There is no cap of tokens, so that part changes nothing.\n',
    )
    const sent = daemon.seen.find(({ route }) => route === 'POST /api/grants')
    assert.deepEqual(JSON.parse(sent!.body), { scope: 'user', ref: 'ada', eur: 5, tokens: 9, by: 'cli' })
  })

  it('grant a task room, and pass on why the daemon does not', async () => {
    daemon.answers['GET /api/status'] = { status: 200, body: status() }
    const answer = { scope: 'task', ref: 't1', window: 'life', until: null, limitEur: null, limitTokens: null }
    daemon.answers['POST /api/grants'] = { status: 200, body: answer }
    assert.equal(
      (await run('grant', 't1', '--iterations', '20')).out,
      '20 calls granted to task t1 as long as the task lives.\n',
    )
    daemon.answers['POST /api/grants'] = { status: 400, body: { error: { message: 'until must lie in the future.' } } }
    const refused = await run('grant', 't1', '--eur', '1', '--until', '2020-01-01T00:00:00Z')
    assert.deepEqual([refused.code, refused.out, refused.err], [1, '', 'until must lie in the future.\n'])
  })

  it('print the variables of a shell', async () => {
    const { code, out } = await run('env', '--project', 'My Shop', '--task', 'run-7')
    assert.equal(code, 0)
    assert.ok(out.includes(`export OPENAI_BASE_URL='${daemon.url}/k/local-key/t/run-7/p/My-Shop/openai/v1'\n`))
    assert.ok(out.includes(`export ANTHROPIC_BASE_URL='${daemon.url}/k/local-key/t/run-7/p/My-Shop/anthropic'\n`))
    assert.doesNotMatch(out, /OLLAMA_HOST/)
  })

  for (const words of [['status'], ['watch'], ['resume'], ['resume', '--scope', 'task', '--ref', 't'], ['env']]) {
    it(`say that the daemon is not running and how to start it: ${words.join(' ')}`, async () => {
      await daemon.die()
      const { code, out, err } = await run(...words)
      assert.equal(code, 1)
      assert.equal(out, '')
      assert.match(err, /^Tollgate is not running for .*\. Start it with: tollgate serve\n$/)
    })
  }

  it('C12: kill without a daemon waits for the next one, says that nothing was stopped and ends with 1', async () => {
    await daemon.die()
    const { code, out, err } = await run('kill')
    assert.deepEqual([code, out], [1, ''])
    assert.equal(
      err,
      `Tollgate is not running for ${daemon.dataDir}, so no call was stopped. ` +
        'The stop is stored: from its next start on all calls are refused, until: tollgate resume\n',
    )
    assert.match(
      (await run('kill', '--scope', 'task', '--ref', 't1')).err,
      /calls of task t1 .* --scope task --ref t1\n$/,
    )
    assert.deepEqual(pendingStops(daemon.dataDir).list(), [{ scope: 'global' }, { scope: 'task', ref: 't1' }])
    const resumed = await run('resume', '--scope', 'task', '--ref', 't1')
    assert.deepEqual([resumed.code, resumed.err], [0, ''])
    assert.match(resumed.out, /^The stop that waited for task t1 is taken back\. Tollgate does not answer for /)
    assert.match((await run('resume')).out, /^The stop that waited is taken back\. /)
    assert.deepEqual(pendingStops(daemon.dataDir).list(), [])
  })

  it('kill waits in no directory that is not there: its name may be a mistake', async () => {
    const dataDir = join(daemon.dataDir, 'nowhere')
    const terminal = recordedTerminal()
    const invocation = readArguments(['kill', '--data-dir', dataDir])
    assert.equal(await runClientCommand(invocation as ClientInvocation, terminal), 1)
    assert.equal(terminal.complained(), `Tollgate is not running for ${dataDir}. Start it with: tollgate serve\n`)
    assert.ok(!existsSync(dataDir))
  })

  it('kill and resume say why where the stop cannot be stored or taken back', async () => {
    await daemon.die()
    mkdirSync(join(daemon.dataDir, globalStop.file))
    assert.match((await run('kill')).err, /so no call was stopped\. The stop cannot be stored: E[A-Z]+: [^\n]+\.\n$/)
    const { code, err } = await run('resume')
    assert.equal(code, 1)
    assert.match(err, /^The stop that waits in .*pending-stop-global\.json cannot be removed: /)
  })

  it('kill does not wait where a daemon answered with an error', async () => {
    daemon.answers['POST /api/kill'] = { status: 503, body: { error: { message: 'No.' } } }
    assert.equal((await run('kill')).err, 'No.\n')
    assert.deepEqual(pendingStops(daemon.dataDir).list(), [])
  })

  it('kill that a daemon took which began meanwhile leaves the file to that one, which may keep the stop there', async () => {
    daemon.answers['POST /api/kill'] = { status: 200, body: { cancelled: 3, tookMs: 0.2 } }
    const { health } = daemon
    const isKept = (): boolean => pendingStops(daemon.dataDir).list().length > 0
    daemon.health = { toJSON: () => (isKept() ? health : { name: 'another' }) }
    assert.deepEqual(await run('kill'), { code: 0, out: '3 calls stopped in 1 ms.\n', err: '' })
    assert.ok(isKept())
  })

  describe('whose daemon has made room for another one since it was found', () => {
    const unknown = { status: 401, body: { error: { message: 'The control token is missing or wrong.' } } }

    for (const [words, route, body] of [
      [['kill'], 'POST /api/kill', { cancelled: 2, tookMs: 1 }],
      [['resume'], 'POST /api/resume', { killed: false }],
      [['status'], 'GET /api/status', status()],
    ] as const) {
      it(`give the order to that one: ${words.join(' ')}`, async () => {
        let answers = 0
        daemon.answers[route] = {
          get status() {
            return (answers += 1) === 1 ? 401 : 200
          },
          get body() {
            return answers === 1 ? unknown.body : body
          },
        }
        const { code, err } = await run(...words)
        assert.deepEqual([code, err], [0, ''])
        assert.deepEqual(
          daemon.seen.map((seen) => seen.route),
          ['GET /healthz', route, 'GET /healthz', route],
        )
        assert.deepEqual(pendingStops(daemon.dataDir).list(), [])
      })
    }

    it('C12: let a stop wait which no daemon takes, and forget none', async () => {
      daemon.answers['POST /api/kill'] = unknown
      const { code, out, err } = await run('kill')
      assert.deepEqual([code, out], [1, ''])
      assert.match(err, /is not the one of daemon\.json any more\. .*The stop is stored: /)
      assert.deepEqual(pendingStops(daemon.dataDir).list(), [{ scope: 'global' }])
    })

    it('take back a stop that waits, and say that more may be needed', async () => {
      daemon.answers['POST /api/resume'] = unknown
      assert.match((await run('resume')).err, /^Tollgate at .* is not the one of daemon\.json any more\./)
      pendingStops(daemon.dataDir).keep({ scope: 'global' })
      assert.match((await run('resume')).out, /^The stop that waited is taken back\. Tollgate does not answer for /)
      assert.deepEqual(pendingStops(daemon.dataDir).list(), [])
    })
  })

  it('do not hand the token to another program that has taken the port (N03)', async () => {
    for (const health of [{ name: 'other' }, { name: 'tollgate', protocol: 1, pid: process.pid + 1 }, 'not json', []]) {
      daemon.health = health
      const { code, err } = await run('status')
      assert.equal(code, 1)
      assert.match(err, /is not running/)
    }
    assert.ok(daemon.seen.every(({ authorization }) => authorization === undefined))
  })

  it('say that a daemon of another protocol has to be restarted', async () => {
    daemon.health = { name: 'tollgate', protocol: 99, pid: process.pid }
    assert.match((await run('status')).err, /another control protocol: restart it\.\n$/)
  })

  it("repeat the daemon's own sentence where it says no", async () => {
    const error = { code: 'ledger_unavailable', message: 'The ledger cannot record the switch.' }
    daemon.answers['POST /api/kill'] = { status: 503, body: { error } }
    const { code, err } = await run('kill')
    assert.equal(code, 1)
    assert.equal(err, 'The ledger cannot record the switch.\n')
  })

  it('stop everything also where one daemon takes the place of another just then', async () => {
    daemon.answers['POST /api/kill'] = { status: 200, body: { cancelled: 0, tookMs: 1 } }
    const { health } = daemon
    let looks = 0
    daemon.health = { toJSON: () => ((looks += 1) === 1 ? { name: 'tollgate', pid: process.pid + 1 } : health) }
    assert.deepEqual(await run('kill'), { code: 0, out: '0 calls stopped in 1 ms.\n', err: '' })
    assert.equal(looks, 2)
  })

  it('say so where an answer cannot be read', async () => {
    daemon.answers['GET /api/status'] = { status: 200, body: '<html>' }
    assert.match((await run('status')).err, /an answer that is no JSON \(status 200\)\.\n$/)
  })
})

describe('what is done across a succession', () => {
  it('finds the daemon that comes, at another address too', async () => {
    const daemon = new FakeDaemon()
    await daemon.start()
    await daemon.die()
    const record = await acrossSuccession(
      () => findDaemon(daemon.dataDir),
      () => daemon.start(),
    )
    assert.equal(record.url, daemon.url)
    await daemon.remove()
  })

  it('is given up after two seconds, and at once where the daemon itself says no', async () => {
    let pausedMs = 0
    const failing = (failure: Error): Promise<never> =>
      acrossSuccession(
        () => Promise.reject(failure),
        (ms) => Promise.resolve((pausedMs += ms)),
      )
    await assert.rejects(failing(new CommandFailure('No.')), /^CommandFailure: No\.$/)
    assert.equal(pausedMs, 0)
    await assert.rejects(failing(new DaemonAway('Nobody.')), /^DaemonAway: Nobody\.$/)
    assert.equal(pausedMs, 2000)
  })
})

describe('tollgate watch', () => {
  let daemon: FakeDaemon
  beforeEach(async () => {
    daemon = new FakeDaemon()
    await daemon.start()
  })
  afterEach(() => daemon.remove())

  const busy = status({
    today: spend({ spentEur: 1.84, tokens: { input: 120_000, cacheRead: 0, cacheWrite: 0, output: 8000 } }),
    inFlight: [{ call: 'c', task: null, model: 'claude-opus-5', elapsedMs: 800, outputTokens: 120 }],
  })

  it('says hello, shows the line and events, and ends with 0 on Ctrl+C', async () => {
    const terminal = recordedTerminal(120)
    const heard: string[] = []
    daemon.onControl = (socket) => {
      socket.on('message', (data: Buffer) => heard.push(data.toString('utf8')))
      socket.send(JSON.stringify({ event: 'status', status: busy }))
      socket.send('not json')
      socket.send(
        JSON.stringify({ event: 'refused', time: busy.time, code: 'killed', message: 'The kill switch is on.' }),
      )
    }
    const ended = runClientCommand({ command: 'watch', dataDir: daemon.dataDir }, terminal)
    while (!terminal.written().includes('refused') || heard.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5))
    terminal.interrupt()
    assert.equal(await ended, 0)
    const written = terminal.written()
    assert.ok(written.includes('€1.84 of 10.00 · 128k tokens · 1 running · claude-opus-5 120 out'))
    assert.match(written, /\d\d:\d\d:\d\d refused killed: The kill switch is on\.\n/)
    assert.ok(written.endsWith('\n'))
    assert.equal(terminal.complained(), '')
    const hello = JSON.parse(heard[0]!) as Record<string, unknown>
    assert.deepEqual([hello['type'], hello['client']], ['hello', 'cli'])
    assert.equal(daemon.seen.find(({ route }) => route === 'WS /control')?.authorization, 'Bearer control-token')
  })

  it('writes plain lines where the output is no terminal, and ends with 1 when the daemon does', async () => {
    const terminal = recordedTerminal()
    daemon.onControl = (socket) => {
      socket.send(JSON.stringify({ event: 'status', status: busy }), () => setTimeout(() => void daemon.die(), 20))
    }
    assert.equal(await runClientCommand({ command: 'watch', dataDir: daemon.dataDir }, terminal), 1)
    assert.equal(terminal.written(), '€1.84 of 10.00 · 128k tokens · 1 running · claude-opus-5 120 out\n')
    assert.equal(terminal.complained(), 'The daemon has ended.\n')
  })

  it('goes on with the daemon that takes the place of the one that it watched', async () => {
    const terminal = recordedTerminal()
    let connections = 0
    daemon.onControl = (socket) => {
      connections += 1
      const spentEur = connections
      socket.send(JSON.stringify({ event: 'status', status: status({ today: spend({ spentEur }) }) }))
      if (connections === 1) socket.close(handOverCloseCode)
    }
    const ended = runClientCommand({ command: 'watch', dataDir: daemon.dataDir }, terminal)
    while (!terminal.written().includes('€2.00')) await new Promise((resolve) => setTimeout(resolve, 5))
    terminal.interrupt()
    assert.equal(await ended, 0)
    assert.equal(terminal.written(), '€1.00 of 10.00 · 0 tokens\n€2.00 of 10.00 · 0 tokens\n')
    assert.equal(terminal.complained(), '')
  })

  it('ends where no other daemon came after all', async () => {
    const terminal = recordedTerminal()
    daemon.onControl = (socket) => {
      socket.close(handOverCloseCode)
      void daemon.die()
    }
    assert.equal(await runClientCommand({ command: 'watch', dataDir: daemon.dataDir }, terminal), 1)
    assert.equal(terminal.complained(), 'The daemon has ended.\n')
  })
})
