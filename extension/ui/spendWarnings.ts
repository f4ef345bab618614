import { anomalyKinds } from '../../shared/codes.ts'
import type { AnomalyKind } from '../../shared/codes.ts'
import type { Status, TaskStatus } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { anomalyText } from './anomalyText.ts'
import { numberField, textField } from './eventFields.ts'
import type { DaemonEvent } from './eventFields.ts'
import type { Figures } from './figures.ts'
import { truncationRemedy } from '../truncation/notice.ts'
import type { KeptEvents } from './spendEvents.ts'
import { bounded, nodeOf, oneLine } from './spendNode.ts'
import type { SpendNode } from './spendNode.ts'
import { bySubject, subjectFrom } from './spendSubjects.ts'
import type { Told } from './spendSubjects.ts'

/** Rows before the others are behind *more*. */
const mostRows = 15
const mostLetters = 400

/** A warning in words. */
interface Warning {
  readonly title: string
  /** What happened, in a sentence with its figures. */
  readonly says: string
  /** What helps; null where `says` tells that itself. */
  readonly remedy: string | null
}

/** Today's warnings, the latest first, with what holds now in front; each with its sentence and its remedy below it. None: no node. */
export function warningsNode(
  events: KeptEvents,
  status: Status,
  nowMs: number,
  text: Text,
  figures: Figures,
): readonly SpendNode[] {
  const told = [...events.values()]
    .filter((list) => list[0]?.event !== 'refused')
    .flatMap((list) => bySubject(list.filter(isOwnRow(events)), subjectOf))
    .sort((left, right) => Date.parse(right.latest.time) - Date.parse(left.latest.time))
  const rows = [
    ...standing(status, text, figures).map(({ id, warning }) => warningNode(id, warning, '', [], null, text)),
    ...told.map((one) => toldNode(one, status.tasks, nowMs, text, figures)),
  ]
  if (rows.length === 0) return []
  const count = figures.whole(rows.length)
  return [
    nodeOf({
      id: 'warnings',
      label: text.spend.warnings,
      description: count,
      spoken: text.spend.spokenSection(text.spend.warnings, count),
      icon: 'warning',
      children: bounded('warnings', rows, mostRows, text.spend.moreRows),
    }),
  ]
}

/** Leaves out what another row says better: that a prompt may be cut once it was, and that the ledger differed once. */
function isOwnRow(events: KeptEvents): (event: DaemonEvent) => boolean {
  const cut = new Set(events.get('truncated')?.map(({ call }) => call))
  return ({ event, call, kind }) => (event === 'over_window' ? !cut.has(call) : kind !== 'ledger_drift')
}

function toldNode(
  { subject, count, latest }: Told,
  tasks: readonly TaskStatus[],
  nowMs: number,
  text: Text,
  figures: Figures,
): SpendNode {
  const when = figures.when(latest.time, nowMs)
  const description = [...(count > 1 ? [text.spend.times(figures.whole(count))] : []), when].join(' · ')
  const times = text.spend.timesLastAt(count, figures.whole(count), when)
  const task = textField(latest, 'task')
  const facts = [times, ...(task === undefined ? [] : [text.spend.lineTask(oneLine(task))])]
  return warningNode(subject, warningOf(latest, tasks, nowMs, text, figures), description, facts, task ?? null, text)
}

function warningNode(
  subject: string,
  { title, says, remedy }: Warning,
  description: string,
  facts: readonly string[],
  task: string | null,
  text: Text,
): SpendNode {
  const id = `warning/${subject}`
  const help = remedy === null ? [] : [remedy]
  return nodeOf({
    id,
    label: title,
    description,
    tooltip: [says, ...help, ...facts].join('\n'),
    spoken: [`${title}.`, says, ...facts.map((fact) => `${fact}.`)].join(' '),
    icon: 'warning',
    tone: 'warning',
    menu: task === null ? [] : ['calls'],
    task,
    children: [
      nodeOf({ id: `${id}/says`, label: says, icon: 'info' }),
      ...help.map((label) =>
        nodeOf({ id: `${id}/remedy`, label, spoken: text.spend.spokenRemedy(label), icon: 'lightbulb' }),
      ),
    ],
  })
}

/** Warnings with the same model and provider are one row. */
function subjectOf(event: DaemonEvent): string {
  return `${event.event}/${subjectFrom(event, ['kind', 'upstream', 'model', 'provider', 'unit', 'to', 'scope', 'ref'])}`
}

function warningOf(
  event: DaemonEvent,
  tasks: readonly TaskStatus[],
  nowMs: number,
  text: Text,
  figures: Figures,
): Warning {
  const { spend } = text
  const model = oneLine(textField(event, 'model') ?? '')
  const whole = (name: string): string => figures.whole(numberField(event, name) ?? 0)
  const titled = (what: string): string => (model === '' ? what : spend.titleOf(what, model))
  switch (event.event) {
    case 'truncated':
      return {
        title: titled(spend.titleTruncated),
        says: text.truncated(model, whole('estimated'), whole('reported')),
        remedy: truncationRemedy(event, text),
      }
    case 'over_window':
      return {
        title: titled(spend.titleOverWindow),
        says: spend.overWindow(model, whole('estimated'), whole('window')),
        remedy: textField(event, 'upstream')?.startsWith('ollama') ? spend.remedyOllamaWindow : spend.remedyWindow,
      }
    case 'empty_answer':
      return {
        title: titled(spend.titleEmpty),
        says: spend.emptyAnswer(model, whole('outputTokens')),
        remedy: spend.remedyEmpty,
      }
    case 'output_limit':
      return {
        title: titled(spend.titleOutputLimit),
        says: spend.outputLimit(model, whole('outputTokens')),
        remedy: spend.remedyOutputLimit,
      }
    case 'degraded': {
      const to = textField(event, 'to') ?? ''
      const title = titled(spend.titleDegraded)
      return to === 'cache'
        ? { title, says: text.degradedToCache(model), remedy: spend.remedyDegraded }
        : { title, says: text.degraded(model, oneLine(to)), remedy: null }
    }
    case 'residual_drift': {
      const told = anomalyText(event, event.event, tasks, nowMs, text, figures)
      return { title: titled(spend.titleResidual), ...(told ?? asTold(event, spend.titleResidual)) }
    }
    case 'price_drift':
      return priceDrift(event, text, figures)
    case 'orphaned':
      return {
        title: spend.titleOrphaned,
        says: spend.orphaned(numberField(event, 'calls') ?? 0, figures.eur(numberField(event, 'eur') ?? 0)),
        remedy: spend.remedyOrphaned,
      }
    case 'config_rejected':
      return { title: spend.titleConfig, says: configProblem(event, text), remedy: spend.remedyConfig }
    default: {
      const kind = textField(event, 'kind')
      const title = isAnomalyKind(kind) ? spend.titlesOfAnomalies[kind] : spend.titleUnusual
      const told = isAnomalyKind(kind) ? anomalyText(event, kind, tasks, nowMs, text, figures) : null
      return { title: titled(title), ...(told ?? asTold(event, title)) }
    }
  }
}

/** The daemon's own sentence, of an older or newer gate whose figures are not known here. */
function asTold(event: DaemonEvent, otherwise: string): Omit<Warning, 'title'> {
  return { says: oneLine(textField(event, 'reason') ?? otherwise, mostLetters), remedy: null }
}

function priceDrift(event: DaemonEvent, text: Text, figures: Figures): Warning {
  const provider = oneLine(textField(event, 'provider') ?? '')
  const drift = numberField(event, 'drift')
  return {
    title: text.spend.titleOf(text.spend.titlePrice, provider),
    says:
      drift === undefined
        ? text.spend.priceUnknownHere(provider)
        : text.spend.priceDrift(provider, figures.percent(drift)),
    remedy: text.spend.remedyPrice,
  }
}

function configProblem(event: DaemonEvent, text: Text): string {
  const { problems } = event as { problems?: unknown }
  const first: unknown = Array.isArray(problems) ? problems[0] : undefined
  return typeof first === 'string'
    ? `${text.spend.configRejected} ${oneLine(first, mostLetters)}`
    : text.spend.configRejected
}

function isAnomalyKind(kind: string | undefined): kind is AnomalyKind {
  return anomalyKinds.some((one) => one === kind)
}

/** What holds now, whenever it began. */
function standing(status: Status, text: Text, figures: Figures): readonly { id: string; warning: Warning }[] {
  const { spend } = text
  const { usdRateStale, usdRateAsOf, ledgerDrift } = status.integrity
  const { unpricedCalls } = status.today
  const found: { id: string; warning: Warning }[] = []
  const add = (id: string, title: string, says: string, remedy: string): void => {
    found.push({ id: `now/${id}`, warning: { title, says, remedy } })
  }
  if (ledgerDrift > 0) add('ledger', spend.titleLedger, spend.ledgerDiffers(ledgerDrift), spend.remedyLedger)
  if (unpricedCalls > 0) add('unpriced', spend.titleUnpriced, text.unpricedToday(unpricedCalls), spend.remedyUnpriced)
  if (usdRateStale) add('rate', spend.titleRate, spend.rateStale(figures.day(usdRateAsOf)), spend.remedyRate)
  return found
}
