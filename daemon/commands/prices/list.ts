import { matchesPattern } from '../../guards/pattern.ts'
import { CommandFailure } from '../daemonClient.ts'
import type { Terminal } from '../terminal.ts'
import { paidUpstreams, priceListOf } from './desk.ts'
import type { PriceDesk } from './desk.ts'
import { listedPrice, listText } from './listText.ts'
import type { ListedPrice } from './listText.ts'
import type { PricesAsk } from './pricesArguments.ts'

/** `tollgate prices list`: what models cost, as the gate would price them now. Throws a CommandFailure where none has a price. */
export function runList(desk: PriceDesk, ask: Extract<PricesAsk, { verb: 'list' }>, terminal: Terminal): number {
  const prices = listedPrices(desk, ask.model, ask.provider)
  if (prices.length === 0) throw new CommandFailure(nothingFound(desk, ask.model ?? '*', ask.provider))
  terminal.out(ask.json ? `${JSON.stringify(prices, null, 2)}\n` : listText(prices))
  return 0
}

/** Prices of a name, or of every name of the tables and the configuration that a pattern matches; null matches all. */
function listedPrices(desk: PriceDesk, model: string | null, provider: string | null): readonly ListedPrice[] {
  const list = priceListOf(desk)
  const pattern = model ?? '*'
  const isPattern = pattern.includes('*')
  return paidUpstreams(desk, provider).flatMap(({ name, baseUrl }) => {
    const own = desk.config.prices.overrides.map(({ match }) => match).filter((match) => !match.includes('*'))
    const names = isPattern ? [...new Set([...own, ...list.names(name, baseUrl)])] : [pattern]
    return names.flatMap((one) => {
      if (isPattern && !matchesPattern(pattern, one)) return []
      const price = list.find(name, baseUrl, one, desk.nowMs)
      // Under the policy `dearest` every name has a price; only a name that was asked for is worth a line.
      if (price === null || (isPattern && price.source.kind === 'dearest')) return []
      return [listedPrice(one, name, price, desk.nowMs)]
    })
  })
}

function nothingFound(desk: PriceDesk, model: string, provider: string | null): string {
  const at = provider === null ? '' : ` at ${provider}`
  if (model.includes('*')) return `No model that matches ${JSON.stringify(model)} has a price${at}.`
  const list = priceListOf(desk)
  const near = [...new Set(paidUpstreams(desk, provider).flatMap(({ name }) => list.suggest(name, model)))].slice(0, 3)
  const hint = near.length === 0 ? '' : ` Known names that look like it: ${near.join(', ')}.`
  return `No price is known for ${JSON.stringify(model)}${at}.${hint} Set one with: tollgate prices set MODEL --input N --output N`
}
