import { nanoPerUsd, UnreadableInvoice } from './invoice.ts'
import type { InvoiceAmount } from './invoice.ts'

/**
 * Values of exports: money, counts, days. `where` begins the sentence about one that cannot be read ("Line 3: cost_usd"); a
 * value is never guessed, because a wrong thousand would look like a drift.
 */

const decimal = /^([+-]?)\$?([+-]?)(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Largest amount, in dollars: beyond it nano-dollars lose digits. */
const mostUsd = 9_000_000

/** Nano-dollar for a decimal text or a JSON number of dollars; null where it is blank. */
export function usdAmount(value: unknown, where: string): InvoiceAmount | null {
  return money(value, where, 9)
}

/** Nano-dollar for an amount in cents. */
export function centsAmount(value: unknown, where: string): InvoiceAmount | null {
  return money(value, where, 7)
}

/** The decimal point moves in the text, so that no digit is lost by a multiplication. */
function money(value: unknown, where: string, places: number): InvoiceAmount | null {
  if (value === null || value === undefined) return null
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : null
  if (text === '') return null
  const [, before = '', behind = '', digits, exponent = 'e0'] = (text === null ? null : decimal.exec(text)) ?? []
  if (digits === undefined || (before !== '' && behind !== '')) {
    throw new UnreadableInvoice(`${where} ${badMoney(text ?? JSON.stringify(value))}.`)
  }
  const amount = Math.round(Number(`${before}${behind}${digits}e${Number(exponent.slice(1)) + places}`))
  if (!(Math.abs(amount) <= mostUsd * nanoPerUsd)) {
    throw new UnreadableInvoice(`${where} is larger than can be counted: ${shown(text)}.`)
  }
  // No "-0", which would be an amount that is not 0 to some.
  return amount === 0 ? 0 : amount
}

function badMoney(text: string): string {
  if (/^[+-]?\$?\d[\d.,' \u00a0]*$/.test(text))
    return `has a thousands separator or a decimal comma: ${shown(text)}. Export plain numbers such as 1234.56`
  return `must be a number such as 1234.56, not ${shown(text)}`
}

/** A whole number of tokens >= 0; 0 where it is blank. */
export function tokenAmount(value: unknown, where: string): number {
  if (value === null || value === undefined || value === '') return 0
  const tokens =
    typeof value === 'number' || (typeof value === 'string' && /^\d+(?:\.0+)?$/.test(value)) ? Number(value) : -1
  if (Number.isSafeInteger(tokens) && tokens >= 0) return tokens
  throw new UnreadableInvoice(`${where} must be a whole number of tokens, not ${shown(value)}.`)
}

const dayMs = 86_400_000
const isoDay = /^(\d{4}-\d{2}-\d{2})$/
const isoTime = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|UTC|[+-]\d{2}:?\d{2})?$/i

/**
 * The UTC day of `2026-11-30`, an ISO time, or whole seconds since the epoch. A time without a zone is UTC, as providers
 * export them.
 */
export function utcDay(value: unknown, where: string): string {
  const ms = millisecondsOf(value)
  if (ms !== null && Number.isFinite(ms) && ms >= 0 && ms < 253_402_300_800_000) {
    return new Date(ms).toISOString().slice(0, 10)
  }
  throw new UnreadableInvoice(
    `${where} must be a date such as 2026-11-30, an ISO time or seconds since 1970, not ${shown(value)}.`,
  )
}

/** The day before the end of a bucket, which belongs to the next one. */
export function lastDayBefore(value: unknown, where: string): string {
  const ms = millisecondsOf(value)
  if (ms === null || !Number.isFinite(ms)) return utcDay(value, where)
  return utcDay(new Date(Math.max(0, ms - 1)).toISOString(), where)
}

function millisecondsOf(value: unknown): number | null {
  if (typeof value === 'number') return value * 1000
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (/^\d{9,11}$/.test(text)) return Number(text) * 1000
  const day = isoDay.exec(text)?.[1]
  if (day !== undefined) return wholeDay(day)
  const [, date, time, zone = 'Z'] = isoTime.exec(text) ?? []
  if (date === undefined || time === undefined || wholeDay(date) === null) return null
  return Date.parse(`${date}T${time}${/^(?:Z|UTC)$/i.test(zone) ? 'Z' : zone.replace(/^(.\d{2})(\d{2})$/, '$1:$2')}`)
}

/** Midnight of a day that exists: the 31st of November is no 1st of December. */
function wholeDay(day: string): number | null {
  const ms = Date.parse(`${day}T00:00:00Z`)
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(day) ? ms : null
}

/** A day later or earlier. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

/** A day of an option, such as `--from`; null for what is none. */
export function dayFrom(text: string): string | null {
  return isoDay.test(text) && wholeDay(text) !== null ? text : null
}

/** A value in a message: short, on one line, without what a terminal would obey. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : value === undefined ? 'nothing' : JSON.stringify(value)
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '?')
  return JSON.stringify(plain.length > 60 ? `${plain.slice(0, 60)}…` : plain)
}
