import { InvalidRequest } from './dialect.ts'
import type { JsonObject } from './dialect.ts'

/**
 * Typed readers over parsed JSON. The `ask…` readers are for request fields that decide about money and throw
 * InvalidRequest on a wrong type; all others are tolerant, because the provider judges what we only measure.
 */

/** True for a JSON object, not for an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object under `name`, or null where there is none. */
export function objectIn(object: JsonObject, name: string): JsonObject | null {
  const value = object[name]
  return isObject(value) ? value : null
}

/** The array under `name`; empty where there is none. */
export function arrayIn(object: JsonObject, name: string): readonly unknown[] {
  return asArray(object[name])
}

/** The value if it is an array, else an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

/** The string under `name`, or null. An empty string is a string. */
export function stringIn(object: JsonObject, name: string): string | null {
  const value = object[name]
  return typeof value === 'string' ? value : null
}

/**
 * The largest count that is believed, in tokens or uses: some fifty times the largest context window. The price of what lies
 * below, and the sum of many such prices, stay whole numbers that a double can tell apart.
 */
const mostCounted = 100_000_000

/**
 * A reported count: a number from 0 to `mostCounted` as a whole number, else null. Null, missing and absurd figures are
 * unknown, never 0 (B04, I05).
 */
export function countIn(object: JsonObject | null, name: string): number | null {
  const value = object?.[name]
  return typeof value === 'number' && value >= 0 && value <= mostCounted ? Math.round(value) : null
}

/** A short word that a provider reported (class, code, reason, tier), cut so that no text can hide in it. */
export function wordIn(object: JsonObject, name: string): string | null {
  const value = object[name]
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value.slice(0, 128) : null
}

/** The model name. It is user input: bounded, and free of control characters. Throws InvalidRequest. */
export function askModel(body: JsonObject): string {
  const model = body['model']
  if (typeof model !== 'string' || model.trim() === '') {
    throw new InvalidRequest('The field "model" is missing or not a string.')
  }
  if (model.length > 512 || /[\u0000-\u001f\u007f]/.test(model)) {
    throw new InvalidRequest('The field "model" is longer than 512 characters or has control characters.')
  }
  return model
}

/** Most models that a request may name as its alternatives; vendors take a handful. */
const mostModels = 32

/** The model names in the array under `name`, as bounded as the model's own; none where it is missing. Throws InvalidRequest. */
export function askModels(body: JsonObject, name: string): readonly string[] {
  const models = arrayIn(body, name)
  if (models.length > mostModels) throw new InvalidRequest(`The field "${name}" names more than ${mostModels} models.`)
  return models.map((model) => askModel({ model }))
}

/** `true` or `false` under `name`; `fallback` where it is missing or null. Throws InvalidRequest. */
export function askBoolean(body: JsonObject, name: string, fallback: boolean): boolean {
  const value = body[name]
  if (value === undefined || value === null) return fallback
  if (typeof value !== 'boolean') throw new InvalidRequest(`The field "${name}" is not true or false.`)
  return value
}

/** A whole number under `name`, rounded up; null where it is missing or null. May be negative. Throws InvalidRequest. */
export function askNumber(body: JsonObject, name: string, shownName: string = name): number | null {
  const value = body[name]
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new InvalidRequest(`The field "${shownName}" is not a number.`)
  }
  return Math.min(Math.ceil(value), Number.MAX_SAFE_INTEGER)
}

/** The array under `name`, which must be there. Throws InvalidRequest. */
export function askArray(body: JsonObject, name: string): readonly unknown[] {
  const value = body[name]
  if (!Array.isArray(value)) throw new InvalidRequest(`The field "${name}" is missing or not an array.`)
  return value as readonly unknown[]
}

/** The object under `name`; null where it is missing or null. Throws InvalidRequest. */
export function askObject(body: JsonObject, name: string): JsonObject | null {
  const value = body[name]
  if (value === undefined || value === null) return null
  if (!isObject(value)) throw new InvalidRequest(`The field "${name}" is not an object.`)
  return value
}
