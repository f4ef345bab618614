import { tierName } from '../../money/servedTier.ts'
import type { JsonFormat } from '../format.ts'
import { InvoiceRows, UnreadableInvoice } from '../invoice.ts'
import { centsAmount, lastDayBefore, shown, utcDay } from '../values.ts'
import { anthropicItem } from './anthropicItems.ts'
import { textOrNull } from './fields.ts'

/**
 * `GET /v1/organizations/cost_report` of the Admin API with `group_by[]=description`, as of 2026: buckets of one UTC day
 * (`starting_at`, `ending_at`) with `results` of `amount` (a decimal text in cents), `currency`, `model`, `cost_type` (tokens,
 * web_search, code_execution, session_usage), `service_tier`. Without that grouping model and cost type are null. Costs of the
 * priority tier are not in it.
 */
export const anthropicCostJson: JsonFormat = {
  name: 'Anthropic cost report (JSON)',
  recognises: (result) => 'amount' in result && 'cost_type' in result,
  read(buckets) {
    const collected = new InvoiceRows()
    const tells = buckets.some(({ results }) => results.some((one) => textOrNull(one['service_tier']) !== null))
    for (const { where, fields, results } of buckets) {
      const day = utcDay(fields['starting_at'], `${where}.starting_at`)
      collected.covers(day)
      collected.covers(lastDayBefore(fields['ending_at'] ?? fields['starting_at'], `${where}.ending_at`))
      results.forEach((result, at) => {
        const place = `${where}.results[${at}]`
        const { currency } = result
        if (currency !== undefined && currency !== 'USD') {
          throw new UnreadableInvoice(`${place}.currency is ${shown(currency)}; only "USD" is understood.`)
        }
        const serviceTier = textOrNull(result['service_tier'])
        const item = anthropicItem(result['cost_type'])
        collected.add({
          day,
          model: item === null ? textOrNull(result['model']) : null,
          item,
          tier: tierName({ service_tier: serviceTier, speed: textOrNull(result['speed']) }),
          amount: centsAmount(result['amount'], `${place}.amount`),
        })
      })
    }
    return {
      format: this.name,
      provider: 'anthropic',
      unit: 'usd',
      tiers: tells ? 'all' : 'none',
      itemizesTools: collected.rows.some(({ model, item }) => model !== null || item !== null),
      rows: collected.rows,
      period: collected.period,
      notes: [],
    }
  },
}
