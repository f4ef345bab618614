import { remembering } from '../memo.ts'
import { InvalidRequest } from './dialect.ts'
import type { JsonObject } from './dialect.ts'
import { isObject } from './read.ts'

/**
 * Google's servers take each field by either of its two names, `maxOutputTokens` and `max_output_tokens`, and a single
 * value in the place of a list of one. All readers here are given the first name.
 */

/** The other spelling of a field's name. */
export const snakeCase = remembering<string>(500, (name) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
)

/** The value of a field; undefined where it is missing or null. */
export function fieldIn(object: JsonObject, name: string): unknown {
  return object[name] ?? object[snakeCase(name)] ?? undefined
}

/** The name under which a field is there, its usual one where it is not. Throws InvalidRequest where both are. */
export function askSpelling(object: JsonObject, name: string): string {
  const other = snakeCase(name)
  if (other === name || object[other] === undefined) return name
  if (object[name] !== undefined) {
    throw new InvalidRequest(`"${name}" and "${other}" are two names of one field. Send one of them.`)
  }
  return other
}

/** The object of a field, or null where there is none. */
export function objectField(object: JsonObject, name: string): JsonObject | null {
  const value = fieldIn(object, name)
  return isObject(value) ? value : null
}

/** The string of a field, or null. */
export function stringField(object: JsonObject, name: string): string | null {
  const value = fieldIn(object, name)
  return typeof value === 'string' ? value : null
}

/** The elements of a field, none where it is missing; a value that is no list is its only element. */
export function listField(object: JsonObject, name: string): readonly unknown[] {
  const value = fieldIn(object, name)
  if (value === undefined) return []
  return Array.isArray(value) ? (value as readonly unknown[]) : [value]
}
