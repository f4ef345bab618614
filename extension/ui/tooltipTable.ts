/** One line of the tooltip's table. */
export type Row = readonly [string, string, string, string]

/** Rows that a list shows before it says how many more there are. */
export const mostRows = 6

/** The hover draws tables without any space between the columns. */
const columnGap = '&emsp;'

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

/** Text that comes from outside, such as a model's name, without any power in markdown. */
export function plain(value: string): string {
  return value.replace(/[\r\n]+/g, ' ').replace(/[\\`*_{}[\]()<>#+!|~$&]/g, '\\$&')
}
