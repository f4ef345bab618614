import { matchesPattern } from '../../guards/pattern.ts'
import { moveBetween, mostTimes } from '../../money/priceMoves.ts'
import type { PriceMove } from '../../money/priceMoves.ts'
import type { TieredPriceList } from '../../money/table.ts'
import { printable } from '../terminal.ts'
import type { PaidUpstream } from './desk.ts'

/** Moves that are named; the rest is counted. */
const mostNamed = 5

/** Models that a change can concern: those of both lists that match, and the pattern itself where it is a name. */
export function movesBetween(
  before: TieredPriceList,
  after: TieredPriceList,
  upstreams: readonly PaidUpstream[],
  pattern: string,
  atMs: number,
): readonly PriceMove[] {
  return upstreams.flatMap(({ name, baseUrl }) => {
    const known = [...before.names(name, baseUrl), ...after.names(name, baseUrl)]
    const asked = pattern.includes('*') ? known.filter((model) => matchesPattern(pattern, model)) : [pattern]
    return [...new Set(asked)].flatMap((model) => {
      const old = before.find(name, baseUrl, model, atMs)
      const fresh = after.find(name, baseUrl, model, atMs)
      // A price where there was none moves nothing, and what the policy `dearest` makes up is none.
      if (old === null || fresh === null || old.source.kind === 'dearest' || fresh.source.kind === 'dearest') return []
      const move = moveBetween({ model, upstream: name }, old, fresh, atMs)
      return move === null ? [] : [move]
    })
  })
}

const kindText: Readonly<Record<string, string>> = {
  input: 'input',
  output: 'output',
  cacheRead: 'cache read',
  cacheWrite5m: 'cache write',
  cacheWrite1h: 'cache write for an hour',
  audioInput: 'audio input',
  audioOutput: 'audio output',
}

/** Both figures of each move, one a line, and what to do about it. */
export function movesText(moves: readonly PriceMove[]): string {
  const lines = moves
    .slice(0, mostNamed)
    .map(
      ({ model, upstream, kind, fromUsd, toUsd }) =>
        `  ${printable(model)} at ${upstream}: ${kindText[kind] ?? kind} from ${fromUsd} to ${toUsd} USD per million tokens\n`,
    )
  const rest = moves.length - lines.length
  const more = rest > 0 ? `  and ${rest} more\n` : ''
  return `More than ${mostTimes} times another price than now:\n${lines.join('')}${more}Nothing is changed. If that is right, run the same command with --yes.\n`
}
