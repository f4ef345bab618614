/** A number as programs write it, below zero too. A spreadsheet takes it for that number. */
const plainNumber = String.raw`[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?`

/**
 * The place before what a spreadsheet would take for a formula: at the start of a text, or behind what may end a cell. Where the comma is
 * the decimal sign, cells end at semicolons, and quotes that do not begin such a cell keep nothing together. Blanks and quotes before
 * the sign are dropped by some programs, and signs of double width are signs to them.
 */
const beforeFormula = new RegExp(
  String.raw`(?<=^|[;\t\r\n])(?!${plainNumber}(?:[;\t\r\n]|$))(?=[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠])`,
  'gu',
)

/**
 * A text as one cell of a CSV file (RFC 4180): in quotes where it holds a quote, a line break or anything that separates cells somewhere.
 * An apostrophe stands before each part that a spreadsheet would take for a formula, and before a tab or line break at the start.
 */
export function csvText(text: string): string {
  const plain = text.replace(beforeFormula, "'").replace(/^(?=[\t\r\n])/, "'")
  return /[",;\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
