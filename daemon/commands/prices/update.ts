import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { removePrices, storePrices } from '../../config/priceFile.ts'
import { readPriceData } from '../../money/priceData.ts'
import type { PriceMove } from '../../money/priceMoves.ts'
import { reasonOf } from '../attempt.ts'
import { plural } from '../amounts.ts'
import { CommandFailure } from '../daemonClient.ts'
import type { Terminal } from '../terminal.ts'
import { paidUpstreams, priceListOf } from './desk.ts'
import type { PriceDesk } from './desk.ts'
import { movesBetween, movesText } from './moves.ts'
import type { PricesAsk } from './pricesArguments.ts'

/** Largest file that is read. The whole table of the package has less than one. */
const mostBytes = 10 * 1024 * 1024

/**
 * `tollgate prices update`: puts the prices of a file in the table's place (E08). The gate never fetches them: it is told.
 * Throws a CommandFailure, and then the prices that held still hold.
 */
export function runUpdate(
  dataDir: string,
  desk: PriceDesk,
  ask: Extract<PricesAsk, { verb: 'update' }>,
  terminal: Terminal,
): number {
  const { value, dateOfFile } = readJson(path.resolve(ask.file))
  const reading = readPriceData(value, ask.asOf ?? dateOfFile)
  if (!reading.ok)
    throw new CommandFailure(`${ask.file} cannot be used: ${reading.problem} The prices stay as they are.`)
  const prices = ask.asOf === null ? reading.prices : { ...reading.prices, asOf: ask.asOf }
  const before = priceListOf(desk)
  const after = priceListOf(desk, desk.config, prices)
  const upstreams = paidUpstreams(desk, null)
  const named = prices.overrides.map(({ match }) => match).filter((match) => !match.includes('*'))
  const inTable = movesBetween(before, after, upstreams, '*', desk.nowMs)
  // Names that a configuration prices, or a table under another name, are in no list.
  const others = named.flatMap((name) => movesBetween(before, after, upstreams, name, desk.nowMs))
  const moves = [...inTable, ...others.filter((move) => !inTable.some((one) => isSame(one, move)))]
  if (moves.length > 0 && !ask.yes) throw new CommandFailure(movesText(moves).trimEnd())
  let record
  try {
    record = storePrices(dataDir, prices, reading.rows, desk.nowMs)
  } catch (fault) {
    throw new CommandFailure(`The prices cannot be written into ${dataDir}: ${reasonOf(fault)}.`)
  }
  terminal.out(
    `${plural(reading.rows, 'price')} of ${record.asOf} now in force (SHA-256 ${record.sha256.slice(0, 16)}…). A running daemon takes them over by itself.\n` +
      'Take them away with: tollgate prices reset\n',
  )
  return 0
}

function isSame(one: PriceMove, other: PriceMove): boolean {
  return one.model === other.model && one.upstream === other.upstream
}

/** `tollgate prices reset`: the built-in table holds again. */
export function runReset(dataDir: string, builtInAsOf: string, terminal: Terminal): number {
  let wasThere: boolean
  try {
    wasThere = removePrices(dataDir)
  } catch (fault) {
    throw new CommandFailure(`The prices in ${dataDir} cannot be removed: ${reasonOf(fault)}.`)
  }
  terminal.out(
    wasThere
      ? `The built-in table of ${builtInAsOf} holds again.\n`
      : `The built-in table of ${builtInAsOf} holds; there was no update.\n`,
  )
  return 0
}

function readJson(file: string): { readonly value: unknown; readonly dateOfFile: string } {
  try {
    const { size, mtimeMs } = statSync(file)
    if (size > mostBytes) throw new CommandFailure(`${file} is larger than 10 MB. The prices stay as they are.`)
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return { value, dateOfFile: new Date(mtimeMs).toISOString().slice(0, 10) }
  } catch (fault) {
    if (fault instanceof CommandFailure) throw fault
    // A parser quotes what it could not read, which may be a whole page.
    const why = fault instanceof SyntaxError ? 'it is no JSON' : reasonOf(fault)
    throw new CommandFailure(`${file} cannot be read: ${why}. The prices stay as they are.`)
  }
}
