/**
 * The configuration as the rest of the program sees it: complete, validated, immutable. `daemon/config/` turns a file, the
 * environment and VS Code settings into this; `docs/configuration.md` is tested against it.
 */

/** A cap per window. `null` is unlimited, `0` blocks every paid call. Euros are decimal here and nano-euro in the ledger. */
export interface Cap {
  readonly eur: number | null
  readonly tokens: number | null
}

/** Budgets over calendar windows. */
export interface Budgets {
  readonly userDaily: Cap
  readonly tenantDaily: Cap
  readonly tenantMonthly: Cap
  /** Per project and day. */
  readonly projects: Readonly<Record<string, Cap>>
  /** Per model pattern (`*` matches any characters) and day. */
  readonly models: Readonly<Record<string, Cap>>
  /** Share of a cap, 0 to 1, at which one alert is said per scope and window. */
  readonly alertAt: number
  /** How long a call may wait for its siblings' reservations to settle, in milliseconds; 0 refuses at once. */
  readonly heldWaitMs: number
  /** Below this many output tokens a ceiling is not clamped to what is left of a budget. */
  readonly minOutputTokens: number
}

/** The four limits of a call's time, in milliseconds; `null` is none. */
export interface Timeouts {
  readonly connectMs: number | null
  readonly firstByteMs: number | null
  readonly idleMs: number | null
  readonly totalMs: number | null
}

/** Rates of one key. */
export interface RateLimits {
  readonly callsPerMinute: number | null
  readonly tokensPerMinute: number | null
  readonly eurPerMinute: number | null
  readonly concurrent: number | null
}

/** How input is estimated before a call. */
export type EstimatorName = 'tokenizer' | 'chars3' | 'chars3.6' | 'exact'

/** A named bundle of limits. Limits live here and never in code. */
export interface Plan {
  readonly maxBodyBytes: number | null
  readonly maxMessageChars: number | null
  readonly maxConversationTokens: number | null
  readonly defaultOutputTokens: number
  readonly maxOutputTokens: number | null
  readonly maxN: number | null
  readonly allowLogprobs: boolean
  /** Model patterns that the plan allows; `null` allows all. */
  readonly models: readonly string[] | null
  readonly expectedUserAgents: readonly string[]
  readonly timeouts: Timeouts
  readonly rate: RateLimits
  readonly task: TaskLimits | null
  readonly estimator: EstimatorName
  readonly loop: { readonly maxRepeats: number; readonly maxCycle: number; readonly action: 'warn' | 'halt' } | null
  readonly truncation: {
    readonly before: 'warn' | 'refuse' | 'raise'
    readonly after: 'warn' | 'error'
    readonly maxNumCtx: number
  } | null
  readonly storm: { readonly starts: number; readonly windowSeconds: number } | null
  readonly degrade: {
    readonly cache: boolean
    readonly fallback: { readonly upstream: string; readonly model: string } | null
  } | null
}

/** Ceilings of one task. */
export interface TaskLimits {
  readonly maxIterations: number | null
  readonly maxInputTokens: number | null
  readonly maxWallSeconds: number | null
  readonly maxEur: number | null
  readonly warnAt: number
  readonly constrainAt: number
  readonly haltGraceSeconds: number
  /** How many times these ceilings all tasks of one session may take together; wall time is left out. `null` is no bound. */
  readonly sessionTimes: number | null
  readonly onConstrained: {
    readonly cheaperModel: boolean
    readonly disablePaidTools: boolean
    readonly compact: boolean
    readonly maxOutputTokens: number | null
  } | null
}

/** The wire format that an upstream speaks. An Ollama server speaks three, told apart by the path. */
export type UpstreamDialect = 'openai' | 'anthropic' | 'gemini' | 'ollama'

/** A model server that calls may be forwarded to. */
export interface Upstream {
  readonly baseUrl: string
  readonly dialect: UpstreamDialect
  /** A free upstream has no price and passes euro caps. */
  readonly free: boolean
}

/** A local credential with its own identity. */
export interface KeyConfig {
  readonly key: string
  readonly tenant: string | null
  readonly user: string | null
  readonly project: string | null
  readonly plan: string | null
}

/** A price of the user's own, in US dollars per million tokens. `match` is a model name with `*`. */
export interface PriceOverride {
  readonly provider: string | null
  readonly match: string
  readonly prices: {
    readonly input_mtok: number
    readonly output_mtok: number
    readonly cache_read_mtok?: number | undefined
    readonly cache_write_mtok?: number | undefined
    readonly cache_write_1h_mtok?: number | undefined
  }
}

/** What an invoice taught about a price: from a day on, tokens cost so many times what the table says. */
export interface PriceCorrection {
  readonly provider: string | null
  /** A model name with `*`. */
  readonly match: string
  /** Above 0. */
  readonly factor: number
  /** UTC day of the first call that it holds for: `2026-12-01`. */
  readonly from: string
}

/** Where prices come from beyond the built-in table. */
export interface PriceConfig {
  readonly overrides: readonly PriceOverride[]
  readonly corrections: readonly PriceCorrection[]
  /** provider → request field (`service_tier`, `speed`, `inference_geo`) → value → factor, or "deny". */
  readonly multipliers: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number | 'deny'>>>>>>
  /** provider → tool → US dollars per use. */
  readonly toolFees: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** What happens to a model without a price while a euro cap applies. */
  readonly unpriced: 'refuse' | 'dearest' | 'free'
}

/** Calls of clients that sign in with a subscription: nobody is billed for them by the token. */
export interface SubscriptionConfig {
  /** True: their euros, at list price, count into euro caps like any other. False: they are only shown. */
  readonly countEuros: boolean
}

/** How long single rows are kept. `null` keeps all. Sums are kept for ever. */
export interface Retention {
  /** Whole days before today of which single calls are kept. */
  readonly callsDays: number | null
  /** The same for events; of those at most 10,000 are kept whatever this says. */
  readonly eventsDays: number | null
}

/** Everything that can be configured. */
export interface Config {
  readonly requireKey: boolean
  readonly tenant: string
  readonly user: string
  /** IANA zone of days and months. */
  readonly timezone: string
  readonly currency: { readonly code: string; readonly usdRate: number; readonly asOf: string }
  readonly budgets: Budgets
  readonly plans: Readonly<Record<string, Plan>>
  readonly plan: string
  readonly keys: readonly KeyConfig[]
  readonly tiers: Readonly<Record<string, string>>
  readonly toolCharges: Readonly<Record<string, { readonly eur: number } | { readonly eurPerSecond: number }>>
  readonly prices: PriceConfig
  readonly subscriptions: SubscriptionConfig
  readonly upstreams: Readonly<Record<string, Upstream>>
  /** How refusals are answered: see `daemon/http/refuse.ts`. */
  readonly refusals: 'auto' | 'semantic' | 'final'
  readonly ledger: string
  readonly retention: Retention
  readonly drainSeconds: number
  /** Minutes without a client after which the daemon ends by itself; 0 keeps it. */
  readonly idleExitMinutes: number
}
