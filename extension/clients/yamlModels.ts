/** A line of a file. */
export interface Line {
  readonly text: string
  /** Where it begins. */
  readonly from: number
}

/** A plain value behind a key. */
export interface YamlValue {
  readonly value: string
  /** Number of its line. */
  readonly line: number
  /** Where the value begins and ends, in the whole text. */
  readonly from: number
  readonly to: number
  /** The value, or more of it, stands on the lines below. */
  readonly goesOn: boolean
}

/** One entry of the list `models`. */
export interface YamlModel {
  /** Column of its keys. */
  readonly indent: number
  readonly values: ReadonlyMap<string, YamlValue>
}

/** The lines of a text, without their ends. */
export function linesOf(text: string): readonly Line[] {
  const lines: Line[] = []
  for (const { 0: found, index } of text.matchAll(/[^\n]*\n|[^\n]+$/g)) {
    lines.push({ text: found.replace(/\r?\n$/, ''), from: index })
  }
  return lines
}

/**
 * The list `models` of a YAML file in block style, which is how Continue and its documentation write it; empty where there is
 * none. Undefined for anything else: it is not guessed at.
 */
export function scanModels(lines: readonly Line[]): readonly YamlModel[] | undefined {
  if (lines.some(({ text }) => /^ *\t/.test(text) || /^\.\.\.\s*$/.test(text))) return undefined
  if (lines.some(({ text }, at) => /^---/.test(text) && !lines.slice(0, at).every(isEmpty))) return undefined
  const heads = lines.flatMap(({ text }, at) => (/^["']?models["']? *:/.test(text.replace(/^\uFEFF/, '')) ? [at] : []))
  const [head] = heads
  if (head === undefined) return []
  if (heads.length > 1) return undefined
  const rest = lines[head]?.text.replace(/^[^:]*:/, '').trim() ?? ''
  if (rest === '[]') return []
  if (rest !== '' && !rest.startsWith('#')) return undefined
  return new ModelReader(lines).read(head + 1)
}

function isEmpty({ text }: Line): boolean {
  return /^\s*(#.*)?$/.test(text.replace(/^\uFEFF/, ''))
}

class ModelReader {
  readonly #lines: readonly Line[]
  readonly #models: { indent: number; values: Map<string, YamlValue> }[] = []
  /** Column of the dashes. */
  #dash = -1

  constructor(lines: readonly Line[]) {
    this.#lines = lines
  }

  read(start: number): readonly YamlModel[] | undefined {
    for (let at = start; at < this.#lines.length; at++) {
      const line = this.#lines[at]
      if (line === undefined || isEmpty(line)) continue
      const indent = line.text.search(/\S/)
      const isItem = /^ *-( |$)/.test(line.text)
      if (this.#dash < 0 && isItem) this.#dash = indent
      if (indent === 0 && !(isItem && this.#dash === 0)) break
      if (indent < this.#dash || this.#dash < 0) return undefined
      if (indent === this.#dash && !isItem) return undefined
      if (!(isItem && indent === this.#dash ? this.#begin(line, at) : this.#go(line, at, indent))) return undefined
    }
    return this.#models
  }

  #begin(line: Line, at: number): boolean {
    const content = line.text.slice(this.#dash + 1).search(/\S/)
    const isBare = content < 0 || line.text.slice(this.#dash + 1 + content).startsWith('#')
    this.#models.push({ indent: isBare ? -1 : this.#dash + 1 + content, values: new Map() })
    return isBare || this.#key(line, at, this.#dash + 1 + content)
  }

  #go(line: Line, at: number, indent: number): boolean {
    const model = this.#models.at(-1)
    if (model === undefined) return false
    if (model.indent < 0) model.indent = indent
    if (indent < model.indent) return false
    // What stands deeper belongs to the key above it, and so do the entries of a list right below it.
    const isBelow = indent > model.indent || /^-( |$)/.test(line.text.slice(indent))
    return isBelow ? continued(model.values) : this.#key(line, at, indent)
  }

  #key({ text, from }: Line, at: number, column: number): boolean {
    const found = /^(["']?)([A-Za-z_][\w-]*)\1 *:(?: +|$)/.exec(text.slice(column))
    const model = this.#models.at(-1)
    if (found === null || model === undefined) return false
    const [whole, , key = ''] = found
    if (model.values.has(key)) return false
    const written = text.slice(column + whole.length)
    const quoted = /^"([^"\\]*)"(?= *(?:#|$))|^'([^']*)'(?= *(?:#|$))/.exec(written)
    const plain = quoted?.[0] ?? written.replace(/(^|\s+)#.*$/, '').trimEnd()
    const start = from + column + whole.length
    model.values.set(key, {
      value: quoted === null ? plain : (quoted[1] ?? quoted[2] ?? ''),
      line: at,
      from: start,
      to: start + plain.length,
      goesOn: false,
    })
    return true
  }
}

/** Marks the last value; false where there is none. */
function continued(values: Map<string, YamlValue>): boolean {
  const last = [...values].at(-1)
  if (last !== undefined) values.set(last[0], { ...last[1], goesOn: true })
  return last !== undefined
}
