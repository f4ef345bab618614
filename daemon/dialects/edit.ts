import { isArrayAt, isObjectAt, skipSpace, walkArray, walkObject } from './jsonScan.ts'
import type { JsonMember } from './jsonScan.ts'

/**
 * Changes of single fields in the bytes of a request. Everything else goes out as it came: a body that is parsed and
 * written again loses its key order and number format, and with them the provider's prompt cache (G08).
 */

/** A value that an edit writes: any JSON. */
export type EditValue = null | number | boolean | string | readonly EditValue[] | { readonly [key: string]: EditValue }

/** Names of fields and indexes of array elements, from the outside in: `['messages', 3, 'content']`. */
export type EditPath = readonly (string | number)[]

/**
 * One change to a JSON body. With `value` the field at `path` gets it, and is inserted where it is missing. With `remove`
 * the field goes; where it or its parent is missing, nothing happens. Elements of arrays are replaced and removed, never
 * added: where the element of an index is not there, nothing happens. Indexes count the elements as they came, whatever
 * other edits remove.
 */
export type FieldEdit =
  | { readonly path: EditPath; readonly value: EditValue; readonly remove?: never }
  | { readonly path: EditPath; readonly remove: true; readonly value?: never }

/** What is to become of one field or element: a whole new value, nothing, or changes inside of what it holds. */
type Wanted =
  | { readonly kind: 'value'; readonly json: string }
  | { readonly kind: 'remove' }
  | {
      readonly kind: 'inside'
      /** Fields by their names, elements by their indexes. */
      readonly parts: Map<string | number, Wanted>
      /** What takes the place of the old value; null changes parts of what is there. */
      readonly replaces: 'object' | 'array' | null
      /** Whether a field is written below it, so that it is made where it is missing. */
      writes: boolean
    }

type WantedInside = Extract<Wanted, { kind: 'inside' }>

/** Bytes `start` to `end` (exclusive) become `text`; an insertion where both are equal. */
interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * The body with the edits applied, in one pass; later edits win over earlier ones. A missing field is added at the end of
 * its object, a missing parent is made, a parent that is no object is replaced. Of duplicate keys the last is edited,
 * because it is the one that parsers keep; a removal takes all of them, or the one before would count. Where nothing
 * changes the same buffer is returned. Time is linear in the body, times the length of the longest path. Throws a
 * SyntaxError for a body that is no JSON object.
 */
export function applyEdits(body: Buffer, edits: readonly FieldEdit[]): Buffer {
  const wanted: WantedInside = { kind: 'inside', parts: new Map(), replaces: null, writes: false }
  for (const edit of edits) addEdit(wanted, edit)
  if (wanted.parts.size === 0) return body
  const splices: Splice[] = []
  const text = body.toString('latin1')
  editObject(text, skipSpace(text, text.startsWith(byteOrderMark) ? byteOrderMark.length : 0), wanted, splices)
  if (splices.length === 0) return body
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

function addEdit(root: WantedInside, edit: FieldEdit): void {
  const { path } = edit
  const wanted: Wanted = edit.remove === true ? { kind: 'remove' } : wantedValue(edit.value)
  // What stands before the last index must be there, and so must everything around a field that is taken out.
  const madeFrom = edit.remove === true ? path.length : path.findLastIndex((step) => typeof step === 'number') + 1
  let parent = root
  for (const [depth, step] of path.entries()) {
    if (!canHold(parent, step)) return
    if (depth === path.length - 1) {
      parent.parts.set(step, wanted)
      return
    }
    const next = partFor(parent.parts.get(step), path[depth + 1], depth + 1 >= madeFrom)
    if (next === null) return
    parent.parts.set(step, next)
    parent = next
  }
}

/** False where an earlier edit wrote a value that has no such element. */
function canHold({ parts, replaces }: WantedInside, step: string | number): boolean {
  return typeof step === 'string' ? replaces !== 'array' : replaces === null || parts.has(step)
}

/** The part in which the next step of a path is taken; null where an earlier edit left nothing there to change. */
function partFor(found: Wanted | undefined, step: string | number | undefined, makes: boolean): WantedInside | null {
  const fits = found?.kind === 'inside' && !(typeof step === 'string' && found.replaces === 'array')
  if (fits) {
    found.writes ||= makes
    return found
  }
  if (found !== undefined && !makes) return null
  return { kind: 'inside', parts: new Map(), replaces: found === undefined ? null : 'object', writes: makes }
}

function wantedValue(value: EditValue): Wanted {
  if (typeof value !== 'object' || value === null) return { kind: 'value', json: JSON.stringify(value) }
  const parts = new Map<string | number, Wanted>()
  if (isList(value)) for (const [index, element] of value.entries()) parts.set(index, wantedValue(element))
  else for (const [name, field] of Object.entries(value)) parts.set(name, wantedValue(field))
  return { kind: 'inside', parts, replaces: isList(value) ? 'array' : 'object', writes: true }
}

function isList(value: EditValue): value is readonly EditValue[] {
  return Array.isArray(value)
}

/** Whether a field that is missing is made. What is only taken from stays missing. */
function isWritten(wanted: Wanted): wanted is Exclude<Wanted, { kind: 'remove' }> {
  return wanted.kind === 'value' || (wanted.kind === 'inside' && wanted.writes)
}

/** The JSON of a value that is written as a whole. */
function jsonOf(wanted: Exclude<Wanted, { kind: 'remove' }>): string {
  if (wanted.kind === 'value') return wanted.json
  const written = [...wanted.parts].flatMap(([step, part]) => (isWritten(part) ? [[step, jsonOf(part)] as const] : []))
  if (wanted.replaces === 'array') return `[${written.map(([, json]) => json).join(',')}]`
  const members = written.flatMap(([step, json]) => (typeof step === 'string' ? `${JSON.stringify(step)}:${json}` : []))
  return `{${members.join(',')}}`
}

function editObject(text: string, start: number, wanted: WantedInside, splices: Splice[]): void {
  const found = new Map<string, JsonMember>()
  const members = new Survivors(splices)
  const closing = walkObject(text, start, (member) => {
    const name = keyOf(text, member)
    const field = wanted.parts.get(name)
    members.see(member.keyStart, member.valueEnd, field?.kind === 'remove')
    if (field !== undefined && field.kind !== 'remove') found.set(name, member)
  })
  members.end()
  const missing: string[] = []
  for (const [name, field] of wanted.parts) {
    if (typeof name === 'number') continue
    const member = found.get(name)
    if (member !== undefined) editValue(text, member.valueStart, member.valueEnd, field, splices)
    else if (isWritten(field)) missing.push(`${JSON.stringify(name)}:${jsonOf(field)}`)
  }
  if (missing.length === 0) return
  const at = members.lastEnd < 0 ? closing : members.lastEnd
  splices.push({ start: at, end: at, text: `${members.kept === 0 ? '' : ','}${missing.join(',')}` })
}

function editArray(text: string, start: number, wanted: WantedInside, splices: Splice[]): void {
  const elements = new Survivors(splices)
  walkArray(text, start, ({ valueStart, valueEnd }, index) => {
    const part = wanted.parts.get(index)
    elements.see(valueStart, valueEnd, part?.kind === 'remove')
    if (part !== undefined) editValue(text, valueStart, valueEnd, part, splices)
  })
  elements.end()
}

/** Changes the value of a field or element that is there. */
function editValue(text: string, start: number, end: number, wanted: Wanted, splices: Splice[]): void {
  if (wanted.kind === 'remove') return
  if (wanted.kind === 'inside' && wanted.replaces === null) {
    if (isObjectAt(text, start)) return editObject(text, start, wanted, splices)
    // A field in the place of an element: the array goes, as any parent that is no object.
    if (isArrayAt(text, start) && !wanted.writes) return editArray(text, start, wanted, splices)
  }
  if (isWritten(wanted)) splices.push({ start, end, text: jsonOf(wanted) })
}

/** Takes members or elements out, each with one comma: the one behind it at the front, everywhere else the one before. */
class Survivors {
  readonly #splices: Splice[]
  /** Where the removed ones at the front begin. */
  #frontStart = -1
  /** How many stay. */
  kept = 0
  /** Where the last one ends, whether it stays or not; -1 before the first. */
  lastEnd = -1

  constructor(splices: Splice[]) {
    this.#splices = splices
  }

  see(start: number, end: number, removed: boolean): void {
    if (removed) {
      if (this.kept > 0) this.#splices.push({ start: this.lastEnd, end, text: '' })
      else if (this.#frontStart < 0) this.#frontStart = start
    } else {
      if (this.#frontStart >= 0 && this.kept === 0)
        this.#splices.push({ start: this.#frontStart, end: start, text: '' })
      this.kept += 1
    }
    this.lastEnd = end
  }

  end(): void {
    if (this.#frontStart >= 0 && this.kept === 0) {
      this.#splices.push({ start: this.#frontStart, end: this.lastEnd, text: '' })
    }
  }
}

/** A key as parsers read it. Escapes in keys are legal, and a client may use them. */
function keyOf(text: string, { keyStart, keyEnd }: JsonMember): string {
  const written = text.slice(keyStart + 1, keyEnd - 1)
  if (!/[\\\u0080-\u00ff]/.test(written)) return written
  return JSON.parse(Buffer.from(text.slice(keyStart, keyEnd), 'latin1').toString('utf8')) as string
}

/** U+FEFF in UTF-8, read as latin1. */
const byteOrderMark = '\u00ef\u00bb\u00bf'
