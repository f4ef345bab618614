import type { PriceConfig } from '../../shared/config.ts'

/**
 * What the table does not know: how a service tier, a speed or a region changes the price, and what a server's own tools
 * cost per use. Sources: the providers' price pages as of the table's date. The configuration goes before these.
 */

type Factors = Readonly<Record<string, number | 'deny'>>

/** provider → request field → value → factor. Values that mean the standard price are listed, because others are not trusted. */
const builtInFactors: Readonly<Record<string, Readonly<Record<string, Factors>>>> = {
  openai: {
    service_tier: {
      auto: 1,
      default: 1,
      standard: 1,
      scale: 1,
      flex: 0.5,
      batch: 0.5,
      priority: 2,
      fast: 2,
      ultrafast: 'deny',
    },
  },
  anthropic: {
    service_tier: { auto: 1, standard: 1, standard_only: 1, priority: 1, batch: 0.5 },
    speed: { standard: 1, fast: 6 },
    inference_geo: { global: 1, not_available: 1, us: 1.1 },
  },
  google: { service_tier: { auto: 1, default: 1, standard: 1, flex: 0.5, batch: 0.5, priority: 1.8 } },
  groq: { service_tier: { auto: 1, on_demand: 1, flex: 1, performance: 2 } },
}

/** For providers without a row above. A discount is not assumed. */
const otherFactors: Readonly<Record<string, Factors>> = {
  service_tier: { auto: 1, default: 1, standard: 1, on_demand: 1, flex: 1, batch: 1, priority: 2 },
  speed: { standard: 1, fast: 6 },
}

/** provider → tool → dollars per use. */
const builtInFees: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  openai: { web_search: 0.01, file_search: 0.0025, code_interpreter: 0.03 },
  anthropic: { web_search: 0.01, code_execution: 0.05 },
  google: { web_search: 0.035 },
}

/** Uses that are reserved for a tool whose number the request does not bound. */
export const unboundedToolUses = 10

/** Factors and fees of one upstream, from the configuration over the built-in ones. */
export class TierPrices {
  readonly #factors: Readonly<Record<string, Factors>>
  readonly #fees: Readonly<Record<string, number>>
  readonly #configured: Readonly<Record<string, number>>

  /** `names` are the provider's id and the upstream's own name; the later go before the earlier. */
  constructor(config: Pick<PriceConfig, 'multipliers' | 'toolFees'>, names: readonly string[]) {
    const factors = new Map<string, Factors>(
      Object.entries(names.map((name) => builtInFactors[name]).find(Boolean) ?? otherFactors),
    )
    for (const name of names) {
      for (const [field, values] of Object.entries(config.multipliers[name] ?? {})) {
        factors.set(field, { ...factors.get(field), ...values })
      }
    }
    this.#factors = Object.fromEntries(factors)
    this.#fees = Object.assign({}, ...names.flatMap((name) => [builtInFees[name], config.toolFees[name]])) as Record<
      string,
      number
    >
    this.#configured = Object.assign({}, ...names.map((name) => config.toolFees[name])) as Record<string, number>
  }

  /** Product of the factors of all fields. A value that is not listed, or denied, counts as the dearest of its field (A10, D13). */
  factor(tier: Readonly<Record<string, string>>): number {
    let product = 1
    for (const [field, value] of Object.entries(tier)) {
      const values = this.#factors[field]
      if (values === undefined) continue
      const known = Object.hasOwn(values, value) ? values[value] : undefined
      product *= typeof known === 'number' ? known : dearest(values)
    }
    return product
  }

  /** Whether a value is one that no table knows: it was charged as the dearest of its field, and that has to be said. */
  isUnknown(tier: Readonly<Record<string, string>>): boolean {
    return Object.entries(tier).some(([field, value]) => {
      const values = this.#factors[field]
      return values !== undefined && !Object.hasOwn(values, value)
    })
  }

  /** The field that the configuration denies, as `service_tier=ultrafast`, or null. */
  denied(tier: Readonly<Record<string, string>>): string | null {
    for (const [field, value] of Object.entries(tier)) {
      const values = this.#factors[field]
      if (values !== undefined && Object.hasOwn(values, value) && values[value] === 'deny') return `${field}=${value}`
    }
    return null
  }

  /** Dollars for one use of a tool where the configuration says so; null where it does not. */
  configuredFee(kind: string): number | null {
    return Object.hasOwn(this.#configured, kind) ? (this.#configured[kind] ?? null) : null
  }

  /** Dollars for one use of a tool; null where nothing is known, and 0 where it is known to be free. */
  fee(tool: string): number | null {
    // Tools are named by clients, and an object also has the names of its prototype.
    for (const name of [tool, toolKind(tool)]) if (Object.hasOwn(this.#fees, name)) return this.#fees[name] ?? null
    return null
  }
}

/** A tool's name without the date or channel of its version: `web_search_20250305`, `web_search_preview`. */
export function toolKind(tool: string): string {
  const name = tool.replace(/_(?:\d{8}|preview)(?:_.*)?$/, '')
  return name === 'google_search' || name === 'googleSearch' || name === 'web_search_options' ? 'web_search' : name
}

function dearest(values: Factors): number {
  return Math.max(1, ...Object.values(values).filter((value) => value !== 'deny'))
}
