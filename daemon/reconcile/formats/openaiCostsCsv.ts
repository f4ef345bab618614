import type { CsvFormat } from '../format.ts'
import { InvoiceRows, UnreadableInvoice } from '../invoice.ts'
import { shown, usdAmount, utcDay } from '../values.ts'
import { textOrNull } from './fields.ts'
import { openaiLineItem } from './openaiLineItem.ts'

/**
 * The costs export of OpenAI's usage page, as of 2026: the fields of the costs API as columns (`start_time`, `end_time`,
 * `start_time_iso`, `end_time_iso`, `amount_value`, `amount_currency`, `line_item`, `project_id`, …). A day without costs has a
 * row with empty cells.
 */
export const openaiCostsCsv: CsvFormat = {
  name: 'OpenAI costs (CSV)',
  columns: ['start_time', 'amount_value', 'amount_currency'],
  read(table) {
    const collected = new InvoiceRows()
    table.each((row) => {
      const currency = row.cell('amount_currency').toLowerCase()
      if (currency !== 'usd' && currency !== '') {
        throw new UnreadableInvoice(
          `Line ${row.line}: amount_currency is ${shown(currency)}; only "usd" is understood.`,
        )
      }
      collected.add({
        day: utcDay(row.cell('start_time'), `Line ${row.line}: start_time`),
        ...openaiLineItem(textOrNull(row.cell('line_item'))),
        amount: usdAmount(row.cell('amount_value'), `Line ${row.line}: amount_value`),
      })
    })
    return {
      format: this.name,
      provider: 'openai',
      unit: 'usd',
      tiers: 'named',
      itemizesTools: collected.rows.some(({ model, item }) => model !== null || item !== null),
      rows: collected.rows,
      period: collected.period,
      notes: [],
    }
  },
}
