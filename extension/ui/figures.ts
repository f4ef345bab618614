import { lazily } from '../lazily.ts'

/** Numbers as the user's language writes them. */
export interface Figures {
  /** Two decimals, four below one cent: `€1.84`, `€0.0032`. What is less than that is never written as nothing: `<€0.0001`. */
  eur(amount: number): string
  /** An amount that nobody knows: `€?`. */
  readonly unknownEur: string
  /** The currency of these amounts in words, of several of its units: `euros`, `US dollars`. */
  readonly currency: string
  /** Spent and cap with one currency sign: `€8.10/10.00`, `8,10/10,00 €`. */
  eurOf(spent: number, cap: number): string
  /** At most three digits and a suffix: `128k`, `1.2M`. */
  tokens(count: number): string
  /** All digits: `38,980`. */
  whole(count: number): string
  /** At most two decimals: `30`, `2.5`. */
  amount(count: number): string
  /** A share of 1 as whole per cent. */
  percent(share: number): string
  /** Time of day, or date and time when it is not within the next 24 hours. */
  when(iso: string, nowMs: number): string
  /** The same to the second, where that tells two moments apart. */
  whenExactly(iso: string, nowMs: number): string
  /** Date and time to the second, of the same width in each row of a table. */
  stamp(iso: string): string
  /** A calendar date such as `2026-11-30` as the language writes it. */
  day(date: string): string
}

/** The smallest amount of money that is written with its digits. */
const leastShown = 0.0001
/** Below it an amount has four decimals. What four decimals would round to a cent is written as one. */
const leastInCents = 0.00995

/** Figures of a language. An unknown language or currency falls back to English and euros. */
export function createFigures(language: string, currency = 'EUR'): Figures {
  const locale = supportedLocale(language)
  const ofCurrency = { style: 'currency', currency: /^[A-Z]{3}$/.test(currency) ? currency : 'EUR' } as const
  const money = (decimals: number): Intl.NumberFormat =>
    new Intl.NumberFormat(locale, {
      ...ofCurrency,
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    })
  const bare = (decimals: number): Intl.NumberFormat =>
    new Intl.NumberFormat(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
  const atMost = (decimals: number): Intl.NumberFormat =>
    new Intl.NumberFormat(locale, { maximumFractionDigits: decimals })
  // Made when they are needed: the first of a language takes a large part of the time in which the extension has to be active,
  // and a format of dates costs as much as a hundred of its texts.
  const cents = lazily(() => money(2))
  const fine = lazily(() => money(4))
  const bareCents = lazily(() => bare(2))
  const bareFine = lazily(() => bare(4))
  const whole = lazily(() => atMost(0))
  const oneDecimal = lazily(() => atMost(1))
  const twoDecimals = lazily(() => atMost(2))
  const percent = lazily(() => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }))
  const inWords = lazily(() => new Intl.NumberFormat(locale, { ...ofCurrency, currencyDisplay: 'name' }))
  const dates = (parts: Intl.DateTimeFormatOptions) => lazily(() => new Intl.DateTimeFormat(locale, parts))
  const time = { hour: '2-digit', minute: '2-digit' } as const
  const exactTime = { ...time, second: '2-digit' } as const
  const dayOfYear = { day: 'numeric', month: 'long' } as const
  const times = dates(time)
  const moments = dates({ ...dayOfYear, ...time })
  const exactTimes = dates(exactTime)
  const exactMoments = dates({ ...dayOfYear, ...exactTime })
  const stamps = dates({ month: '2-digit', day: '2-digit', ...time, second: '2-digit', hourCycle: 'h23' })
  const days = dates({ dateStyle: 'medium', timeZone: 'UTC' })

  const written = (amount: number, inCents: () => Intl.NumberFormat, finely: () => Intl.NumberFormat): string =>
    amount > 0 && amount < leastShown / 2
      ? `<${finely().format(leastShown)}`
      : (amount > 0 && amount < leastInCents ? finely : inCents)().format(amount)
  const eur = (amount: number): string => written(amount, cents, fine)
  const bareEur = (amount: number): string => written(amount, bareCents, bareFine)
  const momentText = (
    iso: string,
    nowMs: number,
    soon: () => Intl.DateTimeFormat,
    later: () => Intl.DateTimeFormat,
  ): string => {
    const moment = new Date(iso)
    if (Number.isNaN(moment.getTime())) return iso
    return (Math.abs(moment.getTime() - nowMs) <= 86_400_000 ? soon : later)().format(moment)
  }
  const currencyLeads = (): boolean => cents().formatToParts(1)[0]?.type === 'currency'
  return {
    eur,
    get unknownEur() {
      return cents()
        .formatToParts(0)
        .map(({ type, value }) => (type === 'integer' ? '?' : type === 'decimal' || type === 'fraction' ? '' : value))
        .join('')
    },
    get currency() {
      const name = inWords()
        .formatToParts(2)
        .find(({ type }) => type === 'currency')
      return name?.value ?? ofCurrency.currency
    },
    eurOf: (spent, cap) => (currencyLeads() ? `${eur(spent)}/${bareEur(cap)}` : `${bareEur(spent)}/${eur(cap)}`),
    tokens: (count) => {
      const suffixes = ['', 'k', 'M', 'G'] as const
      let value = count
      let step = 0
      // 999.5 and more would be written with four digits.
      while (value >= 999.5 && step < suffixes.length - 1) {
        value /= 1000
        step++
      }
      const digits = step > 0 && value < 9.95 ? oneDecimal : whole
      return digits().format(value) + (suffixes[step] ?? '')
    },
    whole: (count) => whole().format(count),
    amount: (count) => twoDecimals().format(count),
    percent: (share) => percent().format(share),
    when: (iso, nowMs) => momentText(iso, nowMs, times, moments),
    whenExactly: (iso, nowMs) => momentText(iso, nowMs, exactTimes, exactMoments),
    stamp: (iso) => {
      const date = new Date(iso)
      return Number.isNaN(date.getTime()) ? iso : stamps().format(date)
    },
    day: (date) => {
      const midnight = new Date(`${date}T00:00:00Z`)
      return Number.isNaN(midnight.getTime()) ? date : days().format(midnight)
    },
  }
}

function supportedLocale(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en'
  } catch {
    return 'en'
  }
}
