import type { Timers } from './coalesce.ts'

/** A message that waits or is shown. */
export interface Message {
  /** The key under which it is said once. */
  readonly key: string
  /** The task or session that it is about; null where it is about none. */
  readonly about: string | null
  /** How much it asks for: it waits for nothing that asks for less. */
  readonly weight: number
  /** Resolves when it was answered or closed, true where that changed something. */
  readonly show: () => Promise<boolean>
}

/** Calls back when what is shown now has left the screen by itself; the returned function takes that back. */
export type WhenOffScreen = (run: () => void) => () => void

interface Shown {
  readonly message: Message
  /** Null once it has left the screen. */
  takeBack: (() => void) | null
}

/** Messages of one weight that may be on the screen at once: VS Code has room for as many. */
const mostOnScreen = 3

/** VS Code puts a fourth message within 800 ms into its list without showing it. */
const burstMs = 1000

/**
 * Which messages are on the screen. One about a task waits while another about it is there that asks for as much or more, and any waits
 * while three such are there; what asks for more is shown at once beside them. Invariant: nothing waits behind a message that left the
 * screen unanswered, or whose state is over. VS Code closes neither, so both stay in its list.
 */
export class OpenMessages {
  readonly #timers: Timers
  readonly #whenOffScreen: WhenOffScreen
  #shown: readonly Shown[] = []
  #waiting: readonly Message[] = []
  /** When the latest were shown, in milliseconds since the epoch. */
  #shownAtMs: readonly number[] = []
  #takeBackLook: (() => void) | null = null

  constructor(timers: Timers, whenOffScreen: WhenOffScreen) {
    this.#timers = timers
    this.#whenOffScreen = whenOffScreen
  }

  /** Shows a message, or lets it wait; true where it is shown. */
  add(message: Message): boolean {
    this.#waiting = [...this.#waiting, message]
    this.#showWhatMay()
    return !this.#waiting.includes(message)
  }

  /** Whether a message with this key waits or is shown. */
  knows(key: string): boolean {
    return [...this.#waiting, ...this.#shown.map(({ message }) => message)].some((message) => message.key === key)
  }

  /** Forgets messages whose keys begin so, because the state that they tell is over: none is shown, and nothing waits for them. */
  drop(prefixes: readonly string[]): void {
    const isOver = ({ key }: Message): boolean => prefixes.some((prefix) => key.startsWith(prefix))
    this.#waiting = this.#waiting.filter((message) => !isOver(message))
    for (const shown of this.#shown) if (isOver(shown.message)) this.#forget(shown)
    this.#showWhatMay()
  }

  dispose(): void {
    this.#waiting = []
    for (const shown of this.#shown) this.#forget(shown)
    this.#takeBackLook?.()
    this.#takeBackLook = null
  }

  #showWhatMay(): void {
    for (;;) {
      const next = this.#nextToShow()
      if (next === undefined) return
      const restMs = this.#burstRestMs()
      if (restMs > 0) {
        this.#takeBackLook ??= this.#timers.after(restMs, () => {
          this.#takeBackLook = null
          this.#showWhatMay()
        })
        return
      }
      this.#waiting = this.#waiting.filter((message) => message !== next)
      this.#show(next)
    }
  }

  /** What asks for most, of that the first. */
  #nextToShow(): Message | undefined {
    return this.#waiting
      .filter((message) => !this.#isHeld(message))
      .reduce<Message | undefined>(
        (best, one) => (best === undefined || one.weight > best.weight ? one : best),
        undefined,
      )
  }

  #isHeld({ about, weight }: Message): boolean {
    const before = this.#shown.filter(({ message, takeBack }) => takeBack !== null && message.weight >= weight)
    return before.length >= mostOnScreen || before.some(({ message }) => about !== null && message.about === about)
  }

  #burstRestMs(): number {
    const nowMs = this.#timers.nowMs()
    // A clock that was set back leaves moments that have yet to come.
    this.#shownAtMs = this.#shownAtMs.filter((atMs) => atMs <= nowMs && nowMs - atMs < burstMs)
    const [first] = this.#shownAtMs
    return first === undefined || this.#shownAtMs.length < mostOnScreen ? 0 : first + burstMs - nowMs
  }

  #show(message: Message): void {
    this.#shownAtMs = [...this.#shownAtMs, this.#timers.nowMs()]
    const shown: Shown = { message, takeBack: null }
    shown.takeBack = this.#whenOffScreen(() => {
      shown.takeBack = null
      this.#showWhatMay()
    })
    this.#shown = [...this.#shown, shown]
    void message.show().then(
      (isChanged) => this.#over(shown, isChanged),
      () => this.#over(shown, false),
    )
  }

  /** After an answer that changed something, what waits about the same task is about a state that is over. */
  #over(shown: Shown, isChanged: boolean): void {
    if (!this.#shown.includes(shown)) return
    const { about } = shown.message
    if (isChanged && about !== null) this.#waiting = this.#waiting.filter((message) => message.about !== about)
    this.#forget(shown)
    this.#showWhatMay()
  }

  #forget(shown: Shown): void {
    shown.takeBack?.()
    shown.takeBack = null
    this.#shown = this.#shown.filter((one) => one !== shown)
  }
}
