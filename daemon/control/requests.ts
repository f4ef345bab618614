import type { CapOverride } from '../ledger/ledger.ts'
import { isCap, largestCap, personalCapNames, personalCapUnits } from '../../shared/personalCaps.ts'
import type { CapUnit, PersonalCapName } from '../../shared/personalCaps.ts'
import type { ControlRequest, KillRequest, PersonalCaps } from '../../shared/protocol.ts'

/** A change of caps: some fields, and until when. */
export interface CapChange {
  readonly caps: Readonly<Partial<Record<CapOverride['field'], number | null>>>
  /** `midnight` of the configured zone, an ISO time, or null: until it is changed again. */
  readonly until: string | null
}

/** What a window's settings say about the personal caps, as far as it can be used. */
export interface HeardCaps {
  readonly caps: PersonalCaps
  /** Caps whose setting cannot be used: what is in force for them stays (M09). */
  readonly keep: readonly PersonalCapName[]
  /** Those of `keep` that the window took for good. */
  readonly refused: readonly PersonalCapName[]
}

/** A message of a control client. */
export type HeardRequest =
  Exclude<ControlRequest, { readonly type: 'settings' }> | ({ readonly type: 'settings' } & HeardCaps)

const killScopes = ['global', 'tenant', 'key', 'task'] as const

/** Reads the body of a kill or resume; a string is what is wrong with it. */
export function readKill(value: unknown): KillRequest | string {
  if (!isRecord(value)) return 'The body must be a JSON object such as {"scope":"global"}.'
  const scope = killScopes.find((one) => one === (value['scope'] ?? 'global'))
  if (scope === undefined) return 'scope must be global, tenant, key or task.'
  const ref = value['ref']
  if (ref !== undefined && typeof ref !== 'string') return 'ref must be a string.'
  if (scope !== 'global' && (ref === undefined || ref === '')) return `ref must name the ${scope}.`
  return { scope, ...(scope === 'global' || ref === undefined ? {} : { ref }) }
}

const capFields: readonly CapOverride['field'][] = [
  'userDailyEur',
  'userDailyTokens',
  'tenantDailyEur',
  'tenantDailyTokens',
  'tenantMonthlyEur',
  'tenantMonthlyTokens',
]

/** Reads the body of `POST /api/caps`; a string is what is wrong with it. */
export function readCaps(value: unknown): CapChange | string {
  if (!isRecord(value)) return 'The body must be a JSON object such as {"userDailyEur":12,"until":"midnight"}.'
  const { until = null, ...fields } = value
  if (until !== null && (typeof until !== 'string' || (until !== 'midnight' && Number.isNaN(Date.parse(until))))) {
    return 'until must be "midnight", an ISO time or null.'
  }
  const caps: Partial<Record<CapOverride['field'], number | null>> = {}
  for (const [name, amount] of Object.entries(fields)) {
    const field = capFields.find((one) => one === name)
    if (field === undefined) return `${name} is no cap. Known: ${capFields.join(', ')}.`
    const problem = capProblem(field, amount)
    if (problem !== null) return problem
    caps[field] = amount as number | null
  }
  if (Object.keys(caps).length === 0) return `Name at least one of ${capFields.join(', ')}.`
  return { caps, until }
}

/** For whom a daemon is to end, in the body of `POST /api/shutdown`. */
export interface ShutdownRequest {
  /** One that is ready to take its place, which no call may notice. */
  readonly handOver: boolean
  /** One that is started when it has ended. */
  readonly restart: boolean
}

/** Reads the body of `POST /api/shutdown`; a string is what is wrong with it. */
export function readShutdown(value: unknown): ShutdownRequest | string {
  const problem = 'The body must be empty, {"handOver":true} or {"restart":true}.'
  if (!isRecord(value)) return problem
  const [handOver, restart] = [value['handOver'] ?? false, value['restart'] ?? false]
  return typeof handOver === 'boolean' && typeof restart === 'boolean' ? { handOver, restart } : problem
}

/** Reads a message of a control client; a string is what is wrong with it. */
export function readControlRequest(text: string): HeardRequest | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'not JSON'
  }
  if (!isRecord(value)) return 'not an object'
  switch (value['type']) {
    case 'hello':
      return {
        type: 'hello',
        client: value['client'] === 'cli' ? 'cli' : 'extension',
        window: wordOr(value['window']),
        version: wordOr(value['version']),
      }
    case 'focus':
      return { type: 'focus', focused: value['focused'] === true }
    case 'settings': {
      const heard = readSettings(value['caps'], value['keep'] ?? [])
      return typeof heard === 'string' ? heard : { type: 'settings', ...heard }
    }
    default:
      return 'unknown type'
  }
}

/** Reads what a window's settings say; one bad cap does not disable the good ones. A string is what is wrong with the whole. */
function readSettings(given: unknown, keep: unknown): HeardCaps | string {
  if (!isRecord(given)) return 'caps must be an object'
  if (!Array.isArray(keep)) return 'keep must be a list of caps'
  const caps = goodCaps(given)
  const missing = personalCapNames.filter((name) => !(name in caps))
  const refused = missing.filter((name) => given[name] !== undefined)
  return { caps, keep: missing.filter((name) => refused.includes(name) || keep.includes(name)), refused }
}

/** The personal caps of an object that can be used, in the order in which they are stored. */
export function goodCaps(given: Readonly<Record<string, unknown>>): PersonalCaps {
  const caps: { -readonly [name in PersonalCapName]?: number | null } = {}
  for (const name of personalCapNames) {
    const value = given[name]
    if (isCap(value, personalCapUnits[name])) caps[name] = value
  }
  return caps
}

/** A bad cap must never switch a limit off (M09). */
function capProblem(field: string, amount: unknown): string | null {
  const unit: CapUnit = field.endsWith('Tokens') ? 'tokens' : 'eur'
  if (isCap(amount, unit)) return null
  return `${field} must be a ${unit === 'tokens' ? 'whole number of tokens' : 'number'} from 0 to ${largestCap[unit]} or null.`
}

/** True for a JSON object; what it holds is still unknown. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wordOr(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 100) : ''
}
