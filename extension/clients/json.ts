import { findNodeAtLocation, parseTree } from 'jsonc-parser'
import type { JSONPath, Node, ParseError } from 'jsonc-parser'
import { lineEndOf } from './plan.ts'
import { step } from './steps.ts'
import type { Step } from './steps.ts'

/** A value of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

/**
 * Reads JSON, with comments and trailing commas. Undefined where it cannot be parsed, or where an object has a name twice: which
 * of the two counts is the reader's choice. An empty file is `whenEmpty`.
 */
export function readJson(text: string, whenEmpty: unknown): unknown {
  const bare = text.replace(/^\uFEFF/, '')
  if (bare.trim() === '') return whenEmpty
  const errors: ParseError[] = []
  const root = parseTree(bare, errors, { allowTrailingComma: true })
  return root === undefined || errors.length > 0 || hasNameTwice(root) ? undefined : valueOf(root)
}

function hasNameTwice({ type, children = [] }: Node): boolean {
  const names = type === 'object' ? children.map(nameOf) : []
  return new Set(names).size < names.length || children.some(hasNameTwice)
}

function valueOf({ type, value, children = [] }: Node): unknown {
  if (type === 'array') return children.map(valueOf)
  if (type !== 'object') return value
  return Object.fromEntries(
    children.map((property) => {
      const inner = property.children?.[1]
      return [nameOf(property), inner === undefined ? undefined : valueOf(inner)]
    }),
  )
}

function nameOf(property: Node): string {
  return String(property.children?.[0]?.value)
}

/** Whether a value is an object and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Sets one value and leaves everything else as it is written. `modify` of jsonc-parser is not used: it formats what stands
 * around the value anew, and a file on one line would be written anew as a whole, with what it holds in the undo.
 * `value` is text, or an object of text. A null on the way gives way to an object. Throws where another value that is no
 * container stands on the way; the text has to be parsable.
 */
export function setJson(text: string, path: JSONPath, value: JsonValue): readonly Step[] {
  const start = text.startsWith('\uFEFF') ? 1 : 0
  const bare = text.slice(start)
  const root = parseTree(bare, [], { allowTrailingComma: true })
  const layout = layoutOf(bare)
  if (root === undefined) {
    return [step(text, text.length, 0, written(nested(path, value), layout, '') + layout.lineEnd)]
  }
  const present = findNodeAtLocation(root, path)
  if (present !== undefined) {
    return [step(text, start + present.offset, present.length, written(value, layout, indentAt(bare, present.offset)))]
  }
  // The innermost value that is there takes the rest of the path.
  let depth = path.length - 1
  while (depth > 0 && findNodeAtLocation(root, path.slice(0, depth)) === undefined) depth--
  const parent = depth === 0 ? root : findNodeAtLocation(root, path.slice(0, depth))
  const name = path[depth]
  if (parent === undefined || name === undefined) return []
  if (parent.type === 'null') {
    const inner = written(nested(path.slice(depth), value), layout, indentAt(bare, parent.offset))
    return [step(text, start + parent.offset, parent.length, inner)]
  }
  if (parent.type !== (typeof name === 'number' ? 'array' : 'object'))
    throw new Error('no room for a value in the JSON')
  const { offset, content } = addition(bare, parent, name, nested(path.slice(depth + 1), value), layout)
  return [step(text, start + offset, 0, content)]
}

/** What is written by `setJson`. */
export type JsonValue = string | { readonly [name: string]: JsonValue }

interface Layout {
  /** One step to the right. */
  readonly indent: string
  readonly lineEnd: string
}

function layoutOf(text: string): Layout {
  return { indent: /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ', lineEnd: lineEndOf(text) }
}

function nested(path: JSONPath, value: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), value)
}

function written(value: JsonValue, { indent, lineEnd }: Layout, margin: string): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', lineEnd + margin)
}

/** White space at the beginning of the line. */
function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? ''
}

/**
 * A further member of an object or a list: behind the last one and written as that is. Where a remark stands behind the last one,
 * an object gets it in front of the first, so that the remark stays with what it is about.
 */
function addition(
  text: string,
  parent: Node,
  name: string | number,
  value: JsonValue,
  layout: Layout,
): { readonly offset: number; readonly content: string } {
  const member = (margin: string): string =>
    (parent.type === 'array' ? '' : `${JSON.stringify(name)}: `) + written(value, layout, margin)
  const last = parent.children?.at(-1)
  const inside = text.slice(parent.offset + 1)
  // To the end of the line that the container begins in, where nothing but a remark stands behind its brace.
  const head = /^[ \t]*(\/\*((?!\*\/)[^\r\n])*\*\/[ \t]*)*(\/\/[^\r\n]*)?(?=\r?\n)/.exec(inside)?.[0]
  const top = parent.offset + 1 + (head ?? '').length
  if (last === undefined) {
    const outer = indentAt(text, parent.offset)
    const margin = outer + layout.indent
    const isOpen = text.slice(parent.offset, parent.offset + parent.length).includes('\n')
    const end = isOpen ? '' : layout.lineEnd + outer
    return { offset: top, content: layout.lineEnd + margin + member(margin) + end }
  }
  const isOwnLine = text.slice(parent.offset, last.offset).includes('\n')
  const margin = indentAt(text, last.offset)
  const inLine = member(margin).replace(/\s*\r?\n\s*/g, ' ')
  const hasRemark = /^[ \t]*,?[ \t]*\/[/*]/.test(text.slice(last.offset + last.length))
  if (hasRemark && parent.type === 'object') {
    if (head !== undefined) return { offset: top, content: `${layout.lineEnd}${margin}${member(margin)},` }
    const space = /^[ \t]*/.exec(inside)?.[0] ?? ''
    return { offset: top, content: `${space}${inLine},${space === '' ? ' ' : ''}` }
  }
  return {
    offset: last.offset + last.length,
    content: isOwnLine ? `,${layout.lineEnd}${margin}${member(margin)}` : `, ${inLine}`,
  }
}
