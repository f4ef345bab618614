import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { EncodingName } from './tokenizer.ts'

/** Set by the bundler to the directory of the bundle, beside which the vocabularies lie. */
declare const TOLLGATE_DIST: string | undefined

/** The vocabulary of an encoding as `gpt-tokenizer` ships it. Throws what `readFileSync` throws. */
export function readRankFile(encoding: EncodingName): Uint8Array {
  return readFileSync(rankFilePath(encoding))
}

/** Where the vocabulary lies: beside the bundle, or in the package when the sources run unbundled. */
export function rankFilePath(encoding: EncodingName): string {
  const file = `${encoding}.tiktoken`
  if (typeof TOLLGATE_DIST !== 'undefined') return join(TOLLGATE_DIST, file)
  return createRequire(import.meta.url).resolve(`gpt-tokenizer/data/${file}`)
}
