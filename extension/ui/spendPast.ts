import { warningEvents, readEvents } from './spendEvents.ts'
import type { DaemonEvent } from './eventFields.ts'

/** Events of one page; no answer of the daemon has more. */
const mostOfPage = 1000
/** Pages that are read at most: more than a daemon remembers of the kinds that the view keeps. */
const mostPages = 20

/** Asks the daemon for a path of its API. */
export type Ask = (path: string) => Promise<unknown>

/** What happened before this window. */
export interface Past {
  readonly events: readonly DaemonEvent[]
  /** Nothing that the daemon remembers was left out. */
  readonly isWhole: boolean
}

/**
 * Every refusal and warning since a time, in milliseconds since the epoch, page by page. Only those are asked for: a busy day has
 * thousands of calls, whose starts and ends would leave no room for the refusals of the morning. Rejects as `ask` does.
 */
export async function readPast(ask: Ask, sinceMs: number): Promise<Past> {
  const query = `/api/events?event=${['refused', ...warningEvents].join(',')}&since=${sinceMs}&limit=${mostOfPage}`
  const events: DaemonEvent[] = []
  let before = Infinity
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await ask(before === Infinity ? query : `${query}&before=${before}`)
    events.push(...readEvents(answer))
    const ids = idsOf(answer)
    const first = ids[0]
    if (ids.length < mostOfPage || first === undefined) return { events, isWhole: true }
    // A daemon that does not know `before` would answer the same for ever.
    if (first >= before) break
    before = first
  }
  return { events, isWhole: false }
}

/** The newest refusals after a time, as many as a badge can tell. Rejects as `ask` does. */
export async function readRefusals(ask: Ask, sinceMs: number): Promise<readonly DaemonEvent[]> {
  return readEvents(await ask(`/api/events?event=refused&since=${sinceMs}&limit=${mostOfPage}`))
}

/** Ids of the rows of a page, the oldest first; those of unknown events count too. */
function idsOf(answer: unknown): readonly number[] {
  const { events } = (answer ?? {}) as { events?: unknown }
  if (!Array.isArray(events)) return []
  return events.map((row: unknown) => {
    const id = (row as { id?: unknown } | null)?.id
    return typeof id === 'number' ? id : Infinity
  })
}
