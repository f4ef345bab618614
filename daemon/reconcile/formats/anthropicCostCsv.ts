import { tierName } from '../../money/servedTier.ts'
import type { CsvFormat } from '../format.ts'
import { InvoiceRows } from '../invoice.ts'
import { usdAmount, utcDay } from '../values.ts'
import { anthropicItem } from './anthropicItems.ts'

/**
 * The "Export" of the Cost page of the Claude Console, as of 2026: `usage_date_utc`, `model` (its display name, "Claude Haiku
 * 4.5"), `usage_type` (message, batch), `token_type`, `cost_usd` (what is billed, in dollars), `list_price_usd`, `cost_type`
 * (token, web_search, code_execution), `speed`. One row per kind of token.
 */
export const anthropicCostCsv: CsvFormat = {
  name: 'Anthropic cost report (CSV)',
  columns: ['usage_date_utc', 'model', 'cost_usd', 'token_type'],
  read(table) {
    const collected = new InvoiceRows()
    table.each((row) => {
      const item = anthropicItem(row.cell('cost_type'))
      const usageType = row.cell('usage_type').toLowerCase()
      collected.add({
        day: utcDay(row.cell('usage_date_utc'), `Line ${row.line}: usage_date_utc`),
        model: item === null && row.cell('model') !== '' ? row.cell('model') : null,
        item,
        tier: tierName({ service_tier: usageType === 'message' ? '' : usageType, speed: row.cell('speed') }),
        amount: usdAmount(row.cell('cost_usd'), `Line ${row.line}: cost_usd`),
      })
    })
    return {
      format: this.name,
      provider: 'anthropic',
      unit: 'usd',
      tiers: table.has('usage_type') ? 'all' : 'none',
      itemizesTools: true,
      rows: collected.rows,
      period: collected.period,
      notes: [],
    }
  },
}
