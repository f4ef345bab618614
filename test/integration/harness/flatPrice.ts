/**
 * Prices that make the arithmetic of a test exact: a model that costs nothing for its input and ten dollars per million
 * output tokens, and a dollar that is a euro. An output ceiling of 400 tokens then reserves exactly 4,000 µ€.
 */
export const flatModel = 'flat-1'

/** Euros that an output of so many tokens costs. */
export function flatEur(outputTokens: number): number {
  return outputTokens / 100_000
}

/** Many equal calls would count as one task that repeats itself; where money is meant, only money may refuse. */
const noTaskLimits = { task: null, loop: null, storm: null }

/** A configuration with that price, without waiting for siblings and without clamping, and with the user's daily cap. */
export function flatConfig(
  userDailyEur: number | null,
  more: { readonly budgets?: object; readonly plan?: object } = {},
): object {
  return {
    currency: { code: 'EUR', usdRate: 1, asOf: '2026-11-01' },
    prices: { overrides: [{ match: 'flat-*', prices: { input_mtok: 0, output_mtok: 10 } }] },
    budgets: {
      userDaily: { eur: userDailyEur },
      heldWaitMs: 0,
      minOutputTokens: 1_000_000,
      ...more.budgets,
    },
    plans: { agent: { ...noTaskLimits, maxOutputTokens: null, rate: { concurrent: null }, ...more.plan } },
  }
}

/** A request that reserves `outputTokens` of output. */
export function flatAsk(outputTokens: number, more: object = {}): object {
  return { model: flatModel, max_tokens: outputTokens, messages: [{ role: 'user', content: 'hello' }], ...more }
}

/** What the provider says about an answer of so many tokens. */
export function flatUsage(outputTokens: number): object {
  return { usage: { completion_tokens: outputTokens } }
}
