import type { ControlMessage, ControlRequest, DiscoveryRecord } from '../../shared/protocol.ts'
import type { ControlClient, ControlListener } from './client.ts'
import type { Connection } from './connection.ts'
import type { SettingsInForce } from './daemonSettings.ts'
import type { EndPorts } from './endDaemon.ts'
import type { ReplacementPorts } from './replacements.ts'

/** What the supervisor needs from outside. */
export interface SupervisorPorts extends ReplacementPorts, EndPorts {
  /** `readRecord` and `start` follow those that are in force. */
  readonly settings: SettingsInForce
  random(): number
  openControl(record: DiscoveryRecord, listener: ControlListener): ControlClient
  /** Messages that a new connection starts with: hello, focus, settings. */
  greeting(): readonly ControlRequest[]
}

/** Who follows the daemon. */
export interface SupervisorListener {
  connectionChanged(connection: Connection): void
  event(message: Exclude<ControlMessage, { event: 'status' }>): void
  /** Settings of the daemon changed, and so many calls have to end before they hold. Said once for each change. */
  settingsWait(calls: number): void
}
