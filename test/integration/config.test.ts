import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startUpstream } from '../upstream/upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { readRefusal } from './harness/answers.ts'
import { runCommand } from './harness/command.ts'
import { connectControl } from './harness/controlClient.ts'
import { against, runDaemon, startDaemon, stopAllDaemons } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { eventually } from './harness/eventually.ts'
import { flatAsk, flatConfig, flatUsage } from './harness/flatPrice.ts'

describe('the configuration at the start', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tollgate-config-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))
  after(stopAllDaemons)

  for (const [name, text, says] of [
    ['an unknown field', '{"budgets":{"userDialy":{"eur":5}}}', /budgets\.userDialy is not a known field/],
    ['an unknown field at the top', '{"budget":{}}', /budget is not a known field/],
    ['a text for a number', '{"budgets":{"userDaily":{"eur":"5,00"}}}', /budgets\.userDaily\.eur must be .*"5,00"/],
    ['a negative number', '{"budgets":{"userDaily":{"eur":-1}}}', /budgets\.userDaily\.eur must be .*-1/],
    ['NaN', '{"budgets":{"userDaily":{"eur":NaN}}}', /line 1, column 32/],
    [
      'a fraction of a token',
      '{"budgets":{"userDaily":{"tokens":1.5}}}',
      /budgets\.userDaily\.tokens must be a whole number/,
    ],
    ['an empty section (M09)', '{"budgets":null}', /budgets must be an object/],
    ['a list for a section', '{"plans":[]}', /plans must be an object/],
    ['a zone that does not exist', '{"timezone":"Europe/Atlantis"}', /timezone must be a name of the IANA/],
    ['a plan that does not exist', '{"plan":"luxury"}', /plan must be one of agent, coding, chat/],
    [
      'an upstream without an address',
      '{"upstreams":{"mine":{"dialect":"openai"}}}',
      /upstreams\.mine\.baseUrl is missing/,
    ],
    ['a broken text', '{"budgets":{"userDaily":{"eur":5}}', /line 1, column \d+/],
    ['an empty file', '', /empty/],
    ['a field that is written twice', '{"plan":"chat","plan":"agent"}', /plan is written twice/],
    ['a shared ledger that this version has not', '{"ledger":"redis://127.0.0.1:6379/0"}', /^tollgate: ledger: /],
  ] as const) {
    it(`ends with 2 and a sentence that names the place: ${name}`, async () => {
      writeFileSync(join(dir, 'config.json'), text)
      const { code, stdout, stderr } = await runDaemon({ dataDir: dir })
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, says)
      assert.match(stderr, /^(tollgate: [^\n]+\n)+$/, 'sentences and no stack')
    })
  }

  for (const [variable, value, says] of [
    ['TOLLGATE_BUDGETS_USERDAILY_EUR', 'abc', /TOLLGATE_BUDGETS_USERDAILY_EUR must be .*"abc"/],
    ['TOLLGATE_BUDGETS_USERDAILY_EUR', '5,00', /TOLLGATE_BUDGETS_USERDAILY_EUR must be .*"5,00"/],
    ['TOLLGATE_BUDGETS_USERDIALY_EUR', '5', /TOLLGATE_BUDGETS_USERDIALY_EUR names no field/],
    ['TOLLGATE_TIMEZONE', 'Atlantis', /TOLLGATE_TIMEZONE must be a name of the IANA/],
  ] as const) {
    it(`M09 ends with 2 and names the variable: ${variable}=${value}`, async () => {
      const { code, stderr } = await runDaemon({ dataDir: dir, env: { [variable]: value } })
      assert.equal(code, 2)
      assert.match(stderr, says)
    })
  }

  it('names every mistake at once', async () => {
    writeFileSync(join(dir, 'config.json'), '{"plan":7,"drainSeconds":-1,"bogus":1}')
    const { stderr } = await runDaemon({ dataDir: dir })
    for (const field of ['plan', 'drainSeconds', 'bogus']) assert.match(stderr, new RegExp(`^tollgate: ${field} `, 'm'))
  })

  it('says in a sentence that the file cannot be read', async () => {
    mkdirSync(join(dir, 'config.json'))
    const { code, stderr } = await runDaemon({ dataDir: dir })
    assert.equal(code, 2)
    assert.match(stderr, /^tollgate: [^\n]+config\.json cannot be read: [^\n]+\n$/)
  })

  it('does not start a second time over a running daemon to say so', async () => {
    const daemon = await startDaemon({ dataDir: dir })
    writeFileSync(join(dir, 'other.json'), '{"plan":7}')
    const { code } = await runDaemon({ dataDir: dir, args: ['--config', join(dir, 'other.json')] })
    assert.equal(code, 2)
    assert.equal((await daemon.status()).killed, false)
    await daemon.stop()
  })

  it('takes comments and trailing commas, and lays the environment over the file', async () => {
    writeFileSync(
      join(dir, 'config.json'),
      '// mine\n{ "budgets": { "userDaily": { "eur": 3, /* tokens */ "tokens": 70000, }, }, "user": "ada", }\n',
    )
    const env = { TOLLGATE_BUDGETS_USERDAILY_EUR: '4.5', TOLLGATE_TIMEZONE: 'Asia/Shanghai' }
    const daemon = await startDaemon({ dataDir: dir, env })
    const { today, timezone } = await daemon.status()
    assert.deepEqual([today.capEur, today.capTokens, timezone], [4.5, 70_000, 'Asia/Shanghai'])
    assert.match(today.resetsAt, /T00:00:00\+08:00$/)
    await daemon.stop()
  })
})

describe('a configuration that changes while the daemon runs', () => {
  let upstream: Upstream
  let daemon: Daemon
  let dir: string
  before(async () => {
    upstream = await startUpstream()
  })
  after(() => upstream.close())
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tollgate-config-'))
    write(flatConfig(5))
    daemon = await startDaemon({ dataDir: dir })
  })
  afterEach(async () => {
    await daemon.discard()
    rmSync(dir, { recursive: true, force: true })
  })

  function write(config: object): void {
    writeFileSync(join(dir, 'config.json'), JSON.stringify(against(upstream, config)))
  }

  const capIs = (eur: number | null) =>
    eventually(`a cap of ${eur}`, async () => ((await daemon.status()).today.capEur === eur ? true : null))

  const rejections = () => daemon.events('config_rejected')

  async function call(): Promise<Response> {
    return fetch(`${daemon.base('openai')}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(flatAsk(400)) })
  }

  it('holds at once for the next call, also when an editor replaces the file by another', async () => {
    upstream.next(flatUsage(400))
    assert.equal((await call()).status, 200)
    await daemon.settled(1)
    write(flatConfig(0.004))
    await capIs(0.004)
    assert.equal((await readRefusal(await call())).figures.limit, 0.004)
    writeFileSync(join(dir, 'config.json.new'), JSON.stringify(against(upstream, flatConfig(1))))
    renameSync(join(dir, 'config.json.new'), join(dir, 'config.json'))
    await capIs(1)
    const response = await call()
    assert.equal(response.status, 200)
    await response.text()
    assert.equal((await rejections()).length, 0)
  })

  for (const [name, text, says] of [
    ['a misspelt field', '{"budgets":{"userDialy":{"eur":1}}}', /userDialy/],
    ['half a file', '{"budgets":{"userDai', /line 1/],
    ['an empty file', '', /empty/],
    ['a comma in a number', '{"budgets":{"userDaily":{"eur":"1,00"}}}', /"1,00"/],
  ] as const) {
    it(`keeps the last good one and says why: ${name}`, async () => {
      const window = await connectControl(daemon)
      writeFileSync(join(dir, 'config.json'), text)
      const event = await window.event('config_rejected')
      assert.match((event['problems'] as string[]).join(' '), says)
      const [stored] = await rejections()
      assert.deepEqual(stored!['problems'], event['problems'])
      assert.equal((await daemon.status()).today.capEur, 5)
      upstream.next(flatUsage(400))
      assert.equal((await call()).status, 200, 'and calls still find their upstream')
      write(flatConfig(6))
      await capIs(6)
      window.close()
    })
  }

  it('does not fall back to the defaults when a file that was named on the command line goes away', async () => {
    await daemon.discard()
    daemon = await startDaemon({ dataDir: dir, args: ['--config', join(dir, 'config.json')] })
    rmSync(join(dir, 'config.json'))
    await eventually('the event', async () => ((await rejections()).length === 1 ? true : null))
    assert.equal((await daemon.status()).today.capEur, 5)
    assert.equal((await runCommand(['status', '--data-dir', dir])).code, 0)
  })

  it('takes a deleted config.json of the data directory for the defaults', async () => {
    rmSync(join(dir, 'config.json'))
    await capIs(10)
  })

  it('changes the plan of calls that come after it and none that runs', async () => {
    upstream.next({ firstByteDelayMs: 800 })
    const running = call()
    await upstream.waitForRequests(1)
    write({ ...flatConfig(5), plans: { agent: { models: ['gpt-*'] } } })
    const refused = await eventually('the new plan', async () => {
      const response = await call()
      return response.status === 403 ? response : null
    })
    assert.equal(refused.headers.get('x-tollgate-code'), 'model_not_allowed')
    assert.equal((await running).status, 200)
  })
})
