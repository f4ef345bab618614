/** An object of fields, as opposed to a list or a scalar. */
export type Fields = Readonly<Record<string, unknown>>

/** True for an object that is no list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * `given` laid over `base`, field by field at every depth: what is left out stays, `null` stays null, lists and scalars
 * replace. Where `base` has turned a block off and `given` turns it on again, the fields that it leaves out come from
 * `template`, so that a block is always complete.
 */
export function overlay(base: unknown, given: unknown, template: unknown = base): unknown {
  if (given === undefined) return base
  const under = isFields(base) ? base : template
  if (!isFields(given) || !isFields(under)) return given
  const shape: Fields = isFields(template) ? template : {}
  const result: Record<string, unknown> = { ...under }
  for (const [name, value] of Object.entries(given)) result[name] = overlay(under[name], value, shape[name])
  return result
}

/** Makes a value and everything inside it unchangeable, and returns it. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value as Fields)) deepFreeze(inner)
  return value
}
