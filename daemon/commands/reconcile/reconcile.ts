import path from 'node:path'
import type { PriceCorrection } from '../../../shared/config.ts'
import { isBeyond } from '../../../shared/reconciliation.ts'
import type { UsageByUtcDay, UsageOfDay } from '../../../shared/reconciliation.ts'
import { loadConfig } from '../../config/load.ts'
import { loadBuiltInPrices } from '../../money/builtInPrices.ts'
import { providerOf } from '../../money/table.ts'
import { compare, summaryOf } from '../../reconcile/compare.ts'
import { nanoPerUsd, UnreadableInvoice } from '../../reconcile/invoice.ts'
import type { Invoice } from '../../reconcile/invoice.ts'
import { createModelKeys } from '../../reconcile/modelKeys.ts'
import { readInvoice } from '../../reconcile/readInvoice.ts'
import { diffText } from '../calibrate/calibrateEdit.ts'
import { attempt } from '../attempt.ts'
import { readConfig, writeConfig } from '../configWrite.ts'
import { control, findDaemon } from '../daemonClient.ts'
import { printable } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { factorsOf, withCorrections } from './factors.ts'
import type { Factors } from './factors.ts'
import { readInvoiceFile } from './invoiceFile.ts'
import type { ReconcileAsk } from './reconcileArguments.ts'
import { reconciliationCsv, reconciliationText } from './reconcileText.ts'

const exitDrift = 1
const exitUnreadable = 2

/** A file that is not there yet. */
const emptyConfig = '{}\n'

/**
 * `tollgate reconcile`: compares a provider's export with our calls by UTC day and model, prints how they agree, and tells the
 * daemon. The ledger stays as it is; with `applyFactor` dated factors go into the configuration. Resolves with the exit code: 0
 * within tolerance, 1 beyond it, 2 for a file that cannot be read. Throws a CommandFailure.
 */
export async function runReconcile(
  dataDir: string,
  ask: ReconcileAsk,
  terminal: Terminal,
  nowMs: () => number = Date.now,
): Promise<number> {
  let invoice: Invoice
  try {
    invoice = readInvoice(readInvoiceFile(path.resolve(ask.file)), ask.map)
  } catch (fault) {
    if (!(fault instanceof UnreadableInvoice)) throw fault
    terminal.err(`${printable(fault.message)}\n`)
    return exitUnreadable
  }
  const provider = ask.provider ?? invoice.provider
  const from = ask.from ?? invoice.period?.from ?? null
  const to = ask.to ?? invoice.period?.to ?? null
  const problem = scopeProblem(provider, from, to)
  if (provider === null || from === null || to === null || problem !== null) {
    terminal.err(`${problem ?? ''}\n`)
    return exitUnreadable
  }
  const record = await findDaemon(dataDir)
  const answer = (await control(record, {
    method: 'GET',
    path: `/api/usage-by-utc-day?from=${from}&to=${to}`,
  })) as UsageByUtcDay
  const table = await loadBuiltInPrices()
  const priced = providerOf(table, provider, '')
  const usage = answer.days.filter((one) => one.upstream === provider || one.provider === (priced?.id ?? provider))
  const keyOf = createModelKeys(priced)
  const comparison = compare({ invoice, usage, from, to, keyOf })
  const summary = summaryOf(comparison, invoice, { provider, from, to })
  const notes = [...invoice.notes, ...periodNotes(answer, usage, provider, nowMs())]
  const file = path.resolve(ask.config ?? path.join(dataDir, 'config.json'))
  const factors = (inForce: readonly PriceCorrection[]): Factors =>
    factorsOf({ comparison, usage, provider, from: today(nowMs()), keyOf, inForce })
  switch (ask.output) {
    case 'json':
      terminal.out(
        `${JSON.stringify({ ...summary, beyond: isBeyond(summary), notes, rows: plainRows(comparison, invoice) }, null, 2)}\n`,
      )
      break
    case 'csv':
      terminal.out(reconciliationCsv(comparison, invoice.unit))
      break
    case 'text':
      terminal.out(reconciliationText(comparison, summary, notes, redOn(terminal)))
      break
  }
  await control(record, { method: 'POST', path: '/api/reconciliations', body: summary })
  // Where stdout is for a program, what is said about the configuration goes to stderr.
  const say = ask.output === 'text' ? (text: string): void => terminal.out(`\n${text}`) : terminal.err
  if (ask.applyFactor && invoice.unit === 'tokens')
    say('The export has no money, so that no factor can be worked out.\n')
  else if (invoice.unit === 'usd' && (ask.applyFactor || ask.output === 'text')) {
    const code = propose(file, factors, ask.applyFactor, say, terminal)
    if (code !== 0) return code
  }
  return isBeyond(summary) ? exitDrift : 0
}

function scopeProblem(provider: string | null, from: string | null, to: string | null): string | null {
  if (provider === null) return 'The export does not say whose it is: name the provider or upstream with --provider.'
  if (from === null || to === null)
    return 'The export has no rows, so that its days are not known: name them with --from and --to.'
  return from > to ? `The export has no row from ${from} on: it ends on ${to}.` : null
}

function periodNotes(
  answer: UsageByUtcDay,
  usage: readonly UsageOfDay[],
  provider: string,
  nowMs: number,
): readonly string[] {
  const { from, to, oldest, days } = answer
  const notes: string[] = []
  if (oldest === null) notes.push('The ledger has no call yet.')
  else if (oldest > from)
    notes.push(`The oldest call of the ledger is of ${oldest}: to compare only what it can know, use --from ${oldest}.`)
  if (to >= today(nowMs)) notes.push('The last day is not over in UTC: invoice and calls may still grow.')
  if (usage.length === 0 && days.length > 0) {
    const others = [...new Set(days.map(({ upstream }) => upstream))].slice(0, 20).map(printable).join(', ')
    notes.push(
      `No call went to ${printable(provider)}; calls went to ${others}. Name one of them with --provider if the export is its.`,
    )
  }
  return notes
}

/** Shows the factors as changes of the configuration, and writes them where that is asked for. */
function propose(
  file: string,
  factors: (inForce: readonly PriceCorrection[]) => Factors,
  isToApply: boolean,
  say: (text: string) => void,
  terminal: Terminal,
): number {
  const before = readText(file)
  const first = loaded(before ?? emptyConfig, terminal)
  if (!first.ok) {
    terminal.err(`${file} cannot be used for factors: ${first.problems.join(' ')}\n`)
    return isToApply ? exitUnreadable : 0
  }
  const { corrections, notes } = factors(first.config.prices.corrections)
  const said = notes.map((note) => `${printable(note)}\n`).join('')
  if (corrections.length === 0) {
    if (said !== '' || isToApply) say(`${said}${isToApply ? 'No factor is needed that is not there already.\n' : ''}`)
    return 0
  }
  const edit = withCorrections(before ?? emptyConfig, corrections, (text) => loaded(text, terminal))
  if (!edit.ok) {
    terminal.err(`${file} is not changed: ${edit.problems.join(' ')}\n`)
    return exitUnreadable
  }
  say(
    `${said}Factors that would make the price of later calls that of the invoice (right where prices differ, wrong where calls were missed):\n${diffText(file, before ?? '', edit.text)}`,
  )
  if (!isToApply) {
    say('Nothing is written yet: run the same command with --apply-factor.\n')
    return 0
  }
  attempt(`${file} cannot be written`, () => writeConfig(file, edit.text))
  say(
    `${file} is changed. A daemon that runs on it takes the factors over by itself; calls that were made keep their price.\n`,
  )
  return 0
}

function loaded(text: string, terminal: Terminal): ReturnType<typeof loadConfig> {
  return loadConfig({ text, env: terminal.env, systemTimezone: Intl.DateTimeFormat().resolvedOptions().timeZone })
}

function readText(file: string): string | null {
  return attempt(`${file} cannot be read`, () => readConfig(file))
}

/** Day rows in the unit of the export. */
function plainRows(comparison: ReturnType<typeof compare>, { unit }: Invoice): readonly object[] {
  const scale = unit === 'usd' ? nanoPerUsd : 1
  return comparison.rows.map(({ day, model, tier, invoice, local, class: agreed }) => ({
    day,
    model,
    tier,
    invoice: invoice / scale,
    local: local / scale,
    ratio: local > 0 ? invoice / local : null,
    class: agreed,
  }))
}

function today(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10)
}

function redOn(terminal: Terminal): (line: string) => string {
  const isScreen = terminal.columns() !== null && (terminal.env['NO_COLOR'] ?? '') === ''
  return (line) => (isScreen ? `\u001b[31m${line}\u001b[0m` : `! ${line}`)
}
