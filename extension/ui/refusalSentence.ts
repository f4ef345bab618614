import { refusalCodes } from '../../shared/codes.ts'
import type { RefusalCode } from '../../shared/codes.ts'
import type { TaskStatus } from '../../shared/status.ts'
import type { Text } from '../text/text.ts'
import { numberField, textField } from './eventFields.ts'
import type { DaemonEvent } from './eventFields.ts'
import type { Figures } from './figures.ts'
import { capName, capNotice } from './notices.ts'
import { oneLine } from './spendNode.ts'
import { briefNameOfTask, harmless, nameOfSession, taskToName } from './taskName.ts'
import { ceilingText } from './taskNotices.ts'

/**
 * Why a call was refused, in a sentence of the user's language, from the code and the figures of the event. Null for a code
 * whose figures say nothing, and where the event lacks them: then its title has to do (`refusalTitle`), and the daemon's own
 * sentence, which is English, is a detail. `tasks` are those of the status: by them one that has no name is called.
 */
export function refusalSentence(
  event: DaemonEvent,
  nowMs: number,
  text: Text,
  figures: Figures,
  tasks: readonly TaskStatus[] = [],
): string | null {
  if (event['severed'] === true) return severedSentence(event, text)
  const { spend } = text
  const limit = numberField(event, 'limit')
  const requested = numberField(event, 'requested')
  const ref = textField(event, 'scopeRef')
  const upstream = textField(event, 'upstream')
  const task = (id: string): string => briefNameOfTask(taskToName(oneLine(id), tasks), nowMs, text, figures)
  const both = (say: (requested: string, limit: string) => string): string | null =>
    limit === undefined || requested === undefined ? null : say(figures.whole(requested), figures.whole(limit))
  switch (textField(event, 'code')) {
    case 'budget_exhausted':
      return limit === undefined ? null : budgetSentence(event, limit, nowMs, text, figures)
    case 'task_halted':
      return haltSentence(event, task, text, figures)
    case 'loop_halted': {
      const repeats = numberField(event, 'spent')
      if (repeats === undefined || ref === undefined) return null
      return spend.repeats(task(ref), figures.whole(repeats))
    }
    case 'velocity': {
      const name = spenderName(event, task, text)
      if (limit === undefined || name === undefined) return null
      return limit === 0 ? text.velocityZero : text.velocity(name, figures.eur(limit))
    }
    case 'rate_limited':
      if (limit === undefined || ref === undefined) return null
      return spend.overRate(text.keyNamed(harmless(ref)), amountText(event, limit, text, figures))
    case 'restart_storm':
      return limit === undefined ? null : text.restartStorm(limit, figures.whole(limit))
    case 'killed':
      if (ref === undefined) return event['scope'] === 'global' ? text.doctor.killed : null
      return text.partlyKilled(text.scopeNamed(textField(event, 'scope') ?? '', oneLine(ref)))
    case 'context_overflow':
      return both(spend.overContext)
    case 'conversation_too_long':
      return both(spend.longConversation)
    case 'message_too_long':
      return both(spend.longMessage)
    case 'reasoning_exceeds_output':
      return both(spend.muchThinking)
    case 'unpriced_model':
      return ref === undefined ? null : spend.noPriceOf(oneLine(ref))
    case 'upstream_unreachable':
      return upstream === undefined ? null : spend.unreachable(oneLine(upstream))
    case 'upstream_timeout':
      return upstream === undefined ? null : spend.noAnswer(oneLine(upstream))
    default:
      return null
  }
}

/** A code in a few words; a newer daemon may refuse for reasons that this version does not know. */
export function refusalTitle(code: string, text: Text): string {
  return isRefusalCode(code) ? text.spend.refusalTitles[code] : text.spend.otherRefusal
}

function isRefusalCode(code: string): code is RefusalCode {
  return Object.hasOwn(refusalCodes, code)
}

function severedSentence(event: DaemonEvent, { spend }: Text): string {
  const program = textField(event, 'process')
  const pid = numberField(event, 'pid')
  return program === undefined || pid === undefined ? spend.severedUnknown : spend.severed(oneLine(program), pid)
}

function budgetSentence(event: DaemonEvent, limit: number, nowMs: number, text: Text, figures: Figures): string {
  const cap = { unit: event['unit'] === 'tokens' ? 'tokens' : 'eur', limit } as const
  if (limit === 0) return text.spend.capIsZero(capName(event, cap, text, figures))
  if (event['kind'] === 'held') return text.spend.held(capName(event, cap, text, figures))
  return capNotice(event, cap, nowMs, text, figures).message
}

/** By a ceiling, by running calls that hold what is left of it, or, without a kind, by a person. */
function haltSentence(event: DaemonEvent, task: (id: string) => string, text: Text, figures: Figures): string | null {
  const ref = textField(event, 'scopeRef')
  if (ref === undefined) return null
  const isSession = event['scope'] === 'session'
  const name = isSession ? nameOfSession(oneLine(ref), '', text) : task(ref)
  const limit = numberField(event, 'limit')
  switch (event['kind']) {
    case 'held':
      return limit === undefined ? null : text.spend.heldOf(name, figures.eur(limit))
    case 'spent':
      return limit === undefined
        ? null
        : text.spend.atCeiling(name, ceilingText(counterOf(event), limit, text, figures))
    case undefined:
    case null:
      return text.spend.haltedByPerson(name)
    default:
      return null
  }
}

/** A refusal names the unit of its figures; seconds have none. */
function counterOf(event: DaemonEvent): string {
  switch (event['unit']) {
    case 'calls':
      return 'iterations'
    case 'tokens':
      return 'inputTokens'
    case 'eur':
      return 'eur'
    default:
      return 'wallSeconds'
  }
}

function spenderName(event: DaemonEvent, task: (id: string) => string, text: Text): string | undefined {
  const ref = textField(event, 'scopeRef')
  if (ref === undefined) return undefined
  return event['scope'] === 'task' ? task(ref) : text.keyNamed(harmless(ref))
}

function amountText(event: DaemonEvent, limit: number, text: Text, figures: Figures): string {
  if (event['unit'] === 'tokens') return text.tokenCap(limit, figures.tokens(limit))
  return text.spend.calls(limit, figures.whole(limit))
}
