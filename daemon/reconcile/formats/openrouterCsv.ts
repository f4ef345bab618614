import type { CsvFormat } from '../format.ts'
import { InvoiceRows } from '../invoice.ts'
import { usdAmount, utcDay } from '../values.ts'
import { textOrNull } from './fields.ts'

/**
 * The export of OpenRouter's Activity page, as of 2026, one row per generation: `generation_id`, `created_at` (UTC without a
 * zone), `cost_total` (dollars, with its parts for web search, cache and files), `byok_usage_inference` (billed by the provider
 * behind it, so not counted), token counts, `model_permaslug`, `provider_name`, `variant`.
 */
export const openrouterCsv: CsvFormat = {
  name: 'OpenRouter activity (CSV)',
  columns: ['created_at', 'cost_total', 'model_permaslug'],
  read(table) {
    const collected = new InvoiceRows()
    let ownKey = 0
    table.each((row) => {
      ownKey += usdAmount(row.cell('byok_usage_inference'), `Line ${row.line}: byok_usage_inference`) ?? 0
      collected.add({
        day: utcDay(row.cell('created_at'), `Line ${row.line}: created_at`),
        model: textOrNull(row.cell('model_permaslug')),
        item: null,
        tier: null,
        amount: usdAmount(row.cell('cost_total'), `Line ${row.line}: cost_total`),
      })
    })
    return {
      format: this.name,
      provider: 'openrouter',
      unit: 'usd',
      tiers: 'none',
      itemizesTools: false,
      rows: collected.rows,
      period: collected.period,
      notes:
        ownKey > 0 ? ['Calls with keys of your own are billed by their providers, and are not in these figures.'] : [],
    }
  },
}
