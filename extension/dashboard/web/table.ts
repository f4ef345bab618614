import type { ChartTable } from '../page.ts'
import { element } from './elements.ts'

/** Fills a table element: the first column names the row. */
export function fillTable(target: HTMLTableElement, { columns, rows }: ChartTable): void {
  const kind = (at: number): Record<string, string> => (columns[at]?.isNumber === true ? { class: 'number' } : {})
  const head = element('tr', {}, ...columns.map(({ name }, at) => element('th', { scope: 'col', ...kind(at) }, name)))
  const body = rows.map((row) =>
    element(
      'tr',
      {},
      ...row.map(({ text }, at) =>
        at === 0 ? element('th', { scope: 'row', ...kind(at) }, text) : element('td', kind(at), text),
      ),
    ),
  )
  target.replaceChildren(element('thead', {}, head), element('tbody', {}, ...body))
}
