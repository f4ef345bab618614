import type Database from 'better-sqlite3'
import { seqFromMs } from '../callBook.ts'
import { scopeSetOf, type Names } from './references.ts'
import { linePairs, lostCallsWarning, readCounter, type LinePair, type LineSums } from './sums.ts'

/** Calls that could not be read and whose sums are known all the same. */
export interface RestoredSums {
  /** At least: of a line whose old calls retention has removed, the number is not known. */
  readonly calls: number
  readonly nanoEur: number
}

/**
 * The sums of a day know more calls than could be read: the rest is kept as one row for each line, so that a damaged page
 * gives nobody money back. Which tasks the lost calls belonged to is not known. Inside a transaction without foreign keys.
 */
export function restoreLostSums(database: Database.Database, names: Names, nowMs: number): RestoredSums {
  database.prepare("INSERT OR IGNORE INTO owners (epoch) VALUES ('repair')").run()
  let [calls, nanoEur] = [0, 0]
  for (const pair of linePairs(database)) {
    const lost = lostOf(pair)
    if (lost === null) continue
    insertRow(database, pair.id, lost, scopeSetOf(database, pair.id, null, names), nowMs)
    calls += pair.folded.folded_tokens > 0 ? 1 : Math.max(1, lost.calls)
    nanoEur += lost.spent_nano
  }
  return { calls, nanoEur }
}

/** What a line counts beyond its calls and those that retention removed; null where nothing is missing. */
function lostOf({ stored, folded, calls }: LinePair): LineSums | null {
  const lost = {
    calls: stored.calls - calls.calls,
    spent_nano: Math.max(0, stored.spent_nano - calls.spent_nano - folded.folded_nano),
    list_nano: Math.max(0, stored.list_nano - calls.list_nano - folded.folded_list_nano),
    input: Math.max(0, stored.input - calls.input),
    cache_read: Math.max(0, stored.cache_read - calls.cache_read),
    cache_write: Math.max(0, stored.cache_write - calls.cache_write),
    output: Math.max(0, stored.output - calls.output),
  }
  // Of removed calls only the sum of the tokens is known, and not its parts.
  const tokens = lost.input + lost.cache_read + lost.cache_write + lost.output - folded.folded_tokens
  if (lost.spent_nano + lost.list_nano === 0 && tokens <= 0) return null
  if (folded.folded_tokens === 0) return lost
  return { ...lost, input: Math.max(0, tokens), cache_read: 0, cache_write: 0, output: 0 }
}

function insertRow(database: Database.Database, line: number, lost: LineSums, scopes: number, nowMs: number): void {
  const day = database.prepare<[number], string>('SELECT day FROM lines WHERE id = ?').pluck().get(line) ?? ''
  // Noon of the day in any zone that people live in, to half a day.
  const noonMs = Date.parse(`${day}T12:00:00Z`)
  const receivedAtMs = Number.isFinite(noonMs) ? noonMs : nowMs
  const taken = database.prepare<[number]>('SELECT 1 FROM calls WHERE seq = ?')
  // What lies before is taken for removed.
  let seq = Math.max(seqFromMs(receivedAtMs), (readCounter(database, 'folded_seq') ?? 0) + 1)
  while (taken.get(seq) !== undefined) seq += 1
  database
    .prepare(
      `INSERT INTO calls (seq, id, owner, line, scopes, received_at_ms, stream, is_retry, estimated_input, reserved_nano,
       reserved_tokens, settlement, outcome, cost_nano, list_nano, input, cache_read, cache_write_5m, output, settled_at_ms,
       warnings)
       VALUES (?, ?, (SELECT id FROM owners WHERE epoch = 'repair'), ?, ?, ?, 0, 0, 0, 0, 0, 'estimated', 'orphaned', ?, ?, ?,
       ?, ?, ?, ?, ?)`,
    )
    .run(
      seq,
      `lost_${nowMs.toString(36)}_${line}`,
      line,
      scopes,
      receivedAtMs,
      lost.spent_nano,
      lost.list_nano,
      lost.input,
      lost.cache_read,
      lost.cache_write,
      lost.output,
      nowMs,
      JSON.stringify([lostCallsWarning]),
    )
}
