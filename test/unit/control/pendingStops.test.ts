import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pendingStops, removeStaleDrafts, StopStays } from '../../../daemon/control/pendingStops.ts'
import { forgetStop, keepStop, stopWaits, withdrawStops } from '../../../extension/stop/pendingStop.ts'
import { globalStop, pendingStopFile } from '../../../shared/pendingStop.ts'

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

  it('count by what is in them and not by their names: each is settled and resumed under any', () => {
    const stops = pendingStops(dataDir)
    const build = { scope: 'task', ref: 'build' } as const
    const byHand = (): void => writeFileSync(join(dataDir, 'pending-stop-mine.json'), JSON.stringify(build))
    byHand()
    stops.keep(build)
    assert.deepEqual(stops.list(), [build])
    stops.settle({ scope: 'task', ref: 'other' })
    stops.settle({ scope: 'global' })
    assert.deepEqual(stops.list(), [build])
    stops.settle(build)
    assert.deepEqual(readdirSync(dataDir), [])
    byHand()
    assert.equal(stops.withdraw(build), 1)
    assert.deepEqual(readdirSync(dataDir), [])
    writeFileSync(join(dataDir, 'pending-stop-damaged.json'), '{"sc')
    assert.equal(stops.withdraw(build), 0)
    stops.settle({ scope: 'global' })
    assert.deepEqual(readdirSync(dataDir), [], 'a damaged one is a stop of everything')
  })

  it('stop everything unread where one is no file of a size that we write', () => {
    const stops = pendingStops(dataDir)
    const all = [{ scope: 'global' }]
    writeFileSync(
      join(dataDir, 'pending-stop-large.json'),
      `${JSON.stringify({ scope: 'task', ref: 'a' })}${' '.repeat(65_536)}`,
    )
    assert.deepEqual(stops.list(), all)
    if (process.platform === 'win32') return
    stops.settle({ scope: 'global' })
    symlinkSync('/dev/zero', join(dataDir, 'pending-stop-endless.json'))
    symlinkSync('/nowhere', join(dataDir, 'pending-stop-dangling.json'))
    execFileSync('mkfifo', [join(dataDir, 'pending-stop-pipe.json')])
    assert.deepEqual(stops.list(), all)
    assert.equal(stops.withdraw({ scope: 'global' }), 3)
    assert.deepEqual(readdirSync(dataDir), [])
  })

  it('are not taken back where it cannot be known which there are', () => {
    const file = join(dataDir, 'file')
    writeFileSync(file, '')
    assert.throws(() => pendingStops(file).list(), /ENOTDIR/)
    for (const scope of ['global', 'task'] as const) {
      const resume = () => pendingStops(file).withdraw(scope === 'global' ? { scope } : { scope, ref: 'a' })
      assert.throws(resume, (fault) => fault instanceof StopStays && / cannot be known: /.test(fault.message))
    }
  })

  it('are kept where the same one stands there already and cannot be replaced, as an open file on Windows', async () => {
    const busy = (): Promise<never> => Promise.reject(new Error('EPERM: operation not permitted, rename'))
    await assert.rejects(keepStop(dataDir, busy), /EPERM/)
    writeFileSync(join(dataDir, globalStop.file), '{"scope":"galaxy" }')
    await assert.rejects(keepStop(dataDir, busy), /EPERM/, 'another text')
    await keepStop(dataDir)
    await keepStop(dataDir, busy)
    assert.deepEqual(readdirSync(dataDir), [globalStop.file])
    // A directory in the place of the draft.
    const stops = pendingStops(dataDir)
    for (const name of [globalStop.file, pendingStopFile('task', 'ca978112ca1bbdca')])
      mkdirSync(join(dataDir, `${name}.${process.pid}.new`))
    stops.keep({ scope: 'global' })
    assert.throws(() => stops.keep({ scope: 'task', ref: 'a' }), /EISDIR|ERR_FS_EISDIR|directory/)
  })

  it('have their drafts removed that a window left behind which died, and no others', () => {
    const [old, fresh, other] = [`${globalStop.file}.a.new`, 'pending-stop-task-1.json.7.new', 'key.7.new']
    for (const file of [old, fresh, other, globalStop.file]) writeFileSync(join(dataDir, file), globalStop.text)
    const nowMs = statSync(join(dataDir, fresh)).mtimeMs
    for (const file of [old, other, globalStop.file]) utimesSync(join(dataDir, file), 0, nowMs / 1000 - 61)
    removeStaleDrafts(dataDir, nowMs)
    assert.deepEqual(readdirSync(dataDir).sort(), [other, globalStop.file, fresh].sort())
    removeStaleDrafts(join(dataDir, 'nowhere'), nowMs)
    removeStaleDrafts(join(dataDir, other), nowMs)
  })
})
