import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import type { ControlListener } from '../../../extension/daemon/client.ts'
import { SettingsInForce } from '../../../extension/daemon/daemonSettings.ts'
import type { StartedDaemon } from '../../../extension/daemon/ensure.ts'
import type { Connection } from '../../../extension/daemon/connection.ts'
import { Supervisor } from '../../../extension/daemon/supervisor.ts'
import type { SupervisorPorts } from '../../../extension/daemon/supervisorPorts.ts'
import type { DiscoveryRecord, Health } from '../../../shared/protocol.ts'
import { PlayedHost, PlayedWindow, settled, usual } from './playedHost.ts'
import type { PlayedDaemon } from './playedHost.ts'
import { status } from './support.ts'

/** A daemon of the played machine. */
interface Played {
  readonly pid: number
  readonly version: string
  /** Calls that its health tells of. */
  inFlight: number
}

const quietMs = 2000

/** A machine with at most one daemon; its clock moves when somebody sleeps, and a quiet time ends when the test says so. */
class Machine implements SupervisorPorts {
  daemon: Played | undefined
  readonly starts: (number | undefined)[] = []
  readonly tidied: number[] = []
  readonly shutDown: number[] = []
  /** Daemons to which a connection was opened. */
  readonly opened: number[] = []
  /** What a daemon does that is told to end. */
  onShutdown: () => Promise<void> = () => Promise.resolve()
  /** Warnings and errors of the log. */
  readonly complaints: string[] = []
  readonly settings = new SettingsInForce({ port: 4141, dataDir: '/data', nodePath: '' }, () => undefined)
  readonly log: SupervisorPorts['log'] = {
    debug: () => undefined,
    info: () => undefined,
    warn: (line) => void this.complaints.push(line),
    error: (line) => void this.complaints.push(line),
  }
  #clockMs = 0
  #quiet: (() => void)[] = []
  readonly #listeners = new Map<number, Set<ControlListener>>()
  /** What a started daemon does; ends it with an exit code, or undefined where it runs. */
  onStart: (predecessor: number | undefined) => number | undefined = () => undefined

  constructor(daemon?: Played) {
    this.daemon = daemon
  }

  readonly readRecord = (): Promise<DiscoveryRecord | undefined> =>
    Promise.resolve(this.daemon && recordOf(this.daemon))
  /** A daemon that drains has closed its port and still owns the data directory. */
  drains = false
  readonly readHealth = (): Promise<Health | undefined> =>
    Promise.resolve(this.drains ? undefined : this.daemon && { name: 'tollgate', protocol: 1, ...this.daemon })
  readonly start = (predecessor: DiscoveryRecord | undefined): Promise<StartedDaemon> => {
    this.starts.push(predecessor?.pid)
    const code = this.onStart(predecessor?.pid)
    const exited = code === undefined ? new Promise<never>(() => undefined) : Promise.resolve({ code, detail: '' })
    return Promise.resolve({ pid: 1, exited })
  }
  readonly sleep = async (ms: number): Promise<void> => {
    if (ms === quietMs) return new Promise((resolve) => this.#quiet.push(resolve))
    this.#clockMs += ms
    await setImmediate()
  }
  readonly nowMs = (): number => this.#clockMs
  readonly random = (): number => 0
  readonly greeting = (): readonly [] => []
  readonly shutdown = async (record: DiscoveryRecord): Promise<boolean> => {
    this.shutDown.push(record.pid)
    await this.onShutdown()
    return true
  }
  readonly tidyAfter = (pid: number): Promise<void> => {
    this.tidied.push(pid)
    return Promise.resolve()
  }
  readonly openControl: SupervisorPorts['openControl'] = (record, listener) => {
    this.opened.push(record.pid)
    const listeners = this.#listeners.get(record.pid) ?? new Set()
    this.#listeners.set(record.pid, listeners.add(listener))
    queueMicrotask(() => {
      listener.opened()
      this.tell()
    })
    return { send: () => undefined, close: () => listener.closed('', false) }
  }

  /** The daemon tells its windows its status. */
  tell(): void {
    const { daemon } = this
    if (!daemon) return
    const call = { call: 'c', task: null, model: 'm', elapsedMs: 1, outputTokens: 0 }
    const inFlight = Array.from({ length: daemon.inFlight }, () => call)
    const message = { event: 'status', status: status({ version: daemon.version, inFlight }) } as const
    for (const listener of this.#listeners.get(daemon.pid) ?? []) listener.message(message)
  }

  calls(inFlight: number): void {
    if (this.daemon) this.daemon.inFlight = inFlight
    this.tell()
  }

  /** The daemon ends and says that a successor comes, or it just ends. */
  end(handedOver: boolean): void {
    const pid = this.daemon?.pid ?? 0
    this.daemon = undefined
    for (const listener of this.#listeners.get(pid) ?? []) listener.closed('', handedOver)
  }

  /** The times without calls that windows waited for have passed. */
  async quietPasses(): Promise<void> {
    for (const resolve of this.#quiet.splice(0)) resolve()
    await settled()
  }
}

function recordOf({ pid, version }: Played): DiscoveryRecord {
  const url = 'http://127.0.0.1:4141'
  return { url, port: 4141, key: 'k', token: 't', pid, version, protocol: 1, startedAtMs: 0 }
}

async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 3000 && !holds(); turn++) await setImmediate()
  assert.ok(holds())
}

const old: Played = { pid: 7, version: '0.1.0', inFlight: 0 }
const next: Played = { pid: 8, version: '0.2.0', inFlight: 0 }

describe('a window whose extension is newer than the daemon', () => {
  let machine: Machine
  let seen: Connection[]
  let supervisor: Supervisor

  async function open(version: string): Promise<void> {
    seen = []
    const listener = {
      connectionChanged: (connection: Connection) => void seen.push(connection),
      event: () => undefined,
      settingsWait: () => undefined,
    }
    supervisor = new Supervisor(machine, { version, protocol: 1 }, listener)
    supervisor.start()
    await settled()
  }
  const last = (): Connection => seen.at(-1)!
  const successor = (): unknown => {
    const connection = last()
    return connection.kind === 'connected' ? connection.successor : connection.kind
  }
  const takesOver = (): undefined => {
    machine.end(true)
    machine.daemon = { ...next }
    return undefined
  }

  beforeEach(() => {
    machine = new Machine({ ...old, inFlight: 1 })
    machine.onStart = takesOver
  })
  afterEach(() => supervisor.stop())

  it('attaches to it while a call runs, says what waits, and replaces it once it is quiet, without a gap in what is shown', async () => {
    await open('0.2.0')
    await machine.quietPasses()
    assert.deepEqual(successor(), { version: '0.2.0', state: 'waiting' })
    assert.deepEqual(machine.starts, [])
    machine.calls(0)
    await machine.quietPasses()
    assert.deepEqual(machine.starts, [7])
    assert.deepEqual(machine.tidied, [7])
    assert.equal(successor(), null)
    assert.equal(supervisor.record?.pid, 8)
    assert.deepEqual(new Set(seen.map(({ kind }) => kind)), new Set(['starting', 'connected']))
    assert.equal(seen.filter(({ kind }) => kind === 'starting').length, 1)
  })

  it('does not replace it in the pause between two calls', async () => {
    await open('0.2.0')
    machine.calls(0)
    machine.calls(1)
    await machine.quietPasses()
    assert.deepEqual(machine.starts, [])
    machine.calls(0)
    await machine.quietPasses()
    assert.deepEqual(machine.starts, [7])
  })

  it('stays when a call came in between, and tries again after it', async () => {
    await open('0.2.0')
    machine.onStart = () => 4
    machine.calls(0)
    await machine.quietPasses()
    assert.deepEqual(successor(), { version: '0.2.0', state: 'waiting' })
    machine.onStart = takesOver
    machine.calls(1)
    machine.calls(0)
    await machine.quietPasses()
    assert.deepEqual(machine.starts, [7, 7])
    assert.equal(successor(), null)
  })

  it('stays when its own cannot start, says so and does not try again', async () => {
    await open('0.2.0')
    machine.onStart = () => 2
    for (let quiet = 0; quiet < 3; quiet++) {
      machine.calls(0)
      await machine.quietPasses()
    }
    assert.deepEqual(machine.starts, [7])
    assert.deepEqual(successor(), { version: '0.2.0', state: 'failed' })
    assert.equal(supervisor.record?.pid, 7)
  })

  it('attaches to an idle one first, too: an agent may only pause', async () => {
    machine.calls(0)
    await open('0.2.0')
    assert.deepEqual(successor(), { version: '0.2.0', state: 'waiting' })
    assert.deepEqual(machine.starts, [])
    await machine.quietPasses()
    assert.deepEqual(machine.starts, [7])
    assert.equal(supervisor.record?.pid, 8)
  })
})

/** A window of the daemon's own version that has had time to follow it, and what it has shown since. */
async function followed(
  machine: Machine,
): Promise<{ readonly supervisor: Supervisor; readonly seen: readonly Connection[] }> {
  const seen: Connection[] = []
  const listener = {
    connectionChanged: (connection: Connection) => void seen.push(connection),
    event: () => undefined,
    settingsWait: () => undefined,
  }
  const supervisor = new Supervisor(machine, { version: '0.1.0', protocol: 1 }, listener)
  supervisor.start()
  await settled()
  return { supervisor, seen }
}

describe('a window whose extension is not newer than the daemon', () => {
  it('waits for the successor when its daemon hands over, starts none, and leaves the newer one alone', async () => {
    const machine = new Machine({ ...old })
    const { supervisor, seen } = await followed(machine)
    machine.end(true)
    await setImmediate()
    machine.daemon = { ...next }
    await settled()
    assert.equal(supervisor.record?.pid, 8)
    machine.calls(1)
    machine.calls(0)
    await machine.quietPasses()
    assert.deepEqual(machine.starts, [])
    assert.deepEqual([...new Set(seen.map(({ kind }) => kind))], ['starting', 'connected'])
    supervisor.stop()
  })

  it('takes no restart by another window for a crash, however often somebody restarts the gate', async () => {
    const machine = new Machine({ ...old })
    const { supervisor, seen } = await followed(machine)
    for (let pid = 10; pid < 20; pid += 1) {
      machine.end(true)
      // The other window starts its daemon when the old one is gone, which takes longer than a successor that is ready.
      await until(() => seen.at(-1)?.kind === 'starting')
      machine.daemon = { ...old, pid }
      await settled()
      assert.equal(supervisor.record?.pid, pid)
      assert.equal(supervisor.connection.kind, 'connected')
    }
    assert.ok(machine.nowMs() < 180_000, 'as many crashes within three minutes would be too many')
    assert.deepEqual([...new Set(seen.map(({ kind }) => kind))], ['starting', 'connected'])
    assert.deepEqual([machine.starts, machine.complaints], [[], []])
    supervisor.stop()
  })

  it('starts one itself, and speaks of no crash, where the window that wanted to restart it starts none', async () => {
    const machine = new Machine({ ...old })
    const { supervisor, seen } = await followed(machine)
    machine.onStart = () => {
      machine.daemon = { ...old, pid: 9 }
      return undefined
    }
    machine.end(true)
    await settled()
    assert.deepEqual([machine.starts, supervisor.record?.pid], [[undefined], 9])
    assert.deepEqual([...new Set(seen.map(({ kind }) => kind))], ['starting', 'connected'])
    assert.deepEqual(machine.complaints, [])
    supervisor.stop()
  })

  it('looks for no successor any more after it was switched off', async () => {
    const machine = new Machine({ ...old })
    const { supervisor } = await followed(machine)
    machine.end(true)
    supervisor.stop()
    await settled()
    assert.deepEqual([machine.starts, supervisor.connection], [[], { kind: 'off' }])
  })

  it('gives up on a gate that just ends five times, as one that crashes does', async () => {
    const machine = new Machine({ ...old })
    const { supervisor, seen } = await followed(machine)
    let pid = 100
    machine.onStart = () => {
      pid += 1
      machine.daemon = { ...old, pid }
      return undefined
    }
    for (let time = 0; time < 5; time += 1) {
      machine.end(false)
      await settled()
      // The third wait is as long as a quiet time.
      await machine.quietPasses()
    }
    assert.equal(machine.starts.length, 4)
    assert.ok(seen.some((one) => one.kind === 'away' && one.gaveUp))
    supervisor.stop()
  })

  it('says that the gate is away and starts one when the daemon just ends', async () => {
    const machine = new Machine({ ...old })
    const { supervisor, seen } = await followed(machine)
    machine.onStart = () => {
      machine.daemon = { ...old, pid: 9 }
      return undefined
    }
    machine.end(false)
    await settled()
    assert.deepEqual(machine.starts, [undefined])
    assert.deepEqual([...new Set(seen.map(({ kind }) => kind))], ['starting', 'connected', 'away'])
    assert.equal(supervisor.record?.pid, 9)
    supervisor.stop()
  })
})

describe('a restart that somebody asks for', () => {
  let machine: Machine
  let supervisor: Supervisor
  let seen: string[]

  beforeEach(async () => {
    machine = new Machine({ ...old })
    seen = []
    const listener = {
      connectionChanged: ({ kind }: Connection) => void seen.push(kind),
      event: () => undefined,
      settingsWait: () => undefined,
    }
    supervisor = new Supervisor(machine, { version: '0.1.0', protocol: 1 }, listener)
    supervisor.start()
    await settled()
    machine.onStart = () => {
      // Another process that owns the data directory ends a start with code 3.
      if (machine.daemon) return 3
      machine.daemon = { ...old, pid: 9 }
      return undefined
    }
  })
  afterEach(() => supervisor.stop())

  it('starts none before the old one has let go of the data directory, however long its calls drain', async () => {
    machine.onShutdown = () => {
      machine.drains = true
      return Promise.resolve()
    }
    const restarted = supervisor.restart()
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    assert.deepEqual([machine.drains, machine.starts], [true, []])
    machine.drains = false
    machine.daemon = undefined
    await restarted
    await settled()
    assert.deepEqual(machine.starts, [undefined])
    assert.equal(supervisor.record?.pid, 9)
  })

  it('attaches at once to a daemon that another window started in the meantime', async () => {
    machine.onShutdown = () => {
      machine.daemon = { ...old, pid: 10 }
      return Promise.resolve()
    }
    const fromMs = machine.nowMs()
    await supervisor.restart()
    await settled()
    assert.deepEqual([machine.starts, supervisor.record?.pid, machine.nowMs() - fromMs], [[], 10, 0])
  })

  it('starts none after it was switched off meanwhile, or its window was closed', async () => {
    machine.onShutdown = () => {
      machine.daemon = undefined
      supervisor.stop()
      return Promise.resolve()
    }
    await supervisor.restart()
    await settled()
    assert.deepEqual([machine.starts, supervisor.connection], [[], { kind: 'off' }])
    // Before the record was read, too.
    machine.daemon = { ...old }
    supervisor.start()
    await settled()
    const restarted = supervisor.restart()
    supervisor.stop()
    await restarted
    await settled()
    assert.deepEqual([machine.shutDown, supervisor.connection], [[7], { kind: 'off' }])
  })

  it('is one restart where it was asked for twice, and leaves the new daemon alone', async () => {
    machine.onShutdown = () => {
      if (machine.daemon?.pid === 7) machine.daemon = undefined
      return Promise.resolve()
    }
    await Promise.all([supervisor.restart(), supervisor.restart()])
    await settled()
    assert.deepEqual(
      [machine.starts, supervisor.record?.pid, supervisor.connection.kind],
      [[undefined], 9, 'connected'],
    )
    assert.deepEqual(machine.shutDown, [7])
  })
})

describe('a window in which Tollgate is switched off and on quickly', () => {
  it('follows one daemon over one connection, and opens none after it was switched off', async () => {
    const machine = new Machine({ ...old })
    const listener = { connectionChanged: () => undefined, event: () => undefined, settingsWait: () => undefined }
    const supervisor = new Supervisor(machine, { version: '0.1.0', protocol: 1 }, listener)
    for (let turn = 0; turn < 5; turn++) {
      supervisor.start()
      supervisor.stop()
    }
    await settled()
    assert.deepEqual(machine.opened, [])
    supervisor.start()
    supervisor.stop()
    supervisor.start()
    await settled()
    assert.deepEqual([machine.opened, supervisor.connection.kind], [[7], 'connected'])
    supervisor.stop()
  })
})

describe('a window beside a gate that it cannot follow', () => {
  let host: PlayedHost
  let window: PlayedWindow

  const open = async (gate: Partial<PlayedDaemon>): Promise<PlayedDaemon> => {
    host = new PlayedHost()
    // A look that lies further ahead does not come by itself.
    host.longestPauseMs = 5000
    const daemon = host.run(gate)
    window = new PlayedWindow(host, usual, '0.2.0')
    await settled()
    return daemon
  }
  const why = (): string => {
    const { connection } = window.supervisor
    return connection.kind === 'unfollowed' ? `${connection.why} ${connection.version}` : connection.kind
  }
  const look = async (): Promise<void> => {
    window.supervisor.lookAgain()
    await settled()
  }
  afterEach(() => window.supervisor.stop())

  it('says that a newer one runs and leaves it alone, busy or not', async () => {
    const newer = await open({ version: '9.0.0', protocol: 2, inFlight: 1 })
    assert.equal(why(), 'newer 9.0.0')
    newer.inFlight = 0
    await look()
    assert.deepEqual([why(), host.started, host.shutDown], ['newer 9.0.0', [], []])
    assert.equal(window.supervisor.record?.pid, newer.pid, 'terminals lead to it')
    assert.deepEqual(
      window.seen.map(({ kind }) => kind),
      ['starting', 'unfollowed'],
    )
  })

  it('says that an older one is busy, and takes its place in the next look after its calls', async () => {
    const older = await open({ version: '0.1.0', protocol: 0, inFlight: 2 })
    assert.equal(why(), 'busy 0.1.0')
    host.end(older, true)
    await look()
    assert.deepEqual([window.gate, host.started], [8, [8]])
  })

  it('says that its own could not start beside an older one, and does not try again by itself', async () => {
    // The started process finds the directory owned, and the older one stays.
    const older = await open({ version: '0.1.0', protocol: 0 })
    assert.equal(why(), 'failed 0.1.0')
    const { pid } = older
    for (let time = 0; time < 3; time += 1) await look()
    assert.deepEqual([why(), host.attempts, host.daemon(pid)], ['failed 0.1.0', 1, older])
    window.supervisor.retry()
    await settled()
    assert.deepEqual([why(), host.attempts], ['failed 0.1.0', 2])
  })

  it('ends it only when somebody asks for a restart, and follows its own then', async () => {
    const newer = await open({ version: '9.0.0', protocol: 2, inFlight: 3 })
    assert.equal((await window.supervisor.health())?.inFlight, 3)
    window.hear({ ...usual, port: 5000 }, true)
    await settled()
    await host.quietPasses()
    assert.deepEqual([why(), host.shutDown], ['newer 9.0.0', []])
    await window.supervisor.restart()
    await settled()
    assert.deepEqual([host.shutDown, window.gate, host.daemon(8)?.port], [[newer.pid], 8, 5000])
  })
})

describe('a window that waits for somebody else to bring a gate', () => {
  const growing = [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560].map((seconds) => seconds * 1000)

  for (const [what, gate] of [
    ['cannot follow the one that runs', { version: '9.0.0', protocol: 2 }],
    ['gave up, because its port is taken', { dataDir: '/of another edition' }],
  ] as const) {
    it(`where it ${what}, looks again after pauses that grow and end`, async () => {
      const host = new PlayedHost()
      host.run(gate)
      const window = new PlayedWindow(host)
      await settled()
      await settled()
      const pauses = host.slept.filter((ms) => ms >= 5000)
      assert.deepEqual(pauses, growing)
      const { looks } = host
      await settled()
      assert.equal(host.looks, looks, 'it looks no more')
      window.supervisor.stop()
    })

    it(`where it ${what}, looks at once when somebody is there, however long it did not`, async () => {
      const host = new PlayedHost()
      const there = host.run(gate)
      const window = new PlayedWindow(host)
      await settled()
      await settled()
      for (let time = 0; time < 3; time += 1) {
        const { looks } = host
        window.supervisor.lookAgain()
        await settled()
        assert.equal(host.looks, looks + 1)
      }
      host.end(there, false)
      const another = host.run()
      window.supervisor.lookAgain()
      await settled()
      assert.equal(window.gate, another.pid)
      window.supervisor.stop()
    })
  }

  it('does not start one sooner because somebody is there, where a gate keeps crashing', async () => {
    const host = new PlayedHost()
    const window = new PlayedWindow(host)
    await settled()
    // The next pause is a short one of the restart policy.
    host.longestPauseMs = 500
    host.end(host.daemon(7)!, false)
    await settled()
    for (let time = 0; time < 5; time += 1) window.supervisor.lookAgain()
    await settled()
    assert.deepEqual([host.started, window.gate], [[7], 'away'])
    window.supervisor.stop()
  })
})
