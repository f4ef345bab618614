import { exportFormat } from '../../ledger/rescue/exportCalls.ts'

/** What is to be done with the ledger instead of looking at it. */
export type LedgerAction = { readonly kind: 'backup' | 'export'; readonly file: string } | { readonly kind: 'repair' }

/** What `tollgate doctor` is asked to do. */
export interface DoctorAsk {
  /** Only the ledger. */
  readonly ledger: boolean
  readonly action: LedgerAction | null
  /** File of the configuration as it was typed; null: the one in the data directory. */
  readonly config: string | null
  readonly json: boolean
}

/** Reads the options of `doctor`; a string is what is wrong with them, in one sentence. */
export function readDoctor(
  option: (name: string) => string | null,
  isSet: (name: string) => boolean,
): DoctorAsk | string {
  const [backup, file] = [option('backup'), option('export')]
  const actions: LedgerAction[] = [
    ...(backup === null ? [] : [{ kind: 'backup', file: backup } as const]),
    ...(file === null ? [] : [{ kind: 'export', file } as const]),
    ...(isSet('repair') ? [{ kind: 'repair' } as const] : []),
  ]
  if (actions.length > 1) return 'doctor takes only one of --backup, --export and --repair.'
  if (file !== null && exportFormat(file) === null)
    return `--export needs a file that ends with .jsonl or .csv, not "${file}".`
  const [action = null] = actions
  if (action !== null && isSet('json')) return `--json is for the checks and not for --${action.kind}.`
  return { ledger: isSet('ledger'), action, config: option('config'), json: isSet('json') }
}
