import { openCsv } from './csv.ts'
import type { CsvTable } from './csv.ts'
import type { CsvFormat, JsonBucket, JsonFormat } from './format.ts'
import { anthropicCostCsv } from './formats/anthropicCostCsv.ts'
import { anthropicCostJson } from './formats/anthropicCostJson.ts'
import { anthropicUsageJson } from './formats/anthropicUsageJson.ts'
import { isObject } from './formats/fields.ts'
import { readMapped } from './formats/mapped.ts'
import type { ColumnMap } from './formats/mapped.ts'
import { openaiCostsCsv } from './formats/openaiCostsCsv.ts'
import { openaiCostsJson } from './formats/openaiCostsJson.ts'
import { openaiUsageCsv } from './formats/openaiUsageCsv.ts'
import { openrouterCsv } from './formats/openrouterCsv.ts'
import { UnreadableInvoice } from './invoice.ts'
import type { Invoice } from './invoice.ts'
import { shown } from './values.ts'

/** Formats of CSV files; the first whose columns are there is taken. */
export const csvFormats: readonly CsvFormat[] = [anthropicCostCsv, openaiCostsCsv, openaiUsageCsv, openrouterCsv]

/** Formats of JSON files; the first that recognises a result is taken. */
export const jsonFormats: readonly JsonFormat[] = [anthropicUsageJson, anthropicCostJson, openaiCostsJson]

const known = [...csvFormats, ...jsonFormats].map(({ name }) => name).join(', ')

/**
 * Reads an export: JSON where it begins like it, else CSV. With `map` it is any CSV with those columns. Throws UnreadableInvoice,
 * whose sentence says what was found instead of what is known.
 */
export function readInvoice(text: string, map: ColumnMap | null = null): Invoice {
  const start = text.slice(0, 1000).trimStart()
  if (start === '' && text.trim() === '') throw new UnreadableInvoice('The file is empty.')
  if (text.includes('\u0000')) throw new UnreadableInvoice('The file is no text in UTF-8. Export it as CSV or JSON.')
  if (map === null && /^[{[]/.test(start)) return readJson(text)
  const table = openCsv(text)
  if (map !== null) return readMapped(table, map)
  const format = csvFormats.find(({ columns }) => columns.every((column) => table.has(column)))
  if (format !== undefined) return format.read(table)
  throw new UnreadableInvoice(
    `${almost(table)} Known: ${known}. For another CSV, name its columns: --map date=…,model=…,usd=…`,
  )
}

/** What the columns are, and of which format they are nearly. */
function almost({ columns, has }: CsvTable): string {
  const nearest = csvFormats
    .map((format) => ({ format, missing: format.columns.filter((column) => !has(column)) }))
    .filter(({ format, missing }) => missing.length * 2 <= format.columns.length)
    .sort((one, other) => one.missing.length - other.missing.length)[0]
  if (nearest !== undefined) {
    return `The file looks like ${nearest.format.name}, but has not (or twice) the column ${nearest.missing.join(', ')}.`
  }
  const found = columns.slice(0, 12).map(shown).join(', ')
  return `The file is a CSV with the columns ${found}${columns.length > 12 ? ', …' : ''}, which is no known export.`
}

function readJson(text: string): Invoice {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new UnreadableInvoice('The file begins like JSON and is none: it may be cut off.')
  }
  const pages = Array.isArray(value) ? (value as readonly unknown[]) : [value]
  const buckets = pages.flatMap((page, at) => bucketsOf(page, pages.length === 1 ? '' : `[${at}].`))
  const first = buckets.flatMap(({ results }) => results)[0]
  const format = first === undefined ? formatOfEmpty(buckets) : jsonFormats.find((one) => one.recognises(first))
  if (format === undefined) {
    const found =
      first === undefined ? 'no results' : `results with ${Object.keys(first).slice(0, 12).map(shown).join(', ')}`
    throw new UnreadableInvoice(`The file is JSON with ${found}, which is no known export. Known: ${known}.`)
  }
  const invoice = format.read(buckets)
  const isCut = isObject(pages.at(-1)) && (pages.at(-1) as { has_more?: unknown }).has_more === true
  return isCut
    ? {
        ...invoice,
        notes: [
          ...invoice.notes,
          'The last page says that more follow (has_more): fetch them too, and put the pages into one list.',
        ],
      }
    : invoice
}

function bucketsOf(page: unknown, prefix: string): readonly JsonBucket[] {
  if (isObject(page) && isObject(page['error'])) {
    throw new UnreadableInvoice(
      `The file is an error of the provider: ${shown(page['error']['message'] ?? 'no message')}.`,
    )
  }
  if (!isObject(page) || !Array.isArray(page['data'])) {
    throw new UnreadableInvoice(`The file is JSON without a list "data" of days. Known: ${known}.`)
  }
  return (page['data'] as readonly unknown[]).map((fields, at) => {
    const where = `${prefix}data[${at}]`
    if (!isObject(fields) || !Array.isArray(fields['results'])) {
      throw new UnreadableInvoice(`${where} has no list "results". Known: ${known}.`)
    }
    const results = (fields['results'] as readonly unknown[]).map((result, place) => {
      if (!isObject(result)) throw new UnreadableInvoice(`${where}.results[${place}] must be an object.`)
      return result
    })
    return { where, fields, results }
  })
}

/** Days without a single result: the fields of the buckets tell the provider. */
function formatOfEmpty(buckets: readonly JsonBucket[]): JsonFormat | undefined {
  const fields = buckets[0]?.fields
  if (fields === undefined) return undefined
  return 'starting_at' in fields ? anthropicCostJson : 'start_time' in fields ? openaiCostsJson : undefined
}
