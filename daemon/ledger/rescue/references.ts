import type Database from 'better-sqlite3'
import type { Config } from '../../../shared/config.ts'
import { scopesOfCall } from '../../budget/scopes.ts'
import { dayKey } from '../../budget/windows.ts'
import type { ScopeRef } from '../ledger.ts'
import { idsFromMembers } from '../nameBook.ts'

/** What is filled in where a name is lost. */
export type Names = Pick<Config, 'tenant' | 'user' | 'timezone' | 'currency' | 'budgets'>

/** Calls that got a new line or new windows. */
export interface MendedReferences {
  readonly lines: number
  readonly windows: number
}

/** Stands for a name that is lost. */
const unknown = 'unknown'

interface Nameless {
  readonly seq: number
  readonly received_at_ms: number
  readonly members: string | null
  readonly response_model: string | null
}

/**
 * Gives calls whose line, windows or owner are lost new ones, so that what they cost is in the sums again. Day, user and
 * project are taken from their windows where those are left, else the day from the time of the call and the user from the
 * configuration. Inside a transaction without foreign keys.
 */
export function mendReferences(database: Database.Database, names: Names): MendedReferences {
  database.exec(
    "INSERT OR IGNORE INTO owners (id, epoch) SELECT DISTINCT owner, 'lost-' || owner FROM calls WHERE owner NOT IN (SELECT id FROM owners)",
  )
  const lines = mendLines(database, names)
  database.exec('DELETE FROM task_lines WHERE line NOT IN (SELECT id FROM lines)')
  return { lines, windows: mendWindows(database, names) }
}

function mendLines(database: Database.Database, names: Names): number {
  const calls = database
    .prepare<[], Nameless>(
      `SELECT c.seq, c.received_at_ms, s.members, c.response_model FROM calls c LEFT JOIN scope_sets s ON s.id = c.scopes
       WHERE NOT EXISTS (SELECT 1 FROM lines l WHERE l.id = c.line)`,
    )
    .all()
  const update = database.prepare<[number, number]>('UPDATE calls SET line = ? WHERE seq = ?')
  const known = new Map<string, number>()
  for (const call of calls) {
    const columns = lineOf(database, call, names)
    const key = JSON.stringify(columns)
    const line = known.get(key) ?? insertLine(database, columns)
    known.set(key, line)
    update.run(line, call.seq)
  }
  return calls.length
}

type LineColumns = Readonly<Record<string, string | number | null>>

function lineOf(database: Database.Database, call: Nameless, names: Names): LineColumns {
  const windows = idsFromMembers(call.members ?? '').flatMap((id) => scopeById(database, id) ?? [])
  const user = windows.find(({ scope }) => scope === 'user')
  const project = windows.find(({ scope }) => scope === 'project')
  const daily = windows.find(({ window }) => window === 'day')
  const day = daily?.period ?? dayKey(call.received_at_ms, names.timezone)
  // A user's window is named `tenant/user`, and a tenant has no slash in its name.
  const slash = user?.ref.indexOf('/') ?? -1
  return {
    day,
    month: day.slice(0, 7),
    tenant: user === undefined || slash === -1 ? names.tenant : user.ref.slice(0, slash),
    user: user === undefined || slash === -1 ? names.user : user.ref.slice(slash + 1),
    project: project?.ref ?? null,
    client: unknown,
    key_id: unknown,
    upstream: unknown,
    dialect: unknown,
    model: call.response_model ?? unknown,
    usd_rate: names.currency.usdRate,
    rate_as_of: names.currency.asOf,
    priced: 1,
  }
}

function insertLine(database: Database.Database, columns: LineColumns): number {
  const places = Object.keys(columns).map((name) => `@${name}`)
  const sql = `INSERT INTO lines (${Object.keys(columns).join(', ')}) VALUES (${places.join(', ')})`
  return Number(database.prepare(sql).run(columns).lastInsertRowid)
}

interface Windowless {
  readonly line: number
  readonly task: string | null
  readonly scopes: number
  readonly members: string | null
}

/** A set whose own row is lost, or that names a window which is lost, is made anew for each line and task. */
function mendWindows(database: Database.Database, names: Names): number {
  const groups = database
    .prepare<[string], Windowless>(
      `SELECT DISTINCT c.line, c.task, c.scopes, s.members FROM calls c LEFT JOIN scope_sets s ON s.id = c.scopes
       WHERE s.id IS NULL OR s.id IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(brokenSets(database)))
  const update = database.prepare<[number, number, string | null, number]>(
    'UPDATE calls SET scopes = ? WHERE line = ? AND task IS ? AND scopes = ?',
  )
  let calls = 0
  for (const { line, task, scopes, members } of groups) {
    const left = [...new Set(idsFromMembers(members ?? ''))].filter((id) => scopeById(database, id) !== null)
    calls += update.run(scopeSetOf(database, line, task, names, left), line, task, scopes).changes
  }
  return calls
}

const windowList = /^\d+(,\d+)*$/

/** Sets that are no list of windows, name one twice, or name one that is not there. */
export function brokenSets(database: Database.Database): readonly number[] {
  const windows = new Set(database.prepare<[], number>('SELECT id FROM windows').pluck().all())
  const sets = database.prepare<[], { id: number; members: string }>('SELECT id, members FROM scope_sets').all()
  return sets
    .filter(({ members }) => {
      const ids = idsFromMembers(members)
      return !windowList.test(members) || new Set(ids).size < ids.length || !ids.every((id) => windows.has(id))
    })
    .map(({ id }) => id)
}

interface LineNames {
  readonly day: string
  readonly month: string
  readonly tenant: string
  readonly user: string
  readonly project: string | null
  readonly model: string
}

/** Number of the set with the windows that the calls of a line and task are charged to, made where it is not there. */
export function scopeSetOf(
  database: Database.Database,
  line: number,
  task: string | null,
  names: Names,
  more: readonly number[] = [],
): number {
  const found = database
    .prepare<[number], LineNames>('SELECT day, month, tenant, user, project, model FROM lines WHERE id = ?')
    .get(line)
  if (found === undefined) throw new Error(`line ${line} is not there`)
  const { model, day, month } = found
  const scopes = scopesOfCall(found, model, task, { day, month }, names.budgets, new Map())
  const ids = [...new Set([...scopes.map((scope) => windowOf(database, scope)), ...more])]
  const members = ids.join(',')
  database.prepare<[string]>('INSERT OR IGNORE INTO scope_sets (members) VALUES (?)').run(members)
  return database.prepare<[string], number>('SELECT id FROM scope_sets WHERE members = ?').pluck().get(members) ?? 0
}

function windowOf(database: Database.Database, { period, scope, ref, window }: ScopeRef): number {
  const key = [period, scope, ref, window]
  database.prepare('INSERT OR IGNORE INTO windows (period, scope, ref, window) VALUES (?, ?, ?, ?)').run(...key)
  const find = 'SELECT id FROM windows WHERE period = ? AND scope = ? AND ref = ? AND window = ?'
  return (
    database
      .prepare<string[], number>(find)
      .pluck()
      .get(...key) ?? 0
  )
}

function scopeById(database: Database.Database, id: number): ScopeRef | null {
  const find = 'SELECT scope, ref, window, period FROM windows WHERE id = ?'
  return database.prepare<[number], ScopeRef>(find).get(id) ?? null
}
