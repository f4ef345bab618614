import type { PriceOverride } from '../../../shared/config.ts'
import { addFirst, itemsOf, removeItem, replaceItem } from '../../config/listField.ts'
import { reasonOf } from '../attempt.ts'
import { writeConfig } from '../configWrite.ts'
import { CommandFailure } from '../daemonClient.ts'
import { printable } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { paidUpstreams, priceListOf } from './desk.ts'
import type { PriceDesk } from './desk.ts'
import { movesBetween, movesText } from './moves.ts'
import type { NewPrices, PricesAsk } from './pricesArguments.ts'

const overridesPath = ['prices', 'overrides'] as const

/**
 * `tollgate prices set`: writes a price into the configuration, in the place of the one that is there for the same name and
 * provider, else in front of all others, because the first that matches holds. Throws a CommandFailure.
 */
export function runSet(desk: PriceDesk, ask: Extract<PricesAsk, { verb: 'set' }>, terminal: Terminal): number {
  const upstreams = paidUpstreams(desk, ask.provider)
  const before = desk.text ?? '{}\n'
  const item = itemOf(ask.model, ask.provider, ask.usd)
  const at = indexOf(before, ask.model, ask.provider)
  const text =
    at === 0 ? replaceItem(before, overridesPath, 0, item) : addFirst(without(before, at), overridesPath, item)
  const loaded = loadEdited(desk, text)
  const moves = movesBetween(priceListOf(desk), priceListOf(desk, loaded), upstreams, ask.model, desk.nowMs)
  if (moves.length > 0 && !ask.yes) throw new CommandFailure(movesText(moves).trimEnd())
  if (!loaded.prices.overrides.some((override) => isFor(override, ask.model, ask.provider))) {
    throw new CommandFailure('A variable sets prices.overrides and wins over the file. Nothing is changed.')
  }
  write(desk.file, text)
  const { input, output } = ask.usd
  terminal.out(
    `${printable(ask.model)} costs ${input} in and ${output} out (USD per million tokens)${ask.provider === null ? '' : ` at ${ask.provider}`}.\n${changed(desk.file)}`,
  )
  return 0
}

/** `tollgate prices unset`: takes a price of the configuration away. Throws a CommandFailure where there is none. */
export function runUnset(desk: PriceDesk, ask: Extract<PricesAsk, { verb: 'unset' }>, terminal: Terminal): number {
  const before = desk.text ?? '{}\n'
  const at = indexOf(before, ask.model, ask.provider)
  if (at === null) {
    const known = itemsOf(before, overridesPath).map(({ match }) => printable(String(match)))
    const hint = known.length === 0 ? 'It has none.' : `It has prices for ${known.join(', ')}.`
    const whose = ask.provider === null ? 'any upstream' : ask.provider
    throw new CommandFailure(
      `${desk.file} has no price of its own for ${JSON.stringify(ask.model)} at ${whose}. ${hint}`,
    )
  }
  const text = removeItem(before, overridesPath, at)
  loadEdited(desk, text)
  write(desk.file, text)
  terminal.out(`${printable(ask.model)} has no price of its own any more.\n${changed(desk.file)}`)
  return 0
}

function without(text: string, at: number | null): string {
  return at === null ? text : removeItem(text, overridesPath, at)
}

function itemOf(model: string, provider: string | null, usd: NewPrices): Readonly<Record<string, unknown>> {
  return {
    ...(provider === null ? {} : { provider }),
    match: model,
    prices: {
      input_mtok: usd.input,
      output_mtok: usd.output,
      ...(usd.cacheRead === null ? {} : { cache_read_mtok: usd.cacheRead }),
      ...(usd.cacheWrite === null ? {} : { cache_write_mtok: usd.cacheWrite }),
      ...(usd.cacheWrite1h === null ? {} : { cache_write_1h_mtok: usd.cacheWrite1h }),
    },
  }
}

/** Place of the price for this very name and provider in the file; null where there is none. */
function indexOf(text: string, model: string, provider: string | null): number | null {
  const at = itemsOf(text, overridesPath).findIndex((item) => {
    const own = item['provider'] ?? null
    return item['match'] === model && own === provider
  })
  return at === -1 ? null : at
}

function isFor(override: PriceOverride, model: string, provider: string | null): boolean {
  return override.match === model && override.provider === provider
}

function loadEdited(desk: PriceDesk, text: string): PriceDesk['config'] {
  const loaded = desk.load(text)
  if (loaded.ok) return loaded.config
  throw new CommandFailure(`${desk.file} is not changed: ${loaded.problems.join(' ')}`)
}

function write(file: string, text: string): void {
  try {
    writeConfig(file, text)
  } catch (fault) {
    throw new CommandFailure(`${file} cannot be written: ${reasonOf(fault)}.`)
  }
}

function changed(file: string): string {
  return `${file} is changed. A daemon that runs on it follows by itself.\n`
}
