import assert from 'node:assert/strict'
import { fateOf, readDaemonSettings } from '../../../extension/daemon/daemonSettings.ts'
import { PlayedHost, PlayedWindow, settled, usual } from './playedHost.ts'

const otherPort = { ...usual, port: 5000 }
const otherDir = { ...usual, dataDir: '/elsewhere' }
const otherRuntime = { ...usual, nodePath: '/bin/node' }

describe('what changed settings mean for the gate that is followed', () => {
  const of = (port: number, wanted: typeof usual, isMine = false) => fateOf({ port }, usual, wanted, isMine)

  it('is its end where the settings of before brought it and it does not fit any more', () => {
    assert.equal(of(4141, otherPort), 'ends')
    assert.equal(of(4141, otherDir), 'ends')
  })

  it('is nothing where another window has brought it for them already, or somebody by hand on a port of its own', () => {
    assert.equal(of(5000, otherPort), 'stays')
    assert.equal(of(6000, otherPort), 'stays')
    assert.equal(of(4141, usual, true), 'stays')
  })

  it('is no end in another directory for one that was started by hand', () => {
    assert.equal(of(6000, otherDir), 'left')
  })

  it('is its end for another runtime in the window alone where that was set, because no record tells of it', () => {
    assert.equal(of(4141, otherRuntime, true), 'ends')
    assert.equal(of(4141, otherRuntime), 'stays')
    assert.equal(of(6000, otherRuntime, true), 'stays')
  })
})

describe('settings of a gate that were kept', () => {
  it('are read as they were kept, and are none where they cannot be used', () => {
    assert.deepEqual(readDaemonSettings({ ...otherRuntime, more: 1 }), otherRuntime)
    assert.deepEqual(readDaemonSettings({ port: 1, dataDir: '/a' }), { port: 1, dataDir: '/a', nodePath: '' })
    for (const none of [undefined, null, 'x', {}, { port: '1', dataDir: '/a' }, { port: 1, dataDir: '' }]) {
      assert.equal(readDaemonSettings(none), null)
    }
  })
})

describe('windows that hear one after the other that settings of the gate changed', () => {
  let host: PlayedHost
  let a: PlayedWindow
  let b: PlayedWindow

  beforeEach(async () => {
    host = new PlayedHost()
    a = new PlayedWindow(host)
    await settled()
    b = new PlayedWindow(host)
    await settled()
    assert.deepEqual([a.gate, b.gate], [7, 7])
  })
  afterEach(() => {
    a.supervisor.stop()
    b.supervisor.stop()
  })

  for (const [what, wanted] of [
    ['port', otherPort],
    ['data directory', otherDir],
    ['port and data directory', { ...otherDir, port: 5000 }],
    ['runtime', otherRuntime],
  ] as const) {
    it(`end one gate for another ${what}, and the late one follows the next with the calls that pass it`, async () => {
      a.hear(wanted, true)
      await host.quietPasses()
      assert.deepEqual([host.shutDown, a.gate], [[7], 8])
      host.calls(host.daemon(8)!, 1)
      b.hear(wanted)
      await settled()
      await host.quietPasses()
      assert.deepEqual([a.gate, b.gate], [8, 8])
      // One that waited for long may have brought a gate of before again; that one goes.
      assert.ok(!host.shutDown.includes(8))
      const found = [...host.daemons].map(({ port, dataDir, nodePath }) => ({ port, dataDir, nodePath }))
      assert.deepEqual(found, [wanted])
      assert.deepEqual([a.settings.inForce, b.settings.inForce, b.waits], [wanted, wanted, []])
    })
  }

  it('end one gate where they hear at the same time', async () => {
    a.hear(otherPort, true)
    b.hear(otherPort)
    await host.quietPasses()
    assert.equal(new Set(host.shutDown).size, 1)
    assert.deepEqual([a.gate, b.gate, host.daemons.size, host.daemon(8)?.port], [8, 8, 1, 5000])
  })

  it('wait while calls run, of which each is told once, and act once none has run for a while', async () => {
    host.calls(host.daemon(7)!, 2)
    a.hear(otherDir, true)
    b.hear(otherDir)
    host.calls(host.daemon(7)!, 1)
    await host.quietPasses()
    assert.deepEqual([host.shutDown, a.gate, b.gate], [[], 7, 7])
    assert.deepEqual([a.waits, b.waits, a.settings.isMine, b.settings.isMine], [[2], [2], true, false])
    assert.equal(a.settings.inForce, usual)

    host.calls(host.daemon(7)!, 0)
    host.calls(host.daemon(7)!, 1)
    await host.quietPasses()
    assert.deepEqual(host.shutDown, [], 'an agent only paused')
    host.calls(host.daemon(7)!, 0)
    await host.quietPasses()
    assert.equal(new Set(host.shutDown).size, 1)
    assert.deepEqual([a.gate, b.gate, host.daemon(8)?.dataDir], [8, 8, '/elsewhere'])
  })

  it('follow it again where only the connection broke meanwhile, and end it once it has no call', async () => {
    host.calls(host.daemon(7)!, 1)
    a.hear(otherPort, true)
    b.hear(otherPort)
    host.cut(host.daemon(7)!)
    await settled()
    assert.deepEqual([a.gate, b.gate, host.shutDown, host.attempts], [7, 7, [], 1])
    assert.deepEqual([a.settings.inForce, b.settings.inForce], [usual, usual])
    host.calls(host.daemon(7)!, 0)
    await host.quietPasses()
    assert.deepEqual([a.gate, b.gate, host.daemons.size, host.daemon(8)?.port], [8, 8, 1, 5000])
  })

  it('end no gate in which a call has begun just now: the next time without calls will do', async () => {
    a.hear(otherDir, true)
    await settled()
    // The gate has not told of it yet.
    host.daemon(7)!.inFlight = 1
    await host.quietPasses()
    assert.deepEqual([host.shutDown, host.refused, a.gate], [[], [7], 7])
    host.calls(host.daemon(7)!, 0)
    await host.quietPasses()
    assert.deepEqual([host.shutDown, a.gate], [[7], 8])
  })

  it('make the change for which windows of before had to wait, in one that is opened later', async () => {
    host.calls(host.daemon(7)!, 1)
    a.hear(otherDir, true)
    a.supervisor.stop()
    b.supervisor.stop()
    a = new PlayedWindow(host)
    a.hear(otherDir)
    await settled()
    assert.deepEqual([a.gate, host.shutDown, host.attempts], [7, [], 1])
    host.calls(host.daemon(7)!, 0)
    await host.quietPasses()
    assert.deepEqual([a.gate, host.daemons.size, host.daemon(8)?.dataDir], [8, 1, otherDir.dataDir])
  })

  it('act at once where somebody says so', async () => {
    host.calls(host.daemon(7)!, 2)
    a.hear(otherPort, true)
    b.hear(otherPort)
    await a.supervisor.applySettings()
    await settled()
    assert.deepEqual([host.shutDown, a.gate, b.gate, host.daemon(8)?.port], [[7], 8, 8, 5000])
    await a.supervisor.applySettings()
    await host.quietPasses()
    assert.deepEqual(host.shutDown, [7], 'nothing is left to do')
  })

  it('do nothing where the change is taken back before the calls have ended', async () => {
    host.calls(host.daemon(7)!, 1)
    a.hear(otherPort, true)
    a.hear(usual, true)
    host.calls(host.daemon(7)!, 0)
    await host.quietPasses()
    assert.deepEqual([host.shutDown, a.gate, a.taken], [[], 7, 0])
  })

  it('go on with the settings of before where the gate crashes meanwhile, or is restarted by somebody', async () => {
    host.calls(host.daemon(7)!, 1)
    a.hear(otherPort, true)
    await a.supervisor.restart()
    await settled()
    assert.deepEqual([host.shutDown, a.gate, host.daemon(8)?.port], [[7], 8, 5000])
    host.calls(host.daemon(8)!, 1)
    a.hear(usual, true)
    host.end(host.daemon(8)!, false)
    await settled()
    assert.deepEqual([host.shutDown, a.gate, host.daemon(9)?.port], [[7], 9, 4141])
  })

  it('attach to a gate that was started by hand in the directory that is named, wherever it listens', async () => {
    const byHand = host.run({ dataDir: '/elsewhere', port: 6000, inFlight: 3 })
    a.hear(otherDir, true)
    b.hear(otherDir)
    await host.quietPasses()
    assert.deepEqual([a.gate, b.gate], [byHand.pid, byHand.pid])
    assert.deepEqual([new Set(host.shutDown), host.started], [new Set([7]), [7]])
    // Back again: that gate is nobody's of theirs.
    a.hear(usual, true)
    b.hear(usual)
    await host.quietPasses()
    assert.deepEqual([new Set(host.shutDown), host.daemons.has(byHand)], [new Set([7]), true])
    assert.equal(a.gate, b.gate)
    assert.equal(host.daemon(a.gate as number)?.dataDir, '/storage')
  })

  it('find the next gate where they hear of the change only while they wait for it in the old directory', async () => {
    a.hear(otherDir, true)
    await host.quietPasses()
    assert.equal(a.gate, 8)
    await settled()
    b.hear(otherDir)
    await settled()
    assert.equal(b.gate, 8)
  })
})

describe('a window whose gate could not start', () => {
  it('starts it at once on the port that is set then', async () => {
    const host = new PlayedHost()
    host.run({ dataDir: '/of another edition' })
    const window = new PlayedWindow(host)
    await settled()
    const { connection } = window.supervisor
    assert.ok(connection.kind === 'away' && connection.gaveUp)
    assert.deepEqual(connection.reason, { kind: 'noPort', fault: { port: 4141, kind: 'taken' } })
    window.hear(otherPort, true)
    await settled()
    assert.deepEqual([window.gate, host.daemon(8)?.port, host.shutDown], [8, 5000, []])
    window.supervisor.stop()
  })
})
