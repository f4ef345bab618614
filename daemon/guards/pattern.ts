/** The literal pieces of a pattern, in lower case: everything between two `*`. */
interface CompiledPattern {
  readonly pieces: readonly string[]
}

/** Patterns come from the configuration, so there are few; the bound only keeps a mistake from growing the map forever. */
const cacheLimit = 1000
const compiled = new Map<string, CompiledPattern>()

function compile(pattern: string): CompiledPattern {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  const fresh = { pieces: pattern.toLowerCase().split(/\*+/) }
  if (compiled.size >= cacheLimit) compiled.clear()
  compiled.set(pattern, fresh)
  return fresh
}

/**
 * Whether a name (of a model, of a client) matches a pattern in which `*` stands for any characters, none included. Upper
 * and lower case are the same; every other character stands for itself. Names come from clients, so this never backtracks:
 * each piece is looked for once, from where the piece before it ended.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  const { pieces } = compile(pattern)
  const text = name.toLowerCase()
  const first = pieces[0] ?? ''
  if (pieces.length === 1) return text === first
  const last = pieces[pieces.length - 1] ?? ''
  if (!text.startsWith(first)) return false
  let at = first.length
  for (let index = 1; index < pieces.length - 1; index += 1) {
    const piece = pieces[index] ?? ''
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  // The end must not overlap what was matched before it: `ab*ba` is no match for `aba`.
  return text.length - last.length >= at && text.endsWith(last)
}
