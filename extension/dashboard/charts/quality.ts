import type { DriftStatus } from '../../../shared/reconciliation.ts'
import { toleratedDrift } from '../../../shared/reconciliation.ts'
import type { Cell, ChartPart } from '../page.ts'
import { columnsOf, noTable, numberCell, textCell } from './cells.ts'
import type { ChartWords } from './cells.ts'

/** Bars that a chart has room for; the table has all. */
const mostBars = 8
/** The axis is never narrower than this: a difference of 1 % must not look like a catastrophe. */
const leastDomain = 0.1

/** How far the providers' counts are from the estimates. `residual` is reported ÷ estimated by upstream and model; null: not known. */
export function residualChart(residual: Readonly<Record<string, number>> | null, words: ChartWords): ChartPart {
  const { text, numbers } = words
  const part = { title: text.residualTitle, about: [text.residualAbout] }
  if (residual === null) return unreadPart(part, words)
  const models = Object.entries(residual)
    .map(([name, ratio]) => ({ name, ratio, off: ratio - 1 }))
    .sort((left, right) => Math.abs(right.off) - Math.abs(left.off) || (left.name < right.name ? -1 : 1))
  const [worst] = models
  if (worst === undefined) return { ...part, summary: '', chart: null, empty: text.residualNone, table: noTable }
  const shown = models.slice(0, mostBars)
  return {
    ...part,
    summary: text.residualSummary(models.length, numbers.of('signedPercent', worst.off), worst.name),
    empty: '',
    chart: {
      kind: 'rows',
      numbers: 'signedPercent',
      parts: [text.residual],
      rows: shown.map(({ name, off }) => ({ name, text: numbers.of('signedPercent', off), values: [off] })),
      domain: aroundZero(shown.map(({ off }) => off)),
      band: null,
    },
    table: {
      columns: columnsOf([text.model], [text.ratio, text.residual]),
      rows: models.map(({ name, ratio, off }) => [
        textCell(name),
        { text: numbers.ratio(ratio), raw: fine(ratio) },
        { text: numbers.of('signedPercent', off), raw: fine(off) },
      ]),
    },
  }
}

/** What the last invoices came to, compared with the ledger; null where that is not known. */
export function driftChart(drift: readonly DriftStatus[] | null, words: ChartWords): ChartPart {
  const { text, numbers } = words
  const part = { title: text.driftTitle, about: [text.driftAbout] }
  if (drift === null) return unreadPart(part, words)
  if (drift.length === 0) return { ...part, summary: '', chart: null, empty: text.driftNone, table: noTable }
  const rows = drift.map((one) => ({
    ...one,
    off: one.drift === null ? null : one.drift - 1,
    unitText: text.unitsOfInvoices[one.unit],
  }))
  const shown = rows.slice(0, mostBars)
  return {
    ...part,
    summary: text.driftSummary(rows.length, rows.filter(({ beyond }) => beyond).length),
    empty: '',
    chart: {
      kind: 'rows',
      numbers: 'signedPercent',
      parts: [text.within, text.beyond],
      rows: shown.map(({ provider, unitText, off, beyond }) => ({
        name: text.taskOf(provider, unitText),
        text: off === null ? '–' : numbers.of('signedPercent', off),
        values: beyond ? [0, off ?? 0] : [off ?? 0, 0],
      })),
      domain: aroundZero(shown.map(({ off }) => off ?? 0)),
      band: [-toleratedDrift, toleratedDrift],
    },
    table: {
      columns: [
        ...columnsOf([text.provider, text.countedIn, text.from, text.to], [text.drift, text.seen]),
        ...columnsOf([text.verdict], []),
      ],
      rows: rows.map(({ provider, unitText, from, to, off, coverage, beyond }): Cell[] => [
        textCell(provider),
        textCell(unitText),
        { text: numbers.day(from), raw: from },
        { text: numbers.day(to), raw: to },
        off === null ? textCell(text.nothingCounted) : { text: numbers.of('signedPercent', off), raw: fine(off) },
        coverage === null ? textCell('–') : { text: numbers.figures.percent(coverage), raw: fine(coverage) },
        textCell(beyond ? text.beyond : text.within),
      ]),
    },
  }
}

function aroundZero(values: readonly number[]): [number, number] {
  const most = Math.max(leastDomain, ...values.map(Math.abs))
  const isOneSided = values.every((value) => value >= 0)
  return [isOneSided ? -most / 4 : -most, most]
}

function unreadPart(part: Pick<ChartPart, 'title' | 'about'>, { unread }: ChartWords): ChartPart {
  return { ...part, summary: '', chart: null, empty: unread, table: noTable }
}

function fine(value: number): number {
  return Math.round(value * 1e6) / 1e6
}

/** What is known of refusals. */
export interface Refusals {
  /** How often the gate refused since its start, by code. */
  readonly counters: Readonly<Record<string, number>>
  /** Those that are listed. */
  readonly refused: readonly { readonly code: string; readonly time: string }[]
}

/** Refusals by code: those that the gate counted since its start, and listed ones from before or without a counter; null: not known. */
export function refusalsChart(known: Refusals | null, startedAtMs: number | null, words: ChartWords): ChartPart {
  const { text, numbers } = words
  if (known === null) return unreadPart({ title: text.refusalsTitle, about: [] }, words)
  const { counters, refused } = known
  const codes = new Map<string, { since: number; earlier: number; last: string | null }>()
  const entry = (code: string): { since: number; earlier: number; last: string | null } => {
    const known = codes.get(code) ?? { since: 0, earlier: 0, last: null }
    codes.set(code, known)
    return known
  }
  for (const [code, count] of Object.entries(counters)) if (count > 0) entry(code).since = count
  for (const { code, time } of refused) {
    const one = entry(code)
    one.last = one.last === null || time > one.last ? time : one.last
    // What happened since the start is in the counter, where the code has one.
    const isCounted = Object.hasOwn(counters, code) && !(startedAtMs !== null && Date.parse(time) < startedAtMs)
    if (!isCounted) one.earlier += 1
  }
  const rows = [...codes]
    .map(([code, one]) => ({ code, title: words.refusalTitle(code), all: one.since + one.earlier, ...one }))
    .filter(({ all }) => all > 0)
    .sort((left, right) => right.all - left.all || (left.code < right.code ? -1 : 1))
  const about =
    startedAtMs === null
      ? text.refusalsAboutPlain
      : text.refusalsAbout(numbers.time(new Date(startedAtMs).toISOString()))
  const part = { title: text.refusalsTitle, about: [about] }
  const [most] = rows
  if (most === undefined) return { ...part, summary: '', chart: null, empty: text.refusalsNone, table: noTable }
  const sum = rows.reduce((all, row) => all + row.all, 0)
  const hasEarlier = rows.some(({ earlier }) => earlier > 0)
  return {
    ...part,
    summary: text.refusalsSummary(numbers.of('whole', sum), most.title),
    empty: '',
    chart: {
      kind: 'rows',
      numbers: 'whole',
      parts: hasEarlier ? [text.sinceStart, text.earlier] : [text.sinceStart],
      rows: rows.slice(0, mostBars).map(({ title, all, since, earlier }) => ({
        name: title,
        text: numbers.of('whole', all),
        values: hasEarlier ? [since, earlier] : [since],
      })),
      domain: [0, most.all],
      band: null,
    },
    table: {
      columns: [
        ...columnsOf([text.reason, text.code], [text.sinceStart, text.earlier]),
        ...columnsOf([text.lastTime], []),
      ],
      rows: rows.map(({ code, title, since, earlier, last }) => [
        textCell(title),
        textCell(code),
        numberCell(numbers, 'whole', since),
        numberCell(numbers, 'whole', earlier),
        last === null ? textCell('–') : { text: numbers.time(last), raw: last },
      ]),
    },
  }
}
