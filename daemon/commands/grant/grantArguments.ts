import { grantScopes } from '../../../shared/protocol.ts'
import type { GrantRequest } from '../../../shared/protocol.ts'
import { decimal, whole } from '../run/runArguments.ts'

const windows = ['day', 'month'] as const

/** Reads `grant`: a task by its id, or `--scope` with `--ref`. A string is what is wrong, in one sentence. */
export function readGrant(task: string | null, option: (name: string) => string | null): GrantRequest | string {
  const [asked, named, until] = [option('scope'), option('ref'), option('until')]
  const scope = grantScopes.find((one) => one === (asked ?? 'task'))
  if (scope === undefined) return `--scope must be one of ${grantScopes.join(', ')}, not "${asked ?? ''}".`
  if (task !== null && (named !== null || scope !== 'task'))
    return 'Name the task, or give --scope and --ref, not both.'
  if (named !== null && asked === null) return '--ref needs --scope: task, user, tenant, project or model.'
  const ref = task ?? named
  if (ref === null || ref === '')
    return asked === null
      ? 'grant needs the id of a task, as in: tollgate grant t1 --eur 2'
      : `--scope ${scope} needs --ref with the name of the ${scope}.`
  const amounts = readAmounts(option)
  if (typeof amounts === 'string') return amounts
  if (Object.keys(amounts).length === 0)
    return `Say how much: ${scope === 'task' ? '--eur, --iterations or --minutes' : '--eur or --tokens'}.`
  const window = windows.find((one) => one === option('window'))
  if (window === undefined && option('window') !== null) return '--window must be day or month.'
  return {
    scope,
    ref,
    ...(window === undefined ? {} : { window }),
    ...amounts,
    ...(until === null ? {} : { until }),
    by: 'cli',
  }
}

/** The amounts that are given. What suits a scope, and what lies in the future, is the daemon's to say. */
function readAmounts(
  option: (name: string) => string | null,
): Pick<GrantRequest, 'eur' | 'tokens' | 'iterations' | 'minutes'> | string {
  const amounts: { eur?: number; tokens?: number; iterations?: number; minutes?: number } = {}
  for (const name of ['eur', 'minutes'] as const) {
    const text = option(name)
    if (text === null) continue
    if (!decimal.test(text)) return `--${name} must be an amount such as 2 or 0.50, not "${text}".`
    amounts[name] = Number(text)
  }
  for (const [name, form] of [
    ['tokens', /^\d{1,12}$/],
    ['iterations', whole],
  ] as const) {
    const text = option(name)
    if (text === null) continue
    if (!form.test(text)) return `--${name} must be a whole number, not "${text}".`
    amounts[name] = Number(text)
  }
  return amounts
}
