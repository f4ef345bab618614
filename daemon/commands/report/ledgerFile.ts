import type Database from 'better-sqlite3'
import type { Ledger } from '../../ledger/ledger.ts'
import { LedgerUnavailable } from '../../ledger/ledger.ts'
import { ReportReader } from '../../ledger/reportReader.ts'
import { openReadOnly } from '../../ledger/rescue/readOnly.ts'
import { schemaVersion } from '../../ledger/schema.ts'
import { ledgerUnavailable } from '../../ledger/unavailable.ts'
import { nativeBindingPath } from '../../lifecycle/nativeBinding.ts'

/** Reports from a ledger's file, which is only read. Throws LedgerUnavailable for a file that cannot be used. */
export function reportsFromFile(path: string): Pick<Ledger, 'report'> {
  return {
    report: (filter) => {
      const database = openReadOnly({ path, nativeBinding: nativeBindingPath() })
      try {
        refuseOtherSchema(database, path)
        return new ReportReader(database).report(filter)
      } catch (fault) {
        throw ledgerUnavailable(fault, path)
      } finally {
        database.close()
      }
    },
  }
}

/** A file that is only read cannot be brought up to date. */
function refuseOtherSchema(database: Database.Database, path: string): void {
  const version = Number(database.pragma('user_version', { simple: true }))
  if (version === schemaVersion) return
  throw new LedgerUnavailable(
    version > schemaVersion
      ? `The ledger ${path} was written by a newer version of Tollgate. Update Tollgate.`
      : `The ledger ${path} was written by an older version of Tollgate. Start "tollgate serve" once to bring it up to date.`,
  )
}
