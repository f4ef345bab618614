import { applyEdits, createScanner, findNodeAtLocation, parseTree } from 'jsonc-parser'
import type { Edit, Node } from 'jsonc-parser'

/**
 * Sets one field of a configuration text and leaves every other character as it is: comments, order, indents, line ends.
 * The library's own `modify` would format the lines around a new field, and move a comment behind the last field to the
 * new one.
 */

/**
 * The text with `value` at `path`; objects that are missing on the way are made, and a null on the way becomes one. Needs
 * a text that `parseText` accepts with an object at its root.
 */
export function setField(text: string, path: readonly [string, ...string[]], value: number): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const clean = text.slice(bom.length)
  const root = parseTree(clean, [], { allowTrailingComma: true })
  return root === undefined ? text : bom + applyEdits(clean, edits(clean, root, path, value))
}

function edits(text: string, root: Node, path: readonly [string, ...string[]], value: number): Edit[] {
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
  const made = below.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value)
  const style = styleOf(text, root)
  if (holder.type !== 'object') {
    return [replace(holder, written({ [name]: made }, indentAt(text, holder.offset), style))]
  }
  const last = holder.children?.at(-1)
  return last === undefined ? fill(text, holder, name, made, style) : append(text, holder, last, name, made, style)
}

function replace(node: Node, content: string): Edit {
  return { offset: node.offset, length: node.length, content }
}

/** The first field of an empty object, in front of the closing brace; a comment in the object stays before it. */
function fill(text: string, object: Node, name: string, value: unknown, style: Style): Edit[] {
  const outer = indentAt(text, object.offset)
  const inner = outer + style.unit
  const brace = object.offset + object.length - 1
  const isBlank = text.slice(object.offset + 1, brace).trim() === ''
  const from = isBlank ? object.offset + 1 : text.slice(0, brace).trimEnd().length
  const content = `${style.eol}${inner}${field(name, value, inner, style)}${style.eol}${outer}`
  return [{ offset: from, length: brace - from, content }]
}

/** One more field behind the last, on a line of its own where the last one has one. */
function append(text: string, object: Node, last: Node, name: string, value: unknown, style: Style): Edit[] {
  const { commaEnd, lineEnd } = behind(text, last.offset + last.length, object.offset + object.length)
  const lineStart = text.lastIndexOf('\n', last.offset - 1) + 1
  const hasOwnLine = /^[ \t]*$/.test(text.slice(lineStart, last.offset))
  const valueEnd = last.offset + last.length
  if (!hasOwnLine) {
    const content = `${commaEnd === null ? ',' : ''} ${onOneLine({ [name]: value }).slice(2, -2)}`
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

/** What follows a value in its object: a trailing comma, and the end of the comments on the same line. */
function behind(
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
    if (token === '}') break
    if (token === ',') commaEnd = end
    if (/^[\r\n]/.test(token)) isSameLine = false
    else if (isSameLine && token.trim() !== '') lineEnd = end
  }
  return { commaEnd, lineEnd }
}

/** How a text is laid out. */
interface Style {
  /** One step of indentation. */
  readonly unit: string
  readonly eol: string
}

function styleOf(text: string, root: Node): Style {
  const first = root.children?.[0]
  const unit = first === undefined ? '' : text.slice(text.lastIndexOf('\n', first.offset - 1) + 1, first.offset)
  return { unit: /^[ \t]+$/.test(unit) ? unit : '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' }
}

/** The indent of the line that a place is on. */
function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? ''
}

function field(name: string, value: unknown, indent: string, style: Style): string {
  return `${JSON.stringify(name)}: ${written(value, indent, style)}`
}

function written(value: unknown, indent: string, style: Style): string {
  return JSON.stringify(value, null, style.unit).replaceAll('\n', style.eol + indent)
}

function onOneLine(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ')
}
