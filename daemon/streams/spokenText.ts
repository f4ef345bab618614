/**
 * Visible characters of an answer whose model may think in its own content. Open-weight models leak raw reasoning there:
 * between `<think>` and `</think>` at the start, or everything before a stray `</think>` (wire of Ollama, 2025 and 2026).
 * Such an answer that ends at its ceiling in the middle of a thought says nothing. Whitespace alone says nothing either.
 */
export class SpokenText {
  /** Not yet decided whether the text begins with a thought; `null` once it is. */
  #opening: string | null = ''
  #isThinking = false
  /** A tag may be cut in two by the pieces of a stream. */
  #tail = ''
  #closed = false
  visibleChars = 0

  push(text: string): void {
    if (this.#opening === null) return this.#read(text)
    const opening = (this.#opening + text).trimStart()
    if (opening.length < openTag.length && openTag.startsWith(opening)) {
      this.#opening = opening
      return
    }
    this.#opening = null
    this.#isThinking = opening.startsWith(openTag)
    this.#read(this.#isThinking ? opening.slice(openTag.length) : opening)
  }

  #read(text: string): void {
    if (this.#closed) return this.#speak(text)
    const seen = this.#tail + text
    const at = seen.indexOf(closeTag)
    if (at < 0) {
      this.#tail = seen.slice(-(closeTag.length - 1))
      if (!this.#isThinking) this.#speak(text)
      return
    }
    this.#closed = true
    this.#tail = ''
    this.visibleChars = 0
    this.#speak(seen.slice(at + closeTag.length))
  }

  #speak(text: string): void {
    if (this.visibleChars > 0) this.visibleChars += text.length
    else this.visibleChars = text.trimStart().length
  }
}

const openTag = '<think>'
const closeTag = '</think>'
