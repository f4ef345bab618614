import type { FieldEdit } from './edit.ts'

const openBrace = 0x7b
const closeBrace = 0x7d

/** Names that can be written into JSON, and looked for in it, as they are. */
const plainName = /^\w+$/

/**
 * The body with fields added before its last brace: what most edits come to, without looking at what stands before. Null
 * where that is not certain to be the same as an edit in place: for other edits, and where a name already stands anywhere in
 * the body, also in a text. The body must be valid JSON.
 */
export function appendFields(body: Buffer, edits: readonly FieldEdit[]): Buffer | null {
  const fields = new Map<string, string>()
  for (const { path, value } of edits) {
    const [name] = path
    if (path.length !== 1 || typeof name !== 'string' || value === undefined || !plainName.test(name)) return null
    fields.set(name, JSON.stringify(value))
  }
  if (fields.size === 0) return null
  const end = body.lastIndexOf(closeBrace)
  if (end < 0 || body[firstSolid(body)] !== openBrace || lastSolid(body, body.length - 1) !== end) return null
  for (const name of fields.keys()) if (body.includes(`"${name}"`)) return null
  // A key may be spelt with escapes. Of those only this kind can stand for a letter.
  if (body.includes('\\u')) return null
  const isEmpty = body[lastSolid(body, end - 1)] === openBrace
  const members = [...fields].map(([name, json]) => `"${name}":${json}`).join(',')
  return Buffer.concat([body.subarray(0, end), Buffer.from(`${isEmpty ? '' : ','}${members}`), body.subarray(end)])
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function firstSolid(body: Buffer): number {
  let at = 0
  while (isSpace(body[at])) at += 1
  return at
}

function lastSolid(body: Buffer, from: number): number {
  let at = from
  while (isSpace(body[at])) at -= 1
  return at
}
