import { LedgerUnavailable } from './ledger.ts'
import { UnsoundSum } from './rows.ts'

/** The last sentence of every message about a file that cannot be used. */
export const wayOut =
  'Run "tollgate doctor --ledger": it says what is wrong and how to back up, export or repair the file.'

/** The error for a file that is damaged; `what` is a sentence without its end. */
export function damagedLedger(what: string): LedgerUnavailable {
  return new LedgerUnavailable(`${what}. It was left as it is. ${wayOut}`)
}

/**
 * Turns whatever the database threw into the one error that the gate answers with 503, with a sentence that says what
 * happened and what to do. Nothing that fails here may ever read as "0 spent" (A08, M08).
 */
export function ledgerUnavailable(fault: unknown, path: string): LedgerUnavailable {
  if (fault instanceof UnsoundSum) return damagedLedger(`The ledger ${path} holds ${fault.found} where a sum belongs`)
  if (fault instanceof LedgerUnavailable) return fault
  const code = codeOf(fault)
  return new LedgerUnavailable(sentence(code, path, fault), { cause: fault })
}

function codeOf(fault: unknown): string {
  if (typeof fault !== 'object' || fault === null || !('code' in fault)) return ''
  return typeof fault.code === 'string' ? fault.code : ''
}

function sentence(code: string, path: string, fault: unknown): string {
  // Extended codes carry the primary one as a prefix: SQLITE_IOERR_WRITE, SQLITE_READONLY_DIRECTORY.
  const primary = code.split('_').slice(0, 2).join('_')
  switch (primary) {
    case 'SQLITE_FULL':
      return `The disk of the ledger ${path} is full. Free some space; calls pass again as soon as it can be written.`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'SQLITE_READONLY':
    case 'SQLITE_PERM':
    case 'SQLITE_CANTOPEN':
      return `The ledger ${path} cannot be written. Let this user write the file and its folder. ${wayOut}`
    case 'SQLITE_IOERR':
      return `The disk reports an error for the ledger ${path}. Check the disk and its free space. ${wayOut}`
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return damagedLedger(`The ledger ${path} is damaged`).message
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
      return `Another program holds the ledger ${path}. Close what has it open.`
    default: {
      const reason = (code === '' || code === 'SQLITE_ERROR') && fault instanceof Error ? fault.message : code
      return `The ledger ${path} cannot be used: ${reason}. ${wayOut}`
    }
  }
}
