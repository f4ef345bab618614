import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { replacePrivateFile } from '../lifecycle/privateFile.ts'
import { readPriceData } from '../money/priceData.ts'
import type { InstalledPrices } from '../money/priceTable.ts'

/**
 * Prices that a person put in the table's place, beside the ledger. `prices.json` is small and names the file that holds
 * them by its hash, so that a change is seen without reading megabytes, a file that was cut or edited is noticed, and the
 * one that holds is never written over.
 */

/** What `prices.json` says. */
export interface PriceRecord {
  readonly asOf: string
  /** When it was put there, ISO. */
  readonly installedAt: string
  readonly rows: number
  readonly file: string
  readonly sha256: string
}

/** What lies beside the ledger. */
export type StoredPrices =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly record: PriceRecord; readonly prices: InstalledPrices }
  /** Cannot be used; a sentence why. The prices that held before go on. */
  | { readonly kind: 'damaged'; readonly problem: string }

/** Path of the small file in a data directory. */
export function priceRecordPath(dataDir: string): string {
  return path.join(dataDir, 'prices.json')
}

/** Keeps prices: first they, then the record that names them, then older ones are removed. Throws what the file system says. */
export function storePrices(dataDir: string, prices: InstalledPrices, rows: number, nowMs: number): PriceRecord {
  const text = JSON.stringify(prices)
  const sha256 = digest(text)
  const file = `prices-${sha256.slice(0, 16)}.json`
  replacePrivateFile(path.join(dataDir, file), text)
  const record: PriceRecord = { asOf: prices.asOf, installedAt: new Date(nowMs).toISOString(), rows, file, sha256 }
  replacePrivateFile(priceRecordPath(dataDir), `${JSON.stringify(record, null, 2)}\n`)
  removeData(dataDir, file)
  return record
}

/** Takes them away, so that the built-in table holds. False where there were none. */
export function removePrices(dataDir: string): boolean {
  const wasThere = textOf(priceRecordPath(dataDir)) !== null
  rmSync(priceRecordPath(dataDir), { force: true })
  removeData(dataDir, null)
  return wasThere
}

/** The prices of a data directory. Never throws. */
export function storedPrices(dataDir: string): StoredPrices {
  const text = textOf(priceRecordPath(dataDir))
  if (text === null) return { kind: 'none' }
  const record = recordOf(text)
  if (record === null) return damaged('prices.json cannot be read')
  const data = textOf(path.join(dataDir, record.file))
  if (data === null) return damaged(`${record.file} is missing`)
  if (digest(data) !== record.sha256) return damaged(`${record.file} is not what was put there`)
  const reading = readPriceData(JSON.parse(data), record.asOf)
  return reading.ok ? { kind: 'found', record, prices: reading.prices } : damaged(reading.problem.replace(/\.$/, ''))
}

function damaged(what: string): StoredPrices {
  return {
    kind: 'damaged',
    problem: `${what}: put the prices there again, or take them away with "tollgate prices reset"`,
  }
}

function recordOf(text: string): PriceRecord | null {
  try {
    const { asOf, installedAt, rows, file, sha256 } = JSON.parse(text) as Partial<Record<keyof PriceRecord, unknown>>
    if (typeof asOf !== 'string' || typeof installedAt !== 'string' || typeof rows !== 'number') return null
    if (typeof file !== 'string' || !dataFile.test(file) || typeof sha256 !== 'string') return null
    return { asOf, installedAt, rows, file, sha256 }
  } catch {
    return null
  }
}

const dataFile = /^prices-[0-9a-f]{16}\.json$/

function removeData(dataDir: string, kept: string | null): void {
  for (const name of readdirSync(dataDir)) {
    if (dataFile.test(name) && name !== kept) rmSync(path.join(dataDir, name), { force: true })
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
