import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storedPersonalCaps, takePersonalCaps } from '../../../daemon/control/caps.ts'
import { readCaps, readControlRequest } from '../../../daemon/control/requests.ts'
import { createLog } from '../../../daemon/observe/log.ts'
import { largestCap } from '../../../shared/personalCaps.ts'
import { playedGate } from '../playedGate.ts'
import type { PlayedGate } from '../playedGate.ts'

/** What the daemon understands of a window's message. */
function heard(caps: unknown, keep?: unknown) {
  const request = readControlRequest(JSON.stringify({ type: 'settings', caps, keep }))
  assert.ok(typeof request !== 'string' && request.type === 'settings', JSON.stringify(request))
  const { caps: good, keep: kept, refused } = request
  return { caps: good, keep: kept, refused }
}

describe('caps that a window sends', () => {
  it('are all taken where all are good, null and the largest included', () => {
    const caps = { userDailyEur: 2.5, userDailyTokens: null, tenantMonthlyEur: largestCap.eur, tenantMonthlyTokens: 0 }
    assert.deepEqual(heard(caps), { caps, keep: [], refused: [] })
    assert.deepEqual(heard({}), { caps: {}, keep: [], refused: [] })
  })

  it('M09: one that is no cap stays as it is, and the good ones hold', () => {
    for (const bad of ['2,0', -1, 1e16, 1.5, 1e300, {}, true]) {
      assert.deepEqual(heard({ userDailyTokens: bad, userDailyEur: 3 }), {
        caps: { userDailyEur: 3 },
        keep: ['userDailyTokens'],
        refused: ['userDailyTokens'],
      })
    }
  })

  it('stay where the window says so, and a name that is none changes nothing', () => {
    const names = ['userDailyEur', 'tenantDailyEur', 7, 'tenantMonthlyTokens']
    assert.deepEqual(heard({ userDailyEur: 3 }, names), {
      caps: { userDailyEur: 3 },
      keep: ['tenantMonthlyTokens'],
      refused: [],
    })
  })

  it('are none where the message has no object of caps, or no list of what stays', () => {
    for (const message of [
      {},
      { caps: null },
      { caps: [] },
      { caps: {}, keep: 'userDailyEur' },
      { caps: {}, keep: {} },
    ])
      assert.equal(typeof readControlRequest(JSON.stringify({ type: 'settings', ...message })), 'string')
  })

  it('have the same largest value as a change by the API, which says it', () => {
    assert.equal(typeof readCaps({ userDailyEur: largestCap.eur, tenantDailyTokens: largestCap.tokens }), 'object')
    assert.equal(readCaps({ userDailyEur: 1e300 }), 'userDailyEur must be a number from 0 to 9000000 or null.')
    assert.equal(
      readCaps({ tenantDailyTokens: 1e16 }),
      'tenantDailyTokens must be a whole number of tokens from 0 to 9000000000000000 or null.',
    )
  })
})

describe('the caps of the settings', () => {
  let dataDir: string
  let played: PlayedGate
  const logged: string[] = []
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-caps-'))
    logged.length = 0
    const log = createLog({ write: (line) => logged.push(line), nowMs: Date.now, format: 'plain' })
    played = await playedGate(() => undefined, {}, { dataDir, log })
  })
  afterEach(async () => {
    await played.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const take = (caps: unknown, keep?: unknown): void => takePersonalCaps(played.gate, heard(caps, keep))
  const dailyEur = (): number | null => played.gate.config().budgets.userDaily.eur
  const changes = (): number => played.gate.events.list({ sinceMs: 0, limit: 100 }).length

  it('M09: keep the last good value of one that a window cannot use, whichever window comes, and store it', () => {
    take({ userDailyEur: 2, tenantMonthlyEur: 20 })
    take({}, ['userDailyEur'])
    assert.deepEqual([dailyEur(), played.gate.config().budgets.tenantMonthly.eur], [2, 150])
    take({ tenantMonthlyEur: null }, ['userDailyEur'])
    assert.deepEqual(storedPersonalCaps(dataDir), { userDailyEur: 2, tenantMonthlyEur: null })
    take({ tenantMonthlyEur: null })
    assert.equal(dailyEur(), 10, 'a setting that was taken out leaves the configured cap')
  })

  it('M09: are the configured ones where there was no good value before', () => {
    take({ userDailyTokens: 1e16, tenantMonthlyEur: 30 })
    const { userDaily, tenantMonthly } = played.gate.config().budgets
    assert.deepEqual([userDaily.tokens, userDaily.eur, tenantMonthly.eur], [null, 10, 30])
  })

  it('are said once, however many windows send the same', () => {
    take({ userDailyEur: 2 })
    take({ userDailyEur: 2 })
    take({}, ['userDailyEur'])
    assert.equal(changes(), 1)
  })

  it('hold where they cannot be stored, and are stored as soon as they can', () => {
    const file = join(dataDir, 'personal-caps.json')
    mkdirSync(file)
    take({ userDailyEur: 2 })
    assert.deepEqual([dailyEur(), logged.length], [2, 1])
    assert.match(logged[0]!, /cannot be stored/)
    rmSync(file, { recursive: true })
    take({}, ['userDailyEur'])
    assert.deepEqual([JSON.parse(readFileSync(file, 'utf8')), changes()], [{ userDailyEur: 2 }, 1])
  })

  it('M09: of a stored file that holds a bad one, the others hold', () => {
    const file = join(dataDir, 'personal-caps.json')
    assert.deepEqual([existsSync(file), storedPersonalCaps(dataDir)], [false, {}])
    writeFileSync(file, '{"userDailyEur":1e300,"tenantMonthlyTokens":7,"other":1,"tenantMonthlyEur":"5,00"}')
    assert.deepEqual(storedPersonalCaps(dataDir), { tenantMonthlyTokens: 7 })
    for (const text of ['', '[]', 'null', '{"userDailyEur":2']) {
      writeFileSync(file, text)
      assert.deepEqual(storedPersonalCaps(dataDir), {})
    }
  })
})
