/** One change of a text: at `offset`, `removed` gave way to `inserted`. */
export interface Step {
  /** In the text as the steps before it left it. */
  readonly offset: number
  readonly removed: string
  readonly inserted: string
}

/** A change that stands for itself: what both ends share is left out, so that nothing is kept that did not change. */
export function step(text: string, offset: number, length: number, inserted: string): Step {
  const removed = text.slice(offset, offset + length)
  const most = Math.min(removed.length, inserted.length)
  let start = 0
  while (start < most && removed[start] === inserted[start]) start++
  let end = 0
  while (end < most - start && removed.at(-1 - end) === inserted.at(-1 - end)) end++
  return {
    offset: offset + start,
    removed: removed.slice(start, removed.length - end),
    inserted: inserted.slice(start, inserted.length - end),
  }
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

/**
 * The same for a text that was changed since: each insertion is looked for, and taken back where it stands exactly once.
 * Undefined where one is gone, stands several times, or left nothing to look for.
 */
export function takeBackWherever(text: string, steps: readonly Step[]): string | undefined {
  let present = text
  for (const { removed, inserted } of [...steps].reverse()) {
    const found = present.indexOf(inserted)
    if (inserted.trim() === '' || found < 0 || present.includes(inserted, found + 1)) return undefined
    present = present.slice(0, found) + removed + present.slice(found + inserted.length)
  }
  return present
}
