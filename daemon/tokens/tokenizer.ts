import { BytePairCounter } from './bytePairs.ts'
import { cl100kPieces, o200kPieces } from './pieces.ts'
import { RankTable } from './rankTable.ts'
import type { PieceSplitter } from './pieces.ts'
import { unpackVocabulary } from './vocabulary.ts'

/** Encodings of public vocabularies. `o200k_base` counts, `cl100k_base` only joins in for text beyond ASCII. */
export type EncodingName = 'o200k_base' | 'cl100k_base'

/** Splits text into pieces and counts the tokens of each. */
export interface Encoder {
  readonly pieceEnd: PieceSplitter
  readonly countPiece: (text: string, start: number, end: number) => number
  /** Steps of about 0.1 microseconds since the encoder was made; see `BytePairCounter.work`. */
  readonly work: () => number
}

/** Text is read in windows of this many UTF-16 units, so that no pattern ever runs over more. */
export const windowChars = 8192

/** A window ends at white space where one of its last characters is some. */
const boundarySearchChars = 512

/** Reads the vocabulary of an encoding; see `rankFiles.ts`. */
export type ReadRanks = (encoding: EncodingName) => Uint8Array

/** Token counts in time linear in the text, whatever it contains. Vocabularies are loaded once, when first needed. */
export class Tokenizer {
  readonly #readRanks: ReadRanks
  readonly #encoders = new Map<EncodingName, Encoder>()

  constructor(readRanks: ReadRanks) {
    this.#readRanks = readRanks
  }

  /** The encoder of an encoding; the first call reads its vocabulary, which takes some 50 ms. */
  encoder(encoding: EncodingName): Encoder {
    const known = this.#encoders.get(encoding)
    if (known !== undefined) return known
    const counter = new BytePairCounter(new RankTable(unpackVocabulary(this.#readRanks(encoding))))
    const encoder: Encoder = {
      pieceEnd: encoding === 'o200k_base' ? o200kPieces() : cl100kPieces(),
      countPiece: (text, start, end) => counter.count(text, start, end),
      work: () => counter.work,
    }
    this.#encoders.set(encoding, encoder)
    return encoder
  }

  /** Tokens of a whole text. Marks of the provider such as `<|endoftext|>` are text like any other (J03). */
  count(encoding: EncodingName, text: string): number {
    return countTokens(this.encoder(encoding), text)
  }
}

/** Tokens of a whole text: exact but for one token at most per cut of a window or of a run beyond `maxPieceBytes`. */
export function countTokens(encoder: Encoder, text: string): number {
  let tokens = 0
  for (let at = 0; at < text.length;) {
    const end = windowEnd(text, at)
    tokens += countWindow(encoder, text.slice(at, end))
    at = end
  }
  return tokens
}

/** Tokens of a text that is no longer than a window. */
export function countWindow(encoder: Encoder, window: string): number {
  let tokens = 0
  for (let start = 0; start < window.length;) {
    const end = encoder.pieceEnd(window, start)
    tokens += encoder.countPiece(window, start, end)
    start = end
  }
  return tokens
}

/** End of the window that begins at `start`: before white space if possible, never inside a surrogate pair. */
export function windowEnd(text: string, start: number): number {
  const end = start + windowChars
  if (end >= text.length) return text.length
  for (let at = end; at > end - boundarySearchChars; at--) {
    const code = text.charCodeAt(at)
    if (code === 0x20 || code === 0x0a) return at
  }
  return wholeCharacter(text, end)
}

/** `at`, or one less where it stands inside a surrogate pair. */
export function wholeCharacter(text: string, at: number): number {
  const splitsPair = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
  return splitsPair ? at - 1 : at
}
