import { cutTo } from '../terminal.ts'

/** The clock and the output of a screen. */
export interface ScreenParts {
  readonly out: (text: string) => void
  /** Columns of the terminal; null where the output is no terminal. */
  readonly columns: () => number | null
  readonly nowMs: () => number
  /** Calls back after a time; returns how to cancel. */
  readonly later: (act: () => void, ms: number) => () => void
}

/** Shortest time between two drawings of the line, in milliseconds: four a second. */
const drawIntervalMs = 250

/** Back to the first column, and everything after it away. */
const clearLine = '\r\u001b[K'

/**
 * One live line at the bottom with lasting lines above it. In a file or a pipe every change is a line of its own, without
 * any control sequence.
 */
export class WatchScreen {
  readonly #parts: ScreenParts
  #wanted: string | null = null
  #drawn: string | null = null
  #drawnAtMs = -Infinity
  #cancel: (() => void) | null = null

  constructor(parts: ScreenParts) {
    this.#parts = parts
  }

  /** Replaces the live line, now or when 250 ms have passed since the last drawing. */
  show(line: string): void {
    this.#wanted = line
    if (this.#cancel !== null) return
    const waitMs = this.#drawnAtMs + drawIntervalMs - this.#parts.nowMs()
    if (waitMs <= 0) return this.#draw()
    this.#cancel = this.#parts.later(() => {
      this.#cancel = null
      this.#draw()
    }, waitMs)
  }

  /** Writes a line that stays, above the live one. */
  say(line: string): void {
    const { out, columns } = this.#parts
    if (columns() === null) return out(`${line}\n`)
    out(`${clearLine}${line}\n${this.#drawn === null ? '' : this.#fitted(this.#drawn)}`)
  }

  /** Leaves the last line where it is and the cursor below it. */
  end(): void {
    this.#cancel?.()
    this.#cancel = null
    if (this.#drawn !== null && this.#parts.columns() !== null) this.#parts.out('\n')
  }

  #draw(): void {
    const { out, columns, nowMs } = this.#parts
    const line = this.#wanted
    if (line === null || line === this.#drawn) return
    this.#drawn = line
    this.#drawnAtMs = nowMs()
    out(columns() === null ? `${line}\n` : `${clearLine}${this.#fitted(line)}`)
  }

  /** A line as wide as the terminal would wrap, and a wrapped line cannot be drawn over. */
  #fitted(line: string): string {
    return cutTo(line, Math.max(1, (this.#parts.columns() ?? 80) - 1))
  }
}
