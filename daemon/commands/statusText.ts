import { ageInDays, pricesOldAfterDays } from '../../shared/age.ts'
import type { ModelStatus, SpendStatus, Status, TaskStatus } from '../../shared/status.ts'
import { money, moneyOfCap, plural, tokenCount } from './amounts.ts'
import { pacingRow } from './pacingText.ts'
import { printable } from './terminal.ts'

/** Rows as columns of equal width, two spaces apart; numbers stay as they are written. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = []
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)))
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Every token of a window. */
export function windowTokens(spend: SpendStatus): number {
  const { input, cacheRead, cacheWrite, output } = spend.tokens
  return input + cacheRead + cacheWrite + output
}

/** `2026-12-01 00:00`: the zone's own clock, which the offset in the ISO time stands for. */
function clockText(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ')
}

function tokensOfCap(tokens: string, { capTokens, grantedTokens }: SpendStatus): string {
  if (capTokens === null) return `${tokens} tokens`
  const granted = grantedTokens > 0 ? ` + ${tokenCount(grantedTokens)} granted` : ''
  return `${tokens} of ${tokenCount(capTokens)}${granted} tokens`
}

function spendRow(name: string, spend: SpendStatus, currency: string): readonly string[] {
  const tokens = tokenCount(windowTokens(spend))
  return [
    name,
    moneyOfCap(spend.spentEur, spend.capEur, currency, spend.grantedEur, spend.unpricedCalls > 0),
    spend.reservedEur > 0 ? `${money(spend.reservedEur, currency)} held` : 'nothing held',
    tokensOfCap(tokens, spend),
    plural(spend.calls, 'call'),
    `resets ${clockText(spend.resetsAt)}`,
  ]
}

/** `€0.10`, `€3.00 at list price`, or `€0.10 + €3.00 at list price`. */
function modelMoney({ eur, listPriceEur, unpricedCalls = 0 }: ModelStatus, currency: string): string {
  const spent = money(eur, currency, unpricedCalls > 0)
  if (listPriceEur === 0) return spent
  const listed = `${money(listPriceEur, currency)} at list price`
  return eur === 0 && unpricedCalls === 0 ? listed : `${spent} + ${listed}`
}

/** One sentence on the switches that are on; null when there are none. */
export function killText(status: Status): string | null {
  if (status.killed) return 'The kill switch is on: all calls are refused. Lift it with: tollgate resume'
  const [first] = status.kills
  if (first === undefined) return null
  const names = status.kills.map((kill) => `${kill.scope} ${printable(kill.ref)}`).join(', ')
  return `The kill switch is on for ${names}. Lift it with: tollgate resume --scope ${first.scope} --ref ${printable(first.ref)}`
}

/** What is wrong, a sentence each. */
function warnings(status: Status): readonly string[] {
  const { integrity, today } = status
  const list: string[] = []
  const killed = killText(status)
  if (killed !== null) list.push(killed)
  if (!integrity.ledgerAvailable)
    list.push(
      'The ledger cannot be used, so calls are refused. See why, and how to repair it: tollgate doctor --ledger',
    )
  if (integrity.orphaned > 0) {
    list.push(`${plural(integrity.orphaned, 'call')} of a daemon that died counted at the worst case.`)
  }
  if (integrity.ledgerDrift > 0) list.push(`${plural(integrity.ledgerDrift, 'window')} of the ledger does not add up.`)
  if (integrity.usdRateStale) {
    list.push(
      `The exchange rate is of ${integrity.usdRateAsOf}, so reservations hold 2 % more. Set currency.usdRate and currency.asOf.`,
    )
  }
  if (ageInDays(integrity.pricesAsOf, Date.parse(status.time)) > pricesOldAfterDays) {
    list.push(`The prices are of ${integrity.pricesAsOf}. Bring newer ones with: tollgate prices update FILE`)
  }
  if (today.unpricedCalls > 0) list.push(`${plural(today.unpricedCalls, 'call')} today had no known price.`)
  return list
}

/** `warn`, or `halted, repeats read_page`. */
function stateOf({ state, loop }: TaskStatus): string {
  if (loop === null) return state
  return loop.tool === null ? 'halted, repeats itself' : `halted, repeats ${printable(loop.tool)}`
}

/** The status for a person, as lines that end with a line feed. */
export function statusText(status: Status, url: string): string {
  const { currency } = status
  const lines = [`Tollgate ${status.version} at ${url}`, ...warnings(status), '']
  lines.push(...columns([spendRow('Today', status.today, currency), spendRow('Month', status.month, currency)]))
  if (status.today.listPriceEur > 0) {
    lines.push(`Subscription calls today: ${money(status.today.listPriceEur, currency)} at list price, not billed`)
  }
  if (status.models.length > 0) {
    const rows = status.models.map((model) => [
      `  ${printable(model.model)}`,
      plural(model.calls, 'call'),
      modelMoney(model, currency),
    ])
    lines.push('', 'Models today', ...columns(rows))
  }
  if (status.pacing.length > 0) {
    lines.push('', "Used of the providers' own windows", ...columns(status.pacing.map(pacingRow)))
  }
  const tasks = status.tasks.filter((task) => task.state !== 'ok' || task.loop !== null)
  if (tasks.length > 0) {
    const rows = tasks.map((task) => [
      `  ${printable(task.id)}`,
      stateOf(task),
      plural(task.iterations, 'call'),
      money(task.eur, currency, task.costIncomplete),
    ])
    lines.push('', 'Tasks near their ceiling or halted', ...columns(rows))
  }
  if (status.inFlight.length > 0) {
    const rows = status.inFlight.map((call) => [
      `  ${printable(call.model)}`,
      `${(call.elapsedMs / 1000).toFixed(1)} s`,
      `${tokenCount(call.outputTokens)} out`,
      call.task === null ? '' : `task ${printable(call.task)}`,
    ])
    lines.push('', 'In flight', ...columns(rows))
  }
  const counted = Object.entries(status.counters).filter(([, count]) => count > 0)
  if (counted.length > 0) {
    lines.push(
      '',
      'Refusals and warnings since the start',
      ...columns(counted.map(([code, n]) => [`  ${code}`, String(n)])),
    )
  }
  return `${lines.join('\n')}\n`
}
