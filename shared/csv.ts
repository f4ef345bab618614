/** A number as programs write it, below zero too, up to the end of its cell. A spreadsheet takes it for that number. */
const plainNumber = /[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[;\t\r\n]|$)/y

/**
 * What may stand before a sign that a spreadsheet takes for the beginning of a formula: blanks and quotes, which some programs drop, and
 * what may end the cell before. Where the comma is the decimal sign, cells end at semicolons, and quotes that do not begin such a cell
 * keep nothing together. Signs of double width are signs to some. A run is looked at from its beginning only, or long ones would take
 * a time that grows with their square.
 */
const beforeFormula = /(?:^|(?<![\s\p{Cc}\p{Cf}";]))[\s\p{Cc}\p{Cf}";]*(?=[=+\-@＝＋－＠])/gu

/**
 * A text as one cell of a CSV file (RFC 4180): in quotes where it holds a quote, a line break or anything that separates cells somewhere.
 * An apostrophe stands before each part that a spreadsheet would take for a formula, and before a tab or line break at the start.
 */
export function csvText(text: string): string {
  const plain = text.replace(beforeFormula, (run, at: number) => guarded(text, run, at)).replace(/^(?=[\t\r\n])/, "'")
  return /[",;\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** The run with an apostrophe where the cell begins that its sign is in; as it is where the sign is inside a cell or of a number. */
function guarded(text: string, run: string, at: number): string {
  const lastEnd = Math.max(...[';', '\t', '\r', '\n'].map((end) => run.lastIndexOf(end)))
  if (lastEnd < 0 && at > 0) return run
  const before = run.slice(0, lastEnd + 1)
  plainNumber.lastIndex = at + before.length
  return plainNumber.test(text) ? run : `${before}'${run.slice(before.length)}`
}
