import { isObjectAt, skipSpace, walkObject } from './jsonScan.ts'
import type { JsonMember } from './jsonScan.ts'

/**
 * Changes of single fields in the bytes of a request. Everything else goes out as it came: a body that is parsed and
 * written again loses its key order and number format, and with them the provider's prompt cache (G08).
 */

/** One change to a JSON body: the field at `path` gets `value`, and is inserted where it is missing. */
export interface FieldEdit {
  readonly path: readonly string[]
  readonly value: number | boolean | string | { readonly [key: string]: number | boolean | string }
}

/** What is to become of one field: a whole new value, or changes inside the object that it holds. */
type Wanted =
  | { readonly kind: 'value'; readonly json: string }
  | { readonly kind: 'object'; readonly fields: Map<string, Wanted>; readonly replaces: boolean }

type WantedObject = Extract<Wanted, { kind: 'object' }>

/** Bytes `start` to `end` (exclusive) become `text`; an insertion where both are equal. */
interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * The body with the edits applied, in one linear pass; later edits win over earlier ones. A missing field is added at the
 * end of its object, a missing parent is made, a parent that is no object is replaced. Of duplicate keys the last is
 * edited, because it is the one that parsers keep. Without edits the same buffer is returned. Throws a SyntaxError for a
 * body that is no JSON object.
 */
export function applyEdits(body: Buffer, edits: readonly FieldEdit[]): Buffer {
  const wanted: WantedObject = { kind: 'object', fields: new Map(), replaces: false }
  for (const edit of edits) addEdit(wanted, edit)
  if (wanted.fields.size === 0) return body
  const splices: Splice[] = []
  const text = body.toString('latin1')
  editObject(text, skipSpace(text, text.startsWith(byteOrderMark) ? byteOrderMark.length : 0), wanted, splices)
  splices.sort((left, right) => left.start - right.start)
  const pieces: Buffer[] = []
  let at = 0
  for (const splice of splices) {
    pieces.push(body.subarray(at, splice.start), Buffer.from(splice.text, 'utf8'))
    at = splice.end
  }
  pieces.push(body.subarray(at))
  return Buffer.concat(pieces)
}

function addEdit(root: WantedObject, edit: FieldEdit): void {
  const last = edit.path.at(-1)
  if (last === undefined) return
  let parent = root
  for (const name of edit.path.slice(0, -1)) {
    const found = parent.fields.get(name)
    const next: WantedObject =
      found?.kind === 'object' ? found : { kind: 'object', fields: new Map(), replaces: found !== undefined }
    parent.fields.set(name, next)
    parent = next
  }
  parent.fields.set(last, wantedValue(edit.value))
}

function wantedValue(value: FieldEdit['value']): Wanted {
  if (typeof value !== 'object') return { kind: 'value', json: JSON.stringify(value) }
  const fields = new Map<string, Wanted>()
  for (const [name, field] of Object.entries(value)) fields.set(name, wantedValue(field))
  return { kind: 'object', fields, replaces: true }
}

/** The JSON of a field that is written as a whole. */
function jsonOf(wanted: Wanted): string {
  if (wanted.kind === 'value') return wanted.json
  const members = [...wanted.fields].map(([name, field]) => `${JSON.stringify(name)}:${jsonOf(field)}`)
  return `{${members.join(',')}}`
}

function editObject(text: string, start: number, wanted: WantedObject, splices: Splice[]): void {
  const found = new Map<string, JsonMember>()
  let lastEnd = -1
  const closing = walkObject(text, start, (member) => {
    lastEnd = member.valueEnd
    const name = keyOf(text, member)
    if (wanted.fields.has(name)) found.set(name, member)
  })
  const missing: string[] = []
  for (const [name, field] of wanted.fields) {
    const member = found.get(name)
    if (member === undefined) missing.push(`${JSON.stringify(name)}:${jsonOf(field)}`)
    else if (field.kind === 'object' && !field.replaces && isObjectAt(text, member.valueStart)) {
      editObject(text, member.valueStart, field, splices)
    } else splices.push({ start: member.valueStart, end: member.valueEnd, text: jsonOf(field) })
  }
  if (missing.length === 0) return
  const at = lastEnd < 0 ? closing : lastEnd
  splices.push({ start: at, end: at, text: `${lastEnd < 0 ? '' : ','}${missing.join(',')}` })
}

/** A key as parsers read it. Escapes in keys are legal, and a client may use them. */
function keyOf(text: string, { keyStart, keyEnd }: JsonMember): string {
  const written = text.slice(keyStart + 1, keyEnd - 1)
  if (!/[\\\u0080-\u00ff]/.test(written)) return written
  return JSON.parse(Buffer.from(text.slice(keyStart, keyEnd), 'latin1').toString('utf8')) as string
}

/** U+FEFF in UTF-8, read as latin1. */
const byteOrderMark = '\u00ef\u00bb\u00bf'
