import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, renameSync, rmdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { readRecord } from '../../extension/daemon/discovery.ts'
import { forgetStop, keepStop, stopWaits, withdrawStops } from '../../extension/stop/pendingStop.ts'
import { orderAll } from '../../extension/stop/reach.ts'
import { StopSwitch } from '../../extension/stop/stopSwitch.ts'
import type { DiscoveryRecord } from '../../shared/protocol.ts'
import { isPendingStop } from '../../shared/pendingStop.ts'
import { readRefusal } from './harness/answers.ts'
import { runCommand } from './harness/command.ts'
import { connectControl } from './harness/controlClient.ts'
import { against, startDaemon } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { flatAsk, flatConfig, flatUsage } from './harness/flatPrice.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

describe('a stop that is asked for while no daemon answers', () => {
  let gate: Gate
  let dataDir: string
  let next: Daemon | null = null
  beforeEach(async () => {
    gate = await startGate(flatConfig(1))
    gate.upstream.script(() => flatUsage(100))
    dataDir = gate.daemon.dataDir
  })
  afterEach(async () => {
    await next?.kill9()
    next = null
    await gate.close()
  })

  const run = (...words: readonly string[]) => runCommand([...words, '--data-dir', dataDir])
  const start = async (): Promise<Daemon> => {
    next = await startDaemon({ config: against(gate.upstream, flatConfig(1)), dataDir })
    return next
  }
  const post = (daemon: Daemon, task = 'work') =>
    fetch(`${daemon.base('openai', { task })}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(flatAsk(100)),
    })
  /** In an orderly way; the data directory stays. */
  const endFirst = async (): Promise<void> => {
    gate.daemon.signal('SIGTERM')
    await gate.daemon.exit
  }
  /** A directory in the place of the ledger, until it is taken away. */
  const breakLedger = (): void => {
    const ledger = join(dataDir, 'ledger.db')
    renameSync(ledger, `${ledger}.aside`)
    mkdirSync(ledger)
  }
  const mendLedger = (): void => {
    const ledger = join(dataDir, 'ledger.db')
    rmdirSync(ledger)
    renameSync(`${ledger}.aside`, ledger)
  }
  /** The stop of a window that follows a daemon. */
  const windowAt = (followed: DiscoveryRecord | undefined): StopSwitch =>
    new StopSwitch({
      order: (path, anew) => orderAll(dataDir, anew ? undefined : followed, path),
      keep: () => keepStop(dataDir),
      forget: () => forgetStop(dataDir),
      withdraw: () => withdrawStops(dataDir),
      waits: () => stopWaits(dataDir),
    })
  const waiting = (): readonly string[] => readdirSync(dataDir).filter(isPendingStop)

  it('C12 by a window that is closed since: the next daemon refuses calls, and so do those after it, until one resume', async () => {
    await gate.daemon.kill9()
    await keepStop(dataDir)
    if (process.platform !== 'win32') assert.equal(statSync(join(dataDir, waiting()[0]!)).mode & 0o777, 0o600)
    const second = await start()
    assert.equal((await readRefusal(await post(second))).code, 'killed')
    assert.deepEqual([(await second.status()).killed, waiting()], [true, []])
    assert.equal((await second.events('killed')).length, 1)
    await second.kill9()
    const third = await start()
    assert.equal((await post(third)).status, 403)
    assert.equal((await run('resume')).code, 0)
    assert.equal((await post(third)).status, 200)
    await third.kill9()
    assert.equal((await post(await start())).status, 200, 'and stays resumed')
  })

  it('C12 by the command line, which says that nothing was stopped yet; one scope stops no other', async () => {
    await endFirst()
    const { code, stdout, stderr } = await run('kill', '--scope', 'task', '--ref', 'build')
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(
      stderr,
      `Tollgate is not running for ${dataDir}, so no call was stopped. The stop is stored: ` +
        'from its next start on calls of task build are refused, until: tollgate resume --scope task --ref build\n',
    )
    const second = await start()
    assert.deepEqual([(await post(second, 'build')).status, (await post(second)).status], [403, 200])
    assert.equal((await run('resume', '--scope', 'task', '--ref', 'build')).code, 0)
    assert.equal((await post(second, 'build')).status, 200)
  })

  it('is taken back by a resume on the command line or in another window, also while none answers', async () => {
    await gate.daemon.kill9()
    await run('kill')
    const { code, stdout } = await run('resume')
    assert.equal(code, 0)
    assert.match(stdout, /^The stop that waited is taken back\. /)
    await run('kill')
    await withdrawStops(dataDir)
    assert.equal((await post(await start())).status, 200)
  })

  it('holds where its file was damaged', async () => {
    await gate.daemon.kill9()
    await keepStop(dataDir)
    writeFileSync(join(dataDir, waiting()[0]!), '{"sco')
    assert.equal((await post(await start())).status, 403)
  })

  it('is heard of by a daemon that hung meanwhile as soon as a window is there again', async () => {
    gate.daemon.signal('SIGSTOP')
    const { code, stderr } = await run('kill')
    assert.deepEqual([code, stderr.includes(' does not answer. The stop is stored: ')], [1, true])
    assert.equal(await stopWaits(dataDir), true)
    gate.daemon.signal('SIGCONT')
    const client = await connectControl(gate.daemon)
    client.send({ type: 'hello', client: 'extension', window: 'w', version: '0.1.0' })
    await client.status(({ killed }) => killed)
    client.close()
    assert.equal((await post(gate.daemon)).status, 403)
    assert.deepEqual(waiting(), [])
  })

  it('is taken back by the API with what is stored, so that no later start stops calls again', async () => {
    await keepStop(dataDir)
    await gate.daemon.json('/api/resume', {})
    assert.deepEqual(waiting(), [])
    await gate.daemon.kill9()
    assert.equal((await post(await start())).status, 200)
  })

  it('C12 holds over a daemon whose ledger cannot be opened, and on once the ledger is mended', async () => {
    await endFirst()
    await run('kill')
    breakLedger()
    const broken = await start()
    assert.deepEqual([(await broken.status()).killed, waiting().length], [true, 1])
    await broken.stop()
    mendLedger()
    const mended = await start()
    assert.deepEqual([(await mended.status()).killed, waiting()], [true, []])
    assert.equal((await readRefusal(await post(mended))).code, 'killed')
    assert.equal((await run('resume')).code, 0)
    assert.equal((await post(mended)).status, 200)
  })

  it('C12 stays in its file where a daemon that has no ledger takes it at the second try of a window', async () => {
    const gone = await readRecord(dataDir)
    await endFirst()
    breakLedger()
    const broken = await start()
    assert.equal((await windowAt({ ...gone!, url: 'http://127.0.0.1:9' }).stop()).kind, 'stopped')
    assert.equal(waiting().length, 1)
    await broken.kill9()
    mendLedger()
    assert.equal((await (await start()).status()).killed, true)
    await next!.kill9()
    const last = await start()
    assert.equal((await windowAt({ ...gone!, url: 'http://127.0.0.1:9' }).stop()).kind, 'stopped')
    assert.deepEqual(waiting(), [], 'a daemon with a ledger removes the file itself')
    await last.json('/api/resume', {})
  })

  it('C12 reaches the successor of the gate that a window follows, and so does its resume', async () => {
    const followed = await readRecord(dataDir)
    next = await startDaemon({
      config: against(gate.upstream, flatConfig(1)),
      dataDir,
      port: followed!.port,
      args: ['--replace', String(gate.daemon.pid)],
    })
    await gate.daemon.exit
    const mine = windowAt(followed)
    assert.equal((await mine.stop()).kind, 'stopped')
    assert.deepEqual([(await next.status()).killed, waiting()], [true, []])
    assert.deepEqual(await mine.resume(), { kind: 'resumed' })
    assert.equal((await post(next)).status, 200)
  })

  it('is resumed for good under any file name, and one that is damaged is taken up once', async () => {
    await gate.daemon.kill9()
    writeFileSync(join(dataDir, 'pending-stop-mine.json'), '{"scope":"task","ref":"build"}')
    writeFileSync(join(dataDir, 'pending-stop-damaged.json'), '{"sc')
    const second = await start()
    assert.deepEqual([(await post(second)).status, waiting()], [403, []])
    await second.json('/api/resume', {})
    await second.kill9()
    assert.equal((await post(await start(), 'build')).status, 200)
  })

  it('delays no start by what is no file, and drafts of windows that died are cleared', async () => {
    await gate.daemon.kill9()
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(dataDir, 'pending-stop-pipe.json')])
    const draft = join(dataDir, 'pending-stop-global.json.1.new')
    writeFileSync(draft, '')
    utimesSync(draft, 0, 0)
    const second = await start()
    assert.equal((await second.status()).killed, process.platform !== 'win32')
    assert.deepEqual(
      readdirSync(dataDir).filter((file) => file.startsWith('pending-stop-')),
      [],
    )
  })
})
