/** A tool call that waits for its result. */
export interface OpenCall {
  readonly tool: string
  readonly callDigest: string
}

/** A call of an answer that the provider keeps: its result comes with a request that does not repeat the call. */
export interface PendingCall extends OpenCall {
  /** Digest of the id that the result will name; null where it has none. */
  readonly id: string | null
}

/** Calls in the order in which they came; those that were answered by another way are skipped when it is their turn. */
class Queue {
  readonly #calls: OpenCall[] = []
  #next = 0

  push(call: OpenCall): void {
    this.#calls.push(call)
  }

  shift(answered: ReadonlySet<OpenCall>): OpenCall | null {
    while (this.#next < this.#calls.length) {
      const call = this.#calls[this.#next++]
      if (call !== undefined && !answered.has(call)) return call
    }
    return null
  }
}

/**
 * Finds the call that a result answers: the one with its id, else the oldest open one of its tool, else the oldest open one.
 * Ids repeat on some local servers, so that each id has its own order. Linear in the number of calls.
 */
export class CallPairing {
  readonly #byId = new Map<string, Queue>()
  readonly #byTool = new Map<string, Queue>()
  readonly #all = new Queue()
  readonly #answered = new Set<OpenCall>()

  /** Notes a call. */
  open(id: string | null, call: OpenCall): void {
    if (id !== null) queueIn(this.#byId, id).push(call)
    queueIn(this.#byTool, call.tool).push(call)
    this.#all.push(call)
  }

  /** The call that this result answers; null for one whose call is not in the transcript. */
  answer(id: string | null, tool: string | null): OpenCall | null {
    const call = this.#find(id, tool)
    if (call !== null) this.#answered.add(call)
    return call
  }

  #find(id: string | null, tool: string | null): OpenCall | null {
    if (id !== null) return this.#byId.get(id)?.shift(this.#answered) ?? null
    const ofTool = tool === null ? null : (this.#byTool.get(tool)?.shift(this.#answered) ?? null)
    return ofTool ?? this.#all.shift(this.#answered)
  }
}

function queueIn(queues: Map<string, Queue>, name: string): Queue {
  const known = queues.get(name)
  if (known !== undefined) return known
  const made = new Queue()
  queues.set(name, made)
  return made
}
