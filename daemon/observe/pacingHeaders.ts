import type { PacingStatus } from '../../shared/status.ts'

/**
 * What a provider's answer says about its own limits. The parsers are strict: a value that is not exactly of the known form
 * says nothing about its window, and the others stand. Forms as seen in 2025 and 2026; none of them is documented in full.
 */

/** One window of one answer. */
export interface PacingReading {
  /** `5h`, `7d`, `7d_opus`, `requests`, `tokens`; at most 24 characters. */
  readonly window: string
  /** 0 to 10; null where only the state was said. */
  readonly usedShare: number | null
  readonly state: PacingStatus['state']
  /** Later than the answer; null where it was not said. */
  readonly resetsAtMs: number | null
}

/** Headers of an answer, names in small letters. */
export type AnswerHeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>

/** Windows that are read from one answer: no more are known, and the names come from outside. */
const mostWindows = 8

/** No window of a subscription is longer; a reset beyond it is no time. */
const longestMs = 40 * 86_400_000

/** A rate limit that is whole again within this time slows nobody down, and would only flicker in the status. */
const shortestRateMs = 10_000

/** More than ten times a limit is no share of it. */
const mostShare = 10

/** What the names of all headers begin with that are read here: most servers send none, and are asked nothing more. */
const prefixes = ['anthropic-ratelimit-', 'x-codex-', 'x-ratelimit-'] as const

function speaksOfLimits(headers: AnswerHeaderValues): boolean {
  for (const name in headers) if (prefixes.some((prefix) => name.startsWith(prefix))) return true
  return false
}

/** All windows that the headers speak of. */
export function readPacing(headers: AnswerHeaderValues, nowMs: number): readonly PacingReading[] {
  if (!speaksOfLimits(headers)) return []
  const found = [...claudeWindows(headers, nowMs), ...codexWindows(headers, nowMs), ...rateWindows(headers, nowMs)]
  return found.slice(0, mostWindows)
}

const unified = 'anthropic-ratelimit-unified-'
const unifiedWindow = /^anthropic-ratelimit-unified-(\d{1,3}[hd](?:_[a-z]{1,16})?)-(?:utilization|status)$/

/** How the one status without a window names the window that it is about. */
const claims: Readonly<Record<string, string>> = {
  five_hour: '5h',
  seven_day: '7d',
  seven_day_opus: '7d_opus',
  seven_day_sonnet: '7d_sonnet',
}

/** Claude's subscriptions: a share of 1, a state and a reset in seconds since the epoch for each window. */
function claudeWindows(headers: AnswerHeaderValues, nowMs: number): readonly PacingReading[] {
  const windows = new Set<string>()
  for (const name in headers) {
    const window = name.startsWith(unified) ? unifiedWindow.exec(name)?.[1] : undefined
    if (window !== undefined) windows.add(window)
  }
  const overall = claims[textOf(headers, `${unified}representative-claim`) ?? '']
  if (overall !== undefined) windows.add(overall)
  return [...windows].flatMap((window) => {
    const of = (field: string): string | null =>
      textOf(headers, `${unified}${window}-${field}`) ??
      (window === overall ? textOf(headers, `${unified}${field}`) : null)
    return reading(window, numberOf(of('utilization')), stateOf(of('status')), secondsAt(of('reset')), nowMs)
  })
}

/** Codex with a ChatGPT sign-in: per cent, the window's length in minutes, and the reset as a time or a distance. */
function codexWindows(headers: AnswerHeaderValues, nowMs: number): readonly PacingReading[] {
  return ['primary', 'secondary'].flatMap((place) => {
    const of = (field: string): string | null => textOf(headers, `x-codex-${place}-${field}`)
    const percent = numberOf(of('used-percent'))
    const minutes = of('window-minutes')
    const window = minutes === null ? place : windowName(wholeOf(minutes))
    if (percent === null || window === null) return []
    const afterSeconds = wholeOf(of('reset-after-seconds'))
    const resetsAtMs = secondsAt(of('reset-at')) ?? (afterSeconds === null ? null : nowMs + afterSeconds * 1000)
    return reading(window, percent / 100, null, resetsAtMs, nowMs)
  })
}

/** Rate limits in the form that OpenAI began with: what is left of how much, and how long until it is whole again. */
function rateWindows(headers: AnswerHeaderValues, nowMs: number): readonly PacingReading[] {
  return ['requests', 'tokens'].flatMap((window) => {
    const limit = wholeOf(textOf(headers, `x-ratelimit-limit-${window}`))
    const left = wholeOf(textOf(headers, `x-ratelimit-remaining-${window}`))
    if (limit === null || limit === 0 || left === null) return []
    const resetMs = durationMs(textOf(headers, `x-ratelimit-reset-${window}`))
    if (resetMs !== null && resetMs < shortestRateMs) return []
    return reading(window, Math.max(0, 1 - left / limit), null, resetMs === null ? null : nowMs + resetMs, nowMs)
  })
}

/** A reading, where it says something: a window whose reset has passed, or lies beyond any window, says nothing. */
function reading(
  window: string,
  usedShare: number | null,
  state: PacingReading['state'],
  resetsAtMs: number | null,
  nowMs: number,
): readonly PacingReading[] {
  if (usedShare === null && state === null) return []
  if (usedShare !== null && usedShare > mostShare) return []
  if (resetsAtMs !== null && (resetsAtMs <= nowMs || resetsAtMs > nowMs + longestMs)) return []
  return [{ window, usedShare, state, resetsAtMs }]
}

function textOf(headers: AnswerHeaderValues, name: string): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return typeof value === 'string' ? value : null
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\d{1,4}(?:\.\d{1,20})?$/.test(text) ? Number(text) : null
}

function wholeOf(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** Milliseconds for seconds since the epoch. */
function secondsAt(text: string | null): number | null {
  return text !== null && /^\d{10}$/.test(text) ? Number(text) * 1000 : null
}

function stateOf(text: string | null): PacingReading['state'] {
  switch (text) {
    case 'allowed':
    case 'rejected':
      return text
    case 'allowed_warning':
      return 'warning'
    default:
      return null
  }
}

/** `5h` for 300, `7d` for 10080; null for no length. A year is the longest. */
function windowName(minutes: number | null): string | null {
  if (minutes === null || minutes === 0 || minutes > 525_600) return null
  if (minutes % 1440 === 0) return `${minutes / 1440}d`
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`
}

const duration =
  /^(?=.)(?:(\d{1,3})d)?(?:(\d{1,3})h)?(?:(\d{1,4})m(?!s))?(?:(\d{1,6}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?$/

/** `6m0s`, `2m59.56s`, `250ms`, in milliseconds. */
function durationMs(text: string | null): number | null {
  const parts = text === null ? null : duration.exec(text)
  if (parts === null) return null
  const [days, hours, minutes, seconds, milliseconds] = parts
    .slice(1)
    .map((part: string | undefined) => Number(part ?? 0))
  const wholeMinutes = ((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)
  return (wholeMinutes * 60 + (seconds ?? 0)) * 1000 + (milliseconds ?? 0)
}
