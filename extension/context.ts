import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as vscode from 'vscode'
import { protocolVersion, version } from '../shared/build.ts'
import type { ControlRequest } from '../shared/protocol.ts'
import { callDaemon, readHealth } from './daemon/api.ts'
import { readRecord } from './daemon/discovery.ts'
import { daemonLogPath, launchDaemon } from './daemon/launch.ts'
import { tailLog } from './daemon/logTail.ts'
import { Supervisor } from './daemon/supervisor.ts'
import type { AwayReason, Connection } from './daemon/supervisor.ts'
import { Terminals } from './env/terminals.ts'
import { GuardedTerminals } from './guardedTerminal/guardedTerminals.ts'
import { createLog, reasonOf } from './log.ts'
import { Memory } from './memory.ts'
import { parseSettings } from './settings.ts'
import type { Settings } from './settings.ts'
import { createText } from './text.ts'
import type { Text } from './text.ts'
import { createFigures } from './ui/figures.ts'
import type { Figures } from './ui/figures.ts'
import type { ExhaustedCap, GateView } from './ui/gateView.ts'
import { loopsAfter, noLoops } from './ui/loops.ts'
import type { Loops } from './ui/loops.ts'
import { exhaustedCap, isExhausted } from './ui/notices.ts'
import type { DaemonEvent } from './ui/eventFields.ts'

/** Owns every lifetime of the extension: log, settings, memory, the supervised daemon, the terminals' environment. */
export class TollgateContext implements vscode.Disposable {
  readonly extension: vscode.ExtensionContext
  readonly log: vscode.LogOutputChannel
  readonly text: Text
  readonly figures: Figures
  readonly memory: Memory
  readonly supervisor: Supervisor
  readonly terminals: Terminals
  readonly guardedTerminals: GuardedTerminals
  readonly #settingsChanged = new vscode.EventEmitter<Settings>()
  readonly #gateChanged = new vscode.EventEmitter<GateView>()
  readonly #eventReceived = new vscode.EventEmitter<DaemonEvent>()
  readonly #disposables: { dispose(): unknown }[] = []
  /** Distinguishes this window at the daemon. */
  readonly #window = randomUUID()
  #settings: Settings
  #gate: GateView = { kind: 'starting' }
  #exhausted: ExhaustedCap | null = null
  #loops: Loops = noLoops
  #stopWhenBack = false

  /** Fires after settings of Tollgate changed. */
  readonly onDidChangeSettings = this.#settingsChanged.event
  /** Fires when the gate, its status or its absence changed. */
  readonly onDidChangeGate = this.#gateChanged.event
  /** Fires for every event of the daemon. */
  readonly onDidReceiveEvent = this.#eventReceived.event

  constructor(extension: vscode.ExtensionContext) {
    this.extension = extension
    this.log = createLog()
    this.text = createText(vscode.l10n)
    this.figures = createFigures(vscode.env.language)
    this.memory = new Memory(extension.globalState, extension.workspaceState)
    this.#settings = this.#readSettings()
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
      {
        dispose: tailLog(
          () => daemonLogPath(this.dataDir),
          (line) => this.log.info(`[daemon] ${line}`),
        ),
      },
      vscode.window.onDidChangeWindowState((state) => this.supervisor.send({ type: 'focus', focused: state.focused })),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('tollgate')) this.#settingsMayHaveChanged()
      }),
    )
  }

  /** The settings in force. */
  get settings(): Settings {
    return this.#settings
  }

  /** The gate as the user interface shows it. */
  get gate(): GateView {
    return this.#gate
  }

  /** Folder of ledger, key and discovery record: the storage that all windows share, unless a setting names another. */
  get dataDir(): string {
    return this.#settings.daemon.dataDir || this.extension.globalStorageUri.fsPath
  }

  /**
   * Origin of every base URL. The port is fixed by a setting, so it is known before the daemon answers; a daemon that was
   * started by hand on another port is followed there.
   */
  get gateOrigin(): string {
    return `http://127.0.0.1:${this.supervisor.record?.port ?? this.#settings.daemon.port}`
  }

  /** Begins to look for the daemon. */
  start(): void {
    if (this.#settings.enabled) this.supervisor.start()
    else this.#show({ kind: 'off' })
  }

  /** Stops all calls as soon as the daemon is back: a stop that was asked for must not be lost. */
  stopWhenBack(): void {
    this.#stopWhenBack = true
  }

  /** Withdraws `stopWhenBack`. */
  forgetStop(): void {
    this.#stopWhenBack = false
  }

  dispose(): void {
    for (const disposable of this.#disposables.reverse()) disposable.dispose()
  }

  #createSupervisor(): Supervisor {
    const { log } = this
    const copiesDir = join(this.extension.globalStorageUri.fsPath, 'daemon')
    const distDir = join(this.extension.extensionPath, 'dist')
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
        shutdown: async (record) => {
          await callDaemon(record, 'POST', '/api/shutdown').catch((error: unknown) =>
            log.warn(`The daemon did not take the request to end: ${reasonOf(error)}`),
          )
        },
        start: () => {
          const { port, nodePath } = this.#settings.daemon
          return launchDaemon({ distDir, copiesDir, dataDir: this.dataDir, port, version, nodePath, log })
        },
        greeting: () => this.#greeting(),
      },
      { version, protocol: protocolVersion },
      {
        connectionChanged: (connection) => this.#connectionChanged(connection),
        event: (event) => this.#hear(event),
      },
    )
  }

  #greeting(): readonly ControlRequest[] {
    return [
      { type: 'hello', client: 'extension', window: this.#window, version },
      { type: 'focus', focused: vscode.window.state.focused },
      { type: 'settings', caps: this.#settings.caps },
    ]
  }

  #connectionChanged(connection: Connection): void {
    switch (connection.kind) {
      case 'off':
        return this.#show(this.#settings.enabled ? { kind: 'starting' } : { kind: 'off' })
      case 'starting':
        return this.#show({ kind: 'starting' })
      case 'away':
        this.#loops = noLoops
        return this.#show({ kind: 'down', reason: this.#reasonText(connection.reason), gaveUp: connection.gaveUp })
      case 'connected': {
        const wasUp = this.#gate.kind === 'up'
        this.#show({ kind: 'up', status: connection.status, exhausted: this.#exhausted, loops: this.#loops })
        if (!wasUp) this.#gateIsBack()
      }
    }
  }

  /** The key exists at the latest now, so terminals can be guarded; a stop that was asked for in between is made good. */
  #gateIsBack(): void {
    void this.terminals.apply()
    if (!this.#stopWhenBack) return
    this.#stopWhenBack = false
    void vscode.commands.executeCommand('tollgate.stopAll')
  }

  #hear(event: DaemonEvent): void {
    if (event.event !== 'call_started' && event.event !== 'call_settled') this.log.info(eventLine(event))
    if (isExhausted(event) && this.#gate.kind === 'up') {
      this.#setExhausted(exhaustedCap(event, this.#gate.status) ?? null)
    } else if (event.event === 'call_started' || event.event === 'caps_changed' || event.event === 'granted') {
      this.#setExhausted(null)
    }
    this.#setLoops(loopsAfter(this.#loops, event))
    this.#eventReceived.fire(event)
  }

  #setExhausted(exhausted: ExhaustedCap | null): void {
    if (exhausted === this.#exhausted) return
    this.#exhausted = exhausted
    if (this.#gate.kind === 'up') this.#show({ ...this.#gate, exhausted })
  }

  #setLoops(loops: Loops): void {
    if (loops === this.#loops) return
    this.#loops = loops
    if (this.#gate.kind === 'up') this.#show({ ...this.#gate, loops })
  }

  #show(gate: GateView): void {
    const before = this.#gate
    this.#gate = gate
    const killed = gate.kind === 'up' && gate.status.killed
    if (gate.kind !== before.kind || killed !== (before.kind === 'up' && before.status.killed)) {
      void vscode.commands.executeCommand('setContext', 'tollgate.gate', gate.kind)
      void vscode.commands.executeCommand('setContext', 'tollgate.killed', killed)
    }
    this.#gateChanged.fire(gate)
  }

  #settingsMayHaveChanged(): void {
    const before = this.#settings
    this.#settings = this.#readSettings()
    if (JSON.stringify(before) === JSON.stringify(this.#settings)) return
    this.supervisor.send({ type: 'settings', caps: this.#settings.caps })
    if (before.enabled !== this.#settings.enabled) {
      this.log.info(`Tollgate is switched ${this.#settings.enabled ? 'on' : 'off'}.`)
      if (this.#settings.enabled) this.supervisor.start()
      else this.supervisor.stop()
    } else if (JSON.stringify(before.daemon) !== JSON.stringify(this.#settings.daemon)) {
      this.log.info('The gate is looked for again, because settings of the daemon changed.')
      void this.supervisor.restart()
    }
    this.#settingsChanged.fire(this.#settings)
  }

  #readSettings(): Settings {
    const configuration = vscode.workspace.getConfiguration('tollgate')
    const { settings, invalid } = parseSettings(
      {
        effective: (key) => configuration.get(key),
        user: (key) => configuration.inspect(key)?.globalValue,
      },
      this.#settings,
    )
    for (const name of invalid) {
      this.log.warn(this.text.invalidSetting(name))
      void vscode.window.showWarningMessage(this.text.invalidSetting(name))
    }
    return settings
  }

  #reasonText(reason: AwayReason): string {
    const { text } = this
    switch (reason.kind) {
      case 'connectionLost':
        return text.reasonConnectionLost
      case 'spawnFailed':
        return text.reasonSpawn(reason.detail)
      case 'exited':
        return text.reasonExit(reason.code, reason.detail)
      case 'timeout':
        return text.reasonTimeout
      case 'incompatible':
        return text.reasonNewerProtocol(reason.version)
      case 'busyOld':
        return text.reasonBusyOld(reason.version)
      case 'retireFailed':
        return text.reasonRetireFailed(reason.version)
    }
  }
}

/** An event as one line of the log. Events carry codes and figures, never text of a request. */
function eventLine({ event, time: _time, notify: _notify, ...fields }: DaemonEvent): string {
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return `${event}: ${shown.join(', ')}`
}
