import type { Provider } from '@pydantic/genai-prices'
import type { PriceConfig, PriceOverride } from '../../shared/config.ts'
import { matchesPattern } from '../guards/pattern.ts'
import { correctionOf } from './corrections.ts'
import type { CorrectionAt } from './corrections.ts'
import { ModelNames, candidates, nearestNames } from './modelNames.ts'
import type { PricedModel, PriceList, PriceSource } from './price.ts'
import type { PriceTable } from './priceTable.ts'
import { pricedModel } from './pricedModel.ts'
import { dearestRates, ratesOfEntry, ratesOfOverride } from './rates.ts'
import type { RatePeriods } from './rates.ts'
import { TierPrices } from './tiers.ts'

/** Upstreams whose provider has another id in the table. */
const providerIds: Readonly<Record<string, string>> = { gemini: 'google', xai: 'x-ai' }

/** Asked, and the dearest taken, where an upstream's own provider is not in the table: a company's gateway, for example. */
const vendors = ['openai', 'anthropic', 'google', 'mistral', 'deepseek', 'x-ai', 'groq']

/** Resolved names that are kept. Model names come from clients. */
const mostResolved = 2000
const mostSuggestions = 3

/** A price list that also knows which tiers are denied. */
export interface TieredPriceList extends PriceList {
  /** Every model that the table lists for an upstream, by the name of its row; none for a provider that it does not know. */
  names(upstreamName: string, upstreamBaseUrl: string): readonly string[]
  /** The tier that the configuration denies for this upstream, as `service_tier=ultrafast`, or null. */
  deniedTier(upstreamName: string, upstreamBaseUrl: string, tier: Readonly<Record<string, string>>): string | null
}

/**
 * Prices from the user's overrides, then from the table of the upstream's provider, then, where that provider is
 * unknown, the dearest exact match of the well-known ones. With the policy `dearest` an unknown model gets the dearest rates
 * of its provider; otherwise it has no price, and never costs 0 (E01).
 */
export function createPriceList(
  config: PriceConfig,
  currency: { readonly usdRate: number },
  table: PriceTable,
): TieredPriceList {
  const lookup = new PriceLookup(config, currency.usdRate, table)
  return {
    asOf: table.asOf,
    find: (upstreamName, upstreamBaseUrl, model) => lookup.find(upstreamName, upstreamBaseUrl, model),
    suggest: (upstreamName, model) => lookup.suggest(upstreamName, model),
    names: (upstreamName, upstreamBaseUrl) => lookup.names(upstreamName, upstreamBaseUrl),
    deniedTier: (upstreamName, upstreamBaseUrl, tier) =>
      lookup.upstream(upstreamName, upstreamBaseUrl).tiers.denied(tier),
  }
}

/** The provider behind an upstream: by its base URL, else by its name. */
export function providerOf(table: PriceTable, upstreamName: string, baseUrl: string): Provider | null {
  return table.byUrl(baseUrl) ?? table.byId(providerIds[upstreamName] ?? upstreamName)
}

/** What is known of an upstream. */
interface PricedUpstream {
  readonly provider: Provider | null
  readonly tiers: TierPrices
}

class PriceLookup {
  readonly #config: PriceConfig
  readonly #usdRate: number
  readonly #table: PriceTable
  readonly #overrides: readonly SourcedOverride[]
  readonly #upstreams = new Map<string, PricedUpstream>()
  readonly #names = new Map<string, ModelNames>()
  readonly #resolved = new Map<string, PricedModel | null>()

  constructor(config: PriceConfig, usdRate: number, table: PriceTable) {
    this.#config = config
    this.#usdRate = usdRate
    this.#table = table
    const from = (source: PriceSource) => (override: PriceOverride) => ({ override, source })
    this.#overrides = [
      ...config.overrides.map(from({ kind: 'override', asOf: null })),
      ...table.overrides.map(from({ kind: 'update', asOf: table.overridesAsOf })),
    ]
  }

  find(upstreamName: string, baseUrl: string, model: string): PricedModel | null {
    const key = `${upstreamName}\n${baseUrl}\n${model}`
    const known = this.#resolved.get(key)
    if (known !== undefined) return known
    const found = this.#resolve(upstreamName, baseUrl, model)
    if (this.#resolved.size >= mostResolved) this.#resolved.clear()
    this.#resolved.set(key, found)
    return found
  }

  suggest(upstreamName: string, model: string): readonly string[] {
    const own = this.#table.byId(providerIds[upstreamName] ?? upstreamName)
    const names = (own === null ? this.#vendors() : [own]).flatMap((provider) => [...this.#namesOf(provider).names()])
    return nearestNames(model, new Set(names), mostSuggestions)
  }

  names(upstreamName: string, baseUrl: string): readonly string[] {
    return this.upstream(upstreamName, baseUrl).provider?.models.map((row) => row.id) ?? []
  }

  /** Provider and tiers of an upstream: by its base URL, else by its name. */
  upstream(upstreamName: string, baseUrl: string): PricedUpstream {
    const key = `${upstreamName}\n${baseUrl}`
    const known = this.#upstreams.get(key)
    if (known !== undefined) return known
    const provider = providerOf(this.#table, upstreamName, baseUrl)
    const names = provider === null ? [upstreamName] : [...new Set([provider.id, upstreamName])]
    const found = { provider, tiers: new TierPrices(this.#config, names) }
    this.#upstreams.set(key, found)
    return found
  }

  #resolve(upstreamName: string, baseUrl: string, model: string): PricedModel | null {
    const { provider, tiers } = this.upstream(upstreamName, baseUrl)
    const correctionAt = this.#correctionOf(upstreamName, provider, model)
    const shared = { tiers, usdRate: this.#usdRate, correctionAt }
    const own = this.#overrideFor(upstreamName, provider, model)
    if (own !== null) {
      const { override, source } = own
      const periods = ratesOfOverride(override, provider?.id === 'anthropic')
      const entry = `${source.kind} ${override.match}`
      return pricedModel({ ...shared, entry, source, periods, writesUnasked: false })
    }
    const match = provider === null ? this.#atVendors(model) : this.#atProvider(provider, model)
    if (match !== null) return pricedModel({ ...shared, ...match })
    if (this.#config.unpriced !== 'dearest') return null
    const periods = dearestRates((provider === null ? this.#vendors() : [provider]).flatMap(ratesOfAll))
    if (periods === null) return null
    const source: PriceSource = { kind: 'dearest', asOf: this.#table.asOf }
    return pricedModel({ ...shared, entry: 'dearest known', source, periods, writesUnasked: true })
  }

  #correctionOf(upstreamName: string, provider: Provider | null, model: string): CorrectionAt {
    const row = provider === null ? null : this.#namesOf(provider).find(model)
    const names = [model, ...candidates(model), ...(row === null ? [] : [row.id])]
    return correctionOf(this.#config.corrections, [upstreamName, ...(provider === null ? [] : [provider.id])], names)
  }

  #overrideFor(upstreamName: string, provider: Provider | null, model: string): SourcedOverride | null {
    const names = [model, ...candidates(model)]
    const found = this.#overrides.find(
      ({ override }) =>
        (override.provider === null || override.provider === upstreamName || override.provider === provider?.id) &&
        names.some((name) => matchesPattern(override.match, name)),
    )
    return found ?? null
  }

  /** The entry of a provider, or of the one whose models it resells. */
  #atProvider(provider: Provider, model: string): PricedEntry | null {
    for (const id of [provider.id, ...(provider.fallback_model_providers ?? [])]) {
      const holder = id === provider.id ? provider : this.#table.byId(id)
      const entry = holder === null ? null : this.#namesOf(holder).find(model)
      const periods = entry === null ? null : ratesOfEntry(entry)
      // Anthropic's cache is written on request; elsewhere a write price means that writes happen by themselves.
      if (entry !== null && periods !== null)
        return {
          entry: `${id}/${entry.id}`,
          source: this.#table.sourceOf(entry),
          periods,
          writesUnasked: id !== 'anthropic',
        }
    }
    return null
  }

  #atVendors(model: string): PricedEntry | null {
    let dearest: PricedEntry | null = null
    for (const vendor of this.#vendors()) {
      const match = this.#atProvider(vendor, model)
      if (match !== null && (dearest === null || weightOf(match.periods) > weightOf(dearest.periods))) dearest = match
    }
    return dearest
  }

  #vendors(): readonly Provider[] {
    return vendors.map((id) => this.#table.byId(id)).filter((provider) => provider !== null)
  }

  #namesOf(provider: Provider): ModelNames {
    const known = this.#names.get(provider.id)
    if (known !== undefined) return known
    const names = new ModelNames(provider)
    this.#names.set(provider.id, names)
    return names
  }
}

interface SourcedOverride {
  readonly override: PriceOverride
  readonly source: PriceSource
}

interface PricedEntry {
  readonly entry: string
  readonly source: PriceSource
  readonly periods: RatePeriods
  readonly writesUnasked: boolean
}

function ratesOfAll(provider: Provider): readonly RatePeriods[] {
  return provider.models.map(ratesOfEntry).filter((periods) => periods !== null)
}

/** To compare models: what one token in and one out cost at most. */
function weightOf(periods: RatePeriods): number {
  const rates = dearestRates([periods])?.[0].tiers[0]?.rates
  return rates === undefined ? 0 : rates.input + rates.output
}
