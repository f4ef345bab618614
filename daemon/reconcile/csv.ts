import { CsvError, parse } from 'csv-parse/sync'
import { UnreadableInvoice } from './invoice.ts'

/** Delimiters that exports use: `;` where the decimal comma is at home, tabs from a spreadsheet. */
const delimiters = [',', ';', '\t'] as const

/** A row, by the names of its columns. */
export interface CsvRow {
  /** First line of the row in the file, from 1: a quoted cell may hold line feeds. */
  readonly line: number
  /** The cell of a column; an empty text where the row or the file has none. */
  cell(column: string): string
}

/** A table whose rows are still to be read. */
export interface CsvTable {
  /** Trimmed names of the first row, as they are written. */
  readonly columns: readonly string[]
  readonly has: (column: string) => boolean
  /** Reads the rows one after the other, so that a large file is not held twice. Throws UnreadableInvoice. */
  each(use: (row: CsvRow) => void): void
}

/** Opens a CSV text, whatever its delimiter, line ends, quotes and byte order mark. Throws UnreadableInvoice. */
export function openCsv(text: string): CsvTable {
  // The library counts a line end of two characters inside a quoted cell twice, and lines are named in messages.
  const clean = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const delimiter = delimiterOf(clean)
  const [head] = read(clean, delimiter, { to: 1 })
  const columns = (head ?? []).map((name) => name.trim())
  const positions = new Map<string, number>()
  columns.forEach((name, at) => {
    const key = name.toLowerCase()
    // Of a column that is there twice nobody could say which one is meant.
    positions.set(key, positions.has(key) ? -1 : at)
  })
  const position = (column: string): number => positions.get(column.toLowerCase()) ?? -1
  return {
    columns,
    has: (column) => position(column) >= 0,
    each(use) {
      let isHead = true
      let line = 1
      read(clean, delimiter, {
        onRecord: (cells, lastLine) => {
          const from = line
          line = lastLine + 1
          if (isHead) {
            isHead = false
            return
          }
          if (cells.every((cell) => cell === '')) return
          if (cells.length !== columns.length) {
            throw new UnreadableInvoice(
              `Line ${from} has ${cells.length} cells where the first line names ${columns.length} columns.`,
            )
          }
          use({ line: from, cell: (column) => cells[position(column)] ?? '' })
        },
      })
    },
  }
}

function read(
  text: string,
  delimiter: string,
  { to, onRecord }: { readonly to?: number; readonly onRecord?: (cells: string[], lastLine: number) => void },
): string[][] {
  try {
    return parse(text, {
      delimiter,
      trim: true,
      relax_column_count: true,
      ...(to === undefined ? {} : { to }),
      ...(onRecord === undefined
        ? {}
        : {
            on_record: (cells: string[], { lines }) => {
              onRecord(cells, lines)
              return null
            },
          }),
    })
  } catch (fault) {
    if (fault instanceof UnreadableInvoice) throw fault
    const line = fault instanceof CsvError && typeof fault['lines'] === 'number' ? ` near line ${fault['lines']}` : ''
    throw new UnreadableInvoice(`The file is no CSV${line}: a quote is not closed or stands inside a cell.`)
  }
}

/** The delimiter that occurs most in the first line, outside of quotes. */
function delimiterOf(text: string): string {
  const first = /^(?:"[^"]*"|[^"\r\n])*/.exec(text)?.[0].replace(/"[^"]*"/g, '') ?? ''
  const count = (delimiter: string): number => first.split(delimiter).length
  return delimiters.reduce((best, one) => (count(one) > count(best) ? one : best))
}
