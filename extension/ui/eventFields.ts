import type { ControlMessage } from '../../shared/protocol.ts'

/** An event of the daemon. */
export type DaemonEvent = Exclude<ControlMessage, { event: 'status' }>

/** A field of an event that is a text with something in it, else undefined. */
export function textField(event: DaemonEvent, name: string): string | undefined {
  const value = event[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A field of an event that is a finite number, else undefined. */
export function numberField(event: DaemonEvent, name: string): number | undefined {
  const value = event[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
