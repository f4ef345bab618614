import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { EncodingName } from './tokenizer.ts'

/** Set by the bundler alone: the vocabularies then lie beside the bundle. */
declare const TOLLGATE_VERSION: string | undefined

/** The vocabulary of an encoding as `gpt-tokenizer` ships it. Throws what `readFileSync` throws. */
export function readRankFile(encoding: EncodingName): Uint8Array {
  return readFileSync(rankFilePath(`${encoding}.tiktoken`))
}

function rankFilePath(file: string): string {
  return typeof TOLLGATE_VERSION === 'undefined'
    ? createRequire(import.meta.url).resolve(`gpt-tokenizer/data/${file}`)
    : join(__dirname, file)
}
