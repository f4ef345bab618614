import { withoutVolatile } from './volatile.ts'

/** Assistant texts, counted from the end, among which a repetition is looked for: about twelve messages (K08). */
export const narratedTexts = 6

/** Shorter sentences ("Let me check.") repeat in every healthy run. */
const sentenceFromChars = 40

const sentencesPerText = 8
const charsPerText = 2048

/** The first sentences of a text, normalised so that case, spacing and clocks do not tell them apart. */
export function sentencesOf(text: string): string[] {
  return text
    .slice(0, charsPerText)
    .split(/(?<=[.!?:])\s+|\n+/)
    .map((sentence) => withoutVolatile(sentence).replace(/\s+/g, ' ').trim().toLowerCase())
    .filter((sentence) => sentence.length >= sentenceFromChars)
    .slice(0, sentencesPerText)
}
