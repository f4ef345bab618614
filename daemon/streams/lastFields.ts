/** How much of a value behind its name is looked at; a usage block has a few hundred characters. */
const maxValueChars = 16 * 1024

/**
 * Reads named fields out of the end of a JSON text that was too large to keep: for each name the last place that holds a
 * complete value. Used on the tail of an answer, where the usage stands.
 */
export function lastFields(tail: string, names: readonly string[]): { readonly [name: string]: unknown } {
  const found: Record<string, unknown> = {}
  for (const name of names) {
    const key = `"${name}"`
    for (let at = tail.lastIndexOf(key); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(key, at - 1)) {
      const value = valueBehind(tail, at + key.length)
      if (value === undefined) continue
      found[name] = value
      break
    }
  }
  return found
}

/** The value after `: `, or undefined where none is complete. */
function valueBehind(text: string, from: number): unknown {
  const scalar = /^\s*:\s*(-?\d[\d.eE+-]*|true|false|null|"(?:[^"\\]|\\.){0,512}"|\{)/.exec(
    text.slice(from, from + 1024),
  )
  const value = scalar?.[1]
  if (scalar === null || value === undefined) return undefined
  if (value !== '{') return parsed(value)
  const start = from + scalar[0].length - 1
  const length = objectLength(text.slice(start, start + maxValueChars))
  return length === null ? undefined : parsed(text.slice(start, start + length))
}

function objectLength(text: string): number | null {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (inString) {
      if (character === '\\') at += 1
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{') depth += 1
    else if (character === '}') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return null
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
