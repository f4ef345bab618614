import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { runCommand } from './harness/command.ts'
import { against, cleanEnvironment, program, runDaemon, startDaemon, stopAllDaemons } from './harness/daemon.ts'
import { chatAsk } from './harness/prompts.ts'
import { startUpstream } from '../upstream/upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'

describe('the start of the daemon', () => {
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
    dir = mkdtempSync(join(tmpdir(), 'tollgate-start-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  async function callOnce(base: string): Promise<number> {
    const response = await fetch(`${base}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(chatAsk('hello')),
    })
    await response.text()
    return response.status
  }

  it('prints one line of JSON on stdout when it accepts calls, and nothing else there until its end', async () => {
    const daemon = await startDaemon({ config: against(upstream), dataDir: dir })
    assert.equal(await callOnce(daemon.base('openai')), 200)
    assert.equal(await callOnce(daemon.base('openai', { key: 'wrong' })), 401)
    assert.equal((await daemon.stop()).code, 0)
    assert.match(daemon.stdout(), /^[^\n]+\n$/)
    const line = JSON.parse(daemon.stdout()) as Record<string, unknown>
    assert.deepEqual(Object.keys(line), ['event', 'url', 'key', 'token', 'pid', 'version', 'dataDir'])
    assert.equal(line['event'], 'listening')
    assert.match(String(line['url']), /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.match(String(line['key']), /^[A-Za-z0-9_-]{8,}$/)
    assert.match(String(line['token']), /^\w{32,}$/)
    assert.match(String(line['version']), /^\d+\.\d+\.\d+/)
    assert.equal(line['dataDir'], dir)
    assert.equal(line['pid'], daemon.pid)
  })

  it('is at 127.0.0.1 and nowhere but on the loopback interface', async () => {
    const daemon = await startDaemon({ dataDir: dir })
    const { port } = new URL(daemon.url)
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200)
    assert.equal((await fetch(`http://localhost:${port}/healthz`)).status, 200)
    const outside = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
    const addresses = outside
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address)
    for (const host of [...addresses, ...(process.platform === 'linux' ? ['127.0.0.2'] : [])]) {
      const socket = connect({ host, port: Number(port) })
      const [fault] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
      assert.equal(fault.code, 'ECONNREFUSED', host)
    }
    await daemon.stop()
  })

  it('runs on its embedded defaults without any configuration', async () => {
    const daemon = await startDaemon({ dataDir: dir })
    const { today, month, timezone, currency } = await daemon.status()
    assert.deepEqual([today.capEur, month.capEur, currency], [10, 150, 'EUR'])
    assert.equal(timezone, Intl.DateTimeFormat().resolvedOptions().timeZone)
    await daemon.stop()
  })

  it('needs no working directory of its own and nothing beside its bundle', async () => {
    const elsewhere = join(dir, 'installed here')
    for (const name of readdirSync(dirname(program))) {
      if (/^daemon\.js$|\.vocabulary$|^prebuilds$/.test(name)) {
        cpSync(join(dirname(program), name), join(elsewhere, name), { recursive: true })
      }
    }
    const daemon = await startDaemon({
      config: against(upstream),
      dataDir: dir,
      cwd: '/',
      program: join(elsewhere, 'daemon.js'),
    })
    assert.equal(await callOnce(daemon.base('openai')), 200)
    const ask = {
      model: 'claude-haiku-4-5',
      max_tokens: 50,
      messages: [{ role: 'user', content: 'word '.repeat(50_000) }],
    }
    const large = await fetch(`${daemon.base('anthropic')}/v1/messages`, { method: 'POST', body: JSON.stringify(ask) })
    assert.equal(large.status, 200, 'and reads large bodies, for which it starts a thread from its own file')
    await large.text()
    assert.equal((await daemon.stop()).code, 0)
  })

  it('finds a relative data directory from where it was started', async () => {
    const daemon = await startDaemon({ dataDir: dir, cwd: dir, args: ['--data-dir', 'below'] })
    assert.equal(
      realpathSync((JSON.parse(daemon.stdout()) as { dataDir: string }).dataDir),
      realpathSync(join(dir, 'below')),
    )
    await daemon.stop()
  })

  it('takes the data directory from TOLLGATE_DATA_DIR and hands it to the other commands', async () => {
    const daemon = await startDaemon({ dataDir: dir })
    const result = await runCommand(['status'], { TOLLGATE_DATA_DIR: dir })
    assert.deepEqual([result.code, result.stderr], [0, ''])
    assert.ok(result.stdout.includes(daemon.url))
    await daemon.stop()
  })

  it('keeps its directory and every file in it from other users', async function () {
    if (process.platform === 'win32') return
    const fresh = join(dir, 'fresh')
    const daemon = await startDaemon({ dataDir: dir, args: ['--data-dir', fresh] })
    assert.equal(statSync(fresh).mode & 0o777, 0o700)
    for (const name of ['key', 'daemon.json', 'ledger.db']) {
      assert.equal(statSync(join(fresh, name)).mode & 0o777, 0o600, name)
    }
    await daemon.stop()
  })

  it('lets calls in without a key when it is told to, and then takes the right key as well', async () => {
    const daemon = await startDaemon({ config: against(upstream), dataDir: dir, args: ['--no-key'] })
    assert.equal(await callOnce(`${daemon.url}/openai`), 200)
    assert.equal(await callOnce(daemon.base('openai')), 200)
    assert.equal(await callOnce(daemon.base('openai', { key: 'wrong-key' })), 401)
    await daemon.stop()
  })

  it('asks for the key when it is not told otherwise', async () => {
    const daemon = await startDaemon({ config: against(upstream), dataDir: dir })
    assert.equal(await callOnce(`${daemon.url}/openai`), 401)
    await daemon.stop()
  })

  for (const [words, says] of [
    [['serve', '--port', 'many'], /--port .*"many"/],
    [['serve', '--port', '70000'], /--port .*"70000"/],
    [['serve', '--port=-1'], /--port .*"-1"/],
    [['serve', '--prot', '4141'], /--prot/],
    [['serve', '--port'], /--port/],
    [['serve', 'now'], /"now"/],
    [['sreve'], /"sreve".*serve/],
    [['--verbose'], /"--verbose"/],
    [['kill', '--scope', 'everything'], /--scope .*"everything"/],
    [['kill', '--scope', 'task'], /--ref/],
    [['env', '--shell', 'tcsh'], /--shell .*"tcsh"/],
    [['serve', '--config', '/no/such/config.json'], /\/no\/such\/config\.json/],
  ] as const) {
    it(`"${words.join(' ')}" ends with 2 and a sentence that names the mistake`, async () => {
      const { code, stdout, stderr } = await runCommand(words, { TOLLGATE_DATA_DIR: dir })
      assert.equal(code, 2)
      assert.equal(stdout, '')
      assert.match(stderr, says)
      assert.match(stderr, /^[^\n]+[.)]?\n$/, 'one line and no stack')
    })
  }

  it('says in one sentence that another program has the port, and ends with 2', async () => {
    const other = createServer()
    other.listen({ host: '127.0.0.1', port: 0 })
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { code, stdout, stderr } = await runDaemon({ dataDir: dir, port })
    other.close()
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, new RegExp(`port ${port} is used by another program\\. Give another one with --port\\.`))
    assert.doesNotMatch(stderr, / at /, 'no stack')
    assert.ok(!existsSync(join(dir, 'daemon.json')))
    // The directory is free again for a start on another port.
    const daemon = await startDaemon({ dataDir: dir })
    await daemon.stop()
  })

  it('takes a port that is given back while it waits', async () => {
    const other = createServer()
    other.listen({ host: '127.0.0.1', port: 0 })
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    setTimeout(() => other.close(), 800)
    const daemon = await startDaemon({ dataDir: dir, port })
    assert.equal(daemon.url, `http://127.0.0.1:${port}`)
    await daemon.stop()
  })

  it('says in one sentence that the data directory cannot be used, and ends with 2', async () => {
    const file = join(dir, 'a-file')
    writeFileSync(file, 'not a directory')
    const { code, stdout, stderr } = await runDaemon({ dataDir: dir, args: ['--data-dir', file] })
    assert.deepEqual([code, stdout], [2, ''])
    assert.ok(stderr.includes(file), stderr)
    assert.match(stderr, /^[^\n]+\n$/, 'one line and no stack')
  })

  it('does not replace a key file that holds no key, and says so', async () => {
    writeFileSync(join(dir, 'key'), '!!\n')
    const { code, stderr } = await runDaemon({ dataDir: dir })
    assert.equal(code, 2)
    assert.match(stderr, /key holds no key/)
    assert.match(stderr, /^[^\n]+\n$/, 'one line and no stack')
  })

  it('says in one sentence that a runtime is too old for it, and ends with 2', function () {
    const old = olderNode()
    if (old === null) {
      console.log('      (this machine has no Node before 22, so the sentence was not seen from a real one)')
      return
    }
    for (const words of [['serve', '--data-dir', dir], ['status']]) {
      assert.throws(
        () => execFileSync(old, [program, ...words], { env: cleanEnvironment(), stdio: 'pipe', encoding: 'utf8' }),
        (fault: unknown) => {
          const { status, stdout, stderr } = fault as { status: number; stdout: string; stderr: string }
          assert.deepEqual([status, stdout], [2, ''])
          assert.match(
            stderr,
            /^Tollgate needs Node 22 or newer and this is Node [\d.]+: start it with a newer Node\.\n$/,
          )
          return true
        },
      )
    }
  })
})

/** A `node` before version 22 on the search path, outside of this project; null where the machine has none. */
function olderNode(): string | null {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
  for (const place of new Set(places)) {
    const candidate = join(place, 'node')
    if (place.includes('node_modules') || !existsSync(candidate)) continue
    const version = execFileSync(candidate, ['--version'], { encoding: 'utf8' })
    if (Number(/^v(\d+)/.exec(version)?.[1] ?? 99) < 22) return candidate
  }
  return null
}
