import type { Cap, Config, KeyConfig, Plan, PriceOverride, Upstream } from '../../shared/config.ts'
import { basePlan, builtInPlans, defaults } from './defaults.ts'
import { overlay } from './overlay.ts'
import type { FileConfig } from './schema.ts'

type FileCap = NonNullable<NonNullable<FileConfig['budgets']>['userDaily']>

function mapValues<In, Out>(given: Readonly<Record<string, In>>, each: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, each(value)]))
}

function completeCap(given: FileCap): Cap {
  return { eur: given.eur ?? null, tokens: given.tokens ?? null }
}

/**
 * Plans with everything that they leave out: `agent` from the built-in one, the others from that `agent`. What is written
 * for a built-in plan lies over its built-in difference.
 */
function completePlans(given: NonNullable<FileConfig['plans']>): Record<string, Plan> {
  const agent = overlay(basePlan, given['agent'])
  const names = new Set([...Object.keys(builtInPlans), ...Object.keys(given)])
  const plans: Record<string, Plan> = {}
  for (const name of names) {
    const builtIn = overlay(agent, builtInPlans[name], basePlan)
    plans[name] = (name === 'agent' ? agent : overlay(builtIn, given[name], basePlan)) as Plan
  }
  return plans
}

function completeUpstreams(given: NonNullable<FileConfig['upstreams']>): Record<string, Upstream> {
  const upstreams: Record<string, Upstream> = { ...defaults.upstreams }
  for (const [name, written] of Object.entries(given)) {
    const base = upstreams[name] ?? { free: false }
    const upstream = overlay(base, written) as Upstream
    // One form for all: what is joined to a base URL starts with a slash.
    upstreams[name] = { ...upstream, baseUrl: upstream.baseUrl.replace(/\/+$/, '') }
  }
  return upstreams
}

function completeKey(given: NonNullable<FileConfig['keys']>[number]): KeyConfig {
  return {
    key: given.key,
    tenant: given.tenant ?? null,
    user: given.user ?? null,
    project: given.project ?? null,
    plan: given.plan ?? null,
  }
}

/** The whole configuration from what a file says. Needs a file that has passed the schema and the cross checks of its upstreams. */
export function completeConfig(file: FileConfig, timezone: string): Config {
  const { plans, keys, upstreams, budgets, prices, ...plain } = file
  const { projects, models, ...windows } = budgets ?? {}
  const { overrides, corrections, ...otherPrices } = prices ?? {}
  const allBudgets = overlay(defaults.budgets, windows) as Config['budgets']
  return {
    ...(overlay(defaults, plain) as typeof defaults),
    timezone: file.timezone ?? timezone,
    budgets: {
      ...allBudgets,
      // A ceiling that was clamped to nothing would be no call at all.
      minOutputTokens: Math.max(1, allBudgets.minOutputTokens),
      projects: mapValues(projects ?? {}, completeCap),
      models: mapValues(models ?? {}, completeCap),
    },
    prices: {
      ...(overlay(defaults.prices, otherPrices) as Config['prices']),
      overrides: (overrides ?? []).map((override): PriceOverride => ({
        ...override,
        provider: override.provider ?? null,
      })),
      corrections: (corrections ?? []).map((correction) => ({ ...correction, provider: correction.provider ?? null })),
    },
    plans: completePlans(plans ?? {}),
    upstreams: completeUpstreams(upstreams ?? {}),
    keys: (keys ?? []).map(completeKey),
  }
}
