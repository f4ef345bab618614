import { tierName } from '../../money/servedTier.ts'
import type { JsonFormat } from '../format.ts'
import { InvoiceRows } from '../invoice.ts'
import { lastDayBefore, tokenAmount, utcDay } from '../values.ts'
import { isObject, textOrNull } from './fields.ts'

const inputFields = ['uncached_input_tokens', 'cache_read_input_tokens', 'output_tokens'] as const
const writeFields = ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'] as const

/**
 * `GET /v1/organizations/usage_report/messages` of the Admin API, as of 2026: buckets (`starting_at`, `ending_at`) with
 * `results` of `uncached_input_tokens`, `cache_creation` by lifetime, `cache_read_input_tokens`, `output_tokens`, and with
 * `group_by[]=model` and `service_tier` those two. It counts tokens and no money, and the priority tier is in it.
 */
export const anthropicUsageJson: JsonFormat = {
  name: 'Anthropic usage report (JSON)',
  recognises: (result) => 'uncached_input_tokens' in result,
  read(buckets) {
    const collected = new InvoiceRows()
    const tells = buckets.some(({ results }) => results.some((one) => textOrNull(one['service_tier']) !== null))
    for (const { where, fields, results } of buckets) {
      const day = utcDay(fields['starting_at'], `${where}.starting_at`)
      collected.covers(day)
      collected.covers(lastDayBefore(fields['ending_at'] ?? fields['starting_at'], `${where}.ending_at`))
      results.forEach((result, at) => {
        const tokens = (holder: Readonly<Record<string, unknown>>, name: string): number =>
          tokenAmount(holder[name], `${where}.results[${at}].${name}`)
        const writes = isObject(result['cache_creation']) ? result['cache_creation'] : {}
        const serviceTier = textOrNull(result['service_tier'])
        collected.add({
          day,
          model: textOrNull(result['model']),
          item: null,
          tier: tierName({ service_tier: serviceTier, speed: textOrNull(result['speed']) }),
          amount:
            inputFields.reduce((sum, name) => sum + tokens(result, name), 0) +
            writeFields.reduce((sum, name) => sum + tokens(writes, name), 0),
        })
      })
    }
    return {
      format: this.name,
      provider: 'anthropic',
      unit: 'tokens',
      tiers: tells ? 'all' : 'none',
      itemizesTools: false,
      rows: collected.rows,
      period: collected.period,
      notes: [],
    }
  },
}
