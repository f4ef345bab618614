import type { Config } from '../../shared/config.ts'
import { builtInUpstreams } from '../../shared/addresses.ts'
import { pathText } from './fieldTree.ts'
import type { FileConfig } from './schema.ts'

/** First steps of a path that mean something else than an upstream. */
const reservedNames = new Set(['k', 't', 'p', 'api', 'control', 'healthz', 'metrics'])

/** True for a name of the IANA zone database; a fixed offset has no daylight saving time and is refused. */
export function isTimezone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

function baseUrlProblem(baseUrl: string): string | null {
  let url: URL
  try {
    url = new URL(baseUrl)
  } catch {
    return 'must be an http or https address'
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https address'
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or a password'
  if (baseUrl.includes('?') || baseUrl.includes('#')) return 'must not have a query or a fragment'
  return null
}

function ledgerProblem(ledger: string): string | null {
  if (ledger === 'sqlite') return null
  const allowed = 'ledger must be "sqlite" or an address such as redis://host:6379/0.'
  if (!/^rediss?:\/\//.test(ledger)) return allowed
  if (!URL.canParse(ledger) || new URL(ledger).hostname === '') return allowed
  // Caps that a team believes to share must not be counted on each machine alone.
  return 'ledger: this version counts in SQLite only, so caps cannot be shared over Redis yet; use "sqlite".'
}

/** What cannot be seen field by field in a file: addresses, names, pairs of fields. */
export function fileProblems(file: FileConfig): readonly string[] {
  const problems: string[] = []
  if (file.timezone !== undefined && !isTimezone(file.timezone)) {
    problems.push('timezone must be a name of the IANA zone database, such as Europe/Berlin.')
  }
  if (file.ledger !== undefined) {
    const problem = ledgerProblem(file.ledger)
    if (problem !== null) problems.push(problem)
  }
  for (const [name, upstream] of Object.entries(file.upstreams ?? {})) {
    const path = pathText(['upstreams', name])
    if (reservedNames.has(name)) problems.push(`${path}: this name has a meaning of its own in addresses.`)
    if (upstream.baseUrl !== undefined) {
      const problem = baseUrlProblem(upstream.baseUrl)
      if (problem !== null) problems.push(`${path}.baseUrl ${problem}.`)
    }
    if ((builtInUpstreams as readonly string[]).includes(name)) continue
    if (upstream.baseUrl === undefined) problems.push(`${path}.baseUrl is missing.`)
    if (upstream.dialect === undefined) problems.push(`${path}.dialect is missing.`)
  }
  for (const table of ['projects', 'models'] as const) {
    for (const [name, cap] of Object.entries(file.budgets?.[table] ?? {})) {
      // An empty cap would look like a limit and be none.
      if (cap.eur === undefined && cap.tokens === undefined) {
        problems.push(`${pathText(['budgets', table, name])} must say eur, tokens or both.`)
      }
    }
  }
  for (const [name, charge] of Object.entries(file.toolCharges ?? {})) {
    if ((charge.eur === undefined) === (charge.eurPerSecond === undefined)) {
      problems.push(`${pathText(['toolCharges', name])} must say either eur or eurPerSecond.`)
    }
  }
  return problems
}

/** What can only be seen in the whole: names that refer to each other, thresholds in order. */
export function configProblems(config: Config): readonly string[] {
  const problems: string[] = []
  const planNames = Object.keys(config.plans).join(', ')
  if (!Object.hasOwn(config.plans, config.plan)) problems.push(`plan must be one of ${planNames}.`)
  const keys = new Set<string>()
  config.keys.forEach((key, index) => {
    if (key.plan !== null && !Object.hasOwn(config.plans, key.plan)) {
      problems.push(`keys[${index}].plan must be one of ${planNames}.`)
    }
    if (keys.has(key.key)) problems.push(`keys[${index}].key is the key of an earlier entry too.`)
    keys.add(key.key)
  })
  for (const [name, plan] of Object.entries(config.plans)) {
    if (plan.task !== null && plan.task.warnAt > plan.task.constrainAt) {
      problems.push(`${pathText(['plans', name])}.task.warnAt must not be above constrainAt.`)
    }
    const fallback = plan.degrade?.fallback ?? null
    if (fallback !== null && !Object.hasOwn(config.upstreams, fallback.upstream)) {
      problems.push(`${pathText(['plans', name])}.degrade.fallback.upstream must be the name of an upstream.`)
    } else if (fallback !== null && config.upstreams[fallback.upstream]?.free !== true) {
      // What stands in for a call without budget must not spend one.
      problems.push(`${pathText(['plans', name])}.degrade.fallback.upstream must be a free upstream.`)
    }
  }
  return problems
}
