import type { FieldEdit } from './edit.ts'

const closeBrace = 0x7d

/**
 * The body with fields added before its last brace: what most edits come to, in no time however long the body is. Null where
 * that is not the same as an edit in place: for other edits, and for a field that is there. The body must be valid JSON, and
 * `fields` the names of its own fields.
 */
export function appendFields(
  body: Buffer,
  edits: readonly FieldEdit[],
  fields: readonly string[] | undefined,
): Buffer | null {
  if (fields === undefined || edits.length === 0) return null
  const added = new Map<string, string>()
  for (const { path, value } of edits) {
    const [name] = path
    if (path.length !== 1 || typeof name !== 'string' || value === undefined || fields.includes(name)) return null
    added.set(name, `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  }
  const end = lastSolid(body, body.length - 1)
  if (body[end] !== closeBrace) return null
  const members = [...added.values()].join(',')
  const comma = fields.length === 0 ? '' : ','
  return Buffer.concat([body.subarray(0, end), Buffer.from(comma + members), body.subarray(end)])
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function lastSolid(body: Buffer, from: number): number {
  let at = from
  while (isSpace(body[at])) at -= 1
  return at
}
