import type { Config } from '../../shared/config.ts'
import { builtInPricesAsOf } from './builtInPrices.ts'
import type { InstalledPrices, PriceTable } from './priceTable.ts'
import { tableWith } from './priceTable.ts'
import { createPriceList } from './table.ts'
import type { TieredPriceList } from './table.ts'

/**
 * The price list of the configuration that holds; its table is loaded when the first call needs a price. Prices that a
 * person put in the table's place hold from the next call on.
 */
export class PriceBook {
  readonly #config: () => Config
  readonly #load: () => Promise<PriceTable>
  #loading: Promise<PriceTable> | null = null
  #installed: InstalledPrices | null = null
  #list: {
    readonly config: Config['prices']
    readonly usdRate: number
    readonly installed: InstalledPrices | null
    readonly prices: TieredPriceList
  } | null = null

  constructor(config: () => Config, load: () => Promise<PriceTable>) {
    this.#config = config
    this.#load = load
  }

  /** Date of the prices that hold. */
  get asOf(): string {
    return this.#installed?.asOf ?? builtInPricesAsOf
  }

  /** Puts prices over the built-in table; null takes them away again. */
  install(installed: InstalledPrices | null): void {
    this.#installed = installed
  }

  /** The list. Without a wait once the table is loaded and the configuration is the same. */
  async prices(): Promise<TieredPriceList> {
    const table = await (this.#loading ??= this.#load())
    const { prices: config, currency } = this.#config()
    const installed = this.#installed
    const list = this.#list
    if (list?.config === config && list.usdRate === currency.usdRate && list.installed === installed) return list.prices
    const prices = createPriceList(config, currency, tableWith(table, installed))
    this.#list = { config, usdRate: currency.usdRate, installed, prices }
    return prices
  }
}
