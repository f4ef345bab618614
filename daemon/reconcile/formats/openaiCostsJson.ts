import type { JsonFormat } from '../format.ts'
import { InvoiceRows, UnreadableInvoice } from '../invoice.ts'
import { lastDayBefore, shown, usdAmount, utcDay } from '../values.ts'
import { isObject, textOrNull } from './fields.ts'
import { openaiLineItem } from './openaiLineItem.ts'

/**
 * `GET /v1/organization/costs` with `group_by[]=line_item`, as of 2026: buckets of one UTC day (`start_time`, `end_time` in
 * seconds) with `results` of `amount.value` (dollars, a number or a decimal text), `amount.currency` and `line_item`. Without
 * that grouping each day is one total.
 */
export const openaiCostsJson: JsonFormat = {
  name: 'OpenAI costs (JSON)',
  recognises: (result) =>
    result['object'] === 'organization.costs.result' || ('line_item' in result && 'amount' in result),
  read(buckets) {
    const collected = new InvoiceRows()
    for (const { where, fields, results } of buckets) {
      const day = utcDay(fields['start_time'], `${where}.start_time`)
      collected.covers(day)
      collected.covers(lastDayBefore(fields['end_time'] ?? fields['start_time'], `${where}.end_time`))
      results.forEach((result, at) => {
        const place = `${where}.results[${at}].amount`
        const amount = isObject(result['amount']) ? result['amount'] : {}
        const currency = amount['currency'] ?? 'usd'
        if (currency !== 'usd' && currency !== 'USD') {
          throw new UnreadableInvoice(`${place}.currency is ${shown(currency)}; only "usd" is understood.`)
        }
        const lineItem = openaiLineItem(textOrNull(result['line_item']))
        collected.add({ day, ...lineItem, amount: usdAmount(amount['value'], `${place}.value`) })
      })
    }
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
