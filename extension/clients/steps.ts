/** One change of a text: at `offset`, `removed` gave way to `inserted`. */
export interface Step {
  /** In the text as the steps before it left it. */
  readonly offset: number
  readonly removed: string
  readonly inserted: string
}

/**
 * A change that stands for itself. What it replaces is kept whole: a part of a value, such as one figure of a port, could not
 * be found again in a text that was changed since.
 */
export function step(text: string, offset: number, length: number, inserted: string): Step {
  return { offset, removed: text.slice(offset, offset + length), inserted }
}

/** The text after the steps, one after the other. */
export function applySteps(text: string, steps: readonly Step[]): string {
  return steps.reduce(
    (before, { offset, removed, inserted }) =>
      before.slice(0, offset) + inserted + before.slice(offset + removed.length),
    text,
  )
}

/** The text before the steps, where `text` is exactly what they led to; undefined where it is not. */
export function takeBack(text: string, steps: readonly Step[]): string | undefined {
  let present = text
  for (const { offset, removed, inserted } of [...steps].reverse()) {
    if (!present.startsWith(inserted, offset)) return undefined
    present = present.slice(0, offset) + removed + present.slice(offset + inserted.length)
  }
  return present
}
