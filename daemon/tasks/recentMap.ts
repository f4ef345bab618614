/** Most entries that are looked at to find one that may leave. */
const mostTried = 64

/**
 * A map of bounded size that forgets what was used longest ago. `mayLeave` protects entries that are in use; where all that
 * it looks at are, the oldest leaves all the same, so that the bound holds.
 */
export class RecentMap<Value> {
  readonly #entries = new Map<string, Value>()
  readonly #most: number
  readonly #mayLeave: (value: Value) => boolean

  constructor(most: number, mayLeave: (value: Value) => boolean = () => true) {
    this.#most = most
    this.#mayLeave = mayLeave
  }

  /** Looks without counting as a use. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  /** The entry, made where it is missing, and now the youngest. */
  use(key: string, make: () => Value): Value {
    const value = this.#entries.get(key) ?? make()
    this.#entries.delete(key)
    if (this.#entries.size >= this.#most) this.#forgetOne()
    this.#entries.set(key, value)
    return value
  }

  /** All values, the youngest first. */
  recent(): Value[] {
    return [...this.#entries.values()].reverse()
  }

  get size(): number {
    return this.#entries.size
  }

  #forgetOne(): void {
    let oldest: string | null = null
    let tried = 0
    for (const [key, value] of this.#entries) {
      oldest ??= key
      if (this.#mayLeave(value)) {
        oldest = key
        break
      }
      tried += 1
      if (tried >= mostTried) break
    }
    if (oldest !== null) this.#entries.delete(oldest)
  }
}
