import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Report } from '../../../shared/report.ts'
import { dayKey } from '../../budget/windows.ts'
import { loadConfig } from '../../config/load.ts'
import { readReportQuery, spendReport } from '../../control/report.ts'
import { LedgerUnavailable } from '../../ledger/ledger.ts'
import { reasonOf } from '../attempt.ts'
import { CommandFailure, control, findDaemon } from '../daemonClient.ts'
import type { Terminal } from '../terminal.ts'
import type { ReportAsk } from './reportArguments.ts'
import { reportCsv } from './reportCsv.ts'
import { reportText } from './reportText.ts'

/**
 * `tollgate report`: sums of a period as a table, CSV or JSON. A running daemon is asked; without one the ledger's file is
 * read. Resolves with the exit code. Throws a CommandFailure.
 */
export async function runReport(dataDir: string, ask: ReportAsk, terminal: Terminal): Promise<number> {
  const query = new URLSearchParams({ by: ask.by, limit: String(ask.limit) })
  for (const name of ['from', 'to', 'days'] as const) if (ask[name] !== null) query.set(name, String(ask[name]))
  const { report, source, isFromFile } = await readSource(dataDir, query, terminal)
  switch (ask.format) {
    case 'table':
      terminal.out(reportText(report, source))
      return 0
    case 'json':
      terminal.out(`${JSON.stringify(report, null, 2)}\n`)
      break
    case 'csv':
      terminal.out(reportCsv(report))
      break
  }
  // Stdout is for a program.
  if (isFromFile) terminal.err(`No daemon runs: the report is ${source}.\n`)
  if (report.omittedRows > 0) terminal.err(`${report.omittedRows} more rows are left out: see --limit.\n`)
  return 0
}

interface Source {
  readonly report: Report
  /** `from …` */
  readonly source: string
  readonly isFromFile: boolean
}

async function readSource(dataDir: string, query: URLSearchParams, terminal: Terminal): Promise<Source> {
  const file = path.join(dataDir, 'ledger.db')
  let record: Awaited<ReturnType<typeof findDaemon>>
  try {
    record = await findDaemon(dataDir)
  } catch (failure) {
    // Nothing was ever counted here: most likely another data directory is meant.
    if (!(failure instanceof CommandFailure) || !existsSync(file)) throw failure
    const report = await reportFromFile(dataDir, file, query, terminal)
    return { report, source: `from the file ${file}`, isFromFile: true }
  }
  const report = (await control(record, { method: 'GET', path: `/api/report?${query.toString()}` })) as Report
  return { report, source: `from the daemon at ${record.url}`, isFromFile: false }
}

/** Zone, currency and tenant come from the configuration in the data directory, as a daemon would read it. */
async function reportFromFile(
  dataDir: string,
  file: string,
  query: URLSearchParams,
  { env }: Terminal,
): Promise<Report> {
  const systemTimezone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const loaded = loadConfig({ text: readIfThere(path.join(dataDir, 'config.json')), env, systemTimezone })
  if (!loaded.ok) throw new CommandFailure(loaded.problems.join(' '))
  const { config } = loaded
  const asked = readReportQuery((name) => query.get(name), dayKey(Date.now(), config.timezone))
  if (typeof asked === 'string') throw new CommandFailure(asked)
  // Only here is a database needed.
  const { reportsFromFile } = await import('./ledgerFile.ts')
  try {
    return spendReport(reportsFromFile(file), config, asked)
  } catch (fault) {
    throw fault instanceof LedgerUnavailable ? new CommandFailure(fault.message) : fault
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'ENOENT') return null
    throw new CommandFailure(`${file} cannot be read: ${reasonOf(fault)}.`)
  }
}
