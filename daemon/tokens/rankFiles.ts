import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { EncodingName } from './tokenizer.ts'
import { packVocabulary } from './vocabulary.ts'

/** Set by the bundler alone: the vocabularies then lie beside the bundle, packed and compressed. */
declare const TOLLGATE_VERSION: string | undefined

/** The packed vocabulary of an encoding, from what `gpt-tokenizer` ships. Throws what `readFileSync` throws. */
export function readRankFile(encoding: EncodingName): Uint8Array {
  if (typeof TOLLGATE_VERSION !== 'undefined') {
    return brotliDecompressSync(readFileSync(join(__dirname, `${encoding}.vocabulary`)))
  }
  const source = createRequire(import.meta.url).resolve(`gpt-tokenizer/data/${encoding}.tiktoken`)
  return packVocabulary(readFileSync(source))
}
