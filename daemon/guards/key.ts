import type { Config } from '../../shared/config.ts'
import type { Identity, Refusal } from '../call.ts'

/** Answers whether two secrets are equal in a time that does not depend on where they differ. */
export type SecretEquals = (left: string, right: string) => boolean

/** What a request says of itself. */
export interface Claim {
  readonly key: string | null
  readonly user: string | null
  readonly project: string | null
  /** User agent, and the title that the client gives itself. */
  readonly userAgent: string
}

/** Constant, so that it tells nothing about what exists (N06). */
const invalidKey: Refusal = {
  code: 'invalid_key',
  message:
    'The local key is missing or wrong. Take the base URL from "Tollgate: Copy Base URL" in VS Code or from "tollgate env".',
}

/** Finds out who calls and under which plan. `localKey` is the data directory's own key. */
export function identify(claim: Claim, config: Config, localKey: string, equals: SecretEquals): Identity | Refusal {
  const own = claim.key === null ? !config.requireKey : equals(claim.key, localKey)
  // Every configured key is compared, so that the time does not tell which one it was.
  let found = -1
  if (claim.key !== null) {
    for (const [at, entry] of config.keys.entries()) if (equals(claim.key, entry.key)) found = at
  }
  if (!own && found < 0) return invalidKey
  const entry = found < 0 ? null : (config.keys[found] ?? null)
  const planName = entry?.plan ?? planOfClient(claim.userAgent, config) ?? config.plan
  const plan = config.plans[planName]
  if (plan === undefined) return invalidKey
  return {
    keyId: found < 0 ? 'default' : `key-${found + 1}`,
    tenant: entry?.tenant ?? config.tenant,
    user: entry?.user ?? claim.user ?? config.user,
    // What the key says holds: a claim would otherwise lead past the cap of its project, as of its user.
    project: entry?.project ?? claim.project ?? null,
    planName,
    plan,
  }
}

/** The plan that expects this client, for keys without a plan of their own. */
function planOfClient(userAgent: string, { plans }: Config): string | null {
  let expected = expectedOf.get(plans)
  if (expected === undefined) {
    expected = expectedAgents(plans)
    expectedOf.set(plans, expected)
  }
  if (expected.length === 0) return null
  const lower = userAgent.toLowerCase()
  return expected.find(({ part }) => lower.includes(part))?.plan ?? null
}

interface ExpectedAgent {
  /** In small letters, not empty. */
  readonly part: string
  readonly plan: string
}

/** By the plans of a configuration, which a reload replaces and nothing changes. */
const expectedOf = new WeakMap<Config['plans'], readonly ExpectedAgent[]>()

function expectedAgents(plans: Config['plans']): readonly ExpectedAgent[] {
  return Object.entries(plans).flatMap(([plan, { expectedUserAgents }]) =>
    expectedUserAgents.filter((part) => part !== '').map((part) => ({ part: part.toLowerCase(), plan })),
  )
}
