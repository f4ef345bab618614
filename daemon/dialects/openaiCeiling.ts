import type { CallFacts } from '../call.ts'
import type { DescribeContext, JsonObject } from './dialect.ts'
import { askBoolean, askNumber, askObject } from './read.ts'
import { vendorOf } from './vendors.ts'

/** Output ceiling of a request, as far as the client set one. */
export interface Ceiling {
  readonly outputField: readonly string[]
  readonly requestedOutputTokens: number | null
  readonly ignoredOutputTokens: number | null
}

/**
 * The ceiling of a chat completion. The field that the client used is the one that counts, both are never sent, and where
 * none was used it is the one that the upstream understands (H07). Of two, the newer counts, as OpenAI has it.
 */
export function chatCeiling(body: JsonObject, context: DescribeContext): Ceiling {
  const older = askCeiling(body, 'max_tokens', context)
  const newer = askCeiling(body, 'max_completion_tokens', context)
  const vendor = vendorOf(context)
  if (vendor.ceilings === 'max_tokens') {
    return { outputField: ['max_tokens'], requestedOutputTokens: older, ignoredOutputTokens: newer }
  }
  if (newer !== null)
    return { outputField: ['max_completion_tokens'], requestedOutputTokens: newer, ignoredOutputTokens: null }
  if (older !== null) return { outputField: ['max_tokens'], requestedOutputTokens: older, ignoredOutputTokens: null }
  return { outputField: [vendor.addedCeiling], requestedOutputTokens: null, ignoredOutputTokens: null }
}

/** The number in a ceiling field; null where it is missing or means "none": below zero, and zero on local servers. */
export function askCeiling(body: JsonObject, name: string, context: DescribeContext): number | null {
  const tokens = askNumber(body, name)
  return tokens === null || tokens < 0 || (tokens === 0 && vendorOf(context).isLocal) ? null : tokens
}

/** Number of answers asked for; at least one. */
export function askChoices(body: JsonObject, name: 'n' | 'best_of'): number {
  return Math.max(1, askNumber(body, name) ?? 1)
}

/**
 * How the usage of a stream has to be asked for (B01). An existing `stream_options` is kept and only its flag is set: it
 * may hold other options. A server that reports by itself is not asked: what it sends is the client's as it stands.
 */
export function includeUsageOf(body: JsonObject, stream: boolean, context: DescribeContext): CallFacts['includeUsage'] {
  const options = askObject(body, 'stream_options')
  if (!stream || vendorOf(context).streamUsage === 'always') return 'not-applicable'
  if (options === null) return 'inject'
  return askBoolean(options, 'include_usage', false) ? 'present' : 'replace-false'
}

/** The request fields of OpenAI's formats that change prices. */
export function tierOf(
  body: JsonObject,
  names: readonly string[] = ['service_tier'],
): Readonly<Record<string, string>> {
  const tiers = names.flatMap((name) => {
    const value = body[name]
    return typeof value === 'string' ? [[name, value.slice(0, 64)] as const] : []
  })
  return Object.fromEntries(tiers)
}
