import assert from 'node:assert/strict'
import fc from 'fast-check'
import { awaitSuccessor, decide, ensureDaemon, maxReplacements } from '../../../extension/daemon/ensure.ts'
import type { EnsurePorts } from '../../../extension/daemon/ensure.ts'
import { compareVersions } from '../../../extension/daemon/versionOrder.ts'
import { portFaultSentence } from '../../../shared/portFault.ts'
import type { DiscoveryRecord, Health } from '../../../shared/protocol.ts'

const mine = { version: '0.2.0', protocol: 1 }

function record(changes: Partial<DiscoveryRecord> = {}): DiscoveryRecord {
  const url = 'http://127.0.0.1:4141'
  return { url, port: 4141, key: 'k', token: 't', pid: 7, version: '0.2.0', protocol: 1, startedAtMs: 0, ...changes }
}

function health(changes: Partial<Health> = {}): Health {
  return { name: 'tollgate', version: '0.2.0', protocol: 1, pid: 7, inFlight: 0, ...changes }
}

describe('the decision about a daemon that was found', () => {
  it('starts one when there is no record or nothing answers', () => {
    assert.equal(decide(undefined, undefined, mine).kind, 'start')
    assert.equal(decide(record(), undefined, mine).kind, 'start')
  })

  it('starts one when another process answers at the port of a dead daemon', () => {
    assert.equal(decide(record(), health({ pid: 8 }), mine).kind, 'start')
  })

  it('attaches to an equal or newer version', () => {
    assert.equal(decide(record(), health(), mine).kind, 'attach')
    assert.equal(decide(record(), health({ version: '0.3.0' }), mine).kind, 'attach')
  })

  it('replaces an older one only while it is idle', () => {
    assert.equal(decide(record(), health({ version: '0.1.9' }), mine).kind, 'replace')
    assert.equal(decide(record(), health({ version: '0.1.9', inFlight: 1 }), mine).kind, 'attach')
  })

  it('does not replace an older one in the pause between two calls, unless it cannot talk to it', () => {
    assert.equal(decide(record(), health({ version: '0.1.9' }), mine, 0, false).kind, 'attach')
    assert.equal(decide(record(), health({ protocol: 0 }), mine, 0, false).kind, 'replace')
  })

  it('only attaches after several replacements in a minute', () => {
    assert.equal(decide(record(), health({ version: '0.1.0' }), mine, maxReplacements).kind, 'attach')
  })

  it('does not talk to a protocol that it cannot follow', () => {
    assert.equal(decide(record(), health({ protocol: 2, version: '1.0.0' }), mine).kind, 'incompatible')
    assert.equal(decide(record(), health({ protocol: 0, inFlight: 1 }), mine).kind, 'wait')
    assert.equal(decide(record(), health({ protocol: 0 }), mine).kind, 'replace')
  })

  it('never lets two windows of different versions replace each other in turn', () => {
    const versions = fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9)).map((parts) => parts.join('.'))
    fc.assert(
      fc.property(versions, versions, (left, right) => {
        const leftEnds = decide(record(), health({ version: right }), { version: left, protocol: 1 }).kind === 'replace'
        const rightEnds =
          decide(record(), health({ version: left }), { version: right, protocol: 1 }).kind === 'replace'
        assert.ok(!(leftEnds && rightEnds))
      }),
    )
  })
})

describe('the order of versions', () => {
  it('compares numbers as numbers and puts a pre-release before its release', () => {
    const ordered = ['0.0.0-dev', '0.1.0-beta.1', '0.1.0', '0.2.0', '0.10.0', '1.0.0']
    for (let index = 1; index < ordered.length; index++) {
      assert.ok(compareVersions(ordered[index - 1]!, ordered[index]!) < 0)
      assert.ok(compareVersions(ordered[index]!, ordered[index - 1]!) > 0)
    }
    assert.equal(compareVersions('0.2.0', '0.2.0'), 0)
  })
})

/** A machine of which each test says what happens; sleeping moves its clock. */
class Machine implements EnsurePorts {
  clockMs = 0
  found: DiscoveryRecord | undefined
  answer: Health | undefined
  /** Predecessors of the daemons that were started. */
  starts: (DiscoveryRecord | undefined)[] = []
  exit: { code: number | string; detail: string } | undefined
  onStart: () => void = () => undefined
  onSleep: () => void = () => undefined

  readRecord(): Promise<DiscoveryRecord | undefined> {
    return Promise.resolve(this.found)
  }
  readHealth(): Promise<Health | undefined> {
    return Promise.resolve(this.answer)
  }
  start(predecessor: DiscoveryRecord | undefined): ReturnType<EnsurePorts['start']> {
    this.starts.push(predecessor)
    this.onStart()
    return Promise.resolve({ pid: 7, exited: this.exit ? Promise.resolve(this.exit) : new Promise(() => undefined) })
  }
  sleep(ms: number): Promise<void> {
    this.clockMs += ms
    this.onSleep()
    return Promise.resolve()
  }
  nowMs(): number {
    return this.clockMs
  }
}

describe('looking for the daemon', () => {
  it('starts one and waits until it answers', async () => {
    const machine = new Machine()
    machine.onSleep = () => {
      if (machine.clockMs < 500) return
      machine.found = record()
      machine.answer = health()
    }
    assert.equal((await ensureDaemon(machine, mine)).kind, 'ready')
    assert.deepEqual(machine.starts, [undefined])
  })

  it('attaches to the winner when its own start found the data directory taken', async () => {
    const machine = new Machine()
    machine.exit = { code: 3, detail: '' }
    machine.onSleep = () => {
      if (machine.clockMs < 1000) return
      machine.found = record({ pid: 9 })
      machine.answer = health({ pid: 9 })
    }
    const ensured = await ensureDaemon(machine, mine)
    assert.equal(ensured.kind === 'ready' && ensured.record.pid, 9)
  })

  it('says the exit code and the last words of a daemon that cannot start', async () => {
    const machine = new Machine()
    machine.exit = { code: 2, detail: 'budgets.userDaily.eur must be a number' }
    assert.deepEqual(await ensureDaemon(machine, mine), { kind: 'exited', ...machine.exit })
  })

  it('tells a port that cannot be had from any other end with the same code', async () => {
    const machine = new Machine()
    const fault = { port: 4141, kind: 'taken' } as const
    machine.exit = { code: 2, detail: `tollgate: ${portFaultSentence(fault)}` }
    assert.deepEqual(await ensureDaemon(machine, mine), { kind: 'noPort', fault })
    machine.exit = { ...machine.exit, code: 1 }
    assert.deepEqual(await ensureDaemon(machine, mine), { kind: 'exited', ...machine.exit })
  })

  it('says that a daemon could not be launched', async () => {
    const machine = new Machine()
    machine.onStart = () => {
      throw new Error('no such file')
    }
    assert.deepEqual(await ensureDaemon(machine, mine), { kind: 'spawnFailed', detail: 'no such file' })
  })

  it('gives up waiting after 8 seconds', async () => {
    const machine = new Machine()
    assert.equal((await ensureDaemon(machine, mine)).kind, 'timeout')
    assert.ok(machine.clockMs >= 8000 && machine.clockMs < 8200)
  })
})

describe('replacing an older daemon', () => {
  const old = record({ version: '0.1.0' })
  let machine: Machine
  beforeEach(() => {
    machine = new Machine()
    machine.found = old
    machine.answer = health({ version: '0.1.0' })
  })

  it('starts a successor beside it, which takes its place', async () => {
    machine.onSleep = () => {
      machine.found = record({ pid: 8 })
      machine.answer = health({ pid: 8 })
    }
    const ensured = await ensureDaemon(machine, mine)
    assert.deepEqual(ensured.kind === 'ready' && ensured.replacement, { kind: 'done', predecessorPid: 7 })
    assert.equal(ensured.kind === 'ready' && ensured.record.pid, 8)
    assert.deepEqual(machine.starts, [old])
  })

  it('stays with it when a call has come in between', async () => {
    machine.exit = { code: 4, detail: '' }
    const replacement = { kind: 'busy' }
    assert.deepEqual(await ensureDaemon(machine, mine), { kind: 'ready', record: old, version: '0.1.0', replacement })
  })

  for (const [what, fail] of [
    ['ends at once', () => (machine.exit = { code: 2, detail: 'no' })],
    ['does not answer', () => undefined],
    [
      'cannot be launched',
      () =>
        (machine.onStart = () => {
          throw new Error('no such file')
        }),
    ],
  ] as const) {
    it(`stays with it when the successor ${what}`, async () => {
      fail()
      const ensured = await ensureDaemon(machine, mine)
      assert.ok(ensured.kind === 'ready' && ensured.record === old && ensured.replacement.kind === 'failed')
    })
  }

  it('says what is wrong when neither of the two is left', async () => {
    machine.exit = { code: 2, detail: 'no' }
    machine.onStart = () => (machine.answer = undefined)
    assert.deepEqual(await ensureDaemon(machine, mine), { kind: 'exited', ...machine.exit })
  })

  it('attaches to the winner when another window was quicker', async () => {
    machine.exit = { code: 3, detail: '' }
    machine.onSleep = () => {
      machine.found = record({ pid: 9, version: '0.3.0' })
      machine.answer = health({ pid: 9, version: '0.3.0' })
    }
    const ensured = await ensureDaemon(machine, mine)
    assert.equal(ensured.kind === 'ready' && ensured.version, '0.3.0')
  })

  it('does not talk to one of an older protocol that stays', async () => {
    machine.answer = health({ version: '0.1.0', protocol: 0 })
    machine.exit = { code: 4, detail: '' }
    const stays = { kind: 'unfollowed', isNewer: false, record: old, version: '0.1.0' }
    assert.deepEqual(await ensureDaemon(machine, mine), { ...stays, replacement: { kind: 'busy' } })
    machine.exit = { code: 2, detail: 'no' }
    const detail = JSON.stringify({ kind: 'exited', ...machine.exit })
    assert.deepEqual(await ensureDaemon(machine, mine), { ...stays, replacement: { kind: 'failed', detail } })
    machine.answer = health({ version: '0.1.0', protocol: 0, inFlight: 1 })
    assert.deepEqual(await ensureDaemon(machine, mine), { ...stays, replacement: { kind: 'none' } })
  })

  it('does not follow the winner where that one speaks a protocol of its own', async () => {
    machine.exit = { code: 3, detail: '' }
    machine.onSleep = () => {
      machine.found = record({ pid: 9, version: '1.0.0' })
      machine.answer = health({ pid: 9, version: '1.0.0', protocol: 2 })
    }
    const ensured = await ensureDaemon(machine, mine)
    assert.ok(ensured.kind === 'unfollowed' && ensured.isNewer && ensured.record.pid === 9)
  })

  it('waits for the successor that another window has started, and starts none', async () => {
    machine.onSleep = () => {
      machine.found = machine.clockMs < 300 ? undefined : record({ pid: 9 })
      machine.answer = machine.clockMs < 300 ? undefined : health({ pid: 9 })
    }
    assert.equal(await awaitSuccessor(machine, 7), true)
    assert.deepEqual(machine.starts, [])
  })

  it('does not wait for ever for a successor that does not come', async () => {
    machine.found = undefined
    assert.equal(await awaitSuccessor(machine, 7), false)
  })
})
