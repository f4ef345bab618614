import type { PriceTable } from './priceTable.ts'

/**
 * Date of the price table inside the package, version 0.1.8. The package does not carry it, so that a test holds this date
 * and the installed version together.
 */
export const builtInPricesAsOf = '2026-09-23'

/** The version that `builtInPricesAsOf` belongs to. */
export const builtInPricesVersion = '0.1.8'

/** Loads the table: 10 MB and 40 ms that a daemon spends when its first priced call comes, not while it starts. */
export async function loadBuiltInPrices(): Promise<PriceTable> {
  const { findProvider } = await import('@pydantic/genai-prices')
  const source = { kind: 'table', asOf: builtInPricesAsOf } as const
  return {
    asOf: builtInPricesAsOf,
    byId(id) {
      const provider = findProvider({ providerId: id })
      // The package also takes names that merely look like a provider's.
      return provider?.id === id ? provider : null
    },
    byUrl: (baseUrl) => findProvider({ providerApiUrl: baseUrl }) ?? null,
    sourceOf: () => source,
    overrides: [],
    overridesAsOf: builtInPricesAsOf,
  }
}
