import { getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { Node, ParseError } from 'jsonc-parser'
import { pathText } from './fieldTree.ts'

/** Outcome of reading a text. */
export type ParsedText =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problems: readonly string[] }

const expectations: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is no value of JSON',
  InvalidNumberFormat: 'this is no number',
  PropertyNameExpected: 'a field name in double quotes is expected',
  ValueExpected: 'a value is expected',
  ColonExpected: 'a colon is expected',
  CommaExpected: 'a comma is expected',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'nothing may follow here',
  InvalidCommentToken: 'this is no comment',
  UnexpectedEndOfComment: 'a comment does not end',
  UnexpectedEndOfString: 'a text does not end',
  UnexpectedEndOfNumber: 'a number does not end',
  InvalidUnicode: 'this is no escape of a character',
  InvalidEscapeCharacter: 'this is no escape of a character',
  InvalidCharacter: 'a character has to be escaped here',
}

/** Names that an object of the runtime treats in a way of its own; a limit under such a name would be lost. */
const unsafeNames = new Set(['__proto__', 'constructor', 'prototype'])

/** `line 3, column 7`, both counted from 1. */
function place(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return `line ${before.split('\n').length}, column ${offset - lineStart + 1}`
}

/** Fields that are written twice: the second would win without a word, and with it a cap that nobody meant. */
function fieldProblems(text: string, node: Node, path: readonly (string | number)[], problems: string[]): void {
  if (node.type === 'array') {
    node.children?.forEach((child, index) => fieldProblems(text, child, [...path, index], problems))
    return
  }
  if (node.type !== 'object') return
  const seen = new Set<string>()
  for (const property of node.children ?? []) {
    const [nameNode, valueNode] = property.children ?? []
    if (nameNode === undefined || valueNode === undefined) continue
    const name = String(nameNode.value)
    const here = [...path, name]
    if (seen.has(name)) problems.push(`${pathText(here)} is written twice (${place(text, nameNode.offset)}).`)
    else if (unsafeNames.has(name)) problems.push(`${pathText(here)} is not a possible name.`)
    seen.add(name)
    fieldProblems(text, valueNode, here, problems)
  }
}

/**
 * Reads JSON with comments and trailing commas. Problems name line and column and never repeat the text, which may hold
 * keys. An empty text is a problem: an editor that is about to write must not look like "all defaults".
 */
export function parseText(text: string): ParsedText {
  const clean = text.startsWith('\uFEFF') ? text.slice(1) : text
  const errors: ParseError[] = []
  const tree = parseTree(clean, errors, { allowTrailingComma: true })
  if (clean.trim() === '') return { ok: false, problems: ['The configuration is empty; write {} to use the defaults.'] }
  const first = errors[0]
  if (first !== undefined || tree === undefined) {
    const says = first === undefined ? 'a value is expected' : expectations[printParseErrorCode(first.error)]
    const where = place(clean, first?.offset ?? 0)
    return { ok: false, problems: [`The configuration is no valid JSON at ${where}: ${says ?? 'it cannot be read'}.`] }
  }
  const problems: string[] = []
  fieldProblems(clean, tree, [], problems)
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: getNodeValue(tree) as unknown }
}
