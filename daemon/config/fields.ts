import * as v from 'valibot'
import { pathPart } from '../../shared/addresses.ts'
import { largestCap } from '../../shared/personalCaps.ts'
import { isFields } from './overlay.ts'
import type { Fields } from './overlay.ts'

/**
 * The kinds of values that a configuration holds. Each carries the words that follow the field's path in a problem: "must be
 * a number >= 0 or null". `null` is allowed only where it means unlimited or off, so that an empty section or a bad number
 * never lifts a limit.
 */

/** Bounds of a number. */
export interface NumberBounds {
  readonly min: number
  /** Largest value, with a reason of its own: a timer, a sum in nano-euro, a share. */
  readonly max?: number
  readonly whole?: boolean
}

/** Most euros that a nano-euro sum holds without losing a digit. */
export const maximumEur = largestCap.eur

/** Longest delay that a timer of the runtime accepts; a longer one would fire at once. */
export const maximumTimerMs = 2_147_483_647

function numberSchema(bounds: NumberBounds, suffix: string) {
  const { min, max = Number.MAX_SAFE_INTEGER, whole = false } = bounds
  const kind = whole ? 'a whole number' : 'a number'
  const range = max <= 1 ? `from ${min} to ${max}` : `>= ${min}`
  const allowed = `must be ${kind} ${range}${suffix}`
  return v.pipe(
    v.number(allowed),
    v.check(
      (value) => Number.isFinite(value) && value >= min && value <= max && (!whole || Number.isInteger(value)),
      (issue) => (issue.input > max ? `must be at most ${max}${suffix}` : allowed),
    ),
  )
}

/** A number that has to be there. */
export function numberField(bounds: NumberBounds) {
  return v.optional(numberSchema(bounds, ''))
}

/** A limit: a number, or `null` for none. */
export function limitField(bounds: NumberBounds) {
  return v.optional(v.nullable(numberSchema(bounds, ' or null')))
}

/** A number that may not be left out where its block is written. */
export function requiredNumber(bounds: NumberBounds) {
  return numberSchema(bounds, '')
}

/** True or false. */
export function booleanField() {
  return v.optional(v.boolean('must be true or false'))
}

/** One of a few words. */
export function choiceField<const Words extends readonly string[]>(words: Words) {
  return v.optional(v.picklist(words, `must be one of ${words.map((word) => JSON.stringify(word)).join(', ')}`))
}

const printable = /^[^\u0000-\u001f\u007f-\u009f]{1,256}$/

/** A name that is shown to people: 1 to 256 characters, none of them a control character. */
export const nameText = v.pipe(
  v.string('must be a text of 1 to 256 characters'),
  v.regex(printable, 'must be a text of 1 to 256 characters without control characters'),
)

const pathPartWords = 'must be 1 to 128 letters, digits, "-" or "_"'

/** A name that stands in a base URL: `[A-Za-z0-9_-]`, 1 to 128. */
export const pathName = v.pipe(v.string(pathPartWords), v.regex(pathPart, pathPartWords))

/** A name or `null` for none. */
export const nameOrNull = v.optional(v.nullable(nameText))

/** The library takes a list for an object with the names 0, 1, 2; here it is a section of the wrong kind. */
function noList(message: string) {
  return v.custom<Fields>(isFields, message)
}

/** Object that knows all of its fields. */
export function block<const Entries extends v.ObjectEntries>(entries: Entries) {
  const message = 'must be an object'
  return v.pipe(noList(message), v.strictObject(entries, message))
}

/** Block that `null` turns off. */
export function blockOrOff<const Entries extends v.ObjectEntries>(entries: Entries) {
  const message = 'must be an object or null'
  return v.optional(v.nullable(v.pipe(noList(message), v.strictObject(entries, message))))
}

/** Object whose field names are the user's. */
export function table<const Key extends v.GenericSchema<string, string>, const Value extends v.GenericSchema>(
  key: Key,
  value: Value,
) {
  const message = 'must be an object'
  return v.pipe(noList(message), v.record(key, value, message))
}

/** List of names or patterns; an empty list allows nothing, `null` everything. */
export function list<const Item extends v.GenericSchema>(item: Item, suffix = '') {
  return v.array(item, `must be a list${suffix}`)
}
