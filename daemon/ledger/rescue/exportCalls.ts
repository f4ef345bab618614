import { csvText } from '../../../shared/csv.ts'
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { eurFromNano } from '../../../shared/money.ts'
import { publishOnce } from '../../lifecycle/privateFile.ts'
import { FileExists, refuseExisting } from './backup.ts'

/** A column of an export, from a column of the ledger. Names are those of `/api/calls` where it has them. */
interface ExportColumn {
  readonly name: string
  readonly from: string
  readonly as?: 'time' | 'eur' | 'flag' | 'list'
}

/** Columns of the files that `--export` writes, in their order. What a ledger does not have is left out of each row. */
export const exportColumns: readonly ExportColumn[] = [
  { name: 'time', from: 'received_at_ms', as: 'time' },
  { name: 'day', from: 'day' },
  { name: 'id', from: 'id' },
  { name: 'tenant', from: 'tenant' },
  { name: 'user', from: 'user' },
  { name: 'project', from: 'project' },
  { name: 'task', from: 'task' },
  { name: 'session', from: 'session' },
  { name: 'client', from: 'client' },
  { name: 'key', from: 'key_id' },
  { name: 'upstream', from: 'upstream' },
  { name: 'dialect', from: 'dialect' },
  { name: 'model', from: 'model' },
  { name: 'responseModel', from: 'response_model' },
  { name: 'stream', from: 'stream', as: 'flag' },
  { name: 'isRetry', from: 'is_retry', as: 'flag' },
  { name: 'settlement', from: 'settlement' },
  { name: 'outcome', from: 'outcome' },
  { name: 'status', from: 'status' },
  { name: 'finish', from: 'finish' },
  { name: 'billing', from: 'billing' },
  { name: 'tier', from: 'tier' },
  { name: 'eur', from: 'cost_nano', as: 'eur' },
  { name: 'listPriceEur', from: 'list_nano', as: 'eur' },
  { name: 'reservedEur', from: 'reserved_nano', as: 'eur' },
  { name: 'estimatedInput', from: 'estimated_input' },
  { name: 'input', from: 'input' },
  { name: 'cacheRead', from: 'cache_read' },
  { name: 'cacheWrite5m', from: 'cache_write_5m' },
  { name: 'cacheWrite1h', from: 'cache_write_1h' },
  { name: 'output', from: 'output' },
  { name: 'reasoning', from: 'reasoning' },
  { name: 'audioInput', from: 'audio_input' },
  { name: 'audioCacheRead', from: 'audio_cache_read' },
  { name: 'audioOutput', from: 'audio_output' },
  { name: 'imageInput', from: 'image_input' },
  { name: 'imageOutput', from: 'image_output' },
  { name: 'webSearches', from: 'web_searches' },
  { name: 'fileSearches', from: 'file_searches' },
  { name: 'codeContainers', from: 'code_containers' },
  { name: 'usdRate', from: 'usd_rate' },
  { name: 'rateAsOf', from: 'rate_as_of' },
  { name: 'price', from: 'price' },
  { name: 'settledAt', from: 'settled_at_ms', as: 'time' },
  { name: 'durationMs', from: 'duration_ms' },
  { name: 'firstByteMs', from: 'first_byte_ms' },
  { name: 'warnings', from: 'warnings', as: 'list' },
  { name: 'priced', from: 'priced', as: 'flag' },
]

/** A call with its line, by the ledger's own column names. */
export type StoredRow = Readonly<Record<string, unknown>>

/** The kinds of files that can be written. */
export type ExportFormat = 'jsonl' | 'csv'

/** The kind that a file's name asks for; null for a name that asks for neither. */
export function exportFormat(file: string): ExportFormat | null {
  if (/\.(jsonl|ndjson)$/i.test(file)) return 'jsonl'
  return /\.csv$/i.test(file) ? 'csv' : null
}

/** Bytes that are collected before they are written. */
const chunkBytes = 256 * 1024

/**
 * Writes calls into a new file that only its owner may read, one a line. Resolves with how many. Throws FileExists, and
 * what the file system throws; an unfinished file is removed.
 */
export function writeExport(target: string, format: ExportFormat, rows: Iterable<StoredRow>): number {
  refuseExisting(target)
  const draft = `${target}.${process.pid}.new`
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', 0o600)
  let count = 0
  try {
    try {
      let text = format === 'csv' ? `${exportColumns.map(({ name }) => name).join(',')}\r\n` : ''
      for (const row of rows) {
        text += format === 'csv' ? csvLine(row) : `${JSON.stringify(jsonRow(row))}\n`
        count += 1
        if (text.length < chunkBytes) continue
        writeSync(file, text)
        text = ''
      }
      writeSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (!publishOnce(draft, target)) throw new FileExists(target)
  } finally {
    rmSync(draft, { force: true })
  }
  return count
}

function jsonRow(row: StoredRow): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    exportColumns.flatMap((column) => (column.from in row ? [[column.name, exported(column, row)]] : [])),
  )
}

function csvLine(row: StoredRow): string {
  const cells = exportColumns.map((column) => {
    const value = exported(column, row)
    return csvCell(Array.isArray(value) ? value.join(' ') : value)
  })
  return `${cells.join(',')}\r\n`
}

function exported({ from, as }: ExportColumn, row: StoredRow): unknown {
  const value = row[from] ?? null
  if (typeof value === 'bigint') return String(value)
  switch (as) {
    case 'time':
      return isTime(value) ? new Date(value).toISOString() : value
    case 'eur':
      if (value === 0 && isCharge(from) && isUnpriced(row)) return null
      return typeof value === 'number' ? eurFromNano(value) : value
    case 'flag':
      return value === 1 ? true : value === 0 ? false : value
    case 'list':
      return listOf(value)
    default:
      return value
  }
}

function isCharge(from: string): boolean {
  return from === 'cost_nano' || from === 'list_nano'
}

/** Nobody knows what such a call cost; one that was released reached nobody and cost nothing. */
function isUnpriced({ priced, settlement }: StoredRow): boolean {
  return priced === 0 && settlement !== 'released'
}

/** Milliseconds that a date can be made of. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15
}

function listOf(value: unknown): unknown {
  if (typeof value !== 'string') return []
  try {
    const list: unknown = JSON.parse(value)
    return Array.isArray(list) ? list.map(String) : [value]
  } catch {
    return [value]
  }
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return csvText(typeof value === 'string' ? value : JSON.stringify(value))
}
