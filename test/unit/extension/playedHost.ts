import { setImmediate } from 'node:timers/promises'
import type { ControlListener } from '../../../extension/daemon/client.ts'
import type { Connection } from '../../../extension/daemon/connection.ts'
import { SettingsInForce } from '../../../extension/daemon/daemonSettings.ts'
import type { DaemonSettings } from '../../../extension/daemon/daemonSettings.ts'
import { Supervisor } from '../../../extension/daemon/supervisor.ts'
import type { SupervisorPorts } from '../../../extension/daemon/supervisorPorts.ts'
import { portFaultSentence } from '../../../shared/portFault.ts'
import type { DiscoveryRecord } from '../../../shared/protocol.ts'
import { status } from './support.ts'

/** A daemon of a played host. */
export interface PlayedDaemon {
  readonly pid: number
  readonly port: number
  readonly dataDir: string
  readonly nodePath: string
  readonly protocol: number
  readonly version: string
  inFlight: number
  readonly listeners: Set<ControlListener>
}

/** Settings that nobody changed. */
export const usual: DaemonSettings = { port: 4141, dataDir: '/storage', nodePath: '' }

/** How long no call may have run before something is done to a daemon, in milliseconds. */
const quietMs = 2000

/** A host with a daemon for each data directory and each port, and with windows; a wait for quiet ends when the test says so. */
export class PlayedHost {
  readonly daemons = new Set<PlayedDaemon>()
  /** Daemons that were told to end, in that order. */
  readonly shutDown: number[] = []
  /** Daemons that were asked to end where they have no call, and had one. */
  readonly refused: number[] = []
  /** Daemons that windows have started. */
  readonly started: number[] = []
  /** Pauses that somebody slept, in milliseconds. */
  readonly slept: number[] = []
  /** Starts of a daemon, also of those that ended at once. */
  attempts = 0
  /** Looks for a daemon, at its record. */
  looks = 0
  #nextPid = 7
  #clockMs = 0
  #quiet: (() => void)[] = []
  /** Pauses as long as this, in milliseconds, do not end by themselves. */
  longestPauseMs = Number.POSITIVE_INFINITY

  /** Starts a daemon, as somebody does by hand. */
  run(changes: Partial<PlayedDaemon> = {}): PlayedDaemon {
    const pid = this.#nextPid++
    const plain = { protocol: 1, version: '0.1.0', inFlight: 0, listeners: new Set<ControlListener>() }
    const daemon = { ...plain, ...usual, pid, ...changes }
    this.daemons.add(daemon)
    return daemon
  }

  /** Ends one; `handsOver`: it says that another one comes. */
  end(daemon: PlayedDaemon, handsOver: boolean): void {
    this.daemons.delete(daemon)
    for (const listener of daemon.listeners) listener.closed('', handsOver)
  }

  /** The connections to one that lives break. */
  cut(daemon: PlayedDaemon): void {
    for (const listener of [...daemon.listeners]) {
      daemon.listeners.delete(listener)
      listener.closed('cut', false)
    }
  }

  /** A daemon has so many calls in flight from now on, and says so. */
  calls(daemon: PlayedDaemon, inFlight: number): void {
    daemon.inFlight = inFlight
    for (const listener of daemon.listeners) tell(daemon, listener)
  }

  /** The waits for quiet are over. */
  async quietPasses(): Promise<void> {
    for (const resolve of this.#quiet.splice(0)) resolve()
    await settled()
  }

  /** The daemon with that process id. */
  daemon(pid: number): PlayedDaemon | undefined {
    return [...this.daemons].find((daemon) => daemon.pid === pid)
  }

  /** What a window of this host needs. */
  ports(settings: SettingsInForce): SupervisorPorts {
    const silent = (): void => undefined
    return {
      settings,
      log: { debug: silent, info: silent, warn: silent, error: silent },
      random: () => 0,
      nowMs: () => this.#clockMs,
      sleep: (ms) => this.#sleep(ms),
      greeting: () => [],
      tidyAfter: () => Promise.resolve(),
      readRecord: () => {
        this.looks += 1
        const found = [...this.daemons].find(({ dataDir }) => dataDir === settings.inForce.dataDir)
        return Promise.resolve(found && recordOf(found))
      },
      readHealth: (url) => {
        const found = [...this.daemons].find((daemon) => recordOf(daemon).url === url)
        return Promise.resolve(found && { name: 'tollgate', ...found })
      },
      shutdown: ({ pid }, when) => {
        const daemon = this.daemon(pid)
        if (when === 'idle' && daemon !== undefined && daemon.inFlight > 0) {
          this.refused.push(pid)
          return Promise.resolve(false)
        }
        this.shutDown.push(pid)
        if (daemon) this.end(daemon, true)
        return Promise.resolve(true)
      },
      start: (predecessor) => Promise.resolve({ pid: 0, exited: this.#start(settings.inForce, predecessor) }),
      openControl: ({ pid }, listener) => {
        const daemon = this.daemon(pid)
        queueMicrotask(() => {
          if (daemon === undefined || !this.daemons.has(daemon)) return listener.closed('', false)
          daemon.listeners.add(listener)
          listener.opened()
          tell(daemon, listener)
        })
        return {
          send: () => undefined,
          close: () => {
            daemon?.listeners.delete(listener)
            listener.closed('', false)
          },
        }
      },
    }
  }

  /** One that is to take the place of another ends at once: no copy of the newer program can be played. */
  #start(
    settings: DaemonSettings,
    predecessor: DiscoveryRecord | undefined,
  ): Promise<{ readonly code: number; readonly detail: string }> {
    this.attempts += 1
    const others = [...this.daemons]
    if (predecessor) return Promise.resolve({ code: 1, detail: 'no' })
    if (others.some(({ dataDir }) => dataDir === settings.dataDir)) return Promise.resolve({ code: 3, detail: '' })
    const { port } = settings
    if (others.some((other) => other.port === port)) {
      return Promise.resolve({ code: 2, detail: `tollgate: ${portFaultSentence({ port, kind: 'taken' })}` })
    }
    this.started.push(this.run(settings).pid)
    return new Promise(() => undefined)
  }

  async #sleep(ms: number): Promise<void> {
    if (ms === quietMs) return new Promise((resolve) => this.#quiet.push(resolve))
    this.slept.push(ms)
    if (ms >= this.longestPauseMs) return new Promise(() => undefined)
    this.#clockMs += ms
    await setImmediate()
  }
}

/** A window of a played host. */
export class PlayedWindow {
  readonly settings: SettingsInForce
  readonly supervisor: Supervisor
  readonly seen: Connection[] = []
  /** Calls that changed settings had to wait for, each time it was said. */
  readonly waits: number[] = []
  /** How often settings were taken up. */
  taken = 0

  constructor(host: PlayedHost, settings: DaemonSettings = usual, version = '0.1.0', protocol = 1) {
    this.settings = new SettingsInForce(settings, () => (this.taken += 1))
    this.supervisor = new Supervisor(
      host.ports(this.settings),
      { version, protocol },
      {
        connectionChanged: (connection) => void this.seen.push(connection),
        event: () => undefined,
        settingsWait: (calls) => void this.waits.push(calls),
      },
    )
    this.supervisor.start()
  }

  /** This window hears that settings of the daemon changed. */
  hear(settings: DaemonSettings, isMine = false): void {
    this.settings.want(settings, isMine)
    this.supervisor.settingsChanged()
  }

  /** Process of the gate that it is connected with; else what it knows of it. */
  get gate(): number | Connection['kind'] {
    const { connection } = this.supervisor
    return connection.kind === 'connected' ? connection.record.pid : connection.kind
  }
}

/** Lets everything happen that waits for nothing but its turn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 400; turn++) await setImmediate()
}

function recordOf({ pid, port, version, protocol }: PlayedDaemon): DiscoveryRecord {
  return { url: `http://127.0.0.1:${port}`, port, key: 'k', token: 't', pid, version, protocol, startedAtMs: 0 }
}

function tell({ version, inFlight }: PlayedDaemon, listener: ControlListener): void {
  const call = { call: 'c', task: null, model: 'm', elapsedMs: 1, outputTokens: 0 }
  listener.message({
    event: 'status',
    status: status({ version, inFlight: Array.from({ length: inFlight }, () => call) }),
  })
}
