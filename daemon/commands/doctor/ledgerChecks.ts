import { examineLedger } from '../../ledger/rescue/examine.ts'
import type { Finding, FindingKind, LedgerFindings } from '../../ledger/rescue/findings.ts'
import { plural } from '../amounts.ts'
import { ok, type Check } from './check.ts'
import type { DoctorWorld } from './world.ts'

/** What was found in the ledger, and the checks that come of it. */
export interface LedgerChecks {
  readonly findings: LedgerFindings
  readonly checks: readonly Check[]
}

/** Looks through the whole ledger, read-only. */
export function checkLedger(world: DoctorWorld): LedgerChecks {
  const findings = examineLedger({ ...world.ledger, isRunning: world.daemon.kind === 'running' })
  const found = findings.findings.map((finding): Check => {
    const { kind, verdict, says, examples } = finding
    return { name: `ledger.${kind}`, verdict, says, details: detailsOf(finding, examples), next: nextStep(kind, world) }
  })
  return { findings, checks: [...soundParts(findings), ...found] }
}

function detailsOf({ count }: Finding, examples: readonly string[]): readonly string[] {
  const more = count - examples.length
  return more > 0 && examples.length > 0 ? [...examples, `and ${more} more`] : examples
}

/** The parts that hold, said as well: an empty list would not tell that anything was looked at. */
function soundParts({ counts, schema, findings }: LedgerFindings): readonly Check[] {
  if (counts === null) return []
  const has = (kind: FindingKind): boolean => findings.some((finding) => finding.kind === kind)
  const { calls, open, orphaned, windows, lines, firstDay, lastDay } = counts
  const days = firstDay === null || lastDay === null ? '' : `, ${firstDay} to ${lastDay}`
  const special = [...(open > 0 ? [`${open} open`] : []), ...(orphaned > 0 ? [`${orphaned} orphaned`] : [])]
  const aside = special.length === 0 ? '' : ` (${special.join(', ')})`
  const parts = [
    ok('ledger.file', `The file is whole: schema ${String(schema)}, ${plural(calls, 'call')}${aside}${days}.`),
  ]
  if (has('schema_older')) return parts
  if (!has('sums')) {
    const sums = `${plural(windows, 'window')} and ${plural(lines, 'day sum')}`
    parts.push(ok('ledger.sums', `${sums} ${windows + lines === 1 ? 'equals' : 'equal'} the sum of the calls.`))
  }
  if (!has('duplicates') && !has('open_calls')) {
    parts.push(ok('ledger.ends', 'Every reservation ended once or is still running.'))
  }
  return parts
}

function nextStep(kind: FindingKind, { command }: DoctorWorld): string | null {
  const repair = `Stop Tollgate, then run: ${command('doctor --repair')}`
  switch (kind) {
    case 'unreadable':
    case 'journal':
    case 'structure':
      return `${repair} (it keeps the file as it is under a new name). To save the calls: ${command('doctor --export calls.jsonl')}`
    case 'figures':
    case 'sums':
    case 'references':
      return `${repair} (it makes a backup first).`
    case 'schema_newer':
      return `Update Tollgate. To save the calls: ${command('doctor --export calls.jsonl')}`
    case 'duplicates':
      return `Look at the calls: ${command('doctor --export calls.jsonl')}. Nothing takes them out, so that no spend is lost.`
    case 'open_calls':
      return 'Restart Tollgate: it settles them at its start.'
    case 'days':
      return 'Check the clock and the time zone of this machine.'
    case 'inaccessible':
    case 'missing':
    case 'schema_older':
      return null
  }
}
