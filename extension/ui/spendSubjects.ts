import type { DaemonEvent } from './eventFields.ts'
import { numberField, textField } from './eventFields.ts'

/** Events about the same thing, told as one row: a client that asks again and again makes the row count, not the list grow. */
export interface Told {
  /** What they have in common; part of a node's id. */
  readonly subject: string
  readonly count: number
  readonly latest: DaemonEvent
}

/** Events by subject, the one that was told of last first. The events come oldest first. */
export function bySubject(events: readonly DaemonEvent[], subjectOf: (event: DaemonEvent) => string): readonly Told[] {
  const told = new Map<string, Told>()
  for (const event of events) {
    const subject = subjectOf(event)
    const count = (told.get(subject)?.count ?? 0) + 1
    told.delete(subject)
    told.set(subject, { subject, count, latest: event })
  }
  return [...told.values()].reverse()
}

/** The fields of an event that make it another thing than the next one. */
export function subjectFrom(event: DaemonEvent, names: readonly string[]): string {
  return names.map((name) => encodeURIComponent(textField(event, name) ?? numberField(event, name) ?? '')).join('/')
}
