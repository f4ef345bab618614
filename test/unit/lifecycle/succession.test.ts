import assert from 'node:assert/strict'
import { succeed } from '../../../daemon/lifecycle/succession.ts'
import type { SuccessionPorts } from '../../../daemon/lifecycle/succession.ts'
import type { DiscoveryRecord } from '../../../shared/protocol.ts'

function record(pid: number): DiscoveryRecord {
  const url = 'http://127.0.0.1:4141'
  return { url, port: 4141, key: 'k', token: 't', pid, version: '0.1.0', protocol: 1, startedAtMs: 0 }
}

/** A data directory with an owner of process 7 that lets go after some looks. */
class Directory implements SuccessionPorts<'ours'> {
  found: DiscoveryRecord | null = record(7)
  answer: number | null = 202
  asked: number[] = []
  looks = 0
  freeAfter = 3
  /** What happened to the place in line and to the port, in order. */
  readonly steps: string[] = []
  isLineFree = true
  onLook: () => void = () => undefined

  readonly readRecord = (): DiscoveryRecord | null => this.found
  readonly standInLine = (): { release: () => void } | null => {
    if (!this.isLineFree) return null
    this.steps.push('in line')
    return { release: () => this.steps.push('out of line') }
  }
  readonly askToHandOver = ({ pid }: DiscoveryRecord): Promise<number | null> => {
    this.asked.push(pid)
    this.steps.push('asked')
    return Promise.resolve(this.answer)
  }
  readonly takePort = (): Promise<void> => {
    assert.equal(this.looks, 0, 'the port is free before the directory is')
    this.steps.push('at the port')
    return Promise.resolve()
  }
  readonly take = (): 'ours' | null => {
    this.looks += 1
    this.onLook()
    return this.looks > this.freeAfter ? 'ours' : null
  }
  nowAtMs = 0
  readonly nowMs = (): number => this.nowAtMs
  /** A pause takes longer than it was asked for, as on a loaded machine. */
  readonly wait = (ms: number): Promise<void> => {
    this.nowAtMs += 10 * ms
    return Promise.resolve()
  }
}

describe('the successor of a daemon', () => {
  let directory: Directory
  beforeEach(() => {
    directory = new Directory()
  })

  it('takes the directory as soon as its predecessor has let go', async () => {
    assert.deepEqual(await succeed(7, directory), { kind: 'taken', directory: 'ours' })
    assert.deepEqual([directory.asked, directory.looks], [[7], 4])
    assert.deepEqual(directory.steps, ['in line', 'asked', 'at the port', 'out of line'])
  })

  it('asks nothing where another one stands in line: that one has the port as soon as it is free', async () => {
    directory.isLineFree = false
    assert.deepEqual(await succeed(7, directory), { kind: 'owned' })
    assert.deepEqual([directory.asked, directory.looks, directory.steps], [[], 0, []])
  })

  it('leaves a busy predecessor alone', async () => {
    directory.answer = 409
    assert.deepEqual(await succeed(7, directory), { kind: 'busy' })
    assert.equal(directory.looks, 0)
    assert.deepEqual(directory.steps, ['in line', 'asked', 'out of line'])
  })

  it('asks nobody but the one that it was told to replace: what came after it may be newer', async () => {
    directory.found = record(8)
    assert.deepEqual(await succeed(7, directory), { kind: 'owned' })
    assert.deepEqual(directory.asked, [])
  })

  it('leaves the place to an instance that was quicker', async () => {
    directory.onLook = () => {
      if (directory.looks === 2) directory.found = record(9)
    }
    directory.freeAfter = Infinity
    assert.deepEqual(await succeed(7, directory), { kind: 'owned' })
    assert.equal(directory.looks, 2)
  })

  it('takes the directory of one that ended before it answered', async () => {
    directory.answer = null
    assert.equal((await succeed(7, directory)).kind, 'taken')
    // It may let its calls finish: nobody is to wait at the port for that.
    assert.deepEqual(directory.steps, ['in line', 'asked', 'out of line'])
    directory.found = null
    assert.equal((await succeed(7, directory)).kind, 'taken')
  })

  it('does not wait for ever, by the clock, nor for one that refuses', async () => {
    directory.freeAfter = Infinity
    assert.deepEqual(await succeed(7, directory), { kind: 'late' })
    assert.ok(directory.looks > 100)
    assert.ok(directory.nowAtMs >= 5000 && directory.nowAtMs < 5100, String(directory.nowAtMs))
    directory.looks = 0
    directory.answer = 401
    assert.deepEqual(await succeed(7, directory), { kind: 'owned' })
    assert.equal(directory.looks, 0)
  })
})
