import type { AnomalyKind } from '../../shared/codes.ts'
import type { TaskStatus } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { numberField, textField } from './eventFields.ts'
import type { DaemonEvent } from './eventFields.ts'
import type { Figures } from './figures.ts'
import { refusalTitle } from './refusalSentence.ts'
import { oneLine } from './spendNode.ts'
import { briefNameOfTask, harmless, taskToName } from './taskName.ts'

/** An anomaly in words. */
export interface AnomalyText {
  /** What is unusual, in a sentence with its figures. */
  readonly says: string
  /** What helps; null where `says` tells that itself. */
  readonly remedy: string | null
}

/** The two figures of an event that its sentence names. */
const figuresOfAnomaly: Readonly<Record<AnomalyKind, readonly string[]>> = {
  velocity: ['eurPerMinute', 'limit'],
  cost_growth: ['eurPerCall', 'firstEurPerCall'],
  hour_spend: ['eur', 'medianEur'],
  refusals: ['refusals', 'usual'],
  cache_unread: ['writes', 'tokens'],
  residual_drift: ['ratio', 'average'],
  // The status tells of it.
  ledger_drift: [],
}

/** An anomaly by its figures; null where the event lacks one. `tasks` are those of the status. */
export function anomalyText(
  event: DaemonEvent,
  kind: AnomalyKind,
  tasks: readonly TaskStatus[],
  nowMs: number,
  text: Text,
  figures: Figures,
): AnomalyText | null {
  const { spend } = text
  const ref = textField(event, 'ref')
  const name =
    ref === undefined
      ? null
      : event['scope'] === 'task'
        ? briefNameOfTask(taskToName(oneLine(ref), tasks), nowMs, text, figures)
        : text.keyNamed(harmless(ref))
  const [amount, rest] = figuresOfAnomaly[kind].map((field) => numberField(event, field))
  if (amount === undefined || rest === undefined) return null
  switch (kind) {
    case 'velocity':
      if (name === null) return null
      return { says: spend.fastSpending(name, figures.eur(amount), figures.eur(rest)), remedy: null }
    case 'cost_growth':
      if (name === null) return null
      return { says: spend.costGrowth(name, figures.eur(amount), figures.eur(rest)), remedy: spend.remedyGrowth }
    case 'hour_spend':
      return { says: spend.dearHour(figures.eur(amount), figures.eur(rest)), remedy: spend.remedyHour }
    case 'refusals': {
      const title = refusalTitle(textField(event, 'code') ?? '', text)
      return { says: spend.manyRefusals(figures.whole(amount), title, figures.amount(rest)), remedy: null }
    }
    case 'cache_unread':
      return { says: spend.cacheUnread(figures.whole(amount), figures.whole(rest)), remedy: spend.remedyCache }
    case 'residual_drift':
      return {
        says: spend.residualDrift(figures.percent(amount), figures.percent(rest)),
        remedy: spend.remedyResidual,
      }
    case 'ledger_drift':
      return null
  }
}
