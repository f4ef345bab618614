import type { CapOverride } from '../ledger/ledger.ts'
import type { ControlRequest, KillRequest, PersonalCaps } from '../../shared/protocol.ts'

/** A change of caps: some fields, and until when. */
export interface CapChange {
  readonly caps: Readonly<Partial<Record<CapOverride['field'], number | null>>>
  /** `midnight` of the configured zone, an ISO time, or null: until it is changed again. */
  readonly until: string | null
}

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

/** Reads the body of `POST /api/shutdown`; a string is what is wrong with it. */
export function readShutdown(value: unknown): { readonly handOver: boolean } | string {
  const handOver = isRecord(value) ? (value['handOver'] ?? false) : null
  return typeof handOver === 'boolean' ? { handOver } : 'The body must be empty or {"handOver":true}.'
}

/** Reads a message of a control client; a string is what is wrong with it. */
export function readControlRequest(text: string): ControlRequest | string {
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
      const caps = readPersonalCaps(value['caps'])
      return typeof caps === 'string' ? caps : { type: 'settings', caps }
    }
    default:
      return 'unknown type'
  }
}

/** Reads personal caps; a string is what is wrong with them. */
export function readPersonalCaps(value: unknown): PersonalCaps | string {
  if (!isRecord(value)) return 'caps must be an object'
  const caps: Record<string, number | null> = {}
  for (const field of ['userDailyEur', 'userDailyTokens', 'tenantMonthlyEur', 'tenantMonthlyTokens'] as const) {
    const amount = value[field]
    if (amount === undefined) continue
    const problem = capProblem(field, amount)
    if (problem !== null) return problem
    caps[field] = amount as number | null
  }
  return caps
}

/** A cap is a number >= 0 or null; a bad one must never switch a limit off (M09). */
function capProblem(field: string, amount: unknown): string | null {
  if (amount === null) return null
  const whole = field.endsWith('Tokens')
  const fits =
    typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 && (!whole || Number.isSafeInteger(amount))
  return fits ? null : `${field} must be a ${whole ? 'whole number of tokens' : 'number'} >= 0 or null.`
}

/** True for a JSON object; what it holds is still unknown. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wordOr(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 100) : ''
}
