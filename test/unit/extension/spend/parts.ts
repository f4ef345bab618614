import { noEvents, withEvents } from '../../../../extension/ui/spendEvents.ts'
import type { DaemonEvent } from '../../../../extension/ui/eventFields.ts'
import { noCaps } from '../../../../extension/ui/exhaustedCaps.ts'
import { spendNodes } from '../../../../extension/ui/spendModel.ts'
import type { SpendState } from '../../../../extension/ui/spendModel.ts'
import type { SpendNode } from '../../../../extension/ui/spendNode.ts'
import type { Report, ReportRow } from '../../../../shared/report.ts'
import type { Status } from '../../../../shared/status.ts'
import { figures, spend, status, text } from '../support.ts'

/** The moment of the status of `support.ts`. */
export const nowMs = Date.parse('2026-11-30T12:00:00.000Z')

let count = 0

/** An event of a call of its own, at a minute of the hour before now. */
export function event(name: DaemonEvent['event'], fields: Record<string, unknown> = {}): DaemonEvent {
  count += 1
  return { event: name, time: '2026-11-30T11:30:00.000Z', call: `call-${count}`, ...fields }
}

/** What the view shows with these. */
export function drawn(
  changes: Partial<Status> = {},
  events: readonly DaemonEvent[] = [],
  reports: Partial<Pick<SpendState, 'byProject' | 'byModel' | 'gateSinceMs'>> = {},
): readonly SpendNode[] {
  const gate = { kind: 'up', status: status(changes), exhausted: noCaps } as const
  const all = {
    gate,
    events: withEvents(noEvents, events),
    byProject: null,
    byModel: null,
    gateSinceMs: 0,
    nowMs,
    ...reports,
  }
  return spendNodes(all, text, figures)
}

/** A day and a month in which nothing happened. */
export const nothing = {
  today: spend({ spentEur: 0, calls: 0 }),
  month: spend({ spentEur: 0, calls: 0 }),
}

/** Every row, parents before children. */
export function allOf(nodes: readonly SpendNode[]): readonly SpendNode[] {
  return nodes.flatMap((node) => [node, ...allOf(node.children)])
}

/** The row with an id. Throws where there is none. */
export function row(nodes: readonly SpendNode[], id: string): SpendNode {
  const all = allOf(nodes)
  const found = all.find((node) => node.id === id)
  if (found === undefined) throw new Error(`No ${id} among ${all.map((node) => node.id).join(', ')}`)
  return found
}

/** Label and description of rows, as a person reads them. */
export function read(nodes: readonly SpendNode[]): readonly string[] {
  return nodes.map(({ label, description }) => `${label} | ${description}`)
}

/** A report of today. */
export function report(by: Report['by'], rows: readonly (Partial<ReportRow> & Pick<ReportRow, 'name'>)[]): Report {
  const sums = {
    calls: 1,
    unpricedCalls: 0,
    input: 0,
    cacheRead: 0,
    cacheWrite: 0,
    output: 0,
    eur: 0,
    listPriceEur: 0,
    share: 0,
  }
  return {
    by,
    from: '2026-11-30',
    to: '2026-11-30',
    timezone: 'Europe/Berlin',
    currency: 'EUR',
    rows: rows.map((one) => ({ ...sums, ...one })),
    omittedRows: 0,
    totals: sums,
    callsKeptSince: null,
  }
}
