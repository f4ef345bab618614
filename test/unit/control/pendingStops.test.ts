import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pendingStops, StopStays } from '../../../daemon/control/pendingStops.ts'
import { forgetStop, keepStop, stopWaits, withdrawStops } from '../../../extension/stop/pendingStop.ts'
import { globalStop } from '../../../shared/pendingStop.ts'

describe('stops that wait in the data directory', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-stops-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  it('C12: are read as they were written, by the command line and by a window, for their owner only', async () => {
    const stops = pendingStops(dataDir)
    stops.keep({ scope: 'task', ref: '../../etc/passwd \u0000' })
    await keepStop(dataDir)
    assert.deepEqual(
      [...stops.list()].sort((left, right) => left.scope.localeCompare(right.scope)),
      [{ scope: 'global' }, { scope: 'task', ref: '../../etc/passwd \u0000' }],
    )
    for (const file of readdirSync(dataDir)) {
      if (process.platform !== 'win32') assert.equal(statSync(join(dataDir, file)).mode & 0o777, 0o600)
    }
    stops.keep({ scope: 'global' })
    assert.equal(stops.list().length, 2, 'a window and the command line write the same file')
  })

  it('are kept in a directory that is not there yet, which nobody else may read', async () => {
    const fresh = join(dataDir, 'a', 'b')
    await keepStop(fresh)
    assert.deepEqual(pendingStops(fresh).list(), [{ scope: 'global' }])
    if (process.platform !== 'win32') assert.equal(statSync(fresh).mode & 0o777, 0o700)
  })

  it('leave no draft behind, and a draft is none of them', async () => {
    await Promise.all([keepStop(dataDir), keepStop(dataDir), keepStop(dataDir)])
    assert.deepEqual(readdirSync(dataDir), [globalStop.file])
    writeFileSync(join(dataDir, `${globalStop.file}.7.new`), '')
    await withdrawStops(dataDir)
    assert.deepEqual([await stopWaits(dataDir), pendingStops(dataDir).list()], [false, []])
  })

  it('stop everything where one cannot be read, instead of nothing', () => {
    for (const text of ['', '{"scope":"ga', '[]', '{"scope":"galaxy"}', '{"scope":"task"}']) {
      writeFileSync(join(dataDir, globalStop.file), text)
      assert.deepEqual(pendingStops(dataDir).list(), [{ scope: 'global' }], text)
    }
  })

  it('are taken back one by one or all at once, by the command line as by a window', async () => {
    const stops = pendingStops(dataDir)
    const keepAll = (): void => {
      for (const stop of [{ scope: 'global' }, { scope: 'task', ref: 'a' }, { scope: 'task', ref: 'b' }] as const)
        stops.keep(stop)
    }
    keepAll()
    assert.equal(stops.withdraw({ scope: 'task', ref: 'a' }), 1)
    assert.equal(stops.withdraw({ scope: 'task', ref: 'a' }), 0)
    await forgetStop(dataDir)
    assert.deepEqual(stops.list(), [{ scope: 'task', ref: 'b' }])
    keepAll()
    assert.equal(stops.withdraw({ scope: 'global' }), 3)
    keepAll()
    await withdrawStops(dataDir)
    assert.deepEqual(stops.list(), [])
  })

  it('are none in a directory that is not there, and cannot be known in one that is no directory', async () => {
    assert.deepEqual(pendingStops(join(dataDir, 'nowhere')).list(), [])
    assert.equal(await stopWaits(join(dataDir, 'nowhere')), false)
    const file = join(dataDir, 'file')
    writeFileSync(file, '')
    await assert.rejects(() => stopWaits(file))
    await assert.rejects(() => keepStop(file))
    assert.equal(readFileSync(file, 'utf8'), '')
  })

  it('say so where one cannot be removed, because it would stop everything again after the next start', () => {
    mkdirSync(join(dataDir, globalStop.file))
    assert.deepEqual(pendingStops(dataDir).list(), [{ scope: 'global' }])
    assert.throws(() => pendingStops(dataDir).withdraw({ scope: 'global' }), StopStays)
    assert.throws(
      () => pendingStops(dataDir).settle({ scope: 'global' }),
      /pending-stop-global\.json cannot be removed/,
    )
  })
})
