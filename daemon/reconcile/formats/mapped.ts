import { tierName } from '../../money/servedTier.ts'
import type { CsvTable } from '../csv.ts'
import { InvoiceRows, UnreadableInvoice } from '../invoice.ts'
import type { Invoice } from '../invoice.ts'
import { shown, usdAmount, utcDay } from '../values.ts'
import { textOrNull, toolItems } from './fields.ts'

/** Columns of a file that no format describes. */
export interface ColumnMap {
  readonly date: string
  readonly usd: string
  readonly model: string | null
  readonly item: string | null
  readonly tier: string | null
}

const parts = ['date', 'usd', 'model', 'item', 'tier'] as const

/** Reads `date=Day,model=Model,usd=Cost`; a string is what is wrong with it, in one sentence. */
export function readColumnMap(text: string): ColumnMap | string {
  const found = new Map<string, string>()
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, at)).trim()
    const column = pair.slice(at + 1).trim()
    if (!(parts as readonly string[]).includes(name) || column === '') {
      return `--map takes pairs such as date=Day,model=Model,usd=Cost (also item, tier), not ${shown(pair)}.`
    }
    if (found.has(name)) return `--map names ${name} twice.`
    found.set(name, column)
  }
  const [date, usd] = [found.get('date'), found.get('usd')]
  if (date === undefined || usd === undefined) return '--map needs at least date and usd.'
  return {
    date,
    usd,
    model: found.get('model') ?? null,
    item: found.get('item') ?? null,
    tier: found.get('tier') ?? null,
  }
}

/** Reads any CSV by the columns that a person names. Throws UnreadableInvoice. */
export function readMapped(table: CsvTable, map: ColumnMap): Invoice {
  for (const column of Object.values(map) as readonly (string | null)[]) {
    if (column !== null && !table.has(column)) {
      const known = table.columns.slice(0, 30).map(shown).join(', ')
      throw new UnreadableInvoice(`The file has no column ${shown(column)}, or has it twice. Its columns: ${known}.`)
    }
  }
  const collected = new InvoiceRows()
  table.each((row) => {
    const cell = (column: string | null): string | null => (column === null ? null : textOrNull(row.cell(column)))
    const item = cell(map.item)?.toLowerCase() ?? null
    const tier = cell(map.tier)
    collected.add({
      day: utcDay(row.cell(map.date), `Line ${row.line}: ${map.date}`),
      model: item === null ? cell(map.model) : null,
      item,
      tier: map.tier === null ? null : tierName({ service_tier: tier }),
      amount: usdAmount(row.cell(map.usd), `Line ${row.line}: ${map.usd}`),
    })
  })
  return {
    format: 'CSV by --map',
    provider: null,
    unit: 'usd',
    tiers: map.tier === null ? 'none' : 'named',
    itemizesTools: collected.rows.some(({ item }) => item !== null && toolItems.includes(item)),
    rows: collected.rows,
    period: collected.period,
    notes: [],
  }
}
