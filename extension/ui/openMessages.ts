/** A message that waits or is shown. `show` resolves when it was answered or closed, true where that changed something. */
export interface Message {
  /** The key under which it is said once. */
  readonly key: string
  readonly show: () => Promise<boolean>
}

/**
 * At most one open message per task. What comes while one is open waits, the latest only, and is shown when that one is closed
 * and nothing was changed by it: after an answer the waiting question is about a state that is over.
 */
export class OpenMessages {
  readonly #open = new Map<string, { waiting: Message | null }>()

  /** Shows a message, or lets it wait; resolves when it and what waited behind it are over. `about` null waits for nothing. */
  async show(about: string | null, message: Message): Promise<void> {
    if (about === null) {
      await message.show()
      return
    }
    const before = this.#open.get(about)
    if (before !== undefined) {
      before.waiting = message
      return
    }
    const mine: { waiting: Message | null } = { waiting: null }
    this.#open.set(about, mine)
    try {
      let next: Message | null = message
      while (next !== null) {
        const isChanged = await next.show()
        next = isChanged ? null : mine.waiting
        mine.waiting = null
      }
    } finally {
      this.#open.delete(about)
    }
  }

  /** Whether a message about it is open. */
  has(about: string): boolean {
    return this.#open.has(about)
  }

  /** Whether a message with this key waits behind an open one. */
  waits(key: string): boolean {
    return [...this.#open.values()].some(({ waiting }) => waiting?.key === key)
  }

  /** Drops waiting messages whose keys begin so: the state that they tell is over. */
  drop(prefixes: readonly string[]): void {
    for (const open of this.#open.values()) {
      const key = open.waiting?.key
      if (key !== undefined && prefixes.some((prefix) => key.startsWith(prefix))) open.waiting = null
    }
  }
}
