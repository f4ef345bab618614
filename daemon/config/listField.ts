import { applyEdits, findNodeAtLocation, getNodeValue, parseTree } from 'jsonc-parser'
import type { Edit, Node } from 'jsonc-parser'
import { behind, indentAt, onOneLine, setField, styleOf } from './setField.ts'

/**
 * Changes one item of a list of objects in a configuration text and leaves every other character as it is. Items stand on
 * lines of their own, each on one.
 */

/** An item of a list. */
export type ListItem = Readonly<Record<string, unknown>>

type ListPath = readonly [string, ...string[]]

/** The text with a new item at the front of a list, which is made where there is none. */
export function addFirst(text: string, path: ListPath, item: ListItem): string {
  const bom = bomOf(text)
  const clean = text.slice(bom.length)
  const root = parse(clean)
  const list = root === undefined ? undefined : findNodeAtLocation(root, [...path])
  if (root === undefined || list?.type !== 'array') return setField(text, [...path, 0], item)
  const { unit, eol } = styleOf(clean, root)
  const outer = indentAt(clean, list.offset)
  const isEmpty = (list.children ?? []).length === 0
  const inside = clean.slice(list.offset + 1, list.offset + list.length - 1)
  const end = !isEmpty ? ',' : inside.trim() === '' ? eol + outer : ''
  // Of items on the same line as the bracket, the first goes to a line of its own.
  const first = list.children?.[0]
  const isSameLine = first !== undefined && !clean.slice(list.offset, first.offset).includes('\n')
  const content = `${eol}${outer}${unit}${onOneLine(item)}${end}${isSameLine ? `${eol}${outer}${unit}` : ''}`
  const blank = isSameLine ? first.offset - list.offset - 1 : isEmpty && inside.trim() === '' ? inside.length : 0
  return bom + applyEdits(clean, [{ offset: list.offset + 1, length: blank, content }])
}

/** The text with one item of a list in another's place. */
export function replaceItem(text: string, path: ListPath, index: number, item: ListItem): string {
  return withItem(text, path, index, (_, node) => ({
    offset: node.offset,
    length: node.length,
    content: onOneLine(item),
  }))
}

/** The text without one item of a list, its comma and the comments on its line. */
export function removeItem(text: string, path: ListPath, index: number): string {
  return withItem(text, path, index, (clean, node, list) => {
    const end = node.offset + node.length
    const next = list.children?.[index + 1]
    const { commaEnd, lineEnd } = behind(clean, end, next?.offset ?? list.offset + list.length)
    const lineStart = clean.lastIndexOf('\n', node.offset - 1) + 1
    const rest = clean.slice(Math.max(lineEnd, commaEnd ?? 0))
    const hasOwnLine = clean.slice(lineStart, node.offset).trim() === '' && /^[ \t]*\r?\n/.test(rest)
    if (!hasOwnLine) {
      const until = commaEnd ?? end
      const spaces = /^[ \t]*/.exec(clean.slice(until))?.[0].length ?? 0
      return { offset: node.offset, length: until - node.offset + spaces, content: '' }
    }
    const until = clean.indexOf('\n', Math.max(lineEnd, commaEnd ?? 0)) + 1
    return { offset: lineStart, length: until - lineStart, content: '' }
  })
}

/** The items of a list as plain values; none where there is no list. */
export function itemsOf(text: string, path: ListPath): readonly ListItem[] {
  const root = parse(text.slice(bomOf(text).length))
  const list = root === undefined ? undefined : findNodeAtLocation(root, [...path])
  return list?.type === 'array' ? (getNodeValue(list) as ListItem[]) : []
}

function withItem(
  text: string,
  path: ListPath,
  index: number,
  change: (clean: string, node: Node, list: Node) => Edit,
): string {
  const bom = bomOf(text)
  const clean = text.slice(bom.length)
  const root = parse(clean)
  const list = root === undefined ? undefined : findNodeAtLocation(root, [...path])
  const node = list?.children?.[index]
  return list === undefined || node === undefined ? text : bom + applyEdits(clean, [change(clean, node, list)])
}

function parse(text: string): Node | undefined {
  return parseTree(text, [], { allowTrailingComma: true })
}

function bomOf(text: string): string {
  return text.startsWith('\uFEFF') ? '\uFEFF' : ''
}
