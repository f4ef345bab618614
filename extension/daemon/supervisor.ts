import type { ControlRequest, DiscoveryRecord, Health } from '../../shared/protocol.ts'
import type { Status } from '../../shared/status.ts'
import { acrossHandOver } from './acrossHandOver.ts'
import { callDaemon } from './api.ts'
import type { ControlClient } from './client.ts'
import type { AwayReason, Connection } from './connection.ts'
import type { DaemonSettings } from './daemonSettings.ts'
import { endDaemon } from './endDaemon.ts'
import { awaitSuccessor, exitUnusable } from './ensure.ts'
import type { Ensured, Mine } from './ensure.ts'
import { Looks } from './looks.ts'
import { Quiet } from './quiet.ts'
import { Replacements } from './replacements.ts'
import { restartPolicy } from './restartPolicy.ts'
import type { RestartPolicy } from './restartPolicy.ts'
import type { SupervisorListener, SupervisorPorts } from './supervisorPorts.ts'

/** The daemon that was followed made room for a successor. */
interface HandedOver {
  readonly kind: 'handedOver'
  readonly pid: number
  readonly version: string
}

/** How long a daemon that hands over to a running one leaves no gate, in milliseconds: one that has to start first takes longer. */
const handOverMs = 1000

/**
 * Keeps one connection to the one daemon of this data directory: finds or starts it, follows it, and starts it again after
 * a crash as the restart policy allows. It never ends a daemon because a window closes.
 */
export class Supervisor {
  readonly #ports: SupervisorPorts
  readonly #replacements: Replacements
  readonly #listener: SupervisorListener
  #connection: Connection = { kind: 'off' }
  #client: ControlClient | undefined
  #record: DiscoveryRecord | undefined
  /** The daemon that this window has a connection to. */
  #followed: DiscoveryRecord | undefined
  readonly #quiet: Quiet
  readonly #looks: Looks
  /** Settings of which was said that they have to wait. */
  #saidToWait: DaemonSettings | undefined
  /** Identity of the loop that supervises; an older loop that finds another one here ends. */
  #running: object | undefined
  /** Identity of the restart that is under way; one that finds another one here is over. */
  #restarting: object | undefined
  #wake: () => void = () => undefined

  constructor(ports: SupervisorPorts, mine: Mine, listener: SupervisorListener) {
    this.#ports = ports
    this.#quiet = new Quiet((ms) => ports.sleep(ms))
    this.#looks = new Looks((ms) => ports.sleep(ms))
    this.#replacements = new Replacements(ports, mine)
    this.#listener = listener
  }

  /** The present state. */
  get connection(): Connection {
    return this.#connection
  }

  /** The record of the daemon that was found last, which may be gone by now. */
  get record(): DiscoveryRecord | undefined {
    return this.#record
  }

  /** Begins to supervise; does nothing when it already does. */
  start(): void {
    if (this.#running) return
    this.#restarting = undefined
    this.#replacements.forgetFailure()
    const run = {}
    this.#running = run
    this.#run(run).catch((error: unknown) => {
      const detail = error instanceof Error ? error.message : String(error)
      this.#ports.log.error(`The supervisor failed: ${error instanceof Error ? (error.stack ?? detail) : detail}`)
      if (this.#ended(run)) return
      this.#running = undefined
      this.#change({ kind: 'away', reason: { kind: 'spawnFailed', detail }, gaveUp: true })
    })
  }

  /** Lets go of the daemon, which goes on for the other windows. A restart that is under way starts none. */
  stop(): void {
    this.#restarting = undefined
    this.#letGo()
  }

  #letGo(): void {
    this.#running = undefined
    this.#followed = undefined
    this.#quiet.forget()
    this.#client?.close()
    this.#wake()
    this.#looks.now()
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
    return acrossHandOver(
      record,
      async () => (await this.#answering())?.record,
      (current) => callDaemon(current, method, path, body),
    )
  }

  /** Looks again at once where this window waits for others to bring a daemon: somebody is there. */
  lookAgain(): void {
    this.#looks.now()
  }

  /** The health of the daemon of the data directory, whether this window follows it or not; undefined where none answers. */
  async health(): Promise<Health | undefined> {
    return (await this.#answering())?.health
  }

  /**
   * Ends the daemon and starts it again, as settings say that may have changed meanwhile. Calls in flight get the drain time of
   * its configuration.
   */
  async restart(): Promise<void> {
    const restarting = {}
    this.#restarting = restarting
    await this.#restart(restarting, [this.#record, await this.#ports.readRecord()])
  }

  /** Settings of the daemon changed. One that has to end for them ends in a moment without calls, and no other one does. */
  settingsChanged(): void {
    const { connection } = this
    this.#quiet.forget()
    if (this.#followed !== undefined) {
      if (connection.kind === 'connected') this.#heedSettings(connection.record, connection.status)
    } else if (connection.kind === 'away' || connection.kind === 'unfollowed') {
      this.retry()
    } else {
      this.#wake()
    }
  }

  /** The same at once, whatever calls are in flight. */
  async applySettings(): Promise<void> {
    const record = this.#followed
    if (record === undefined || this.#ports.settings.fateOf(record) !== 'ends') return
    const restarting = {}
    this.#restarting = restarting
    await this.#restart(restarting, [record])
  }

  async #restart(restarting: object, records: readonly (DiscoveryRecord | undefined)[]): Promise<void> {
    if (this.#restarting !== restarting) return
    this.#letGo()
    for (const record of records) if (record !== undefined) await endDaemon(this.#ports, record, 'now')
    this.#startAnew(restarting)
  }

  /** Ends the daemon for settings that changed, unless a call has begun there: the next time without calls will do. */
  async #applyWhenQuiet(): Promise<void> {
    const record = this.#followed
    if (record === undefined || this.#ports.settings.fateOf(record) !== 'ends') return
    const restarting = {}
    this.#restarting = restarting
    if (!(await endDaemon(this.#ports, record, 'idle')) || this.#restarting !== restarting) return
    this.#letGo()
    this.#startAnew(restarting)
  }

  #startAnew(restarting: object): void {
    // It may have been switched off or restarted once more meanwhile.
    if (this.#restarting !== restarting) return
    this.#record = undefined
    this.start()
  }

  async #run(run: object): Promise<void> {
    let policy: RestartPolicy = restartPolicy()
    this.#looks.begin()
    this.#change({ kind: 'starting' })
    while (!this.#ended(run)) {
      await this.#takeUpSettings()
      if (this.#ended(run)) return
      const ensured = await this.#replacements.ensure(false)
      if (this.#ended(run)) return
      if (ensured.kind === 'unfollowed') {
        this.#showUnfollowed(ensured)
        await this.#looks.next()
        continue
      }
      const reason = ensured.kind === 'ready' ? await this.#follow(run, ensured.record, ensured.version) : ensured
      if (this.#ended(run)) return
      if (reason.kind === 'handedOver') {
        this.#ports.log.info(`The gate ${reason.version} makes room for another one.`)
        await this.#takeUpSettings()
        await this.#awaitSuccessor(run, reason.pid)
        continue
      }
      this.#ports.log.warn(`No gate: ${JSON.stringify(reason)}`)
      const next = isHopeless(reason) ? undefined : policy.crashed(this.#ports.nowMs(), this.#ports.random())
      if (next === undefined) {
        this.#change({ kind: 'away', reason, gaveUp: true })
        await this.#waitForOthers(run)
        policy = restartPolicy()
      } else {
        policy = next
        this.#change({ kind: 'away', reason, gaveUp: false })
        await this.#unlessWoken(this.#ports.sleep(policy.delayMs))
      }
    }
  }

  /**
   * No daemon of before is followed now, so changed settings hold. One that lives, to which only the connection was lost or which a
   * window of before followed, is followed again first: it would keep its port, and nobody would end it.
   */
  async #takeUpSettings(): Promise<void> {
    const { settings } = this.#ports
    if (!settings.isWaiting) return
    const last = this.#record ?? (await this.#ports.readRecord())
    if (last !== undefined && settings.fateOf(last) === 'ends') {
      if ((await this.#ports.readHealth(last.url, 1000))?.pid === last.pid) return
    }
    if (settings.takeUp()) this.#record = undefined
  }

  #showUnfollowed({ record, version, isNewer }: Extract<Ensured, { kind: 'unfollowed' }>): void {
    const why = isNewer ? 'newer' : this.#replacements.hasFailed ? 'failed' : 'busy'
    const { connection } = this
    const isSame = connection.kind === 'unfollowed' && connection.why === why && connection.record.pid === record.pid
    if (isSame) return
    this.#record = record
    this.#ports.log.warn(`The gate ${version} at ${record.url} runs and cannot be followed: ${why}.`)
    this.#change({ kind: 'unfollowed', why, record, version })
  }

  /**
   * A daemon that made room did not crash. What was shown last stays while a successor that is ready takes the place; one that
   * another window starts anew takes longer, and that is shown. Where none comes, this window starts one.
   */
  async #awaitSuccessor(run: object, predecessorPid: number): Promise<void> {
    if (await this.#unlessWoken(awaitSuccessor(this.#ports, predecessorPid, handOverMs))) return
    if (this.#ended(run)) return
    this.#change({ kind: 'starting' })
    await this.#unlessWoken(awaitSuccessor(this.#ports, predecessorPid))
  }

  /** Follows a daemon until its connection ends. */
  #follow(run: object, record: DiscoveryRecord, version: string): Promise<AwayReason | HandedOver> {
    this.#record = record
    this.#followed = record
    this.#quiet.forget()
    this.#looks.begin()
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
          this.#change({ kind: 'connected', record, status, successor: this.#replacements.successorOf(version) })
          this.#heedSettings(record, status)
          if (this.#ended(run) || this.#ports.settings.fateOf(record) !== 'stays') return
          if (this.#replacements.successorOf(version)?.state === 'waiting') this.#replaceWhenQuiet(status)
        },
        closed: (detail, handedOver) => {
          // One that was let go of may close when another one is followed.
          if (this.#followed === record) {
            this.#followed = undefined
            this.#quiet.forget()
          }
          resolve(handedOver ? { kind: 'handedOver', pid: record.pid, version } : { kind: 'connectionLost', detail })
        },
      })
      this.#client = client
    })
  }

  /** Settings that changed hold at once where the daemon may stay as it is; else it is left, or ends when it has no calls. */
  #heedSettings(record: DiscoveryRecord, status: Status): void {
    const { settings } = this.#ports
    switch (settings.fateOf(record)) {
      case 'stays':
        settings.takeUp()
        return
      case 'left':
        return this.retry()
      case 'ends':
        if (status.inFlight.length > 0 && this.#saidToWait !== settings.wanted) {
          this.#saidToWait = settings.wanted
          this.#listener.settingsWait(status.inFlight.length)
        }
        this.#quiet.when(status, () => this.#applyWhenQuiet())
    }
  }

  /**
   * An older daemon is replaced when no call has run for a while. This window stays connected meanwhile; the daemon itself
   * decides whether it lets go, so that no call is caught in between. Where ours cannot start, the older one goes on.
   */
  #replaceWhenQuiet(status: Status): void {
    this.#quiet.when(status, async () => {
      await this.#replacements.ensure(true)
      if (this.#replacements.hasFailed) this.#showFailure()
      // Settings may have changed meanwhile, and of a daemon without calls no status may come.
      const { connection } = this
      if (connection.kind === 'connected') this.#heedSettings(connection.record, connection.status)
    })
  }

  /** Says that the daemon of this window could not take over, so that the older one goes on. */
  #showFailure(): void {
    const { connection } = this
    if (connection.kind !== 'connected') return
    this.#change({ ...connection, successor: this.#replacements.successorOf(connection.status.version) })
  }

  /** After giving up: another window, or the user in a terminal, may bring a daemon back. */
  async #waitForOthers(run: object): Promise<void> {
    this.#looks.begin()
    do await this.#looks.next()
    while (!this.#ended(run) && (await this.health()) === undefined)
  }

  /** Record and health of the daemon of the data directory; undefined where none answers or the record is another one's. */
  async #answering(): Promise<{ readonly record: DiscoveryRecord; readonly health: Health } | undefined> {
    const record = await this.#ports.readRecord()
    const health = record && (await this.#ports.readHealth(record.url, 1000))
    return record !== undefined && health?.pid === record.pid ? { record, health } : undefined
  }

  /** What comes of something, or undefined once this window need not wait for it any more. */
  #unlessWoken<Outcome>(outcome: Promise<Outcome>): Promise<Outcome | undefined> {
    const woken = new Promise<undefined>((resolve) => {
      this.#wake = () => resolve(undefined)
    })
    return Promise.race([outcome, woken])
  }

  #ended(run: object): boolean {
    return this.#running !== run
  }

  #change(connection: Connection): void {
    this.#connection = connection
    this.#listener.connectionChanged(connection)
  }
}

/** What does not get better by trying again: a program that is not there, a configuration or a port that cannot be used. */
function isHopeless(reason: AwayReason): boolean {
  return (
    reason.kind === 'spawnFailed' ||
    reason.kind === 'noPort' ||
    (reason.kind === 'exited' && reason.code === exitUnusable)
  )
}
