import { applyEdits, createScanner, findNodeAtLocation, parseTree } from 'jsonc-parser'
import type { Edit, Node } from 'jsonc-parser'

/**
 * Sets one field of a configuration text and leaves every other character as it is: comments, order, indents, line ends.
 * The library's own `modify` would format the lines around a new field, and move a comment behind the last field to the
 * new one.
 */

/** A value that is written: an object inside a list stands on one line. */
export type FieldValue = number | Readonly<Record<string, unknown>>

/** Steps to a field; a number is a place in a list, the first free one to add to it. */
export type FieldSteps = readonly [string, ...(string | number)[]]

/**
 * The text with `value` at `path`; objects and lists that are missing on the way are made, and a null on the way becomes one.
 * Needs a text that `parseText` accepts with an object at its root.
 */
export function setField(text: string, path: FieldSteps, value: FieldValue): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const clean = text.slice(bom.length)
  const root = parseTree(clean, [], { allowTrailingComma: true })
  return root === undefined ? text : bom + applyEdits(clean, edits(clean, root, path, value))
}

function edits(text: string, root: Node, path: FieldSteps, value: FieldValue): Edit[] {
  const found = findNodeAtLocation(root, [...path])
  if (found !== undefined) return [replace(found, JSON.stringify(value))]
  // The deepest step that is written; what is below it is made.
  let holder = root
  let depth = 0
  while (depth < path.length - 1) {
    const next = findNodeAtLocation(root, path.slice(0, depth + 1))
    if (next === undefined) break
    holder = next
    depth += 1
  }
  const [name = '', ...below] = path.slice(depth)
  const made = below.reduceRight<unknown>(nested, value)
  const style = styleOf(text, root)
  if (holder.type !== (typeof name === 'number' ? 'array' : 'object')) {
    return [replace(holder, written(nested(made, name), indentAt(text, holder.offset), style))]
  }
  const last = holder.children?.at(-1)
  return last === undefined ? fill(text, holder, name, made, style) : append(text, holder, last, name, made, style)
}

/** A value one step further out. */
function nested(inner: unknown, step: string | number): unknown {
  return typeof step === 'number' ? [inner] : { [step]: inner }
}

function replace(node: Node, content: string): Edit {
  return { offset: node.offset, length: node.length, content }
}

/** The first field of an empty object or list, in front of the closing brace; a comment in it stays before it. */
function fill(text: string, object: Node, name: string | number, value: unknown, style: Style): Edit[] {
  const outer = indentAt(text, object.offset)
  const inner = outer + style.unit
  const brace = object.offset + object.length - 1
  const isBlank = text.slice(object.offset + 1, brace).trim() === ''
  const from = isBlank ? object.offset + 1 : text.slice(0, brace).trimEnd().length
  const content = `${style.eol}${inner}${field(name, value, inner, style)}${style.eol}${outer}`
  return [{ offset: from, length: brace - from, content }]
}

/** One more field behind the last, on a line of its own where the last one has one. */
function append(text: string, object: Node, last: Node, name: string | number, value: unknown, style: Style): Edit[] {
  const { commaEnd, lineEnd } = behind(text, last.offset + last.length, object.offset + object.length)
  const lineStart = text.lastIndexOf('\n', last.offset - 1) + 1
  const hasOwnLine = /^[ \t]*$/.test(text.slice(lineStart, last.offset))
  const valueEnd = last.offset + last.length
  if (!hasOwnLine) {
    const one = typeof name === 'number' ? onOneLine(value) : onOneLine({ [name]: value }).slice(2, -2)
    const content = `${commaEnd === null ? ',' : ''} ${one}`
    return [{ offset: commaEnd ?? valueEnd, length: 0, content: commaEnd === null ? content : `${content},` }]
  }
  const indent = text.slice(lineStart, last.offset)
  const content = `${style.eol}${indent}${field(name, value, indent, style)}`
  return commaEnd === null
    ? [
        { offset: valueEnd, length: 0, content: ',' },
        { offset: lineEnd, length: 0, content },
      ]
    : [{ offset: Math.max(lineEnd, commaEnd), length: 0, content: `${content},` }]
}

/** What follows a value in its object or list: a trailing comma, and the end of the comments on the same line. */
export function behind(
  text: string,
  from: number,
  to: number,
): { readonly commaEnd: number | null; readonly lineEnd: number } {
  const scanner = createScanner(text, false)
  scanner.setPosition(from)
  let commaEnd: number | null = null
  let lineEnd = from
  let isSameLine = true
  for (scanner.scan(); scanner.getTokenOffset() < to; scanner.scan()) {
    const end = scanner.getTokenOffset() + scanner.getTokenLength()
    const token = text.slice(scanner.getTokenOffset(), end)
    if (token === '}' || token === ']') break
    if (token === ',') commaEnd = end
    if (/^[\r\n]/.test(token)) isSameLine = false
    else if (isSameLine && token.trim() !== '') lineEnd = end
  }
  return { commaEnd, lineEnd }
}

/** How a text is laid out. */
export interface Style {
  /** One step of indentation. */
  readonly unit: string
  readonly eol: string
}

/** The layout that a text has; two spaces where it shows none. */
export function styleOf(text: string, root: Node): Style {
  const first = root.children?.[0]
  const unit = first === undefined ? '' : text.slice(text.lastIndexOf('\n', first.offset - 1) + 1, first.offset)
  return { unit: /^[ \t]+$/.test(unit) ? unit : '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' }
}

/** The indent of the line that a place is on. */
export function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? ''
}

function field(name: string | number, value: unknown, indent: string, style: Style): string {
  return typeof name === 'number' ? onOneLine(value) : `${JSON.stringify(name)}: ${written(value, indent, style)}`
}

/** Objects and lists on lines of their own; what is inside a list stands on one. */
function written(value: unknown, indent: string, style: Style): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = indent + style.unit
  const [open, lines, close] = Array.isArray(value)
    ? ['[', value.map(onOneLine), ']']
    : ['{', Object.entries(value).map(([name, one]) => field(name, one, inner, style)), '}']
  return `${open}${lines.map((line) => style.eol + inner + line).join(',')}${style.eol}${indent}${close}`
}

/** JSON with spaces, on one line: `{ "a": 1 }`. */
export function onOneLine(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ')
}
