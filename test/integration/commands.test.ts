import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Status } from '../../shared/status.ts'
import { runCommand, startCommand } from './harness/command.ts'
import { cleanEnvironment, program } from './harness/daemon.ts'
import { flatAsk, flatConfig, flatModel, flatUsage } from './harness/flatPrice.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

const chat = '/v1/chat/completions'

describe('the commands beside a running daemon', () => {
  let gate: Gate
  beforeEach(async () => {
    gate = await startGate(flatConfig(1))
    gate.upstream.script(() => flatUsage(100))
  })
  afterEach(() => gate.close())

  const run = (...words: readonly string[]) => runCommand([...words, '--data-dir', gate.daemon.dataDir])
  const post = (more: object = {}, task = 'work') =>
    gate.post('openai', chat, flatAsk(100, more), { headers: { 'x-tollgate-task': task } })

  it('status shows spend against the caps, models, running calls and refusals', async () => {
    await (await post()).text()
    await gate.daemon.settled(1)
    await (await post({ model: 'nobody-knows-1' })).text()
    gate.upstream.next({ hangForever: true })
    void post({}, 'slow').catch(() => undefined)
    await gate.upstream.waitForRequests(2)
    const { code, stdout, stderr } = await run('status')
    assert.deepEqual([code, stderr], [0, ''])
    assert.ok(stdout.includes(gate.daemon.url))
    assert.match(stdout, /^Today +€0\.0010 of 1\.00 +€0\.0010 held +\S+ tokens +1 call +resets \d{4}-\d\d-\d\d 00:00$/m)
    assert.match(stdout, /^Month +€0\.0010 of 150\.00 /m)
    assert.match(stdout, new RegExp(`^  ${flatModel} +1 call +€0\\.0010$`, 'm'))
    assert.match(stdout, new RegExp(`^  ${flatModel} +[\\d.]+ s +0 out +task slow$`, 'm'))
    assert.match(stdout, /^ {2}unpriced_model +1$/m)
  })

  it('status --json is the answer of /api/status', async () => {
    const { code, stdout } = await run('status', '--json')
    assert.equal(code, 0)
    const { time, ...shown } = JSON.parse(stdout) as Status
    const { time: later, ...asked } = await gate.daemon.status()
    assert.deepEqual(shown, asked)
    assert.ok(Date.parse(time) <= Date.parse(later))
  })

  it('kill stops what runs and says how much; status says so; resume lets calls in again', async () => {
    gate.upstream.script(() => ({ outputTokens: 90, chunkDelayMs: 100 }))
    const streams = await Promise.all([post({ stream: true }), post({ stream: true })])
    const texts = streams.map((response) => response.text())
    const killed = await run('kill')
    assert.deepEqual([killed.code, killed.stderr], [0, ''])
    assert.match(killed.stdout, /^2 calls stopped in \d+ ms\.\n$/)
    for (const text of await Promise.all(texts)) assert.match(text, /"killed"/)
    assert.equal((await post()).status, 403)
    assert.match(
      (await run('status')).stdout,
      /The kill switch is on: all calls are refused\. Lift it with: tollgate resume/,
    )
    const resumed = await run('resume')
    assert.deepEqual([resumed.code, resumed.stdout], [0, 'Calls are allowed again.\n'])
    gate.upstream.script(() => flatUsage(100))
    assert.equal((await post()).status, 200)
  })

  it('kill --scope task stops one task, and resume with the same words lifts it', async () => {
    const words = ['--scope', 'task', '--ref', 'work']
    assert.match((await run('kill', ...words)).stdout, /^0 calls stopped in \d+ ms\.\n$/)
    assert.equal((await post()).status, 403)
    assert.equal((await post({}, 'other')).status, 200)
    assert.match((await run('status')).stdout, /kill switch is on for task work\. .*resume --scope task --ref work/)
    assert.equal((await run('resume', ...words)).stdout, 'Calls are allowed again for task work.\n')
    assert.equal((await post()).status, 200)
  })

  it('env prints what sends a plain client of the shell through the gate', async () => {
    const words = [
      'env',
      '--data-dir',
      gate.daemon.dataDir,
      '--shell',
      'sh',
      '--project',
      'My Shop!',
      '--task',
      'build-7',
    ]
    const script = `eval "$("$0" "$1" ${words.map((word) => `'${word}'`).join(' ')})"; printf '%s\\n%s' "$OPENAI_BASE_URL" "$ANTHROPIC_BASE_URL"`
    const out = execFileSync('sh', ['-c', script, process.execPath, program], {
      env: cleanEnvironment(),
      encoding: 'utf8',
    })
    const [openai, anthropic] = out.split('\n')
    for (const url of [`${openai}/chat/completions`, `${anthropic}/v1/messages`]) {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(flatAsk(100)) })
      assert.equal(response.status, 200, url)
      await response.text()
    }
    for (const row of await gate.daemon.settled(2)) assert.deepEqual([row.project, row.task], ['My-Shop', 'build-7'])
  })

  it('watch shows a line per change and one per event, and ends with 0 on Ctrl+C', async () => {
    const watch = startCommand(['watch', '--data-dir', gate.daemon.dataDir])
    await watch.saw(/^€0\.00 of 1\.00 · 0 tokens$/m)
    await (await post()).text()
    await watch.saw(/^€0\.0010 of 1\.00 · 1\d\d tokens$/m)
    await (await post({ model: 'nobody-knows-1' })).text()
    await watch.saw(/^\d\d:\d\d:\d\d refused unpriced_model: No price is known for the model/m)
    await gate.daemon.json('/api/kill', {})
    await watch.saw(/^\d\d:\d\d:\d\d stopped global: 0 calls in [\d.]+ ms$/m)
    await watch.saw(/^STOPPED · €0\.0010/m)
    assert.ok(!watch.stdout().includes('\u001b'), 'no control sequences in a pipe')
    watch.signal('SIGINT')
    assert.deepEqual(await watch.result.then(({ code, stderr }) => [code, stderr]), [0, ''])
  })

  it('watch ends with 1 and says so when the daemon ends', async () => {
    const watch = startCommand(['watch', '--data-dir', gate.daemon.dataDir])
    await watch.saw(/€0\.00/)
    gate.daemon.signal('SIGTERM')
    const { code, stderr } = await watch.result
    assert.deepEqual([code, stderr], [1, 'The daemon has ended.\n'])
  })

  it('every command says in one sentence that no daemon runs: never started, stopped, or killed', async () => {
    const nowhere = join(gate.daemon.dataDir, 'nowhere')
    const result = await runCommand(['status', '--data-dir', nowhere])
    assert.deepEqual([result.code, result.stdout], [1, ''])
    assert.equal(result.stderr, `Tollgate is not running for ${nowhere}. Start it with: tollgate serve\n`)
    await gate.daemon.kill9()
    for (const command of ['status', 'watch', 'resume', 'env']) {
      const { code, stdout, stderr } = await run(command)
      assert.deepEqual([command, code, stdout], [command, 1, ''])
      assert.match(stderr, /^Tollgate is not running for [^\n]+\n$/)
    }
  })

  it('N04 no command hands the token to another program that has taken the port since', async () => {
    const headers: (string | undefined)[] = []
    const other = createServer((request, response) => {
      headers.push(request.headers.authorization)
      response.end('{"name":"another"}')
    })
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const file = join(gate.daemon.dataDir, 'daemon.json')
    const record = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    const { port } = other.address() as AddressInfo
    writeFileSync(file, JSON.stringify({ ...record, port, url: `http://127.0.0.1:${port}` }))
    for (const command of ['status', 'kill', 'watch']) assert.equal((await run(command)).code, 1)
    assert.ok(headers.length >= 3)
    assert.deepEqual(headers.filter(Boolean), [])
    other.close()
  })
})
