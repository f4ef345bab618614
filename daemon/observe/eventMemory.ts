/** An event as it happened. What windows and lists read is put together when somebody asks: most events meet nobody. */
export interface Remembered {
  readonly id: number
  readonly atMs: number
  readonly event: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Which events are asked for. */
export interface EventFilter {
  /** In milliseconds since the epoch; that moment included. */
  readonly sinceMs: number
  /** Most events; the newest are taken. */
  readonly limit: number
  /** Null for all. */
  readonly names?: readonly string[] | null
  /** Only events with a lower id, for the page before one that is known. */
  readonly beforeId?: number
}

/** Events of one kind that are remembered: as many as one list may have. */
export const mostOfKind = 1000

/**
 * The newest events, those of one kind by themselves: starts and ends of calls, or a client that is refused again and again,
 * must not push out the one warning of the morning. Kinds are the names of events and the codes of refusals, so that their
 * number is bounded.
 */
export class EventMemory {
  readonly #kinds = new Map<string, Remembered[]>()

  /** Takes an event in; ids grow. */
  add(event: Remembered): void {
    const kind = event.event === 'refused' ? `refused ${String(event.fields['code'])}` : event.event
    const list = this.#kinds.get(kind)
    if (list === undefined) {
      this.#kinds.set(kind, [event])
      return
    }
    list.push(event)
    // In groups, because moving the list up costs more than what it holds too long.
    if (list.length > mostOfKind * 1.2) list.splice(0, list.length - mostOfKind)
  }

  /** The newest events that a filter lets through, the newest last. */
  list({ sinceMs, limit, names = null, beforeId = Infinity }: EventFilter): readonly Remembered[] {
    const found: Remembered[] = []
    for (const list of this.#kinds.values()) {
      if (names !== null && !names.includes(list[0]?.event ?? '')) continue
      found.push(...list.filter(({ id, atMs }) => atMs >= sinceMs && id < beforeId).slice(-limit))
    }
    return found.sort((left, right) => left.id - right.id).slice(-limit)
  }
}
