interface Entry<Value> {
  value: Value
  usedAt: number
  /** When it was put at the end of the map, which is not each time that it was used. */
  movedAt: number
}

/** A bound besides the number of entries, where some are much larger than others. */
export interface WeightBound<Value> {
  /** Weight of a value, >= 0; it must not change while the value is in the map. */
  readonly weigh: (value: Value) => number
  /** Most of all values together. */
  readonly most: number
}

/** Most entries that are looked at to find one that may leave. */
const mostTried = 64

/**
 * A map that forgets what was not used for longest, one entry at a time. `mayLeave` protects entries that are in use; where
 * all that it looks at are, the oldest leaves all the same, so that the bound holds.
 *
 * A JavaScript map keeps the places of deleted entries until it is built anew. Taken out and put back at each use, a key
 * that every call uses is soon found behind thousands of its own empty places (measured: 50 microseconds instead of 0.1),
 * and so is the oldest entry when it is looked for from the front. Therefore an entry only moves when it has aged, and the
 * search for the oldest goes on where it ended.
 */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #maxEntries: number
  readonly #mayLeave: (value: Value) => boolean
  readonly #bound: WeightBound<Value> | null
  #oldest = this.#entries.keys()
  #uses = 0
  #weight = 0

  constructor(
    maxEntries: number,
    mayLeave: (value: Value) => boolean = () => true,
    bound: WeightBound<Value> | null = null,
  ) {
    this.#maxEntries = maxEntries
    this.#mayLeave = mayLeave
    this.#bound = bound
  }

  get size(): number {
    return this.#entries.size
  }

  /** Of all values together; 0 where nothing is weighed. */
  get weight(): number {
    return this.#weight
  }

  /** Looks without using. */
  has(key: string): boolean {
    return this.#entries.has(key)
  }

  /** The value, without using it. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  /** The value, which becomes the youngest, as far as an eighth of the entries can tell. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#use(key, entry)
    return entry.value
  }

  /** Sets a value as `get` uses it, and drops the oldest beyond the bound. */
  set(key: string, value: Value): void {
    const entry = this.#entries.get(key)
    this.#weight += this.#weighed(value)
    if (entry !== undefined) {
      this.#weight -= this.#weighed(entry.value)
      entry.value = value
      this.#use(key, entry)
    } else {
      this.#uses += 1
      this.#entries.set(key, { value, usedAt: this.#uses, movedAt: this.#uses })
      if (this.#entries.size > this.#maxEntries) this.#forgetOne()
    }
    while (this.#bound !== null && this.#weight > this.#bound.most && this.#entries.size > 1) this.#forgetOne()
  }

  /** All values, the one that was used last first. */
  latest(): Value[] {
    return [...this.#entries.values()].sort((one, other) => other.usedAt - one.usedAt).map(({ value }) => value)
  }

  #weighed(value: Value): number {
    return this.#bound?.weigh(value) ?? 0
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#weight -= this.#weighed(entry.value)
    this.#entries.delete(key)
  }

  #use(key: string, entry: Entry<Value>): void {
    this.#uses += 1
    entry.usedAt = this.#uses
    if (this.#uses - entry.movedAt > this.#maxEntries >> 3) this.#moveToEnd(key, entry)
  }

  #moveToEnd(key: string, entry: Entry<Value>): void {
    entry.movedAt = this.#uses
    this.#entries.delete(key)
    this.#entries.set(key, entry)
  }

  #forgetOne(): void {
    let first: string | null = null
    for (let tried = 0; tried < mostTried; tried += 1) {
      const key = this.#nextOldest()
      const entry = key === null ? undefined : this.#entries.get(key)
      if (key === null || entry === undefined || key === first) break
      if (this.#mayLeave(entry.value)) {
        this.#drop(key)
        return
      }
      first ??= key
      // What is in use is as good as young.
      this.#moveToEnd(key, entry)
    }
    if (first !== null) this.#drop(first)
  }

  #nextOldest(): string | null {
    let next = this.#oldest.next()
    if (next.done === true) {
      this.#oldest = this.#entries.keys()
      next = this.#oldest.next()
    }
    return next.done === true ? null : next.value
  }
}
