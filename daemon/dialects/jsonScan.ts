/**
 * Finds the members of a JSON object and the elements of an array without parsing the values. Works on the latin1 reading of the bytes, so that a
 * position in the text is a position in the bytes; the search for the next quote is far quicker in a string than in a
 * buffer. The text must be valid JSON: the caller has parsed it. Everything is linear.
 */

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** Positions of one member: its key from quote to quote, its value; ends are exclusive. */
export interface JsonMember {
  readonly keyStart: number
  readonly keyEnd: number
  readonly valueStart: number
  readonly valueEnd: number
}

/** Positions of one element of an array; the end is exclusive. */
export interface JsonElement {
  readonly valueStart: number
  readonly valueEnd: number
}

/** First position that is not white space. */
export function skipSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
    at += 1
  }
}

/** True where an object begins. */
export function isObjectAt(text: string, at: number): boolean {
  return text.charCodeAt(at) === openBrace
}

/** True where an array begins. */
export function isArrayAt(text: string, at: number): boolean {
  return text.charCodeAt(at) === openBracket
}

/**
 * Walks over the members of the object that begins at `start`. Returns the position of its closing brace. Throws a
 * SyntaxError where the text ends before the object does.
 */
export function walkObject(text: string, start: number, visit: (member: JsonMember) => void): number {
  if (!isObjectAt(text, start)) throw new SyntaxError('not a JSON object')
  let at = skipSpace(text, start + 1)
  while (text.charCodeAt(at) !== closeBrace) {
    const keyStart = at
    if (text.charCodeAt(keyStart) !== quote) throw unfinished()
    const keyEnd = skipString(text, keyStart)
    const colon = skipSpace(text, keyEnd)
    const valueStart = skipSpace(text, colon + 1)
    const valueEnd = skipValue(text, valueStart)
    visit({ keyStart, keyEnd, valueStart, valueEnd })
    at = skipSpace(text, valueEnd)
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1)
  }
  return at
}

/** The same for the elements of the array that begins at `start`. */
export function walkArray(text: string, start: number, visit: (element: JsonElement, index: number) => void): number {
  if (!isArrayAt(text, start)) throw new SyntaxError('not a JSON array')
  let at = skipSpace(text, start + 1)
  for (let index = 0; text.charCodeAt(at) !== closeBracket; index += 1) {
    const valueEnd = skipValue(text, at)
    visit({ valueStart: at, valueEnd }, index)
    at = skipSpace(text, valueEnd)
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1)
  }
  return at
}

/** Position behind the value that begins at `start`. Nesting is counted, not recursed into: depth costs no stack. */
function skipValue(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === quote) return skipString(text, start)
  if (first !== openBrace && first !== openBracket) return skipScalar(text, start)
  let depth = 0
  let at = start
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = skipString(text, at)
      continue
    }
    if (code === openBrace || code === openBracket) depth += 1
    else if (code === closeBrace || code === closeBracket) {
      depth -= 1
      if (depth === 0) return at + 1
    }
    at += 1
  }
  throw unfinished()
}

/** Position behind a number, `true`, `false` or `null`. */
function skipScalar(text: string, start: number): number {
  let at = start
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === comma || code === closeBrace || code === closeBracket || code <= 0x20) break
    at += 1
  }
  if (at === start) throw unfinished()
  return at
}

/** Position behind the string whose opening quote is at `start`. */
function skipString(text: string, start: number): number {
  let from = start + 1
  for (;;) {
    const found = text.indexOf('"', from)
    if (found < 0) throw unfinished()
    // A quote ends the string unless an odd number of backslashes stands before it.
    let escapes = found
    while (escapes > from && text.charCodeAt(escapes - 1) === backslash) escapes -= 1
    if ((found - escapes) % 2 === 0) return found + 1
    from = found + 1
  }
}

function unfinished(): SyntaxError {
  return new SyntaxError('the JSON ends too early')
}
