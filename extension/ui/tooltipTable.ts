/** One line of the tooltip's table. */
export type Row = readonly [string, string, string, string]

/** Rows that a list shows before it says how many more there are. */
export const mostRows = 6

/** The hover draws tables without any space between the columns. A figure may not break away from this one. */
const columnGap = '&nbsp;&nbsp;&nbsp;'

/** A table in markdown. */
export function table(head: Row, rows: readonly Row[]): string {
  const line = ([first, ...others]: Row): string =>
    `| ${[first, ...others.map((cell) => columnGap + cell)].join(' | ')} |`
  return [line(head), '| :-- | --: | --: | --: |', ...rows.map(line)].join('\n')
}

/** A heading inside a table. */
export function heading(...cells: Row): Row {
  const [first, second, third, fourth] = cells.map((cell) => (cell === '' ? '' : `**${cell}**`))
  return [first ?? '', second ?? '', third ?? '', fourth ?? '']
}

/**
 * Text that comes from outside, without any power in markdown: no format, no link, no table cell. Icons are put in after
 * markdown was read, so that theirs needs a backslash that outlives it (as `MarkdownString.appendText` makes it), and an
 * address becomes a link without any brackets where its colon, its at sign or the dot behind `www` stand bare.
 */
export function plain(value: string): string {
  return value
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\$(?=\()/g, '\\$')
    .replace(/[\\`*_{}[\]()<>#+!|~&:@]/g, '\\$&')
    .replace(/www\./gi, (found) => `${found.slice(0, -1)}\\.`)
}

/** Letters of a name from outside that a cell shows: a client may name a model as it likes. */
const mostNameLetters = 60

/** Names up to this length stay in one line: a table breaks `term-1130-3` behind its hyphens although it has room. */
const mostUnbrokenLetters = 32

/** A name from outside, as `plain` and no longer than a cell bears. Only to be shown: hyphens of it are others that do not break. */
export function plainName(name: string): string {
  if (name.length <= mostUnbrokenLetters) return plain(name).replaceAll('-', '\u2011')
  if (name.length <= mostNameLetters) return plain(name)
  // Half of a letter that takes two places is no letter.
  return plain(`${name.slice(0, mostNameLetters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`)
}
