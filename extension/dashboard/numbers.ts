import type { SeriesUnit } from '../../shared/series.ts'
import { createFigures } from '../ui/figures.ts'
import type { Figures } from '../ui/figures.ts'
import type { NumberKind } from './page.ts'

/** Numbers, dates and times as the user's language writes them. */
export interface Numbers {
  readonly figures: Figures
  of(kind: NumberKind, value: number): string
  /** Three decimals: `1.034`. */
  ratio(value: number): string
  /** A bucket of a series in full. */
  bucket(unit: SeriesUnit, bucket: string): string
  /** The same, short enough for an axis. */
  tick(unit: SeriesUnit, bucket: string): string
  /** Date and time to the second, in the zone that days are counted in. */
  time(iso: string): string
  day(date: string): string
}

/** Numbers of a language. `timezone` is the gate's; one that is not known here counts as UTC. */
export function createNumbers(language: string, currency: string, timezone: string): Numbers {
  const figures = createFigures(language, currency)
  const locale = supported(() => new Intl.DateTimeFormat(language)) ? language : 'en'
  const zone = supported(() => new Intl.DateTimeFormat('en', { timeZone: timezone })) ? timezone : 'UTC'
  const percent = new Intl.NumberFormat(locale, {
    style: 'percent',
    signDisplay: 'exceptZero',
    maximumFractionDigits: 1,
  })
  const ratio = new Intl.NumberFormat(locale, { minimumFractionDigits: 3, maximumFractionDigits: 3 })
  const format = (options: Intl.DateTimeFormatOptions, timeZone: string): ((text: string) => string) => {
    const dates = new Intl.DateTimeFormat(locale, { ...options, timeZone })
    return (text) => {
      const date = new Date(text)
      return Number.isNaN(date.getTime()) ? text : dates.format(date)
    }
  }
  // Dates and months have no zone; hours are said in the one that they were counted in.
  const fullDay = format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }, 'UTC')
  const shortDay = format({ day: 'numeric', month: 'short' }, 'UTC')
  const fullMonth = format({ month: 'long', year: 'numeric' }, 'UTC')
  const shortMonth = format({ month: 'short', year: '2-digit' }, 'UTC')
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const fullHour = format({ weekday: 'short', day: 'numeric', month: 'short', ...clock }, zone)
  const shortHour = format(clock, zone)
  const second = format({ day: 'numeric', month: 'short', second: '2-digit', ...clock }, zone)
  return {
    figures,
    ratio: (value) => ratio.format(value),
    of: (kind, value) => numberText(kind, value, figures, percent),
    bucket: (unit, bucket) => ({ hour: fullHour, day: fullDay, month: fullMonth })[unit](bucket),
    tick: (unit, bucket) => {
      if (unit === 'month') return shortMonth(bucket)
      if (unit === 'day') return shortDay(bucket)
      return bucket.slice(11, 16) === '00:00' ? shortDay(bucket.slice(0, 10)) : shortHour(bucket)
    },
    time: second,
    day: fullDay,
  }
}

function numberText(kind: NumberKind, value: number, figures: Figures, percent: Intl.NumberFormat): string {
  switch (kind) {
    case 'eur':
      return figures.eur(value)
    case 'tokens':
      return figures.tokens(value)
    case 'whole':
      return figures.whole(value)
    case 'signedPercent':
      return percent.format(value)
  }
}

function supported(attempt: () => unknown): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}
