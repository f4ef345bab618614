import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as vscode from 'vscode'
import { protocolVersion, version } from '../shared/build.ts'
import type { ControlRequest, DiscoveryRecord } from '../shared/protocol.ts'
import { CommandLauncher } from './commandLine/commandLauncher.ts'
import { callDaemon, readHealth } from './daemon/api.ts'
import { openControl } from './daemon/client.ts'
import { readDaemonSettings, SettingsInForce } from './daemon/daemonSettings.ts'
import type { DaemonSettings } from './daemon/daemonSettings.ts'
import { readRecord } from './daemon/discovery.ts'
import { daemonLogPath, launchDaemon, pruneAfter } from './daemon/launch.ts'
import { followLog } from './daemon/logTail.ts'
import { Supervisor } from './daemon/supervisor.ts'
import { Terminals } from './env/terminals.ts'
import { GateState } from './gateState.ts'
import { GuardedTerminals } from './guardedTerminal/guardedTerminals.ts'
import { localiserIn } from './text/localiser.ts'
import { createLog, reasonOf } from './log.ts'
import { Memory } from './memory.ts'
import { placeOf } from './place.ts'
import { daemonStep } from './settings.ts'
import type { Settings } from './settings.ts'
import { readSettings, sayRefusedCaps } from './settingsReading.ts'
import { carryStop, forgetStop, keepStop, stopWaits, withdrawStops } from './stop/pendingStop.ts'
import { orderAll } from './stop/reach.ts'
import { stoppedAt } from './stop/stopped.ts'
import { StopSwitch } from './stop/stopSwitch.ts'
import { createText } from './text/text.ts'
import type { Text } from './text/text.ts'
import { realTimers } from './ui/coalesce.ts'
import { createFigures } from './ui/figures.ts'
import type { Figures } from './ui/figures.ts'
import { gateKey } from './ui/gateView.ts'
import type { GateView } from './ui/gateView.ts'
import type { DaemonEvent } from './ui/eventFields.ts'

/** Owns every lifetime of the extension: log, settings, memory, the supervised daemon, the terminals' environment. */
export class TollgateContext implements vscode.Disposable {
  readonly extension: vscode.ExtensionContext
  readonly log: vscode.LogOutputChannel
  readonly text: Text
  readonly memory: Memory
  readonly commandLauncher: CommandLauncher
  readonly supervisor: Supervisor
  readonly terminals: Terminals
  readonly guardedTerminals: GuardedTerminals
  /** The kill switch; a stop that was asked for while the gate was away is not lost. */
  readonly stops = new StopSwitch({
    order: (path, anew) => orderAll(this.dataDir, anew ? undefined : this.#followed, path),
    keep: () => keepStop(this.dataDir),
    forget: () => forgetStop(this.dataDir),
    withdraw: () => withdrawStops(this.dataDir),
    waits: () => stopWaits(this.dataDir),
  })
  /** Settings of which somebody was told that they cannot be used. */
  readonly invalidSettings = new Set<string>()
  readonly #settingsChanged = new vscode.EventEmitter<Settings>()
  readonly #gateChanged = new vscode.EventEmitter<GateView>()
  readonly #eventReceived = new vscode.EventEmitter<DaemonEvent>()
  readonly #disposables: { dispose(): unknown }[] = []
  /** Distinguishes this window at the daemon. */
  readonly #window = randomUUID()
  #figures = createFigures(vscode.env.language)
  #currency = 'EUR'
  /** A stop on its way to another data directory: no daemon is started there before. */
  #stopCarried: Promise<unknown> = Promise.resolve()
  #settings: Settings
  readonly #daemonSettings: SettingsInForce
  readonly #gateState: GateState
  /** What the daemon writes stands in the log of the window, too. */
  readonly #daemonLog = followLog(
    () => daemonLogPath(this.dataDir),
    (line) => this.log.info(`[daemon] ${line}`),
    realTimers,
  )

  /** Fires after settings of Tollgate changed. */
  readonly onDidChangeSettings = this.#settingsChanged.event
  /** Fires when the gate, its status or its absence changed. */
  readonly onDidChangeGate = this.#gateChanged.event
  /** Fires for every event of the daemon. */
  readonly onDidReceiveEvent = this.#eventReceived.event

  constructor(extension: vscode.ExtensionContext) {
    this.extension = extension
    this.log = createLog()
    this.text = createText(localiserIn(this.#figures, vscode.l10n))
    const host = {
      remoteName: vscode.env.remoteName,
      hostName: hostname(),
      distribution: process.env['WSL_DISTRO_NAME'],
    }
    this.memory = new Memory(extension.globalState, extension.workspaceState, {
      host: () => placeOf(extension.globalStorageUri.fsPath, host),
      dataDir: () => placeOf(this.dataDir, host),
    })
    this.#settings = readSettings(undefined, this)
    // A change for which windows of before had to wait is still to be made; a daemon that they left has the settings of then.
    const inForce = readDaemonSettings(this.memory.daemonInForce) ?? this.#daemonWanted()
    this.#daemonSettings = new SettingsInForce(inForce, (before) => this.#daemonSettingsHold(before))
    this.#daemonSettings.want(this.#daemonWanted(), false)
    this.commandLauncher = this.#createCommandLauncher()
    this.#gateState = this.#createGateState()
    this.supervisor = this.#createSupervisor()
    this.terminals = new Terminals(this)
    this.guardedTerminals = new GuardedTerminals(this)
    this.#disposables.push(
      this.log,
      this.#settingsChanged,
      this.#gateChanged,
      this.#eventReceived,
      this.terminals,
      this.guardedTerminals,
      { dispose: () => this.supervisor.stop() },
      this.#daemonLog,
      vscode.window.onDidChangeWindowState((state) => {
        this.supervisor.send({ type: 'focus', focused: state.focused })
        if (state.focused || state.active) this.supervisor.lookAgain()
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('tollgate')) this.#settingsMayHaveChanged()
      }),
    )
  }

  /** The settings in force. */
  get settings(): Settings {
    return this.#settings
  }

  /** Numbers in the user's language, and money in the gate's currency. */
  get figures(): Figures {
    return this.#figures
  }

  /** The gate as the user interface shows it. */
  get gate(): GateView {
    return this.#gateState.view
  }

  /** Folder of ledger, key and discovery record: the storage that all windows share, unless a setting names another. */
  get dataDir(): string {
    return this.#daemonSettings.inForce.dataDir
  }

  /**
   * Origin of every base URL. The port is fixed by a setting, so it is known before the daemon answers; a daemon that was
   * started by hand on another port is followed there.
   */
  get gateOrigin(): string {
    return `http://127.0.0.1:${this.supervisor.record?.port ?? this.#daemonSettings.inForce.port}`
  }

  /** Begins to look for the daemon. */
  start(): void {
    if (this.#settings.enabled) this.supervisor.start()
    else this.#gateState.off()
  }

  dispose(): void {
    for (const disposable of this.#disposables.reverse()) disposable.dispose()
  }

  /** Record of the daemon that this window is connected with. */
  get #followed(): DiscoveryRecord | undefined {
    const { connection } = this.supervisor
    return connection.kind === 'connected' ? connection.record : undefined
  }

  /** Folders of the daemon: as it came with this extension, and its copies. */
  get #daemonFolders(): { readonly distDir: string; readonly copiesDir: string } {
    const { extensionPath, globalStorageUri } = this.extension
    return { distDir: join(extensionPath, 'dist'), copiesDir: join(globalStorageUri.fsPath, 'daemon') }
  }

  #createCommandLauncher(): CommandLauncher {
    return new CommandLauncher({
      ...this.#daemonFolders,
      binDir: join(this.extension.globalStorageUri.fsPath, 'bin'),
      version,
      ownRuntime: process.execPath,
      platform: process.platform,
      environment: process.env,
      log: this.log,
      settings: () => this.#daemonSettings.inForce,
    })
  }

  #createSupervisor(): Supervisor {
    const { log } = this
    const { distDir, copiesDir } = this.#daemonFolders
    const copied = (copyDir: string) => this.commandLauncher.pointTo(copyDir)
    return new Supervisor(
      {
        log,
        random: Math.random,
        nowMs: Date.now,
        sleep: async (ms) => {
          await sleep(ms)
        },
        readRecord: () => readRecord(this.dataDir),
        readHealth,
        openControl,
        shutdown: async (record, when) => {
          try {
            await callDaemon(record, 'POST', '/api/shutdown', when === 'idle' ? { handOver: true } : { restart: true })
            return true
          } catch (error) {
            log.warn(`The daemon did not take the request to end: ${reasonOf(error)}`)
            return false
          }
        },
        start: async (predecessor) => {
          await this.#stopCarried
          this.#keepInForce()
          const { port, dataDir, nodePath } = this.#daemonSettings.inForce
          return launchDaemon({ distDir, copiesDir, dataDir, port, predecessor, version, nodePath, log, copied })
        },
        tidyAfter: (pid) => pruneAfter(pid, copiesDir, log),
        greeting: () => this.#greeting(),
        settings: this.#daemonSettings,
      },
      { version, protocol: protocolVersion },
      {
        connectionChanged: (connection) => {
          // A status comes with whatever the daemon has to say, and the end of a connection with why.
          this.#daemonLog.ask()
          this.#gateState.connectionChanged(connection)
        },
        event: (event) => this.#hear(event),
        settingsWait: (calls) => this.#sayThatSettingsWait(calls),
      },
    )
  }

  #daemonWanted(): DaemonSettings {
    const { port, dataDir, nodePath } = this.#settings.daemon
    return { port, dataDir: dataDir || this.extension.globalStorageUri.fsPath, nodePath }
  }

  /** What a daemon runs with is known to the windows that come. */
  #keepInForce(): void {
    this.memory
      .setDaemonInForce({ ...this.#daemonSettings.inForce })
      .catch((error: unknown) => this.log.warn(`Settings of the gate in force: ${reasonOf(error)}`))
  }

  /** Another data directory is another ledger; a stop that somebody was told of holds there as well. */
  #daemonSettingsHold(before: DaemonSettings): void {
    this.log.info('The changed settings of the gate hold from now on.')
    if (before.dataDir !== this.dataDir) {
      const isStopped = stoppedAt(this.gate) === 'all'
      this.#stopCarried = carryStop(before.dataDir, this.dataDir, isStopped).catch((error: unknown) =>
        this.log.warn(`Stop for the data directory ${this.dataDir}: ${reasonOf(error)}`),
      )
      this.#gateState.forgetCaps()
    }
    this.#keepInForce()
    this.#settingsChanged.fire(this.#settings)
  }

  /** Every window hears of the change; the one in which it was made asks. */
  #sayThatSettingsWait(calls: number): void {
    const { text, supervisor } = this
    this.log.info('The changed settings of the gate wait for its calls to end.')
    if (!this.#daemonSettings.isMine) return
    void vscode.window
      .showInformationMessage(text.settingsWait(calls), text.restartNow)
      .then((chosen) => (chosen === text.restartNow ? supervisor.applySettings() : undefined))
  }

  #greeting(): readonly ControlRequest[] {
    return [
      { type: 'hello', client: 'extension', window: this.#window, version },
      { type: 'focus', focused: vscode.window.state.focused },
      this.#capsMessage(),
    ]
  }

  #capsMessage(): ControlRequest {
    return { type: 'settings', caps: this.#settings.caps, keep: this.#settings.keepCaps }
  }

  #createGateState(): GateState {
    return new GateState({
      text: this.text,
      isEnabled: () => this.#settings.enabled,
      ask: (path) => this.supervisor.call('GET', path),
      warn: (what, error) => this.log.warn(`${what}: ${reasonOf(error)}`),
      currencyIs: (code) => this.#followCurrency(code),
      changed: (gate, before) => this.#gateIs(gate, before),
      arrived: (record) => this.#gateArrived(record),
    })
  }

  #followCurrency(currency: string): void {
    if (currency === this.#currency) return
    this.#currency = currency
    this.#figures = createFigures(vscode.env.language, currency)
  }

  /**
   * The key exists at the latest now, so terminals can be guarded: calls pass a gate that this window cannot follow as well. A stop
   * that nobody else knows of is made good.
   */
  #gateArrived(record: DiscoveryRecord): void {
    this.#keepInForce()
    void this.terminals.apply()
    if (this.gate.kind === 'up') void this.commandLauncher.follow(record.pid)
    if (this.stops.takeOwed()) void vscode.commands.executeCommand('tollgate.stopAll')
  }

  #gateIs(gate: GateView, before: GateView): void {
    const stopped = stoppedAt(gate)
    if (gateKey(gate) !== gateKey(before) || stopped !== stoppedAt(before)) {
      void vscode.commands.executeCommand('setContext', 'tollgate.gate', gateKey(gate))
      void vscode.commands.executeCommand('setContext', 'tollgate.stopped', stopped)
    }
    this.#gateChanged.fire(gate)
  }

  #hear(event: DaemonEvent): void {
    if (event.event === 'caps_refused') sayRefusedCaps(event, this)
    if (event.event !== 'call_started' && event.event !== 'call_settled') this.log.info(eventLine(event))
    this.#gateState.hear(event)
    if (this.stops.isLiftedBy(event)) this.log.info('The stop that this window was to make good is lifted by a resume.')
    this.#eventReceived.fire(event)
  }

  #settingsMayHaveChanged(): void {
    const before = this.#settings
    this.#settings = readSettings(before, this)
    if (JSON.stringify(before) === JSON.stringify(this.#settings)) return
    this.supervisor.send(this.#capsMessage())
    this.#daemonSettings.want(this.#daemonWanted(), vscode.window.state.focused)
    switch (daemonStep(before, this.#settings)) {
      case 'start':
        this.log.info('Tollgate is switched on.')
        this.supervisor.start()
        break
      case 'stop':
        this.log.info('Tollgate is switched off.')
        this.supervisor.stop()
        break
      case 'restart':
        this.log.info('Settings of the gate changed.')
        this.supervisor.settingsChanged()
        break
      case null:
    }
    this.#settingsChanged.fire(this.#settings)
  }
}

/** An event as one line of the log. Events carry codes and figures, never text of a request. */
function eventLine({ event, time: _time, notify: _notify, ...fields }: DaemonEvent): string {
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return `${event}: ${shown.join(', ')}`
}
