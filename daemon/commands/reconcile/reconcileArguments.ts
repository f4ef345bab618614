import { readColumnMap } from '../../reconcile/formats/mapped.ts'
import type { ColumnMap } from '../../reconcile/formats/mapped.ts'
import { dayFrom, shown } from '../../reconcile/values.ts'

/** What `tollgate reconcile` is asked to do. */
export interface ReconcileAsk {
  /** The export, as it was typed. */
  readonly file: string
  /** Provider or upstream that the export is of; null: the one of its format. */
  readonly provider: string | null
  /** UTC days, both included; null: those of the export. */
  readonly from: string | null
  readonly to: string | null
  readonly map: ColumnMap | null
  /** Write the factors into the configuration instead of only showing them. */
  readonly applyFactor: boolean
  /** File of the configuration as it was typed; null: the one in the data directory. */
  readonly config: string | null
  readonly output: 'text' | 'json' | 'csv'
}

/** Reads the words after `reconcile`; a string is what is wrong with them, in one sentence. */
export function readReconcile(
  file: string | null,
  option: (name: string) => string | null,
  isSet: (name: string) => boolean,
): ReconcileAsk | string {
  if (file === null) return "reconcile needs the file of a provider's export, as in: tollgate reconcile costs.csv"
  const [from, to, mapped] = [option('from'), option('to'), option('map')]
  for (const [name, day] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (day !== null && dayFrom(day) === null) return `--${name} must be a day such as 2026-11-30, not ${shown(day)}.`
  }
  if (from !== null && to !== null && from > to) return '--from must not be later than --to.'
  const map = mapped === null ? null : readColumnMap(mapped)
  if (typeof map === 'string') return map
  if (map !== null && option('provider') === null) return '--map needs --provider: whose figures are they?'
  if (isSet('json') && isSet('csv')) return 'Choose one of --json and --csv.'
  return {
    file,
    provider: option('provider'),
    from,
    to,
    map,
    applyFactor: isSet('apply-factor'),
    config: option('config'),
    output: isSet('json') ? 'json' : isSet('csv') ? 'csv' : 'text',
  }
}
