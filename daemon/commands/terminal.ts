/** Where a command writes, and what it may know about the outside. Commands get it passed in, so that a test can look. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  /** Columns of a terminal; null where stdout is a file or a pipe. */
  readonly columns: () => number | null
  /** Calls back once when the user asks to stop; returns how to stop listening. */
  readonly onInterrupt: (listener: () => void) => () => void
}

/** Text from outside (a model, a task, a project) without the control characters that a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '?')
}

/** A text cut to a number of characters, with an ellipsis where something is missing. */
export function cutTo(text: string, characters: number): string {
  const all = Array.from(text)
  return all.length <= characters ? text : `${all.slice(0, Math.max(0, characters - 1)).join('')}…`
}
