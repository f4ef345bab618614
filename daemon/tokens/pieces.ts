import { CL100K_TOKEN_SPLIT_REGEX, O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'

/**
 * Finds the end of the piece that begins at `start`: the unit inside which byte pairs are merged. Pieces follow each other
 * without a gap, and every position begins one.
 */
export type PieceSplitter = (text: string, start: number) => number

/** Pieces of cl100k_base by the package's own pattern. */
export function cl100kPieces(): PieceSplitter {
  return byPattern(CL100K_TOKEN_SPLIT_REGEX)
}

/**
 * Pieces of o200k_base. ASCII, which is nearly all of code and English, is split by hand, several times faster than the
 * pattern; a piece that touches any other character is left to the package's pattern, so that both agree everywhere.
 */
export function o200kPieces(): PieceSplitter {
  const pattern = byPattern(O200K_TOKEN_SPLIT_REGEX)
  return (text, start) => {
    const end = asciiPieceEnd(text, start)
    return end < 0 ? pattern(text, start) : end
  }
}

function byPattern(regex: RegExp): PieceSplitter {
  const sticky = new RegExp(regex.source, 'yu')
  return (text, start) => {
    sticky.lastIndex = start
    // The alternatives cover every character; the fallback keeps a caller's loop moving even so.
    return sticky.test(text) && sticky.lastIndex > start ? sticky.lastIndex : start + 1
  }
}

const upper = 1
const lower = 2
const digit = 3
const blank = 4
const newline = 5
const other = 6
const foreign = 7

const classes = new Uint8Array(0x80).fill(other)
for (let code = 0x41; code <= 0x5a; code++) classes[code] = upper
for (let code = 0x61; code <= 0x7a; code++) classes[code] = lower
for (let code = 0x30; code <= 0x39; code++) classes[code] = digit
for (const code of [0x09, 0x0b, 0x0c, 0x20]) classes[code] = blank
for (const code of [0x0a, 0x0d]) classes[code] = newline

/** Class of a character; 0 past the end, `foreign` for everything that is not ASCII. */
function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code < 0x80) return classes[code] ?? other
  return code >= 0x80 ? foreign : 0
}

/** End of an ASCII piece, or -1 where a character beyond ASCII takes part in the decision. */
function asciiPieceEnd(text: string, start: number): number {
  const first = classAt(text, start)
  switch (first) {
    case upper:
    case lower:
      return wordEnd(text, start)
    case digit: {
      let end = start + 1
      while (end < start + 3 && classAt(text, end) === digit) end++
      return end < start + 3 && classAt(text, end) === foreign ? -1 : end
    }
    case other: {
      const second = classAt(text, start + 1)
      if (second === upper || second === lower) return wordEnd(text, start + 1)
      return second === foreign ? -1 : symbolsEnd(text, start)
    }
    case blank:
    case newline: {
      const second = classAt(text, start + 1)
      if (first === blank && (second === upper || second === lower)) return wordEnd(text, start + 1)
      if (second === foreign) return -1
      if (second === other && text.charCodeAt(start) === 0x20) return symbolsEnd(text, start + 1)
      return spaceEnd(text, start)
    }
    default:
      return -1
  }
}

/** Capitals, then small letters, then a contraction: `Don't`. */
function wordEnd(text: string, start: number): number {
  let end = start
  while (classAt(text, end) === upper) end++
  while (classAt(text, end) === lower) end++
  if (classAt(text, end) === foreign) return -1
  return text.charCodeAt(end) === 0x27 ? end + contractionLength(text, end + 1) : end
}

/** Length of a contraction with its apostrophe, whose first letter stands at `at`; 0 for none. */
function contractionLength(text: string, at: number): number {
  // Setting the bit makes a letter small; digits and signs that it would turn into one of these letters do not exist.
  switch (text.charCodeAt(at) | 0x20) {
    case 0x73: // s
    case 0x64: // d
    case 0x6d: // m
    case 0x74: // t
      return 2
    case 0x6c: // ll
      return (text.charCodeAt(at + 1) | 0x20) === 0x6c ? 3 : 0
    case 0x76: // ve
    case 0x72: // re
      return (text.charCodeAt(at + 1) | 0x20) === 0x65 ? 3 : 0
    default:
      return 0
  }
}

/** Signs, then newlines and slashes. */
function symbolsEnd(text: string, start: number): number {
  let end = start
  while (classAt(text, end) === other) end++
  if (classAt(text, end) === foreign) return -1
  for (;;) {
    const code = text.charCodeAt(end)
    if (code !== 0x0a && code !== 0x0d && code !== 0x2f) return end
    end++
  }
}

/** White space up to the last newline; without one, all but the last blank, which belongs to the word behind it. */
function spaceEnd(text: string, start: number): number {
  let end = start
  let afterNewline = -1
  for (let kind = classAt(text, end); kind === blank || kind === newline; kind = classAt(text, end)) {
    end++
    if (kind === newline) afterNewline = end
  }
  if (classAt(text, end) === foreign) return -1
  if (afterNewline > 0) return afterNewline
  return end === text.length || end === start + 1 ? end : end - 1
}
