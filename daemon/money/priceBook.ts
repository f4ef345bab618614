import type { Config } from '../../shared/config.ts'
import type { BuiltInPrices } from './builtInPrices.ts'
import { createPriceList } from './table.ts'
import type { TieredPriceList } from './table.ts'

/** The price list of the configuration that holds; its table is loaded when the first call needs a price. */
export class PriceBook {
  readonly #config: () => Config
  readonly #load: () => Promise<BuiltInPrices>
  #loading: Promise<BuiltInPrices> | null = null
  #list: { readonly config: Config['prices']; readonly usdRate: number; readonly prices: TieredPriceList } | null = null

  constructor(config: () => Config, load: () => Promise<BuiltInPrices>) {
    this.#config = config
    this.#load = load
  }

  /** The list. Without a wait once the table is loaded and the configuration is the same. */
  async prices(): Promise<TieredPriceList> {
    const { prices: config, currency } = this.#config()
    if (this.#list?.config === config && this.#list.usdRate === currency.usdRate) return this.#list.prices
    const table = await (this.#loading ??= this.#load())
    const prices = createPriceList(config, currency, table)
    this.#list = { config, usdRate: currency.usdRate, prices }
    return prices
  }
}
