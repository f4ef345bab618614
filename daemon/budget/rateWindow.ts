const slots = 60
const slotMs = 1000

/** Calls and tokens of the last 60 seconds, in one-second slots: constant memory, constant time. */
export class RateWindow {
  readonly #calls = new Uint32Array(slots)
  readonly #tokens = new Float64Array(slots)
  #newest = 0

  /**
   * Moves the window to `nowMs`. A clock that steps back a little changes nothing. After a large step the window moves with
   * it and keeps its sums for one more minute: it would else stand still until the clock has caught up, perhaps for hours.
   */
  #advance(nowMs: number): void {
    const slot = Math.floor(nowMs / slotMs)
    if (this.#newest - slot >= slots) this.#moveTo(slot)
    if (slot <= this.#newest) return
    const passed = Math.min(slots, slot - this.#newest)
    for (let step = 1; step <= passed; step += 1) {
      const at = (slot - passed + step) % slots
      this.#calls[at] = 0
      this.#tokens[at] = 0
    }
    this.#newest = slot
  }

  #moveTo(slot: number): void {
    const calls = this.#calls.reduce((sum, one) => sum + one, 0)
    const tokens = this.#tokens.reduce((sum, one) => sum + one, 0)
    this.#calls.fill(0)
    this.#tokens.fill(0)
    this.#calls[slot % slots] = calls
    this.#tokens[slot % slots] = tokens
    this.#newest = slot
  }

  add(nowMs: number, calls: number, tokens: number): void {
    this.#advance(nowMs)
    const at = this.#newest % slots
    this.#calls[at] = (this.#calls[at] ?? 0) + calls
    this.#tokens[at] = (this.#tokens[at] ?? 0) + tokens
  }

  /** Sums of the window, and the age of the oldest call in it, in milliseconds (0 when empty). */
  read(nowMs: number): { readonly calls: number; readonly tokens: number; readonly oldestAgeMs: number } {
    this.#advance(nowMs)
    let calls = 0
    let tokens = 0
    let oldestAgeMs = 0
    for (let age = 0; age < slots; age += 1) {
      const at = (this.#newest - age + slots) % slots
      const inSlot = this.#calls[at] ?? 0
      calls += inSlot
      tokens += this.#tokens[at] ?? 0
      if (inSlot > 0) oldestAgeMs = age * slotMs
    }
    return { calls, tokens, oldestAgeMs }
  }
}
