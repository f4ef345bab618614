import assert from 'node:assert/strict'
import fc from 'fast-check'
import { SpokenText } from '../../../daemon/streams/spokenText.ts'

function visible(...pieces: readonly string[]): number {
  const spoken = new SpokenText()
  for (const piece of pieces) spoken.push(piece)
  return spoken.visibleChars
}

describe('what an answer says aloud', () => {
  const answers: Readonly<Record<string, readonly [string, number]>> = {
    'a plain answer': ['Vienna.', 7],
    'a thought and an answer': ['<think>Austria, so</think>\n\nVienna.', 7],
    'a thought without an end': ['<think>Let me see, Austria has a capital and', 0],
    'a thought after a blank line': ['\n<think>hm', 0],
    'a thought that was opened by the template': ['Austria, so</think>Vienna.', 7],
    'nothing but white space': [' \n\n ', 0],
    'an answer that begins with another tag': ['<thing>', 7],
    'a thought with nothing behind it': ['<think>a</think>\n', 0],
    'an answer that names the tags once more': ['<think>a</think>Use </think>.', 13],
  }
  for (const [name, [text, chars]] of Object.entries(answers)) {
    it(`is ${chars} characters of ${name}`, () => {
      assert.equal(visible(text), chars)
    })
  }

  it('is the same in whatever pieces it comes', () => {
    const part = fc.constantFrom('<think>', '</think>', 'a', ' ', '\n', '<', '/', 'word')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), (parts, size) => {
        const text = parts.join('')
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
          text.slice(at * size, (at + 1) * size),
        )
        assert.equal(visible(...pieces), visible(text))
      }),
    )
  })
})
