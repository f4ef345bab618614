type Table = Map<string, Value>
type Value = string | number | boolean | Table

/** How a table came to be; one in braces takes nothing more, and each other can be headed once. */
type Origin = 'implied' | 'headed' | 'dotted' | 'braces'

/**
 * What a TOML document says, for documents of strings on one line, numbers, booleans, tables and remarks. It is as strict as the
 * specification about what must not be defined twice. Throws where the document is none.
 */
export function meaningOf(text: string): unknown {
  return plain(new Reader(text).read())
}

function plain(value: Value): unknown {
  if (!(value instanceof Map)) return value
  return Object.fromEntries([...value].map(([name, inner]) => [name, plain(inner)]))
}

class Reader {
  readonly #lines: readonly string[]
  readonly #root: Table = new Map()
  readonly #origins = new Map<Table, Origin>([[this.#root, 'headed']])
  #line = ''

  constructor(text: string) {
    this.#lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  }

  read(): Table {
    let table = this.#root
    for (const line of this.#lines) {
      this.#line = line.trim()
      if (this.#line === '' || this.#line.startsWith('#')) continue
      if (this.#took('[')) {
        table = this.#headed(this.#path())
        this.#need(']')
      } else {
        this.#assignment(table)
      }
      if (this.#line !== '' && !this.#line.startsWith('#')) throw new Error(`behind a value: ${line}`)
    }
    return this.#root
  }

  #headed(path: readonly string[]): Table {
    let table = this.#root
    for (const [at, name] of path.entries()) {
      const isLast = at === path.length - 1
      const found = table.get(name) ?? this.#added(table, name, 'implied')
      if (!(found instanceof Map) || this.#origins.get(found) === 'braces') throw new Error(`no table: ${name}`)
      if (isLast) {
        if (this.#origins.get(found) !== 'implied') throw new Error(`defined twice: ${path.join('.')}`)
        this.#origins.set(found, 'headed')
      }
      table = found
    }
    return table
  }

  #assignment(start: Table): void {
    let table = start
    const path = this.#path()
    const last = path.at(-1) ?? ''
    for (const name of path.slice(0, -1)) {
      const found = table.get(name) ?? this.#added(table, name, 'dotted')
      if (!(found instanceof Map) || this.#origins.get(found) !== 'dotted') throw new Error(`not by dots: ${name}`)
      table = found
    }
    this.#need('=')
    if (table.has(last)) throw new Error(`defined twice: ${path.join('.')}`)
    table.set(last, this.#value())
  }

  #added(table: Table, name: string, origin: Origin): Table {
    const added: Table = new Map()
    table.set(name, added)
    this.#origins.set(added, origin)
    return added
  }

  #path(): readonly string[] {
    const parts: string[] = []
    do parts.push(this.#string() ?? this.#pattern(/^[\w-]+/))
    while (this.#took('.'))
    return parts
  }

  #value(): Value {
    const text = this.#string()
    if (text !== undefined) return text
    if (!this.#took('{')) {
      const word = this.#pattern(/^(true|false|\d+)/)
      return /\d/.test(word) ? Number(word) : word === 'true'
    }
    const table: Table = new Map()
    this.#origins.set(table, 'headed')
    while (!this.#took('}')) {
      if (table.size > 0) this.#need(',')
      this.#assignment(table)
    }
    this.#origins.set(table, 'braces')
    for (const inner of table.values()) if (inner instanceof Map) this.#origins.set(inner, 'braces')
    return table
  }

  #string(): string | undefined {
    if (this.#line.startsWith("'")) return this.#pattern(/^'[^']*'/).slice(1, -1)
    return this.#line.startsWith('"') ? (JSON.parse(this.#pattern(/^"(?:[^"\\]|\\.)*"/)) as string) : undefined
  }

  #pattern(pattern: RegExp): string {
    const found = pattern.exec(this.#line)?.[0]
    if (found === undefined) throw new Error(`not understood: ${this.#line}`)
    this.#line = this.#line.slice(found.length).trimStart()
    return found
  }

  #took(sign: string): boolean {
    if (!this.#line.startsWith(sign)) return false
    this.#line = this.#line.slice(sign.length).trimStart()
    return true
  }

  #need(sign: string): void {
    if (!this.#took(sign)) throw new Error(`no ${sign}: ${this.#line}`)
  }
}
