import { tierName } from '../../money/servedTier.ts'
import type { CsvFormat } from '../format.ts'
import { InvoiceRows } from '../invoice.ts'
import { tokenAmount, utcDay } from '../values.ts'
import { textOrNull } from './fields.ts'

/**
 * The completions usage export of OpenAI's usage page, as of 2026: `start_time`, `end_time`, `start_time_iso`, `end_time_iso`,
 * `project_id`, `num_model_requests`, `user_id`, `api_key_id`, `model`, `batch`, `service_tier`, `input_tokens` (cached ones
 * included), `output_tokens`, `input_cached_tokens`, audio and image tokens. It counts tokens and no money.
 */
export const openaiUsageCsv: CsvFormat = {
  name: 'OpenAI usage (CSV)',
  columns: ['start_time', 'num_model_requests', 'input_tokens', 'output_tokens'],
  read(table) {
    const collected = new InvoiceRows()
    table.each((row) => {
      const tokens = (name: string): number => tokenAmount(row.cell(name), `Line ${row.line}: ${name}`)
      const isBatch = /^true$/i.test(row.cell('batch'))
      collected.add({
        day: utcDay(row.cell('start_time'), `Line ${row.line}: start_time`),
        model: textOrNull(row.cell('model')),
        item: null,
        tier: tierName({ service_tier: isBatch ? 'batch' : row.cell('service_tier') }),
        amount: tokens('input_tokens') + tokens('output_tokens'),
      })
    })
    return {
      format: this.name,
      provider: 'openai',
      unit: 'tokens',
      tiers: 'named',
      itemizesTools: false,
      rows: collected.rows,
      period: collected.period,
      notes: [],
    }
  },
}
