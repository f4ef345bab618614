import type { CallRow } from '../../shared/status.ts'
import { totalInput } from '../../shared/usage.ts'
import type { Text } from '../text/text.ts'
import { aligned, countedRows, isReported, priceText } from '../ui/callDetails.ts'
import type { Figures } from '../ui/figures.ts'
import { refusalSentence } from '../ui/refusalSentence.ts'
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
  /** When it was sent, in milliseconds since the epoch. */
  readonly atMs: number
}

/** The result in one sentence. */
export function resultSentence(
  { upstream, model, answer, outcome, row, atMs }: TryResult,
  text: Text,
  figures: Figures,
): string {
  switch (outcome.kind) {
    case 'refused':
      return text.tryIt.refused(refusedText(upstream, outcome, atMs, text, figures))
    case 'upstreamError':
      return text.tryIt.upstreamError(upstream, answer.status, outcome.sentence)
    case 'answered': {
      const estimated = figures.whole(row?.estimatedInput ?? saidEstimate(answer))
      const price = row === undefined ? text.tryIt.unpriced : priceText(row, text, figures)
      if (row === undefined || !isReported(row)) return text.tryIt.notReported(model, upstream, estimated, price)
      const reported = figures.whole(totalInput(row.usage))
      return text.tryIt.counted(model, upstream, estimated, reported, figures.whole(row.usage.output), price)
    }
  }
}

/** By the figures of the refusal; else what any client is told, in English. */
function refusedText(
  upstream: string,
  { code, about, sentence }: Extract<TryOutcome, { kind: 'refused' }>,
  atMs: number,
  text: Text,
  figures: Figures,
): string {
  const refused = { ...about, event: 'refused', time: new Date(atMs).toISOString(), code, upstream } as const
  return refusalSentence(refused, atMs, text, figures) ?? sentence
}

/** The same with every figure and header, as lines of a plain document. */
export function resultDetails(result: TryResult, text: Text, figures: Figures): string {
  const { upstream, model, address, answer, outcome, row } = result
  const sentence = resultSentence(result, text, figures)
  // What any client is told of a refusal names the place in the configuration as well.
  const sentences =
    outcome.kind === 'refused' && !sentence.includes(outcome.sentence) ? [sentence, outcome.sentence] : [sentence]
  const gateHeaders = Object.entries(answer.headers).filter(([name]) => name.startsWith('x-tollgate-'))
  const blocks = [
    [text.tryIt.detailsTitle(model, upstream), ...sentences],
    aligned([
      [text.tryIt.address, `POST ${address}`],
      [text.tryIt.status, String(answer.status)],
      ...(outcome.kind === 'answered' && outcome.said !== '' ? [[text.tryIt.answer, outcome.said] as const] : []),
    ]),
    row === undefined
      ? [text.tryIt.noRow]
      : [text.tryIt.counts, ...aligned(countedRows(row, text, figures)).map((line) => `  ${line}`)],
    gateHeaders.length === 0 ? [] : [text.tryIt.headers, ...aligned(gateHeaders).map((line) => `  ${line}`)],
  ]
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`
}

/** What the gate says of a call that it did not record. */
function saidEstimate({ headers }: TryAnswer): number {
  const said = Number(headers['x-tollgate-estimated-input'])
  return Number.isFinite(said) ? said : 0
}
