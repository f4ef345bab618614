import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CalibrationReport } from '../../daemon/control/calibration.ts'
import { startUpstream } from '../upstream/upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { runCommand } from './harness/command.ts'
import { startDaemon } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { eventually } from './harness/eventually.ts'

const healthyTasks = 25
const callsOfEach = 3
const ceiling = 4

describe('tollgate calibrate', () => {
  let upstream: Upstream
  let daemon: Daemon
  let dataDir: string
  let file: string
  let written: string

  before(async () => {
    upstream = await startUpstream()
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-calibrate-'))
    file = join(dataDir, 'config.json')
    written = `{
  "timezone": "Europe/Berlin",
  "upstreams": { "openai": { "baseUrl": "${upstream.baseUrls.openai}", "dialect": "openai" } },
  "plans": {
    "agent": {
      "task": {
        "maxIterations": ${ceiling} // a guess
      }
    }
  }
}
`
    writeFileSync(file, written, { mode: 0o640 })
    daemon = await startDaemon({ dataDir })
    await Promise.all(
      Array.from({ length: healthyTasks }, async (_, at) => {
        for (let turn = 1; turn <= callsOfEach; turn += 1) assert.equal(await call(`task-${at}`, turn), 200)
      }),
    )
    for (let turn = 1; turn <= ceiling; turn += 1) assert.equal(await call('runaway', turn), 200)
    assert.equal(await call('runaway', ceiling + 1), 403)
    await daemon.settled(healthyTasks * callsOfEach + ceiling)
  })
  after(async () => {
    await Promise.all([daemon.discard(), upstream.close()])
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** One call of a task in project `shop`; the status of its answer. */
  async function call(task: string, turn: number): Promise<number> {
    const response = await fetch(`${daemon.base('openai', { task, project: 'shop' })}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'OwnAgent/1.4 (test)' },
      body: JSON.stringify({
        model: 'gpt-4o-mini',
        max_tokens: 50,
        messages: [{ role: 'user', content: `Step ${turn} of ${task}.` }],
      }),
    })
    await response.text()
    return response.status
  }

  const report = (query = ''): Promise<CalibrationReport> => daemon.json(`/api/calibration${query}`)
  const calibrate = (...words: readonly string[]) => runCommand(['calibrate', '--data-dir', dataDir, ...words])

  it('answers the p99 of each client and project, and proposals next to the ceilings in force', async () => {
    const { groups, plans, ...rest } = await report('?days=2')
    assert.equal(rest.days, 2)
    assert.equal(rest.healthyTasks, healthyTasks)
    const [group, ...others] = groups
    assert.equal(others.length, 0)
    assert.deepEqual(
      [group?.client, group?.project, group?.plan, group?.tasks, group?.p99.iterations],
      ['OwnAgent', 'shop', 'agent', healthyTasks, callsOfEach],
    )
    assert.ok(group!.p99.inputTokens > 0)
    assert.deepEqual(
      plans.find(({ plan }) => plan === 'agent'),
      {
        plan: 'agent',
        inForce: { maxIterations: ceiling, maxInputTokens: 2_000_000, maxWallSeconds: 300, maxEur: 5 },
        proposal: group?.proposal,
      },
    )
  })

  it('does not count a task that was halted, whose calls would raise the proposal', async () => {
    const { haltedTasks, groups } = await report()
    assert.equal(haltedTasks, 1)
    assert.equal(groups[0]?.proposal?.maxIterations, Math.ceil(callsOfEach * 2.8))
  })

  it('refuses days that it cannot look at', async () => {
    for (const days of ['0', '366', 'week']) {
      const response = await daemon.api(`/api/calibration?days=${days}`)
      assert.equal(response.status, 400)
      const { error } = (await response.json()) as { error: { code: string; message: string } }
      assert.equal(error.code, 'invalid_request')
      assert.equal(error.message, 'days must be a whole number from 1 to 365.')
    }
  })

  it('prints what it proposes and changes nothing', async () => {
    const { code, stdout, stderr } = await calibrate()
    assert.equal(stderr, '')
    assert.equal(code, 0)
    assert.match(stdout, /^25 healthy tasks since .*\. 1 halted task is left out\.\n/)
    assert.match(stdout, /OwnAgent +shop +agent +25 +3 /)
    assert.match(stdout, /\n- {8}"maxIterations": 4 \/\/ a guess\n\+ {8}"maxIterations": 9, \/\/ a guess\n/)
    assert.match(stdout, /--apply\.\n$/)
    assert.equal(readFileSync(file, 'utf8'), written)
  })

  it('changes the configuration with --apply, and the running daemon takes it over', async () => {
    const { code, stdout } = await calibrate('--apply')
    assert.equal(code, 0, stdout)
    const { proposal } = (await report()).plans.find(({ plan }) => plan === 'agent')!
    assert.equal(
      readFileSync(file, 'utf8'),
      written.replace(
        '"maxIterations": 4 // a guess\n',
        `"maxIterations": 9, // a guess
        "maxInputTokens": ${proposal?.maxInputTokens},
        "maxWallSeconds": 60,
        "maxEur": ${proposal?.maxEur}
`,
      ),
    )
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o640)
    await eventually('the new ceilings to be in force', async () => {
      const { inForce } = (await report()).plans.find(({ plan }) => plan === 'agent')!
      return inForce?.maxIterations === 9 ? true : null
    })
    assert.deepEqual(await daemon.events('config_rejected'), [])
    assert.match((await calibrate()).stdout, /has these ceilings already\.\n$/)
    for (let turn = 1; turn <= ceiling + 1; turn += 1) assert.equal(await call('after', turn), 200)
  })
})
