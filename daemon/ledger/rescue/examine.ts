import { existsSync, statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import type { DatabaseOptions } from '../database.ts'
import { journalLoss } from '../file/journal.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { schemaVersion } from '../schema.ts'
import { ledgerUnavailable } from '../unavailable.ts'
import { mostExamples, type Finding, type LedgerFindings } from './findings.ts'
import { layoutText } from './layout.ts'
import { openReadOnly } from './readOnly.ts'
import { withSchema } from './rebuild.ts'
import { countRows, findContradictions, findDrift, findUnsoundFigures } from './rowFindings.ts'

/** How a ledger is looked at. */
export interface ExamineOptions extends DatabaseOptions {
  /** Whether a daemon has it open. */
  readonly isRunning: boolean
}

/**
 * Looks through a whole ledger without changing it, and says everything that is wrong with it. Each part is read in a
 * transaction of its own, so that beside a running daemon the journal is not kept from being written back for long.
 */
export function examineLedger(options: ExamineOptions): LedgerFindings {
  const { path } = options
  const found = existsSync(path) ? statSync(path) : null
  const base = { path, sizeBytes: found?.size ?? 0, knownSchema: schemaVersion }
  const failed = (kind: Finding['kind'], says: string): LedgerFindings => ({
    ...base,
    schema: null,
    counts: null,
    findings: [{ kind, verdict: 'fail', count: 1, says, examples: [] }],
  })
  if (found === null) {
    if (existsSync(`${path}-wal`))
      return failed('unreadable', `The ledger ${path} is missing, but its journal is there.`)
    const says = `There is no ledger ${path} yet; the first start of Tollgate makes it.`
    const missing = { kind: 'missing', verdict: 'warn', count: 1, says, examples: [] } as const
    return { ...base, schema: null, counts: null, findings: [missing] }
  }
  // Asked first, because SQLite would wipe out the trace.
  const journal = found.isFile() && found.size > 0 ? journalFinding(path) : null
  if (journal !== null) return { ...base, schema: null, counts: null, findings: [journal] }
  let database: Database.Database
  try {
    database = openReadOnly(options)
  } catch (fault) {
    return failed(isOutOfReach(fault) ? 'inaccessible' : 'unreadable', firstSentences(fault))
  }
  try {
    const schema = Number(database.pragma('user_version', { simple: true }))
    const { counts, findings } = look(database, schema, options)
    return { ...base, schema, counts, findings }
  } catch (fault) {
    return failed('unreadable', firstSentences(ledgerUnavailable(fault, path)))
  } finally {
    database.close()
  }
}

function journalFinding(path: string): Finding | null {
  const loss = journalLoss(path)
  if (loss === null) return null
  const { committedFrames, foundFrames } = loss
  const says = `The end of the journal ${path}-wal is missing, and with it what was spent last.`
  const examples = [`${foundFrames} of ${committedFrames} pages are left`]
  return { kind: 'journal', verdict: 'fail', count: committedFrames - foundFrames, says, examples }
}

function look(
  database: Database.Database,
  schema: number,
  options: ExamineOptions,
): Pick<LedgerFindings, 'counts' | 'findings'> {
  const { path, isRunning } = options
  const structure = structureFindings(database, path)
  if (schema > schemaVersion) {
    const says = `It was written by a newer version of Tollgate (schema ${schema}, this one knows ${schemaVersion}).`
    const newer = { kind: 'schema_newer', verdict: 'fail', count: 1, says, examples: [] } as const
    return { counts: null, findings: [newer, ...structure] }
  }
  if (schema === 0) {
    const says = `${path} is not a ledger of Tollgate.`
    return { counts: null, findings: [{ kind: 'unreadable', verdict: 'fail', count: 1, says, examples: [] }] }
  }
  // What the rows say means little in a file that SQLite itself finds broken.
  if (structure.length > 0) return { counts: null, findings: structure }
  if (layoutText(database) !== withSchema(schema, options, layoutText)) {
    const says = `The file ${path} is damaged: its tables are not those of schema ${schema}.`
    return { counts: null, findings: [{ kind: 'structure', verdict: 'fail', count: 1, says, examples: [] }] }
  }
  if (schema < schemaVersion) {
    const says = `It has schema ${schema}; the next start of Tollgate brings it to ${schemaVersion}. Its sums are checked then.`
    return {
      counts: countRows(database),
      findings: [{ kind: 'schema_older', verdict: 'warn', count: 1, says, examples: [] }],
    }
  }
  const findings = [...findUnsoundFigures(database), ...findDrift(database), ...findContradictions(database, isRunning)]
  return { counts: countRows(database), findings }
}

/** What SQLite finds wrong with its own file. */
function structureFindings(database: Database.Database, path: string): readonly Finding[] {
  let lines: readonly string[]
  try {
    lines = database
      .prepare<[], string>('PRAGMA integrity_check(100)')
      .pluck()
      .all()
      .flatMap((text) => text.split('\n'))
      .filter((line) => line !== 'ok' && !/^\*\*\* in database/.test(line))
  } catch (fault) {
    lines = [fault instanceof Error ? fault.message : String(fault)]
  }
  // A number of a wrong type is found again as a figure, with its value.
  const faults = lines.filter((line) => !/^(non-[A-Z]+|[A-Z]+) value in |^NULL value in /.test(line))
  if (faults.length === 0) return []
  const says = `The file ${path} is damaged.`
  return [{ kind: 'structure', verdict: 'fail', count: faults.length, says, examples: faults.slice(0, mostExamples) }]
}

/** Whether the file may be sound and only cannot be opened now, or by this user. */
function isOutOfReach(fault: unknown): boolean {
  const cause = fault instanceof Error ? fault.cause : null
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return /^(EACCES|EPERM|SQLITE_(CANTOPEN|PERM|READONLY|BUSY|LOCKED))/.test(code)
}

/** A message without the advice at its end, which the doctor gives in its own words. */
function firstSentences(fault: unknown): string {
  if (!(fault instanceof LedgerUnavailable)) throw fault
  return fault.message.replace(/ (It was left as it is\. )?Run "tollgate doctor.*$/, '')
}
