/**
 * Finds out how to end a JSON array that is cut anywhere, so that what a client has can still be parsed: a string is closed,
 * a number or a word completed, a field without a value gets null, and everything open is closed from the inside out. The
 * caller then adds a last element and the closing bracket. The bytes are looked at and never changed.
 */

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** No answer is nested as deeply; what is cannot be ended, and its connection is broken instead. */
const mostLevels = 1000

/** What may come next in the innermost container. */
type Expects = 'first' | 'key' | 'colon' | 'value' | 'separator'

interface Level {
  readonly kind: 'object' | 'array'
  expects: Expects
}

const words = ['true', 'false', 'null']

/** Follows the bytes of one answer. */
export class ArrayEnd {
  readonly #levels: Level[] = []
  #state: 'before' | 'inside' | 'closed' | 'lost' = 'before'
  #inString = false
  #isKey = false
  #escaped = false
  /** Hexadecimal digits that a `\u` still needs. */
  #hexDigits = 0
  /** Letters of a number or word under way. */
  #scalar = ''

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#state === 'lost' || this.#state === 'closed') return
      if (this.#inString && !this.#escaped && this.#hexDigits === 0) at = plainUntil(bytes, at)
      const byte = bytes[at]
      if (byte !== undefined) this.#see(byte)
    }
  }

  /**
   * What has to stand between the bytes so far and a last element with the closing bracket. Null where neither can be said:
   * the array is closed already, or the bytes are none.
   */
  get before(): string | null {
    if (this.#state === 'before') return '['
    if (this.#state !== 'inside') return null
    const [outer] = this.#levels
    if (outer === undefined) return null
    let text = this.#openValue()
    for (const level of [...this.#levels.slice(1)].reverse()) {
      if (level.kind === 'array') {
        text += level.expects === 'value' && text === '' ? 'null]' : ']'
        continue
      }
      if (text === '') text = missingIn(level.expects)
      text += '}'
    }
    const isFirst = text === '' && outer.expects === 'first'
    const isSeparated = text === '' && outer.expects === 'value'
    return isFirst || isSeparated ? text : `${text},`
  }

  /** Completes the string, number or word that was cut, and what its field needs besides. */
  #openValue(): string {
    if (this.#inString) {
      const escape = this.#escaped ? '\\' : '0'.repeat(this.#hexDigits)
      return `${escape}"${this.#isKey ? ':null' : ''}`
    }
    if (this.#scalar === '') return ''
    const word = words.find((known) => known.startsWith(this.#scalar))
    if (word !== undefined) return word.slice(this.#scalar.length)
    return /\d$/.test(this.#scalar) ? '' : '0'
  }

  #see(byte: number): void {
    if (this.#inString) {
      this.#seeInString(byte)
      return
    }
    const isSpace = byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
    if (isSpace && this.#scalar === '') return
    if (this.#scalar !== '' && (isSpace || byte === comma || byte === closeBrace || byte === closeBracket)) {
      this.#scalar = ''
    }
    if (isSpace) return
    const level = this.#levels.at(-1)
    if (level === undefined) {
      // Only an array can get another element.
      if (byte === openBracket) this.#open('array')
      else if (!isByteOrderMark(byte)) this.#state = 'lost'
      return
    }
    switch (byte) {
      case quote:
        this.#inString = true
        this.#isKey = level.kind === 'object' && (level.expects === 'first' || level.expects === 'key')
        if (!this.#isKey) level.expects = 'separator'
        return
      case openBrace:
        level.expects = 'separator'
        this.#open('object')
        return
      case openBracket:
        level.expects = 'separator'
        this.#open('array')
        return
      case closeBrace:
      case closeBracket:
        this.#levels.pop()
        if (this.#levels.length === 0) this.#state = 'closed'
        return
      case colon:
        level.expects = 'value'
        return
      case comma:
        level.expects = level.kind === 'object' ? 'key' : 'value'
        return
      default:
        level.expects = 'separator'
        // A number may have any length, and only its last character matters.
        this.#scalar = (this.#scalar + String.fromCharCode(byte)).slice(-5)
    }
  }

  #seeInString(byte: number): void {
    if (this.#hexDigits > 0) this.#hexDigits -= 1
    else if (this.#escaped) {
      this.#escaped = false
      if (byte === 0x75) this.#hexDigits = 4
    } else if (byte === backslash) this.#escaped = true
    else if (byte === quote) {
      this.#inString = false
      const level = this.#levels.at(-1)
      if (level !== undefined) level.expects = this.#isKey ? 'colon' : 'separator'
      this.#isKey = false
    }
  }

  #open(kind: Level['kind']): void {
    this.#state = 'inside'
    if (this.#levels.length >= mostLevels) this.#state = 'lost'
    else this.#levels.push({ kind, expects: 'first' })
  }
}

/** First byte from `at` on that is a quote or a backslash: most of an answer is text. */
function plainUntil(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote || byte === backslash) return at
  }
  return bytes.length
}

/** What an object lacks that was cut here. */
function missingIn(expects: Expects): string {
  switch (expects) {
    case 'colon':
      return ':null'
    case 'value':
      return 'null'
    case 'key':
      return '"":null'
    case 'first':
    case 'separator':
      return ''
  }
}

function isByteOrderMark(byte: number): boolean {
  return byte === 0xef || byte === 0xbb || byte === 0xbf
}
