import { isObject, readJson, setJson } from '../clients/json.ts'
import type { JsonValue } from '../clients/json.ts'
import { applySteps } from '../clients/steps.ts'

/** What the gate does to a prompt that does not fit: enlarges `num_ctx`, or refuses the call. */
export type WindowPolicy = 'raise' | 'refuse'

/** What has to be done to `config.json`. */
export type PolicyChange =
  | { readonly kind: 'edit'; readonly after: string }
  | { readonly kind: 'already' }
  /** It cannot be parsed, or has something else in the place of an object. */
  | { readonly kind: 'malformed' }

/** Sets `plans.<plan>.truncation.before`; comments and everything else stay as they are written. */
export function changePolicy(config: string, plan: string, policy: WindowPolicy): PolicyChange {
  const path = ['plans', plan, 'truncation', 'before']
  const value = readJson(config, {})
  if (!isObject(value)) return { kind: 'malformed' }
  const edited = (at: readonly string[], to: JsonValue): PolicyChange => ({
    kind: 'edit',
    after: applySteps(config, setJson(config, [...at], to)),
  })
  let present: unknown = value
  for (const [depth, name] of path.entries()) {
    // A block of null is switched off: there is no object to put the field into.
    if (present === null && name === 'before') return edited(path.slice(0, depth), { before: policy })
    if (!isObject(present)) return { kind: 'malformed' }
    present = Object.hasOwn(present, name) ? present[name] : undefined
    if (present === undefined) break
  }
  return present === policy ? { kind: 'already' } : edited(path, policy)
}
