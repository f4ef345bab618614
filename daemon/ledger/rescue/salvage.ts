import type { LedgerPages } from '../file/pages.ts'
import { readCell, readTreePage, type Cell, type TreePage, type Value } from '../file/records.ts'
import { rowOf, type TableLayout } from './layout.ts'

/** One row that could be read. */
export interface SalvagedRow {
  readonly table: TableLayout
  readonly values: readonly Value[]
}

/** What could not be read. Grows while the rows are taken. */
export interface SalvageLosses {
  /** Pages that are no pages of a table any more, or are missing. */
  pages: number
  /** Entries of readable pages that are no rows. */
  rows: number
}

/** Root page of the tree that lists all others. */
const schemaRoot = 1
/** Place of the tree's root page and of the table's name in that list. */
const schemaName = 1
const schemaRootPage = 3

/** Deepest tree that is followed: 2048-byte pages reach a billion rows in six steps. */
const mostDepth = 20

/**
 * Reads the rows of a damaged ledger page by page. The trees are followed as far as they hold; the pages that only a lost
 * page pointed to are taken for rows of the table that their content fits. A row may come twice, what the trees hold
 * comes first. Pages that were free are left out, because they hold what was deleted.
 */
export class Salvage {
  readonly losses: SalvageLosses = { pages: 0, rows: 0 }
  readonly #pages: LedgerPages
  readonly #tables: readonly TableLayout[]
  readonly #seen = new Set<number>()

  constructor(pages: LedgerPages, tables: readonly TableLayout[]) {
    this.#pages = pages
    this.#tables = tables
  }

  *rows(): Generator<SalvagedRow> {
    for (const [table, root] of this.#roots()) yield* this.#tree(table, root, 0)
    const free = this.#freePages()
    for (let number = 2; number <= this.#pages.count; number += 1) {
      if (!this.#seen.has(number) && !free.has(number)) yield* this.#strayPage(number)
    }
  }

  /**
   * Pages of the list of free ones, see https://sqlite.org/fileformat2.html#the_freelist. None where the list does not
   * hold: then a page that may be free is rather read than lost.
   */
  #freePages(): ReadonlySet<number> {
    const { header, count, pageBytes } = this.#pages
    const free = new Set<number>()
    const isPage = (number: number): boolean => number > 1 && number <= count && !free.has(number)
    let trunk = header?.firstFreePage ?? 0
    while (trunk !== 0) {
      const bytes = isPage(trunk) ? this.#pages.page(trunk) : null
      const leaves = bytes?.readUInt32BE(4) ?? Infinity
      if (bytes === null || leaves > pageBytes / 4 - 2) return new Set()
      free.add(trunk)
      for (let leaf = 0; leaf < leaves; leaf += 1) {
        const number = bytes.readUInt32BE(8 + 4 * leaf)
        if (!isPage(number)) return new Set()
        free.add(number)
      }
      trunk = bytes.readUInt32BE(0)
    }
    return free.size === header?.freePages ? free : new Set()
  }

  /** Root pages of the tables, as far as the list of trees can be read. Indexes are seen, so that nobody reads them as rows. */
  #roots(): Map<TableLayout, number> {
    const roots = new Map<TableLayout, number>()
    const indexes: number[] = []
    for (const { values } of this.#cells(schemaRoot, 0)) {
      const [name, root] = [values[schemaName], values[schemaRootPage]]
      if (typeof root !== 'number' || root < 2) continue
      const table = this.#tables.find((one) => one.name === name)
      if (table !== undefined) roots.set(table, root)
      else indexes.push(root)
    }
    for (const root of indexes) this.#skipTree(root, 0)
    return roots
  }

  #skipTree(number: number, depth: number): void {
    const found = this.#visit(number, depth)
    for (const child of found?.page.children ?? []) this.#skipTree(child, depth + 1)
  }

  *#tree(table: TableLayout, root: number, depth: number): Generator<SalvagedRow> {
    for (const cell of this.#cells(root, depth)) {
      const values = rowOf(table, cell)
      if (values === null) this.losses.rows += 1
      else yield { table, values }
    }
  }

  /** The rows below a page, in order. */
  *#cells(number: number, depth: number): Generator<Cell> {
    const found = this.#visit(number, depth)
    if (found === null) {
      this.losses.pages += 1
      return
    }
    const { page, bytes } = found
    if (page.kind === 'leaf' || !page.hasRowids) yield* this.#cellsOf(bytes, page)
    for (const child of page.children) yield* this.#cells(child, depth + 1)
  }

  *#cellsOf(bytes: Buffer, page: TreePage): Generator<Cell> {
    for (const at of page.cells) {
      const cell = this.#cell(bytes, page, at)
      if (cell === null) this.losses.rows += 1
      else yield cell
    }
  }

  #cell(bytes: Buffer, page: TreePage, at: number): Cell | null {
    const { pageBytes } = this.#pages
    const read = (number: number): Buffer | null => {
      if (number < 2 || number > this.#pages.count) return null
      this.#seen.add(number)
      return this.#pages.page(number)
    }
    try {
      return readCell(bytes, page, at, { pageBytes, page: read })
    } catch (fault) {
      if (fault instanceof RangeError) return null
      throw fault
    }
  }

  /** A page that is visited for the first time; null for any other, and for what is no page of a tree. */
  #visit(number: number, depth: number): { readonly page: TreePage; readonly bytes: Buffer } | null {
    if (depth > mostDepth || number < 1 || number > this.#pages.count || this.#seen.has(number)) return null
    this.#seen.add(number)
    const bytes = this.#pages.page(number)
    const page = bytes === null ? null : readTreePage(bytes, number)
    return bytes === null || page === null ? null : { page, bytes }
  }

  /** A page that nothing points to. It is of the one table that all its entries fit. */
  *#strayPage(number: number): Generator<SalvagedRow> {
    const bytes = this.#pages.page(number)
    const page = bytes === null ? null : readTreePage(bytes, number)
    if (bytes === null || page === null || (page.kind === 'inner' && page.hasRowids)) return
    const cells = page.cells.flatMap((at) => this.#cell(bytes, page, at) ?? [])
    const fitting = this.#tables.filter((table) => cells.length > 0 && cells.every((cell) => isOf(table, cell)))
    const [table] = fitting
    if (table === undefined || fitting.length > 1) return
    this.losses.rows += page.cells.length - cells.length
    for (const cell of cells) {
      const values = rowOf(table, cell)
      if (values !== null) yield { table, values }
    }
  }
}

/** Lists of windows are the texts of digits and commas; two tables have the same columns otherwise. */
const windowList = /^\d+(,\d+)*$/

function isOf(table: TableLayout, cell: Cell): boolean {
  // A page that nothing points to is trusted with whole rows only: a short record fits too many tables.
  if (rowOf(table, cell) === null || cell.values.length < 2) return false
  if (table.name === 'scope_sets' || table.name === 'owners') {
    return windowList.test(String(cell.values[1])) === (table.name === 'scope_sets')
  }
  return true
}
