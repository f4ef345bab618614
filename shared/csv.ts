/**
 * A text as one cell of a CSV file (RFC 4180): in quotes where it holds a comma, a quote or a line break. One that a
 * spreadsheet would take for a formula begins with an apostrophe.
 */
export function csvText(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
