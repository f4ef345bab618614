import { pathText } from './fieldTree.ts'
import type { FieldPath } from './fieldTree.ts'
import { isFields } from './overlay.ts'

/**
 * Fields that are checked and kept, but that no guard reads yet. Somebody who writes one believes in a limit, so the start
 * says that it does not hold. A guard that comes takes its line away; `docs/configuration.md` marks the same fields.
 */
export const notInForce: readonly string[] = [
  'plans.*.truncation.before',
  'plans.*.truncation.maxNumCtx',
  'plans.*.storm',
  'plans.*.degrade',
]

function written(value: unknown, steps: readonly string[], path: FieldPath): readonly FieldPath[] {
  const [step, ...below] = steps
  // Null turns a limit off and an empty block says nothing: neither is waited for in vain.
  if (step === undefined) {
    const says = value !== null && value !== undefined && !(isFields(value) && Object.keys(value).length === 0)
    return says ? [path] : []
  }
  if (!isFields(value)) return []
  const names = step === '*' ? Object.keys(value) : Object.hasOwn(value, step) ? [step] : []
  return names.flatMap((name) => written(value[name], below, [...path, name]))
}

/** One sentence for each field of a file that does not hold yet. */
export function notInForceWarnings(file: unknown): readonly string[] {
  return notInForce
    .flatMap((field) => written(file, field.split('.'), []))
    .map((path) => `${pathText(path)} is kept but not in force in this version.`)
}
