import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { acquireInstanceLock } from '../../daemon/lifecycle/instanceLock.ts'
import type { InstanceLock } from '../../daemon/lifecycle/instanceLock.ts'
import { handOverCloseCode } from '../../shared/protocol.ts'
import type { DiscoveryRecord } from '../../shared/protocol.ts'
import { startUpstream } from '../upstream/upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { startCommand } from './harness/command.ts'
import { connectControl } from './harness/controlClient.ts'
import { against, runDaemon, startDaemon, stopAllDaemons } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { eventually } from './harness/eventually.ts'
import { chatAsk } from './harness/prompts.ts'

/** True where somebody listens there, else null. */
async function connectsTo(port: number): Promise<true | null> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return null
  } finally {
    socket.destroy()
  }
}

describe('a daemon that takes the place of another', () => {
  let upstream: Upstream
  let dir: string
  let first: Daemon
  before(async () => {
    upstream = await startUpstream()
  })
  after(() => upstream.close())
  beforeEach(async () => {
    upstream.reset()
    dir = mkdtempSync(join(tmpdir(), 'tollgate-succession-'))
    first = await startDaemon({ config: against(upstream), dataDir: dir })
  })
  afterEach(async () => {
    await stopAllDaemons()
    rmSync(dir, { recursive: true, force: true })
  })

  const place = (pid = first.pid, config: object = against(upstream)) => ({
    config,
    dataDir: dir,
    port: Number(new URL(first.url).port),
    args: ['--replace', String(pid)],
  })
  const ask = (more: object = {}) => JSON.stringify(chatAsk('hello', { max_tokens: 500, ...more }))
  const post = (daemon: Daemon, more: object = {}) =>
    fetch(`${daemon.base('openai')}/v1/chat/completions`, { method: 'POST', body: ask(more) })
  const record = () => JSON.parse(readFileSync(join(dir, 'daemon.json'), 'utf8')) as DiscoveryRecord

  it('gets its port, key and ledger, and tells the windows to wait', async () => {
    assert.equal((await post(first)).status, 200)
    const before = await first.status()
    const window = await connectControl(first)
    const second = await startDaemon(place())
    assert.equal(await window.closed, handOverCloseCode)
    assert.deepEqual(await first.exit, { code: 0, signal: null })
    assert.deepEqual([second.url, second.key, record().pid], [first.url, first.key, second.pid])
    const { today } = await second.status()
    assert.deepEqual(today, before.today)
    assert.equal((await post(first)).status, 200, 'the old base URL still works')
    assert.equal((await second.settled(2)).length, 2)
  })

  it('is watched on by the terminal that watched its predecessor', async () => {
    const watch = startCommand(['watch', '--data-dir', dir])
    await watch.saw(/^€0\.00/m)
    const second = await startDaemon(place())
    await eventually('a watcher of the successor', async () => {
      await second.json('/api/kill', {})
      return /stopped global/.test(watch.stdout()) ? true : null
    })
    watch.signal('SIGINT')
    assert.deepEqual(await watch.result.then(({ code, stderr }) => [code, stderr]), [0, ''])
  })

  it('ends with 4 while a call runs, which goes on, and gets the place when it is asked again', async () => {
    upstream.next({ outputTokens: 40, chunkDelayMs: 30 })
    const running = await post(first, { stream: true })
    const { code, stdout, stderr } = await runDaemon(place())
    assert.deepEqual([code, stdout], [4, ''])
    assert.match(stderr, /has calls in flight/)
    assert.match(await running.text(), /data: \[DONE\]\n\n$/)
    await first.settled(1)
    const second = await startDaemon(place())
    const [row] = await second.calls()
    assert.deepEqual([row!.outcome, row!.settlement], ['ok', 'exact'])
    assert.equal((await second.status()).integrity.orphaned, 0)
  })

  it('leaves a daemon alone whose next call is still being sent', async () => {
    const { hostname, port, host } = new URL(first.url)
    const path = new URL(`${first.base('openai')}/v1/chat/completions`).pathname
    const body = ask()
    const socket = connect({ host: hostname, port: Number(port) })
    let answer = ''
    socket.on('data', (part: Buffer) => (answer += part.toString()))
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`,
    )
    socket.write(body.slice(0, 10))
    await eventually('the request to arrive', async () => {
      const health = (await (await fetch(`${first.url}/healthz`)).json()) as { readonly inFlight: number }
      return health.inFlight === 1 ? true : null
    })
    assert.equal((await runDaemon(place())).code, 4)
    socket.write(body.slice(10))
    await once(socket, 'close')
    assert.match(answer, /^HTTP\/1\.1 200/)
  })

  it('does not end a daemon other than the one that it was told to replace', async () => {
    assert.equal((await runDaemon(place(1))).code, 3)
    assert.equal((await post(first)).status, 200)
    assert.equal(record().pid, first.pid)
  })

  it('does not end a daemon before it can take over: a configuration that it refuses harms nobody', async () => {
    assert.equal((await runDaemon(place(first.pid, { budgets: { userDaily: { eur: 'much' } } }))).code, 2)
    assert.equal((await post(first)).status, 200)
  })

  describe('whose predecessor is slow to let go of the ledger', () => {
    /** Stands for an instance that has agreed and closed its port, and still has the data directory. */
    let slow: Server
    let lock: InstanceLock
    let port: number
    const key = 'k'.repeat(22)
    beforeEach(async () => {
      await first.stop()
      lock = acquireInstanceLock(dir)!
      slow = createServer((request, response) => {
        if (request.url === '/healthz') return void response.end(JSON.stringify({ pid: process.pid }))
        response.writeHead(202).end()
        slow.close()
        slow.closeIdleConnections()
      })
      slow.listen(0, '127.0.0.1')
      await once(slow, 'listening')
      ;({ port } = slow.address() as AddressInfo)
      const url = `http://127.0.0.1:${port}`
      const left = { url, port, key, token: 't', pid: process.pid, version: '0.0.1', protocol: 1, startedAtMs: 0 }
      writeFileSync(join(dir, 'daemon.json'), JSON.stringify(left satisfies DiscoveryRecord))
      writeFileSync(join(dir, 'key'), key)
    })
    afterEach(() => {
      lock.release()
      slow.close()
    })
    const successor = () => ({ ...place(process.pid), port })

    it('lets calls wait at its port meanwhile, and answers them', async () => {
      const closed = once(slow, 'close')
      const second = startDaemon(successor())
      await closed
      let response: Response | null = null
      const waiting = eventually('the successor at the port', () =>
        fetch(`http://127.0.0.1:${port}/k/${key}/openai/v1/chat/completions`, { method: 'POST', body: ask() }).catch(
          () => null,
        ),
      ).then((answer) => (response = answer))
      await eventually('a client at the successor', () => connectsTo(port))
      // Another one that is started now would find the directory, and no port.
      assert.equal((await runDaemon({ ...place(), port, args: [] })).code, 3)
      assert.equal(response, null)
      lock.release()
      assert.equal((await waiting).status, 200)
      assert.equal((await (await second).settled(1)).length, 1)
    })

    it('does not keep the port where it does not get the directory', async () => {
      const closed = once(slow, 'close')
      const ended = runDaemon(successor())
      await closed
      await eventually('the successor at the port', () => connectsTo(port))
      const record = { ...JSON.parse(readFileSync(join(dir, 'daemon.json'), 'utf8')), pid: 1 } as DiscoveryRecord
      writeFileSync(join(dir, 'daemon.json'), JSON.stringify(record))
      assert.equal((await ended).code, 3)
      assert.equal(await connectsTo(port), null)
    })
  })

  it('has to ask for it in words that the daemon knows', async () => {
    for (const body of ['{"handOver":"yes"}', '[]', '{']) {
      assert.equal((await first.api('/api/shutdown', { method: 'POST', body })).status, 400)
    }
    assert.equal((await post(first)).status, 200)
  })

  it('is one, when several try at once', async () => {
    const tries = Array.from({ length: 3 }, () =>
      startDaemon(place()).then(
        () => 'runs',
        (fault: unknown) => (fault as Error).message.slice(0, 23),
      ),
    )
    const results = await Promise.all(tries)
    assert.deepEqual(results.sort(), ['The daemon ended with 3', 'The daemon ended with 3', 'runs'])
    assert.deepEqual(await first.exit, { code: 0, signal: null })
    assert.equal((await fetch(`${first.url}/healthz`)).status, 200)
  })

  it('loses and doubles no call of a client that tries again where nobody listens', async () => {
    let calls = 0
    let stop = false
    const agent = async (): Promise<void> => {
      while (!stop) {
        const response = await post(first).catch((fault: unknown) => {
          const { code } = (fault as { cause: { code?: string } }).cause
          assert.ok(code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'UND_ERR_SOCKET', code)
          return null
        })
        if (response === null) continue
        assert.equal(response.status, 200)
        await response.text()
        calls += 1
        // Between two calls an agent's tools run: moments in which the daemon may go.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const agents = agent()
    await upstream.waitForRequests(5)
    const second = await eventually('a moment between two calls', () => startDaemon(place()).catch(() => null))
    const seen = calls
    await eventually('calls at the successor', () => (calls > seen + 5 ? true : null))
    stop = true
    await agents
    const rows = await second.settled(calls)
    assert.equal(rows.length, calls)
    assert.equal(upstream.generations.length, calls)
    assert.ok(rows.every((row) => row.outcome === 'ok'))
  })
})
