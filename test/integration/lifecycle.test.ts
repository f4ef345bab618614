import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { startUpstream } from '../upstream/upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { handOverCloseCode } from '../../shared/protocol.ts'
import type { DiscoveryRecord } from '../../shared/protocol.ts'
import { figuresOf, lastMessage, readRefusal } from './harness/answers.ts'
import { connectControl } from './harness/controlClient.ts'
import { against, runDaemon, startDaemon, stopAllDaemons } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { eventually } from './harness/eventually.ts'
import { chatAsk } from './harness/prompts.ts'

const chat = '/v1/chat/completions'

describe('the life of the daemon', () => {
  let upstream: Upstream
  let dir: string
  before(async () => {
    upstream = await startUpstream()
  })
  after(async () => {
    await stopAllDaemons()
    await upstream.close()
  })
  beforeEach(() => {
    upstream.reset()
    dir = mkdtempSync(join(tmpdir(), 'tollgate-life-'))
  })
  afterEach(async () => {
    await stopAllDaemons()
    rmSync(dir, { recursive: true, force: true })
  })

  const start = (config: object = {}, more: object = {}) =>
    startDaemon({ config: against(upstream, config), dataDir: dir, ...more })

  const post = (daemon: Daemon, more: object = {}) =>
    fetch(`${daemon.base('openai')}${chat}`, {
      method: 'POST',
      body: JSON.stringify(chatAsk('hello', { max_tokens: 500, ...more })),
    })

  const portClosed = (daemon: Daemon) =>
    eventually('the port to be closed', () =>
      fetch(`${daemon.url}/healthz`, { headers: { connection: 'close' } }).then(
        () => null,
        () => true,
      ),
    )

  const record = () => JSON.parse(readFileSync(join(dir, 'daemon.json'), 'utf8')) as DiscoveryRecord

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends with 0 at once on ${signal} when nothing runs`, async () => {
      const daemon = await start({ drainSeconds: 600 })
      daemon.signal(signal)
      assert.deepEqual(await daemon.exit, { code: 0, signal: null })
    })
  }

  it('lets a running call finish within drainSeconds, takes no new ones meanwhile, and then ends with 0', async () => {
    const daemon = await start({ drainSeconds: 20 })
    upstream.next({ outputTokens: 40, chunkDelayMs: 30 })
    const response = await post(daemon, { stream: true })
    daemon.signal('SIGTERM')
    await portClosed(daemon)
    assert.match(await response.text(), /data: \[DONE\]\n\n$/)
    assert.equal((await daemon.exit).code, 0)
    const next = await start()
    const [row] = await next.calls()
    assert.deepEqual([row!.outcome, row!.settlement], ['ok', 'exact'])
    assert.equal((await next.status()).integrity.orphaned, 0)
  })

  it('refuses a call on a connection that stays open while it drains', async () => {
    const daemon = await start({ drainSeconds: 20 })
    upstream.next({ outputTokens: 50, chunkDelayMs: 30 })
    const { hostname, port, host } = new URL(daemon.url)
    const body = JSON.stringify(chatAsk('hello', { stream: true }))
    const path = new URL(`${daemon.base('openai')}${chat}`).pathname
    const request = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    const socket = connect({ host: hostname, port: Number(port) })
    let answers = ''
    socket.on('data', (part: Buffer) => (answers += part.toString()))
    socket.write(request)
    await eventually('the stream to begin', () => (answers.includes('data: ') ? true : null))
    daemon.signal('SIGTERM')
    await portClosed(daemon)
    socket.write(request)
    await once(socket, 'close')
    const statuses = [...answers.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => status)
    assert.deepEqual(statuses, ['200', '503'])
    assert.match(answers, /x-tollgate-code: shutting_down/)
    assert.equal(upstream.requests.length, 1)
    assert.equal((await daemon.exit).code, 0)
  })

  it('aborts, tells and settles a call that does not finish within drainSeconds', async () => {
    const daemon = await start({ drainSeconds: 0.3 })
    upstream.script(({ json }) =>
      json['stream'] === true ? { outputTokens: 400, hangAfterChunks: 5 } : { firstByteDelayMs: 60_000 },
    )
    const streams = await Promise.all([post(daemon, { stream: true }), post(daemon, { stream: true })])
    const late = post(daemon)
    const texts = streams.map((response) => response.text())
    await upstream.waitForRequests(3)
    daemon.signal('SIGTERM')
    for (const text of await Promise.all(texts)) {
      assert.equal(figuresOf(lastMessage(text)).code, 'shutting_down')
      assert.doesNotMatch(text, /\[DONE\]/)
    }
    const refusal = await readRefusal(await late)
    assert.deepEqual([refusal.status, refusal.code], [503, 'shutting_down'])
    assert.equal((await daemon.exit).code, 0)
    for (const request of upstream.generations) assert.equal((await upstream.waitForClose(request)).finished, false)
    const next = await start()
    const rows = await next.calls()
    assert.deepEqual(
      rows.map((row) => [row.state, row.outcome, row.settlement]),
      Array<unknown>(3).fill(['settled', 'shutting_down', 'partial']),
    )
    assert.ok(rows.every((row) => row.usage.input > 0))
    const { integrity, today } = await next.status()
    assert.deepEqual([integrity.orphaned, today.reservedEur], [0, 0])
  })

  it('ends calls that wait for their siblings too', async () => {
    const daemon = await start({ drainSeconds: 0.3, budgets: { userDaily: { tokens: 600 }, heldWaitMs: 60_000 } })
    upstream.script(() => ({ firstByteDelayMs: 60_000 }))
    const calls = [post(daemon), post(daemon)].map((call) => call.then((response) => response.status))
    await upstream.waitForRequests(1)
    await eventually('both calls', async () => ((await daemon.status()).inFlight.length === 2 ? true : null))
    daemon.signal('SIGTERM')
    assert.deepEqual(await Promise.all(calls), [503, 503])
    assert.equal((await daemon.exit).code, 0)
    assert.equal(upstream.generations.length, 1)
  })

  it('tells its windows that it goes and ends although they stay', async () => {
    const daemon = await start()
    const windows = await Promise.all([connectControl(daemon), connectControl(daemon)])
    daemon.signal('SIGTERM')
    assert.deepEqual(await Promise.all(windows.map(({ closed }) => closed)), [1001, 1001])
    assert.equal((await daemon.exit).code, 0)
  })

  it('ends with 0 when the control interface asks for it', async () => {
    const daemon = await start()
    assert.deepEqual(await daemon.json('/api/shutdown', {}), { stopping: true })
    assert.equal((await daemon.exit).code, 0)
  })

  it('tells the windows why it ends: another one comes where somebody restarts it, after the calls in flight', async () => {
    upstream.next({ outputTokens: 40, chunkDelayMs: 30 })
    const restarted = await start()
    const running = await post(restarted, { stream: true })
    const window = await connectControl(restarted)
    assert.deepEqual(await restarted.json('/api/shutdown', { restart: true }), { stopping: true })
    assert.match(await running.text(), /data: \[DONE\]\n\n$/)
    assert.equal(await window.closed, handOverCloseCode)
    assert.deepEqual(await restarted.exit, { code: 0, signal: null })

    const stopped = await start()
    const other = await connectControl(stopped)
    assert.equal((await stopped.api('/api/shutdown', { method: 'POST', body: '{"restart":"yes"}' })).status, 400)
    await stopped.json('/api/shutdown', {})
    assert.equal(await other.closed, 1001)
  })

  it('ends with 3 beside another instance on the same data directory, which goes on undisturbed', async () => {
    const first = await start()
    const { code, stdout, stderr } = await runDaemon({ dataDir: dir })
    assert.deepEqual([code, stdout], [3, ''])
    assert.ok(stderr.includes(dir))
    assert.match(stderr, /^tollgate: another instance owns [^\n]+\n$/)
    assert.equal((await post(first)).status, 200)
    assert.equal(record().pid, first.pid)
    await first.stop()
    const second = await start()
    assert.equal((await post(second)).status, 200, 'and the directory is free once it has ended')
  })

  it('lets exactly one of several starts at once have the data directory', async () => {
    const starts = Array.from({ length: 4 }, () =>
      start().then(
        () => 'runs',
        (fault: unknown) => (fault as Error).message.slice(0, 24),
      ),
    )
    const results = await Promise.all(starts)
    assert.equal(results.filter((result) => result === 'runs').length, 1, results.join(', '))
    assert.equal(results.filter((result) => result.startsWith('The daemon ended with 3')).length, 3)
  })

  it('tells local clients where it is in a file that only its owner reads, and takes it away at its end', async () => {
    const daemon = await start()
    const file = join(dir, 'daemon.json')
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600)
    const { url, port, key, token, pid, version, protocol, startedAtMs } = record()
    assert.deepEqual([url, key, token, pid, protocol], [daemon.url, daemon.key, daemon.token, daemon.pid, 1])
    assert.equal(port, Number(new URL(url).port))
    assert.ok(startedAtMs > 0 && startedAtMs <= Date.now())
    assert.match(version, /^\d+\.\d+\.\d+/)
    await daemon.stop()
    assert.ok(!existsSync(file))
  })

  it('leaves the discovery file alone that names somebody else', async () => {
    const daemon = await start()
    const file = join(dir, 'daemon.json')
    const other = JSON.stringify({ ...record(), pid: 1 })
    writeFileSync(file, other)
    await daemon.stop()
    assert.equal(readFileSync(file, 'utf8'), other)
  })

  it('keeps the key over restarts, so that a base URL is a constant, and makes a new token', async () => {
    const first = await start()
    await first.stop()
    const second = await start()
    await second.kill9()
    const third = await start()
    assert.deepEqual([second.key, third.key], [first.key, first.key])
    assert.equal(new Set([first.token, second.token, third.token]).size, 3)
  })

  it('starts again on the same port at once, after an orderly end and after kill -9', async () => {
    const free = createServer()
    free.listen({ host: '127.0.0.1', port: 0 })
    await once(free, 'listening')
    const { port } = free.address() as AddressInfo
    free.close()
    await once(free, 'close')
    const first = await start({}, { port })
    assert.equal((await post(first)).status, 200)
    await first.kill9()
    const second = await start({}, { port })
    assert.equal(second.url, first.url)
    assert.equal((await post(second)).status, 200)
    await second.stop()
    const third = await start({}, { port })
    assert.equal((await post(third)).status, 200)
    assert.deepEqual(record().pid, third.pid, 'the file of the killed one was replaced')
  })

  it('ends by itself after idleExitMinutes without a call and without a window', async () => {
    const daemon = await start({ idleExitMinutes: 0.02 })
    assert.equal((await post(daemon)).status, 200)
    assert.equal((await daemon.exit).code, 0)
    assert.ok(!existsSync(join(dir, 'daemon.json')))
  })

  it('does not end by itself while a window is connected or a call runs', async () => {
    const daemon = await start({ idleExitMinutes: 0.02 })
    let ended = false
    void daemon.exit.then(() => (ended = true))
    const window = await connectControl(daemon)
    await new Promise((resolve) => setTimeout(resolve, 2000))
    assert.equal(ended, false, 'a window is connected')
    upstream.next({ firstByteDelayMs: 2000 })
    const call = post(daemon)
    await upstream.waitForRequests(1)
    window.close()
    assert.equal((await call).status, 200, 'a call runs')
    assert.equal((await daemon.exit).code, 0)
  })

  it('survives clients that send garbage, half requests and broken upgrades', async () => {
    const daemon = await start()
    const { hostname, port } = new URL(daemon.url)
    for (const bytes of [
      '\x16\x03\x01\x02\x00',
      'GET / HTTP/9.9\r\n\r\n',
      'POST /k/x HTTP/1.1\r\ncontent-length: 9\r\n\r\n{',
    ]) {
      const socket = connect({ host: hostname, port: Number(port) }, () => socket.end(bytes))
      socket.resume().on('error', () => undefined)
      await once(socket, 'close')
    }
    for (const [path, headers] of [
      ['/control', {}],
      ['/control', { authorization: 'Bearer wrong' }],
      ['/elsewhere', { authorization: `Bearer ${daemon.token}` }],
    ] as const) {
      const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}${path}`, { headers })
      const [fault] = (await once(socket, 'error')) as [Error]
      assert.match(fault.message, /401|426/)
    }
    const window = await connectControl(daemon)
    window.sendText('x'.repeat(70_000))
    assert.equal(await window.closed, 1009, 'a message beyond 64 KiB')
    assert.equal((await post(daemon)).status, 200)
  })
})
