import { fieldAt, fieldNames, fieldSchema, isTable, pathText } from './fieldTree.ts'
import type { FieldPath, FieldSchema } from './fieldTree.ts'
import { isFields } from './overlay.ts'
import type { Fields } from './overlay.ts'
import { fileSchema } from './schema.ts'

/**
 * `TOLLGATE_` and the path of a field in capitals, its steps joined by `_`: `TOLLGATE_BUDGETS_USERDAILY_EUR`. In a name of
 * the user's own every character besides letters and digits becomes `_`; such a name has to be in the file or built in.
 */
const prefix = 'TOLLGATE_'

/** Variables of the program itself that are no fields. */
const own = new Set(['TOLLGATE_DATA_DIR', 'TOLLGATE_KEY', 'TOLLGATE_TOKEN', 'TOLLGATE_URL'])

/** One field that a variable sets. */
export interface EnvironmentOverride {
  readonly variable: string
  readonly path: FieldPath
  readonly value: unknown
}

/** What the environment says about the configuration. */
export interface EnvironmentReading {
  readonly overrides: readonly EnvironmentOverride[]
  readonly problems: readonly string[]
  /** Names with the prefix that are no field. */
  readonly warnings: readonly string[]
}

interface Found {
  readonly path: FieldPath
  readonly schema: FieldSchema
}

function variablePart(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '_').toUpperCase()
}

function find(schema: FieldSchema, rest: string, values: readonly unknown[], path: FieldPath): readonly Found[] {
  if (rest === '') return [{ path, schema }]
  const names =
    fieldNames(schema) ?? (isTable(schema) ? [...new Set(values.filter(isFields).flatMap(Object.keys))] : [])
  return names.flatMap((name) => {
    const part = variablePart(name)
    const below = rest === part ? '' : rest.startsWith(`${part}_`) ? rest.slice(part.length + 1) : null
    const child = below === null ? null : fieldAt(schema, name)
    if (below === null || child === null) return []
    const inner = values.map((value) => (isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined))
    return find(child, below, inner, [...path, name])
  })
}

/** A variable is text: a field of text takes it as it is, every other field reads it as JSON. */
function readValue(schema: FieldSchema, text: string): unknown {
  if (schema.nullable && text === 'null') return null
  if (schema.shape.type === 'string' || schema.shape.type === 'picklist') return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Blocks: a name that starts like one can only be a misspelt limit, and a misspelt limit must not be overlooked. */
function startsLikeBlock(root: FieldSchema, rest: string): boolean {
  return (fieldNames(root) ?? []).some((name) => {
    const child = fieldAt(root, name)
    const isBlock = child !== null && (fieldNames(child) !== null || isTable(child))
    return isBlock && rest.startsWith(`${variablePart(name)}_`)
  })
}

/** Fields that the environment sets. `named` are the values whose own names count: the defaults and the file. */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly unknown[],
): EnvironmentReading {
  const root = fieldSchema(fileSchema)
  const overrides: EnvironmentOverride[] = []
  const problems: string[] = []
  const warnings: string[] = []
  for (const [variable, text] of Object.entries(env)) {
    const upper = variable.toUpperCase()
    if (text === undefined || !upper.startsWith(prefix) || own.has(upper)) continue
    const rest = upper.slice(prefix.length)
    const found = find(root, rest, named, [])
    const [first, second] = found
    if (first === undefined) {
      if (startsLikeBlock(root, rest)) problems.push(`${variable} names no field of the configuration.`)
      else if (!rest.startsWith('TEST_'))
        warnings.push(`${variable} names no field of the configuration and is ignored.`)
    } else if (second !== undefined) {
      problems.push(`${variable} could be ${found.map((each) => pathText(each.path)).join(' or ')}.`)
    } else {
      overrides.push({ variable, path: first.path, value: readValue(first.schema, text) })
    }
  }
  return { overrides, problems, warnings }
}

/** A copy of `value` with one field set; blocks on the way are made where they are missing or off. */
export function withField(value: unknown, path: FieldPath, field: unknown): unknown {
  const [step, ...below] = path
  if (step === undefined) return field
  const fields: Fields = isFields(value) ? value : {}
  const inner = Object.hasOwn(fields, step) ? fields[String(step)] : undefined
  return { ...fields, [step]: withField(inner, below, field) }
}
