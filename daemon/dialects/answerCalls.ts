import type { AnswerCall } from '../transcript/callDigest.ts'

/** An agent asks for a few tools at once; who asks for more is not followed. */
const mostCalls = 64

/** Characters of arguments in one answer: patches and whole files are among them. */
const mostArgumentsChars = 256 * 1024

/**
 * The tool calls of an answer, for the requests that go on from it. All or none: with some of them missing, a step that
 * makes progress could look like one that does not.
 */
export class AnswerCalls {
  #calls: AnswerCall[] = []
  #count = 0
  #chars = 0

  /** How many there are, kept or not. */
  get count(): number {
    return this.#count
  }

  /** All calls; null where they were too many or too long to keep. */
  get all(): readonly AnswerCall[] | null {
    return this.#calls.length === this.#count ? this.#calls : null
  }

  add(call: AnswerCall): void {
    this.#count += 1
    this.#chars += call.argumentsText.length
    if (this.#count > mostCalls || this.#chars > mostArgumentsChars) this.#calls = []
    else this.#calls.push(call)
  }
}
