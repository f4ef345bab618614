import { findNodeAtLocation, parse, parseTree } from 'jsonc-parser'
import type { JSONPath, Node, ParseError } from 'jsonc-parser'
import { lineEndOf } from './plan.ts'
import { step } from './steps.ts'
import type { Step } from './steps.ts'

/** A value of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Reads JSON, with comments and trailing commas. Undefined where it cannot be parsed; an empty file is `whenEmpty`. */
export function readJson(text: string, whenEmpty: unknown): unknown {
  const bare = text.replace(/^\uFEFF/, '')
  if (bare.trim() === '') return whenEmpty
  const errors: ParseError[] = []
  const value: unknown = parse(bare, errors, { allowTrailingComma: true })
  return errors.length === 0 ? value : undefined
}

/** Whether a value is an object and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Sets one value and leaves everything else as it is written. `modify` of jsonc-parser is not used: it formats what stands
 * around the value anew, and a file on one line would be written anew as a whole, with what it holds in the undo.
 * `value` is text, or an object of text. The text has to be parsable.
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
  // The innermost container that is there takes the rest of the path.
  let depth = path.length - 1
  while (depth > 0 && findNodeAtLocation(root, path.slice(0, depth)) === undefined) depth--
  const parent = depth === 0 ? root : findNodeAtLocation(root, path.slice(0, depth))
  const name = path[depth]
  if (parent === undefined || name === undefined) return []
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

/** A further member of an object or a list: behind the last one and written as that is. */
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
  if (last === undefined) {
    const outer = indentAt(text, parent.offset)
    const margin = outer + layout.indent
    const isOpen = text.slice(parent.offset, parent.offset + parent.length).includes('\n')
    const end = isOpen ? '' : layout.lineEnd + outer
    return { offset: parent.offset + 1, content: layout.lineEnd + margin + member(margin) + end }
  }
  const isOwnLine = text.slice(parent.offset, last.offset).includes('\n')
  const margin = indentAt(text, last.offset)
  return {
    offset: last.offset + last.length,
    content: isOwnLine
      ? `,${layout.lineEnd}${margin}${member(margin)}`
      : `, ${member(margin).replace(/\s*\r?\n\s*/g, ' ')}`,
  }
}
