/** One `key = value` of a TOML document. */
export interface TomlEntry {
  /** Table and key, part by part. */
  readonly path: readonly string[]
  /** The text of a string; null for every other kind of value. */
  readonly value: string | null
  /** Where its key begins, and where its value ends. */
  readonly from: number
  readonly to: number
  readonly valueFrom: number
}

/** What has to be known of a TOML document to change a line of it. */
export interface TomlScan {
  readonly entries: readonly TomlEntry[]
  /** Tables that have a header of their own, as paths. */
  readonly tables: readonly (readonly string[])[]
  /** Those among them that are entries of a list. */
  readonly lists: readonly (readonly string[])[]
}

class NotToml extends Error {}

/** Finds the entries of a TOML document; undefined where it is none. Values other than strings are passed over, not checked. */
export function scanToml(text: string): TomlScan | undefined {
  try {
    return new Scanner(text).scan()
  } catch (error) {
    if (error instanceof NotToml) return undefined
    throw error
  }
}

const escapes: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\x1B' }

/** The text behind the escapes of a TOML string; a backslash at the end of a line takes the white space up to the next text away. */
function unescaped(written: string): string {
  return written.replace(
    /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|x([\da-fA-F]{2})|[ \t]*\r?\n\s*|([\s\S]))/g,
    (whole, short: string | undefined, long: string | undefined, byte: string | undefined, one: string | undefined) => {
      const code = short ?? long ?? byte
      if (code !== undefined) return character(Number.parseInt(code, 16))
      if (one === undefined) return ''
      if (one === '"' || one === '\\') return one
      if (!Object.hasOwn(escapes, one)) throw new NotToml()
      return escapes[one] ?? whole
    },
  )
}

function character(code: number): string {
  if (code > 0x10ffff) throw new NotToml()
  return String.fromCodePoint(code)
}

class Scanner {
  readonly #text: string
  #at: number

  constructor(text: string) {
    this.#text = text
    this.#at = text.startsWith('\uFEFF') ? 1 : 0
  }

  scan(): TomlScan {
    const entries: TomlEntry[] = []
    const tables: (readonly string[])[] = []
    const lists: (readonly string[])[] = []
    const seen = new Set<string>()
    let table: readonly string[] = []
    /** Each entry of an array of tables is a table of its own, with tables below it. */
    let repeats = 0
    for (;;) {
      this.#take(/[\s]*/y)
      if (this.#at >= this.#text.length) return { entries, tables, lists }
      if (this.#take(/#[^\n]*/y) !== '') continue
      const isHeader = this.#text[this.#at] === '['
      if (isHeader) {
        const open = this.#take(/\[{1,2}/y)
        table = this.#path()
        this.#need(open === '[' ? /\]/y : /\]\]/y)
        if (open === '[') {
          this.#once(seen, ['[', String(repeats), ...table])
        } else {
          repeats++
          lists.push(table)
        }
        tables.push(table)
      } else {
        const from = this.#at
        const key = this.#path()
        this.#need(/=[ \t]*/y)
        const valueFrom = this.#at
        const value = this.#value()
        const path = [...table, ...key]
        this.#once(seen, [String(repeats), ...path])
        entries.push({ path, value, from, to: this.#at, valueFrom })
      }
      this.#need(/[ \t]*(#[^\n]*)?(\r?\n|$)/y)
    }
  }

  #once(seen: Set<string>, path: readonly string[]): void {
    const id = path.join('\0')
    if (seen.has(id)) throw new NotToml()
    seen.add(id)
  }

  #path(): readonly string[] {
    const parts: string[] = []
    do {
      this.#take(/[ \t]*/y)
      const quote = this.#text[this.#at]
      const part = quote === '"' || quote === "'" ? this.#string() : this.#need(/[A-Za-z0-9_-]+/y)
      parts.push(part)
      this.#take(/[ \t]*/y)
    } while (this.#take(/\./y) !== '')
    return parts
  }

  #value(): string | null {
    const first = this.#text[this.#at]
    if (first === '"' || first === "'") return this.#string()
    if (first === '[' || first === '{') {
      this.#collection(first === '[' ? ']' : '}')
      return null
    }
    this.#need(/(true|false|[+-]?(inf|nan)|[+-]?\d[\w.+:-]*( \d\d:[\d:.Z+-]+)?)/y)
    return null
  }

  #collection(close: ']' | '}'): void {
    this.#at++
    for (;;) {
      this.#take(/(\s|#[^\n]*)*/y)
      if (this.#text[this.#at] === close) break
      if (close === '}') {
        this.#path()
        this.#need(/=[ \t]*/y)
      }
      this.#value()
      this.#take(/(\s|#[^\n]*)*/y)
      if (this.#take(/,/y) === '' && this.#text[this.#at] !== close) throw new NotToml()
    }
    this.#at++
  }

  #string(): string {
    // A line end right behind the opening quotes is no part of the text.
    if (this.#take(/'''(?:\r?\n)?/y) !== '') return this.#need(/[\s\S]*?'{3,5}/y).slice(0, -3)
    if (this.#take(/"""(?:\r?\n)?/y) !== '') {
      return unescaped(this.#need(/(?:[^\\]|\\[\s\S])*?"{3,5}/y).slice(0, -3))
    }
    if (this.#text[this.#at] === "'") return this.#need(/'[^'\n]*'/y).slice(1, -1)
    return unescaped(this.#need(/"(?:[^"\\\n]|\\.)*"/y).slice(1, -1))
  }

  /** What the pattern finds here, empty where it does not. */
  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #need(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found === null) throw new NotToml()
    this.#at += found[0].length
    return found[0]
  }
}
