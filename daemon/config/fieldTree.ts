import type * as v from 'valibot'

/** Steps from the top of a configuration to a field. */
export type FieldPath = readonly (string | number)[]

/** What this file looks at in a schema of the validation library. */
interface SchemaShape {
  readonly type: string
  readonly entries?: Readonly<Record<string, SchemaShape>>
  readonly wrapped?: SchemaShape
  readonly value?: SchemaShape
  readonly item?: SchemaShape
  /** A schema followed by checks or, for an object, by the schema of its fields. */
  readonly pipe?: readonly SchemaShape[]
}

/** A schema without its "may be left out" and "may be null". */
export interface FieldSchema {
  readonly shape: SchemaShape
  readonly nullable: boolean
}

/** Opens a schema of `schema.ts` for the functions below. */
export function fieldSchema(schema: v.GenericSchema): FieldSchema {
  return unwrap(schema)
}

function unwrap(schema: SchemaShape): FieldSchema {
  let shape = schema
  let nullable = false
  for (;;) {
    const inner = shape.wrapped ?? (shape.type === 'custom' ? shape.pipe?.[1] : undefined)
    if (inner === undefined) break
    if (shape.type === 'nullable') nullable = true
    shape = inner
  }
  return { shape, nullable }
}

/** Names of the fields of a block; null where the names are the user's own or there are none. */
export function fieldNames(schema: FieldSchema): readonly string[] | null {
  return schema.shape.entries === undefined ? null : Object.keys(schema.shape.entries)
}

/** True for an object whose field names are the user's own. */
export function isTable(schema: FieldSchema): boolean {
  return schema.shape.type === 'record'
}

/** The schema one step down; null where there is none. */
export function fieldAt(schema: FieldSchema, step: string | number): FieldSchema | null {
  const { entries, value, item, type } = schema.shape
  if (typeof step === 'number') return item === undefined ? null : unwrap(item)
  if (entries !== undefined) {
    const entry = Object.hasOwn(entries, step) ? entries[step] : undefined
    return entry === undefined ? null : unwrap(entry)
  }
  return type === 'record' && value !== undefined ? unwrap(value) : null
}

/** `budgets.models["claude-*"].eur`, `keys[0].plan`. */
export function pathText(path: FieldPath): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (/^[A-Za-z0-9_-]+$/.test(step)) text += text === '' ? step : `.${step}`
    else text += `[${JSON.stringify(step.length > 60 ? `${step.slice(0, 60)}…` : step)}]`
  }
  return text
}

/** Every field that can be written, with `*` for a name or a position of the user's own: `budgets.projects.*.eur`. */
export function fieldPaths(schema: FieldSchema, above: readonly string[] = []): readonly string[] {
  const { entries, value, item } = schema.shape
  const below: (readonly [string, SchemaShape])[] =
    entries !== undefined
      ? Object.entries(entries)
      : value !== undefined && schema.shape.type === 'record'
        ? [['*', value]]
        : item !== undefined && unwrap(item).shape.entries !== undefined
          ? [['*', item]]
          : []
  if (below.length === 0) return [above.join('.')]
  return below.flatMap(([name, child]) => fieldPaths(unwrap(child), [...above, name]))
}
