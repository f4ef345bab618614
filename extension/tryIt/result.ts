import type { CallRow } from '../../shared/status.ts'
import { totalInput } from '../../shared/usage.ts'
import type { Text } from '../text.ts'
import type { Figures } from '../ui/figures.ts'
import type { TryAnswer, TryOutcome } from './answer.ts'

/** Everything that is known about the one call. */
export interface TryResult {
  readonly upstream: string
  readonly model: string
  /** The request's address with the local key left out. */
  readonly address: string
  readonly answer: TryAnswer
  readonly outcome: TryOutcome
  /** Undefined where the call was refused before it was recorded, or the ledger could not be asked. */
  readonly row: CallRow | undefined
}

/** The result in one sentence. */
export function resultSentence(
  { upstream, model, answer, outcome, row }: TryResult,
  text: Text,
  figures: Figures,
): string {
  switch (outcome.kind) {
    case 'refused':
      return text.tryIt.refused(outcome.sentence)
    case 'upstreamError':
      return text.tryIt.upstreamError(upstream, answer.status, outcome.sentence)
    case 'answered': {
      const estimated = estimatedText(answer, row, figures)
      const price = row === undefined ? text.tryIt.unpriced : priceText(row, text, figures)
      if (row === undefined || !isReported(row)) return text.tryIt.notReported(model, upstream, estimated, price)
      const reported = figures.whole(totalInput(row.usage))
      return text.tryIt.counted(model, upstream, estimated, reported, figures.whole(row.usage.output), price)
    }
  }
}

/** The same with every figure and header, as lines of a plain document. */
export function resultDetails(result: TryResult, text: Text, figures: Figures): string {
  const { upstream, model, address, answer, outcome, row } = result
  const gateHeaders = Object.entries(answer.headers).filter(([name]) => name.startsWith('x-tollgate-'))
  const blocks = [
    [text.tryIt.detailsTitle(model, upstream), resultSentence(result, text, figures)],
    aligned([
      [text.tryIt.address, `POST ${address}`],
      [text.tryIt.status, String(answer.status)],
      ...(outcome.kind === 'answered' && outcome.said !== '' ? [[text.tryIt.answer, outcome.said] as const] : []),
    ]),
    row === undefined
      ? [text.tryIt.noRow]
      : [text.tryIt.counts, ...aligned(countedRows(answer, row, text, figures)).map((line) => `  ${line}`)],
    gateHeaders.length === 0 ? [] : [text.tryIt.headers, ...aligned(gateHeaders).map((line) => `  ${line}`)],
  ]
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`
}

function countedRows(answer: TryAnswer, row: CallRow, text: Text, figures: Figures): (readonly [string, string])[] {
  const { usage } = row
  return [
    [text.tryIt.estimatedInput, estimatedText(answer, row, figures)],
    [text.tryIt.reportedInput, isReported(row) ? figures.whole(totalInput(usage)) : '–'],
    [text.tryIt.output, figures.whole(usage.output)],
    ...(usage.reasoning > 0 ? [[text.tryIt.reasoning, figures.whole(usage.reasoning)] as const] : []),
    [text.tryIt.reserved, figures.eur(row.reservedEur)],
    [text.tryIt.cost, priceText(row, text, figures)],
    ...(row.price === null ? [] : [[text.tryIt.price, row.price] as const]),
    [text.tryIt.settlement, row.settlement ?? '–'],
    ...(row.finish === null ? [] : [[text.tryIt.finish, row.finish] as const]),
    ...(row.durationMs === null
      ? []
      : [[text.tryIt.duration, text.tryIt.milliseconds(figures.whole(row.durationMs))] as const]),
    ...(row.warnings.length === 0 ? [] : [[text.tryIt.warnings, row.warnings.join(', ')] as const]),
  ]
}

/** Only then are the row's tokens the provider's own count. */
function isReported({ settlement }: CallRow): boolean {
  return settlement === 'exact'
}

function estimatedText(answer: TryAnswer, row: CallRow | undefined, figures: Figures): string {
  const said = Number(answer.headers['x-tollgate-estimated-input'])
  return figures.whole(row?.estimatedInput ?? (Number.isFinite(said) ? said : 0))
}

/** A call without a price is never shown as `€0.00`. */
function priceText({ eur, listPriceEur, price, warnings }: CallRow, text: Text, figures: Figures): string {
  if (listPriceEur > 0) return text.tryIt.listPrice(figures.eur(listPriceEur))
  if (warnings.includes('unpriced_call')) return text.tryIt.unpriced
  return price === null && eur === 0 ? text.tryIt.free : figures.eur(eur)
}

function aligned(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`)
}
