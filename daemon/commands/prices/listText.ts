import { usdPerMillion } from '../../money/pricedModel.ts'
import type { PricedModel, PriceSource } from '../../money/price.ts'
import { columns } from '../statusText.ts'
import { printable } from '../terminal.ts'

/** A model's price at one upstream, as `prices list --json` shows it. Dollars per million tokens, dollars per use. */
export interface ListedPrice {
  readonly model: string
  readonly upstream: string
  readonly entry: string
  readonly source: PriceSource['kind']
  readonly asOf: string | null
  readonly tiers: readonly {
    /** The rates hold for the whole request once its input is larger. */
    readonly aboveInputTokens: number
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite5m: number
    readonly cacheWrite1h: number
  }[]
}

/** A price as it is listed. */
export function listedPrice(model: string, upstream: string, price: PricedModel, atMs: number): ListedPrice {
  return {
    model,
    upstream,
    entry: price.entry,
    source: price.source.kind,
    asOf: price.source.asOf,
    tiers: price.at(atMs).tiers.map(({ aboveTokens, rates }) => ({
      aboveInputTokens: Math.max(0, aboveTokens),
      input: usdPerMillion(rates.input),
      output: usdPerMillion(rates.output),
      cacheRead: usdPerMillion(rates.cacheRead),
      cacheWrite5m: usdPerMillion(rates.cacheWrite5m),
      cacheWrite1h: usdPerMillion(rates.cacheWrite1h),
    })),
  }
}

/** The list for a person, a line for each size of the prompt that has prices of its own. */
export function listText(prices: readonly ListedPrice[]): string {
  const head = ['model', 'upstream', 'input', 'output', 'cache read', 'write 5m', 'write 1h', 'above', 'source']
  const rows = prices.flatMap(({ model, upstream, source, entry, asOf, tiers }) =>
    tiers.map((tier, at) => [
      at === 0 ? printable(model) : '',
      at === 0 ? printable(upstream) : '',
      ...[tier.input, tier.output, tier.cacheRead, tier.cacheWrite5m, tier.cacheWrite1h].map(String),
      tier.aboveInputTokens === 0 ? '' : tier.aboveInputTokens.toLocaleString('en-US'),
      at === 0 ? sourceText(source, entry, asOf) : '',
    ]),
  )
  return `US dollars per million tokens; "above" is the input from which a line holds for the whole request.\n\n${columns([head, ...rows]).join('\n')}\n`
}

function sourceText(source: PriceSource['kind'], entry: string, asOf: string | null): string {
  switch (source) {
    case 'table':
    case 'update':
      return `${named(entry)}, ${source} of ${asOf ?? ''}`
    case 'override':
      return `${named(entry)}, configuration`
    case 'dearest':
      return 'dearest known (prices.unpriced)'
  }
}

/** An entry without the word for its source, which stands behind it. */
function named(entry: string): string {
  return printable(entry.replace(/^(?:override|update) /, ''))
}
