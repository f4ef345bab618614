import { createScanner, parse } from 'jsonc-parser'
import type { ParseError } from 'jsonc-parser'

/** Whether a text is an object or a list in JSON, comments and trailing commas included. */
export function isJson(text: string): boolean {
  const bare = text.replace(/^\uFEFF/, '')
  const errors: ParseError[] = []
  parse(bare, errors, { allowTrailingComma: true })
  return errors.length === 0 && /^\s*(?:[[{]|\/[/*])/.test(bare)
}

/** Takes `[from, to)` out of JSON with the one comma that would be left over. Comments stay. The range is a whole member. */
export function withoutMember(text: string, from: number, to: number): string {
  const { before, after } = neighbours(text, from, to)
  const start = text.slice(0, from).trimEnd().length
  if (text[after] === ',') return text.slice(0, start) + text.slice(after + 1)
  if (text[before] !== ',') return text.slice(0, start) + text.slice(to)
  return text.slice(0, before) + text.slice(before + 1, Math.max(start, before + 1)) + text.slice(to)
}

/** Whether JSON stays well separated without `[from, to)`: no comma is left over, and none is missing. */
export function isSeparatedWithout(text: string, from: number, to: number): boolean {
  const { before, after } = neighbours(text, from, to)
  const [left, right] = [text[before] ?? '', text[after] ?? '']
  const commas = [left, right].filter((one) => one === ',').length
  return commas === (/^[{[]?$/.test(left) || /^[}\]]?$/.test(right) ? 0 : 1)
}

/** Where the tokens begin that stand next to a range; -1 before the first, the text's length behind the last. */
function neighbours(text: string, from: number, to: number): { readonly before: number; readonly after: number } {
  // The mark in front of a text is no token of its own.
  const start = text.startsWith('\uFEFF') ? 1 : 0
  const scanner = createScanner(text.slice(start), true)
  let before = -1
  for (;;) {
    scanner.scan()
    const token = start + scanner.getTokenOffset()
    if (token >= to || token >= text.length) return { before, after: token }
    if (token < from) before = token
  }
}
