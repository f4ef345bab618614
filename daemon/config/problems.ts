import type * as v from 'valibot'
import { fieldAt, fieldNames, pathText } from './fieldTree.ts'
import type { FieldPath, FieldSchema } from './fieldTree.ts'

/** What the user wrote, for the end of a sentence. Long texts are left out: they may be a key in the wrong place. */
export function valueText(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'string') return value.length <= 24 ? JSON.stringify(value) : 'that text'
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'that value'
}

/** Fields that may hold a secret: their values are never repeated. */
function isSecret(path: FieldPath): boolean {
  const last = path[path.length - 1]
  return path[0] === 'keys' || last === 'ledger' || last === 'baseUrl'
}

/** Steps of an issue of the validation library. */
export function issuePath(issue: v.BaseIssue<unknown>): FieldPath {
  return (issue.path ?? []).map((item) => (typeof item.key === 'number' ? item.key : String(item.key)))
}

function schemaAt(root: FieldSchema, path: FieldPath): FieldSchema | null {
  let schema: FieldSchema | null = root
  for (const step of path) {
    if (schema === null) return null
    schema = fieldAt(schema, step)
  }
  return schema
}

/**
 * One sentence for one issue: the field, what is allowed, what was written. `subject` replaces the path where the value came
 * from elsewhere, for example from an environment variable.
 */
export function problemText(root: FieldSchema, issue: v.BaseIssue<unknown>, subject: string | null): string {
  const path = issuePath(issue)
  const name = subject ?? (path.length === 0 ? 'The configuration' : pathText(path))
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    const parent = path.slice(0, -1)
    const schema = schemaAt(root, parent)
    const known = (schema === null ? null : fieldNames(schema)) ?? []
    return `${name} is not a known field; ${parent.length === 0 ? 'known' : `${pathText(parent)} has`}: ${known.join(', ')}.`
  }
  if (issue.received === 'undefined') return `${name} is missing.`
  const last = issue.path?.[issue.path.length - 1]
  if (last !== undefined && 'origin' in last && last.origin === 'key') return `${name}: the name ${issue.message}.`
  const written = isSecret(path) || issue.message.startsWith('must be at most') ? '' : `, not ${valueText(issue.input)}`
  return `${name} ${issue.message}${written}.`
}
