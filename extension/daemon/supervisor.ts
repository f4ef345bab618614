import type { ControlMessage, ControlRequest, DiscoveryRecord } from '../../shared/protocol.ts'
import type { Status } from '../../shared/status.ts'
import type { Log } from '../log.ts'
import { callDaemon } from './api.ts'
import type { ControlClient, ControlListener } from './client.ts'
import type { AwayReason, Connection, Successor } from './connection.ts'
import { awaitSuccessor, ensureDaemon } from './ensure.ts'
import type { Ensured, EnsurePorts, Mine, Replacement } from './ensure.ts'
import { restartPolicy } from './restartPolicy.ts'
import type { RestartPolicy } from './restartPolicy.ts'
import { compareVersions } from './versionOrder.ts'

/** What the supervisor needs from outside. */
export interface SupervisorPorts extends EnsurePorts {
  random(): number
  readonly log: Log
  openControl(record: DiscoveryRecord, listener: ControlListener): ControlClient
  /** `POST /api/shutdown`. */
  shutdown(record: DiscoveryRecord): Promise<void>
  /** Clears away what a daemon leaves that is about to end and was replaced. */
  tidyAfter(pid: number): Promise<void>
  /** Messages that a new connection starts with: hello, focus, settings. */
  greeting(): readonly ControlRequest[]
}

/** The daemon that was followed made room for a successor. */
interface HandedOver {
  readonly kind: 'handedOver'
  readonly pid: number
  readonly version: string
}

/** Who follows the daemon. */
export interface SupervisorListener {
  connectionChanged(connection: Connection): void
  event(message: Exclude<ControlMessage, { event: 'status' }>): void
}

/** Pause between looks at a daemon that is not started again by this window, in milliseconds. */
const idleLookMs = 5000
/** How long no call may have run before an older daemon is replaced, in milliseconds: an agent calls again sooner than that. */
const quietMs = 2000
/** Pause between looks at a daemon that was told to end, in milliseconds, and how many there are. */
const endLookMs = 100
const mostEndLooks = 100

/**
 * Keeps one connection to the one daemon of this data directory: finds or starts it, follows it, and starts it again after
 * a crash as the restart policy allows. It never ends a daemon because a window closes.
 */
export class Supervisor {
  readonly #ports: SupervisorPorts
  readonly #mine: Mine
  readonly #listener: SupervisorListener
  #connection: Connection = { kind: 'off' }
  #client: ControlClient | undefined
  #record: DiscoveryRecord | undefined
  /** Identity of the loop that supervises; an older loop that finds another one here ends. */
  #running: object | undefined
  /** Identity of the restart that is under way; one that finds another one here is over. */
  #restarting: object | undefined
  #wake: () => void = () => undefined
  /** When a daemon was replaced, or was to be and ours did not start. */
  #replacementsMs: number[] = []
  /** Identity of the present time without calls at an older daemon. */
  #quiet: object | undefined
  #replacing = false
  #successorFailed = false

  constructor(ports: SupervisorPorts, mine: Mine, listener: SupervisorListener) {
    this.#ports = ports
    this.#mine = mine
    this.#listener = listener
  }

  /** The present state. */
  get connection(): Connection {
    return this.#connection
  }

  /** The record of the daemon that was last connected, which may be gone by now. */
  get record(): DiscoveryRecord | undefined {
    return this.#record
  }

  /** Begins to supervise; does nothing when it already does. */
  start(): void {
    if (this.#running) return
    this.#restarting = undefined
    this.#successorFailed = false
    const run = {}
    this.#running = run
    this.#run(run).catch((error: unknown) => {
      this.#ports.log.error(
        `The supervisor failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      )
    })
  }

  /** Lets go of the daemon, which goes on for the other windows. A restart that is under way starts none. */
  stop(): void {
    this.#restarting = undefined
    this.#letGo()
  }

  #letGo(): void {
    this.#running = undefined
    this.#client?.close()
    this.#wake()
    this.#change({ kind: 'off' })
  }

  /** Looks again at once, with a fresh restart policy. */
  retry(): void {
    this.stop()
    this.start()
  }

  /** Sends over the control connection; what is sent while there is none is repeated by the greeting. */
  send(request: ControlRequest): void {
    this.#client?.send(request)
  }

  /** Calls the control API of the daemon. Throws when none is known, none answers or it refuses. */
  async call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
    const record = this.#record ?? (await this.#ports.readRecord())
    if (record === undefined) throw new Error('no daemon is running')
    return callDaemon(record, method, path, body)
  }

  /** Ends the daemon and starts it again. Calls in flight get the drain time of its configuration. */
  async restart(): Promise<void> {
    const restarting = {}
    this.#restarting = restarting
    // The settings may name another data directory by now; the daemon that was followed would keep the port.
    const records = [this.#record, await this.#ports.readRecord()]
    if (this.#restarting !== restarting) return
    this.#letGo()
    for (const record of records) if (record !== undefined) await this.#end(record)
    // It may have been switched off or restarted once more meanwhile.
    if (this.#restarting !== restarting) return
    this.#record = undefined
    this.start()
  }

  /**
   * Ends a daemon and waits until it has let go of its data directory, which it does last: a successor that comes sooner finds
   * it owned. What answers at its address by then may be a daemon that another window has started.
   */
  async #end(record: DiscoveryRecord): Promise<void> {
    const isThere = async (timeoutMs: number): Promise<boolean> =>
      (await this.#ports.readHealth(record.url, timeoutMs))?.pid === record.pid
    if (!(await isThere(1000))) return
    await this.#ports.shutdown(record)
    for (let look = 0; look < mostEndLooks; look++) {
      if ((await this.#ports.readRecord())?.pid !== record.pid && !(await isThere(300))) return
      await this.#ports.sleep(endLookMs)
    }
  }

  async #run(run: object): Promise<void> {
    let policy: RestartPolicy = restartPolicy()
    this.#change({ kind: 'starting' })
    while (!this.#ended(run)) {
      const ensured = await this.#ensure(false)
      if (this.#ended(run)) return
      const reason = ensured.kind === 'ready' ? await this.#follow(run, ensured.record, ensured.version) : ensured
      if (this.#ended(run)) return
      if (reason.kind === 'handedOver') {
        this.#ports.log.info(`The gate ${reason.version} hands over to another one.`)
        // What was shown last stays: the successor is ready and only takes the place.
        if (!(await awaitSuccessor(this.#ports, reason.pid))) this.#change({ kind: 'starting' })
        continue
      }
      this.#ports.log.warn(`No gate: ${JSON.stringify(reason)}`)
      if (reason.kind === 'busyOld' || reason.kind === 'incompatible') {
        this.#change({ kind: 'away', reason, gaveUp: false })
        await this.#pause(idleLookMs)
        continue
      }
      // A configuration that the daemon refuses (exit code 2) does not get better by trying again.
      const hopeless = reason.kind === 'spawnFailed' || (reason.kind === 'exited' && reason.code === 2)
      const next = hopeless ? undefined : policy.crashed(this.#ports.nowMs(), this.#ports.random())
      if (next === undefined) {
        this.#change({ kind: 'away', reason, gaveUp: true })
        await this.#waitForOthers(run)
        policy = restartPolicy()
      } else {
        policy = next
        this.#change({ kind: 'away', reason, gaveUp: false })
        await this.#pause(policy.delayMs)
      }
    }
  }

  async #ensure(isQuiet: boolean): Promise<Ensured> {
    const ensured = await ensureDaemon(this.#ports, this.#mine, this.#recentReplacements(), isQuiet)
    if (ensured.kind === 'ready') this.#noteReplacement(ensured.replacement)
    return ensured
  }

  #noteReplacement(replacement: Replacement): void {
    switch (replacement.kind) {
      case 'none':
        return
      case 'busy':
        return this.#ports.log.info('The older gate has calls in flight, so it is replaced later.')
      case 'failed':
        this.#successorFailed = true
        this.#ports.log.error(`The gate ${this.#mine.version} could not take over: ${replacement.detail}`)
        break
      case 'done':
        void this.#ports.tidyAfter(replacement.predecessorPid)
    }
    this.#replacementsMs.push(this.#ports.nowMs())
  }

  /** Follows a daemon until its connection ends. */
  #follow(run: object, record: DiscoveryRecord, version: string): Promise<AwayReason | HandedOver> {
    this.#record = record
    this.#quiet = undefined
    return new Promise((resolve) => {
      const client = this.#ports.openControl(record, {
        opened: () => {
          this.#ports.log.info(`Connected to the gate ${version} at ${record.url}, process ${record.pid}.`)
          for (const request of this.#ports.greeting()) client.send(request)
        },
        message: (message) => {
          if (this.#ended(run)) return
          if (message.event !== 'status') return this.#listener.event(message)
          const { status } = message
          this.#change({ kind: 'connected', record, status, successor: this.#successorOf(version) })
          if (this.#successorOf(version)?.state === 'waiting') this.#replaceWhenQuiet(run, status)
        },
        closed: (detail, handedOver) => {
          this.#quiet = undefined
          resolve(handedOver ? { kind: 'handedOver', pid: record.pid, version } : { kind: 'connectionLost', detail })
        },
      })
      this.#client = client
    })
  }

  /** What this window brings instead of a daemon of that version; null where that one is not older. */
  #successorOf(version: string): Successor | null {
    if (compareVersions(version, this.#mine.version) >= 0) return null
    return { version: this.#mine.version, state: this.#successorFailed ? 'failed' : 'waiting' }
  }

  /**
   * An older daemon is replaced when no call has run for a while. This window stays connected meanwhile; the daemon itself
   * decides whether it lets go, so that no call is caught in between.
   */
  #replaceWhenQuiet(run: object, status: Status): void {
    if (status.inFlight.length > 0) {
      this.#quiet = undefined
      return
    }
    if (this.#quiet !== undefined || this.#replacing) return
    const quiet = {}
    this.#quiet = quiet
    void this.#ports.sleep(quietMs).then(async () => {
      if (this.#quiet !== quiet || this.#ended(run)) return
      this.#replacing = true
      try {
        await this.#ensure(true)
      } finally {
        this.#replacing = false
        this.#quiet = undefined
      }
      const { connection } = this
      if (connection.kind !== 'connected' || !this.#successorFailed || this.#ended(run)) return
      this.#change({ ...connection, successor: this.#successorOf(connection.status.version) })
    })
  }

  /** After giving up: another window, or the user in a terminal, may bring a daemon back. */
  async #waitForOthers(run: object): Promise<void> {
    while (!this.#ended(run)) {
      await this.#pause(idleLookMs)
      const record = await this.#ports.readRecord()
      const health = record && (await this.#ports.readHealth(record.url, 300))
      if (record && health?.pid === record.pid) return
    }
  }

  async #pause(ms: number): Promise<void> {
    await Promise.race([
      this.#ports.sleep(ms),
      new Promise<void>((resolve) => {
        this.#wake = resolve
      }),
    ])
  }

  #ended(run: object): boolean {
    return this.#running !== run
  }

  #recentReplacements(): number {
    const nowMs = this.#ports.nowMs()
    this.#replacementsMs = this.#replacementsMs.filter((atMs) => nowMs - atMs < 60_000)
    return this.#replacementsMs.length
  }

  #change(connection: Connection): void {
    this.#connection = connection
    this.#listener.connectionChanged(connection)
  }
}
