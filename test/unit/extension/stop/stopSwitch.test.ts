import assert from 'node:assert/strict'
import { DaemonAnswer } from '../../../../extension/daemon/api.ts'
import { NoAnswer } from '../../../../extension/stop/reach.ts'
import { StopSwitch } from '../../../../extension/stop/stopSwitch.ts'

const gone = new NoAnswer(false, 'connect ECONNREFUSED')

/** A directory that all windows of a machine share, and a daemon that answers with what is next in line. */
function machine(...answers: (Error | object)[]) {
  const state = { stops: 0, isWritable: true, orders: [] as string[] }
  const write = (stops: number): Promise<void> => {
    if (!state.isWritable && stops !== state.stops) return Promise.reject(new Error('EROFS: read-only file system'))
    state.stops = stops
    return Promise.resolve()
  }
  const window = (): StopSwitch =>
    new StopSwitch({
      order: (path, anew) => {
        state.orders.push(`${path}${anew ? ' anew' : ''}`)
        const answer = answers.shift() ?? gone
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
      },
      keep: () => write(1),
      forget: () => write(0),
      withdraw: () => write(0),
      waits: () => Promise.resolve(state.stops > 0),
    })
  return { state, window }
}

describe('the stop of all calls', () => {
  it('says how many calls it stopped and in how many milliseconds, of which none is 0', async () => {
    const { state, window } = machine(
      { cancelled: 5, tookMs: 12.6 },
      { cancelled: 1, tookMs: 0.3 },
      { cancelled: 1, tookMs: 0 },
      {},
    )
    assert.deepEqual(await window().stop(), { kind: 'stopped', cancelled: 5, tookMs: 13 })
    assert.deepEqual(await window().stop(), { kind: 'stopped', cancelled: 1, tookMs: 1 })
    assert.deepEqual(await window().stop(), { kind: 'stopped', cancelled: 1, tookMs: 1 })
    assert.deepEqual(await window().stop(), { kind: 'stopped', cancelled: 0, tookMs: 1 })
    assert.equal(state.stops, 0)
  })

  it('C12: waits for the next daemon where none answers, however windows come and go', async () => {
    const { state, window } = machine()
    assert.deepEqual(await window().stop(), { kind: 'waits', isThere: false })
    assert.equal(state.stops, 1)
    const reloaded = window()
    assert.deepEqual([await reloaded.waits(), reloaded.takeOwed()], [true, false])
  })

  it('is taken back by the resume of another window', async () => {
    const { state, window } = machine()
    const [first, second] = [window(), window()]
    await first.stop()
    assert.deepEqual(await second.resume(), { kind: 'away', isThere: false })
    assert.equal(state.stops, 0)
    assert.deepEqual([await first.waits(), first.takeOwed()], [false, false])
  })

  it('is left in the directory for a daemon that began meanwhile and took it: it may have no other place for it', async () => {
    const { state, window } = machine(gone, { cancelled: 2, tookMs: 4 })
    assert.deepEqual(await window().stop(), { kind: 'stopped', cancelled: 2, tookMs: 4 })
    assert.deepEqual([state.stops, state.orders], [1, ['/api/kill', '/api/kill anew']])
  })

  it('does not wait where a daemon answered with an error, which is said as it is', async () => {
    const refusal = new DaemonAnswer(503, 'The ledger cannot record the switch.')
    const { state, window } = machine(refusal, gone, refusal)
    const said = { kind: 'refused', reason: 'The ledger cannot record the switch.' }
    assert.deepEqual(await window().stop(), said)
    assert.deepEqual(await window().stop(), said)
    assert.deepEqual([state.stops, await window().waits()], [0, false])
  })

  it('tells a gate that hangs from one that is gone', async () => {
    const hangs = new NoAnswer(true, 'The operation was aborted due to timeout')
    const { window } = machine(hangs, hangs, hangs)
    assert.deepEqual(await window().stop(), { kind: 'waits', isThere: true })
    assert.deepEqual(await window().resume(), { kind: 'away', isThere: true })
  })

  it('holds in this window alone where the directory cannot be written, and is told the next gate once', async () => {
    const { state, window } = machine()
    state.isWritable = false
    const mine = window()
    assert.deepEqual(await mine.stop(), { kind: 'windowOnly', reason: 'EROFS: read-only file system' })
    assert.deepEqual([await mine.waits(), await window().waits()], [true, false])
    assert.deepEqual([mine.takeOwed(), mine.takeOwed()], [true, false])
    await mine.stop()
    await mine.resume()
    assert.equal(mine.takeOwed(), false)
  })

  it('is not resumed where it stays in the directory', async () => {
    const { state, window } = machine(gone, gone, {})
    await window().stop()
    state.isWritable = false
    assert.deepEqual(await window().resume(), { kind: 'refused', reason: 'EROFS: read-only file system' })
    assert.equal(state.stops, 1)
  })

  it('that this window owes is lifted by a resume of all calls elsewhere, and by no other event', async () => {
    const { state, window } = machine()
    state.isWritable = false
    const mine = window()
    const time = '2026-11-30T12:00:00.000Z'
    const resumed = { event: 'resumed', time, scope: 'global', ref: '', lifted: 0 } as const
    assert.equal(mine.isLiftedBy(resumed), false, 'nothing is owed')
    await mine.stop()
    assert.equal(mine.isLiftedBy({ ...resumed, scope: 'task', ref: 'build' }), false)
    assert.equal(mine.isLiftedBy({ event: 'killed', time, scope: 'global', ref: '' }), false)
    assert.equal(mine.isLiftedBy(resumed), true)
    assert.deepEqual([await mine.waits(), mine.takeOwed()], [false, false])
  })
})
