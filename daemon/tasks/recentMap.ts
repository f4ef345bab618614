import { BoundedMap } from '../transcript/boundedMap.ts'

/** A bounded map whose entries are made when they are first used; see `BoundedMap` for what it forgets. */
export class RecentMap<Value> {
  readonly #entries: BoundedMap<Value>

  constructor(most: number, mayLeave?: (value: Value) => boolean) {
    this.#entries = new BoundedMap(most, mayLeave)
  }

  /** Looks without counting as a use. */
  peek(key: string): Value | undefined {
    return this.#entries.peek(key)
  }

  /** The entry, made where it is missing, and now the youngest. */
  use(key: string, make: () => Value): Value {
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const value = make()
    this.#entries.set(key, value)
    return value
  }

  /** All values, the one that was used last first. */
  recent(): Value[] {
    return this.#entries.latest()
  }

  get size(): number {
    return this.#entries.size
  }
}
