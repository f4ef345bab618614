import type { CallFacts } from '../call.ts'
import type { DescribeContext, JsonObject } from './dialect.ts'
import { InvalidRequest } from './dialect.ts'
import { askCeiling } from './openaiCeiling.ts'
import { arrayIn, askModel, askNumber, isObject, objectIn } from './read.ts'

/** What Anthropic's `fallbacks` add to a request: models that answer where the first one declines. */
export interface Fallbacks {
  readonly models: readonly string[]
  /** The ceilings of those that set their own; the others have the request's. */
  readonly ceilings: NonNullable<CallFacts['ceilings']>
  /** Thinking budgets, each to stay below its ceiling. */
  readonly budgets: readonly number[]
  /** One of them runs at the dearer speed. */
  readonly isFast: boolean
}

const mostFallbacks = 16

/**
 * Reads `fallbacks`. The word `default` leaves the choice to the provider and names no model. Throws InvalidRequest for a
 * list that cannot be priced.
 */
export function askFallbacks(body: JsonObject, context: DescribeContext): Fallbacks {
  const entries = arrayIn(body, 'fallbacks')
  if (entries.length > mostFallbacks) {
    throw new InvalidRequest(`The field "fallbacks" has more than ${mostFallbacks} entries.`)
  }
  const read = entries.map((entry, index) => {
    if (!isObject(entry)) throw new InvalidRequest('An entry of the field "fallbacks" is not an object.')
    return {
      model: askModel(entry),
      ceiling: { path: ['fallbacks', index, 'max_tokens'], tokens: askCeiling(entry, 'max_tokens', context) },
      budget: budgetOf(entry),
      isFast: entry['speed'] === 'fast',
    }
  })
  return {
    models: read.map(({ model }) => model),
    ceilings: read.flatMap(({ ceiling: { path, tokens } }) => (tokens === null ? [] : [{ path, tokens }])),
    budgets: read.flatMap(({ budget }) => budget ?? []),
    isFast: read.some(({ isFast }) => isFast),
  }
}

/** The thinking budget of a request, or of one of its fallbacks; null where it sets none. */
export function budgetOf(body: JsonObject): number | null {
  const thinking = objectIn(body, 'thinking') ?? {}
  const budget = askNumber(thinking, 'budget_tokens', 'thinking.budget_tokens')
  return thinking['type'] === 'enabled' && budget !== null && budget > 0 ? budget : null
}
