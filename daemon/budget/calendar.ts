import type { WindowEnd } from './refusal.ts'
import type { ScopeRef } from '../ledger/ledger.ts'
import { isoWithOffset, MonotoneDay } from './windows.ts'
import type { CalendarWindows } from './windows.ts'

/** Days and months as the engine, the refusals and the status share them, so that none names another reset (M05). */
export interface Calendar {
  /** Keys of the day and month that hold at a time; they never move backwards with the clock. */
  periods(nowMs: number): { readonly day: string; readonly month: string }
  nextDayStartMs(nowMs: number): number
  resetsAt(window: 'day' | 'month', nowMs: number): string
  /** End of a scope's window; null for a task, which has none. */
  windowEnd(scope: Pick<ScopeRef, 'window'>, nowMs: number): WindowEnd | null
}

/**
 * `zone` is asked each time, because it can change with the configuration. `newestDay` is the youngest day that the ledger
 * knows: with it neither a restart nor another zone opens a day a second time.
 */
export function createCalendar(zone: () => string, newestDay: string | null = null): Calendar {
  let days = { zone: zone(), monotone: new MonotoneDay(zone(), newestDay) }
  let latestDay = newestDay
  const windowsAt = (nowMs: number): CalendarWindows => {
    if (days.zone !== zone()) days = { zone: zone(), monotone: new MonotoneDay(zone(), latestDay) }
    const windows = days.monotone.at(nowMs)
    latestDay = windows.day
    return windows
  }
  const endMs = (window: 'day' | 'month', nowMs: number): number =>
    window === 'day' ? windowsAt(nowMs).nextDayStartMs : windowsAt(nowMs).nextMonthStartMs
  return {
    periods: windowsAt,
    nextDayStartMs: (nowMs) => windowsAt(nowMs).nextDayStartMs,
    resetsAt: (window, nowMs) => isoWithOffset(endMs(window, nowMs), zone()),
    windowEnd: (scope, nowMs) => {
      if (scope.window === 'life') return null
      const end = endMs(scope.window, nowMs)
      const iso = isoWithOffset(end, zone())
      return {
        resetsAtIso: iso,
        resetsAtText: `${iso.slice(0, 10)} ${iso.slice(11, 16)} ${zone()}`,
        secondsToReset: Math.max(1, Math.ceil((end - nowMs) / 1000)),
      }
    },
  }
}
