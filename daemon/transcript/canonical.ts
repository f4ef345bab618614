/** Deeper than this nobody nests arguments; a hostile request must not exhaust the stack. */
const maxDepth = 200

/**
 * One spelling for arguments that mean the same: JSON text is parsed, keys are sorted, nothing at all is an empty object.
 * Text that is no JSON (a patch, a shell script) stays as it is.
 */
export function canonicalArguments(args: unknown): string {
  if (typeof args !== 'string') return args === undefined || args === null ? '{}' : canonicalJson(args, 0)
  if (args.trim() === '') return '{}'
  const parsed = parse(args)
  // Some local servers encode the text once more.
  const value = typeof parsed === 'string' ? (parse(parsed) ?? parsed) : parsed
  return value === undefined ? args : canonicalJson(value, 0)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function canonicalJson(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (depth === maxDepth) return '"deeper"'
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`
  const fields = Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field, depth + 1)}`).join(',')}}`
}
