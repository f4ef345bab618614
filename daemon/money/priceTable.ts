import type { ModelInfo, Provider } from '@pydantic/genai-prices'
import type { PriceOverride } from '../../shared/config.ts'
import { aliasesOf } from './modelNames.ts'

/** Prices that a person put beside the ledger, as they were read from a file. */
export interface InstalledPrices {
  /** Date of the prices, `2026-11-30`. */
  readonly asOf: string
  readonly providers: readonly Provider[]
  readonly overrides: readonly PriceOverride[]
}

/** Where a row of the table came from. */
export interface RowSource {
  /** `table` is the built-in one, `update` one that was put in its place. */
  readonly kind: 'table' | 'update'
  readonly asOf: string
}

/** All rows that prices are looked up in, each from one source and as a whole (E09). */
export interface PriceTable {
  /** Newest date of its sources. */
  readonly asOf: string
  /** A provider by its exact id: `openai`, `anthropic`, `google`. */
  byId(id: string): Provider | null
  /** The provider whose API a base URL belongs to. */
  byUrl(baseUrl: string): Provider | null
  sourceOf(row: ModelInfo): RowSource
  /** Prices that are written as overrides are, looked at before the rows and after those of the configuration. */
  readonly overrides: readonly PriceOverride[]
  readonly overridesAsOf: string
}

/**
 * The table with installed prices over it. A row of the update takes the place of every row that one of its names belongs
 * to; a price that is half one source's and half the other's once had the threshold of neither (E09).
 */
export function tableWith(builtIn: PriceTable, installed: InstalledPrices | null): PriceTable {
  if (installed === null) return builtIn
  const update: RowSource = { kind: 'update', asOf: installed.asOf }
  const newRows = new Set<ModelInfo>()
  const merged = new Map<string, Provider>()
  for (const provider of installed.providers) {
    for (const row of provider.models) newRows.add(row)
    const names = new Set(provider.models.flatMap(aliasesOf))
    const known = builtIn.byId(provider.id)
    const kept = known?.models.filter((row) => !aliasesOf(row).some((name) => names.has(name))) ?? []
    merged.set(provider.id, { ...(known ?? provider), models: [...provider.models, ...kept] })
  }
  return {
    asOf: installed.asOf,
    byId: (id) => merged.get(id) ?? builtIn.byId(id),
    byUrl(baseUrl) {
      const found = builtIn.byUrl(baseUrl)
      return found === null ? null : (merged.get(found.id) ?? found)
    },
    sourceOf: (row) => (newRows.has(row) ? update : builtIn.sourceOf(row)),
    overrides: installed.overrides,
    overridesAsOf: installed.asOf,
  }
}
