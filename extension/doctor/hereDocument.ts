/** How a here-document ends. */
export interface HereDocument {
  readonly word: string
  /** Whether tabs may stand before the word: `<<-`. */
  readonly isIndented: boolean
}

/**
 * Where the text goes on after a here-document that begins at `from`. One whose end is nowhere is none, as `1 << 2` in a sum: it must
 * not hide the rest of the file.
 */
export function afterHereDocument(text: string, from: number, { word, isIndented }: HereDocument): number {
  for (let start = from; start < text.length;) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const row = text.slice(start, end).replace(/\r$/, '')
    start = newline < 0 ? end : end + 1
    if ((isIndented ? row.replace(/^\t+/, '') : row) === word) return start
  }
  return from
}
