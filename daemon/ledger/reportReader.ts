import type Database from 'better-sqlite3'
import type { ReportGroup } from '../../shared/report.ts'
import type { ReportFilter, SpendReport, SpendSums } from './ledger.ts'
import { soundCount } from './rows.ts'

type Range = Omit<ReportFilter, 'by' | 'mostRows'>

/** In the order of `lineSums`. */
export type SumColumns = readonly [number, number, number, number, number, number, number, number]

type Group = readonly [name: string | null, ...SumColumns]

const columns = [
  'calls',
  'iif(priced, 0, calls)',
  'input',
  'cache_read',
  'cache_write',
  'output',
  'spent_nano',
  'list_nano',
]
/** SELECT list of the sums over lines. */
export const lineSums = columns.map((column) => `sum(${column})`).join(', ')
/** 0 where there are no lines at all; slower over many groups. */
const totalSums = columns.map((column) => `total(${column})`).join(', ')

/** Places in a `Group`. */
const calls = 1
const nanoEur = 7
const listNanoEur = 8

/** Condition on lines of a period. */
export const inPeriod = 'day BETWEEN :fromDay AND :toDay'

/** The column that a group is named by. */
const nameOf: Readonly<Record<Exclude<ReportGroup, 'task'>, string>> = {
  model: 'model',
  project: 'project',
  day: 'day',
  user: "iif(tenant = :tenant, user, tenant || '/' || user)",
  client: 'client',
  upstream: 'upstream',
}

/**
 * Sums of each task: what `task_lines` has, and the calls that are not in it yet. CROSS JOIN keeps the order of the join, so
 * that tasks of other days are not read.
 */
const taskSums = `
  WITH parts (task, priced, calls, input, cache_read, cache_write, output, spent_nano, list_nano) AS (
    SELECT t.task, l.priced, t.calls, t.input, t.cache_read, t.cache_write, t.output, t.spent_nano, t.list_nano
      FROM lines l CROSS JOIN task_lines t ON t.line = l.id WHERE l.${inPeriod}
    UNION ALL
    SELECT c.task, l.priced, 1, c.input, c.cache_read, c.cache_write_5m + c.cache_write_1h, c.output, c.cost_nano, c.list_nano
      FROM calls c NOT INDEXED CROSS JOIN lines l ON l.id = c.line
      WHERE c.seq > ifnull((SELECT value FROM counters WHERE name = 'summed_seq'), 0)
        AND c.task IS NOT NULL AND c.settlement <> 'released' AND l.${inPeriod}
  )
  SELECT task, ${lineSums} FROM parts GROUP BY task`

/** The day of the oldest call that is kept, where older ones were removed. */
export const keptSince = `
  SELECT day FROM lines WHERE id = (SELECT line FROM calls ORDER BY seq LIMIT 1)
  AND EXISTS (SELECT 1 FROM counters WHERE name = 'folded_seq')`

/** Reads reports. All but the newest calls of a report by task come from sums, so that no period is too long. */
export class ReportReader {
  readonly #database: Database.Database
  readonly #charged: Database.Statement<[string | null], number>

  constructor(database: Database.Database) {
    this.#database = database
    this.#charged = database
      .prepare<[string | null], number>("SELECT charged_nano FROM task_orders WHERE scope = 'task' AND ref = ?")
      .pluck()
  }

  report({ by, mostRows, ...range }: ReportFilter): SpendReport {
    // One transaction: a commit of another process between two statements would make rows that do not add up.
    return this.#database.transaction((): SpendReport => {
      const totals = this.#totals(range)
      const groups = (by === 'task' ? this.#tasks(range, totals) : this.#groups(nameOf[by], range))
        .filter((group) => group[calls] !== 0)
        .sort(by === 'day' ? byName : byCost)
      return {
        rows: groups.slice(0, mostRows).map(([name, ...own]) => ({
          name,
          sums: sumsFrom(own),
          chargedNanoEur: by === 'task' ? soundCount(this.#charged.get(name) ?? 0) : 0,
        })),
        omittedRows: Math.max(0, groups.length - mostRows),
        totals: sumsFrom(totals),
        callsKeptSince: this.#database.prepare<[], string>(keptSince).pluck().get() ?? null,
      }
    })()
  }

  #totals({ fromDay, toDay }: Range): SumColumns {
    const statement = this.#database.prepare<[object], SumColumns>(`SELECT ${totalSums} FROM lines WHERE ${inPeriod}`)
    return statement.raw().get({ fromDay, toDay }) ?? [0, 0, 0, 0, 0, 0, 0, 0]
  }

  #groups(name: string, range: Range): Group[] {
    return this.#database
      .prepare<[Range], Group>(`SELECT ${name}, ${lineSums} FROM lines WHERE ${inPeriod} GROUP BY 1`)
      .raw()
      .all(range)
  }

  /** The tasks, and what is left of the totals: calls without a task. */
  #tasks(range: Range, totals: SumColumns): Group[] {
    const tasks = this.#database.prepare<[Range], Group>(taskSums).raw().all(range)
    const rest = totals.map((total, at) => tasks.reduce((left, task) => left - Number(task[at + calls]), total))
    return [...tasks, [null, ...(rest as unknown as SumColumns)]]
  }
}

/** Sums from raw columns. Throws UnsoundSum. */
export function sumsFrom(columns: SumColumns): SpendSums {
  const [calls, unpricedCalls, input, cacheRead, cacheWrite, output, nanoEur, listNanoEur] = columns
  return {
    calls: soundCount(calls),
    unpricedCalls: soundCount(unpricedCalls),
    input: soundCount(input),
    cacheRead: soundCount(cacheRead),
    cacheWrite: soundCount(cacheWrite),
    output: soundCount(output),
    nanoEur: soundCount(nanoEur),
    listNanoEur: soundCount(listNanoEur),
  }
}

function byName([left]: Group, [right]: Group): number {
  return (left ?? '') < (right ?? '') ? -1 : 1
}

function byCost(left: Group, right: Group): number {
  return (
    right[nanoEur] - left[nanoEur] ||
    right[listNanoEur] - left[listNanoEur] ||
    right[calls] - left[calls] ||
    byName(left, right)
  )
}
