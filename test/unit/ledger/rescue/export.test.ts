import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { parse } from 'csv-parse/sync'
import { openLedgerDatabase } from '../../../../daemon/ledger/database.ts'
import { backupLedger, FileExists } from '../../../../daemon/ledger/rescue/backup.ts'
import { exportColumns, writeExport } from '../../../../daemon/ledger/rescue/exportCalls.ts'
import { salvageCalls, withCalls } from '../../../../daemon/ledger/rescue/readCalls.ts'
import { openLedger, sampleAsk, sampleSettlement, temporaryFolder, userDay } from '../sample.ts'
import { filledLedger, pagesOf, query, tamper, wipePages } from './damage.ts'

describe('what can be taken out of a ledger', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let path: string
  let target: string

  beforeEach(async () => {
    folder = temporaryFolder()
    path = join(folder.path, 'ledger.db')
    await filledLedger(path, 150, 1)
  })

  afterEach(() => folder.remove())

  describe('an export', () => {
    beforeEach(() => (target = join(folder.path, 'calls.jsonl')))

    const lines = (): readonly Readonly<Record<string, unknown>>[] =>
      readFileSync(target, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)

    it('has every call with every name and figure, for its owner only', () => {
      assert.equal(
        withCalls({ path }, (rows) => writeExport(target, 'jsonl', rows)),
        151,
      )
      assert.equal(statSync(target).mode & 0o777, 0o600)
      const [first] = lines()
      assert.deepEqual(
        Object.keys(first!),
        exportColumns.map(({ name }) => name),
      )
      const { time, day, tenant, model, eur, input, output, stream, settlement, warnings, usdRate } = first!
      assert.match(String(time), /^2026-11-30T12:\d\d:\d\d\.\d{3}Z$/)
      assert.deepEqual(
        { day, tenant, model, eur, input, output, stream, settlement, warnings, usdRate },
        {
          day: '2026-11-30',
          tenant: 'acme',
          model: 'model-0',
          eur: 0.0000012,
          input: 90,
          output: 30,
          stream: true,
          settlement: 'exact',
          warnings: [],
          usdRate: 0.92,
        },
      )
      assert.equal(lines().at(-1)!['settlement'], null)
    })

    it('is a CSV that a reader understands, and no spreadsheet takes for a formula', async () => {
      const ledger = openLedger(path, 'again')
      const names = { model: '=1+1', project: 'a "quoted", one', session: 'two\nlines' }
      const ask = sampleAsk({ row: names })
      await ledger.reserve(ask)
      ledger.settle(sampleSettlement(ask.callId, { warnings: ['one', 'two'] }))
      ledger.close()
      target = join(folder.path, 'calls.csv')
      withCalls({ path }, (rows) => writeExport(target, 'csv', rows))
      const rows: Record<string, string>[] = parse(readFileSync(target), { columns: true })
      assert.equal(rows.length, 152)
      const { model, project, session, warnings, eur } = rows.at(-1)!
      assert.deepEqual(
        [model, project, session, warnings, eur],
        ["'=1+1", names.project, names.session, 'one two', '0.0000012'],
      )
    })

    it('has no amount for calls whose price nobody knows, and a 0 for those that cost nothing', async () => {
      const ledger = openLedger(path, 'again')
      for (const [priced, settlement, costNanoEur] of [
        [false, 'exact', 0],
        [false, 'released', 0],
        [false, 'exact', 1200],
        [true, 'exact', 0],
      ] as const) {
        const ask = sampleAsk({ row: { priced } })
        await ledger.reserve(ask)
        ledger.settle(sampleSettlement(ask.callId, { settlement, costNanoEur }))
      }
      ledger.close()
      withCalls({ path }, (rows) => writeExport(target, 'jsonl', rows))
      const amounts = [null, 0, 0.0000012, 0]
      assert.deepEqual(
        lines()
          .slice(-4)
          .map(({ eur, priced }) => [eur, priced]),
        amounts.map((eur, at) => [eur, at === 3]),
      )
      const table = join(folder.path, 'calls.csv')
      withCalls({ path }, (rows) => writeExport(table, 'csv', rows))
      const rows: Record<string, string>[] = parse(readFileSync(table), { columns: true })
      assert.deepEqual(
        rows.slice(-4).map(({ eur, listPriceEur }) => [eur, listPriceEur]),
        [
          ['', ''],
          ['0', '0'],
          ['0.0000012', ''],
          ['0', '0'],
        ],
      )
    })

    it('never takes the place of a file, and leaves none where it fails', () => {
      writeFileSync(target, 'mine')
      assert.throws(() => withCalls({ path }, (rows) => writeExport(target, 'jsonl', rows)), FileExists)
      assert.equal(readFileSync(target, 'utf8'), 'mine')
      const failing = function* () {
        yield { id: 'one' }
        throw new Error('unreadable')
      }
      const other = join(folder.path, 'other.jsonl')
      assert.throws(() => writeExport(other, 'jsonl', failing()), /unreadable/)
      assert.deepEqual(
        readdirSync(folder.path).filter((name) => name.startsWith('other')),
        [],
      )
    })

    it('M08: of a damaged ledger has every call of the pages that are left, and says how many are missing', () => {
      const whole = query(path, 'SELECT id FROM calls').map(({ id }) => id)
      wipePages(path, pagesOf(path, 'calls').slice(2, 4))
      const { result, unread } = salvageCalls({ path }, (rows) => writeExport(target, 'jsonl', rows))
      const ids = lines().map(({ id }) => id)
      assert.equal(result, ids.length)
      assert.ok(ids.length > 80 && ids.every((id) => whole.includes(id)) && new Set(ids).size === ids.length)
      assert.deepEqual(unread, { pages: 2, rows: 0, calls: 151 - ids.length })
      assert.ok(
        lines().every(({ day, user, eur }) => day === '2026-11-30' && user === 'ada' && typeof eur === 'number'),
      )
    })

    it('of a newer schema has the columns that are there', () => {
      tamper(
        path,
        'ALTER TABLE calls DROP COLUMN reasoning; ALTER TABLE calls ADD COLUMN mood TEXT; PRAGMA user_version = 900',
      )
      const before = readFileSync(path)
      assert.equal(
        withCalls({ path }, (rows) => writeExport(target, 'jsonl', rows)),
        151,
      )
      assert.ok(!('reasoning' in lines()[0]!) && lines()[0]!['output'] === 30)
      assert.ok(readFileSync(path).equals(before))
    })
  })

  describe('a backup', () => {
    beforeEach(() => (target = join(folder.path, 'copy.db')))

    it('opens and holds the same, for its owner only', async () => {
      assert.equal(await backupLedger({ path }, target), 'online')
      assert.equal(statSync(target).mode & 0o777, 0o600)
      for (const table of ['calls', 'lines', 'windows', 'scope_sets', 'owners']) {
        assert.deepEqual(query(target, `SELECT * FROM ${table}`), query(path, `SELECT * FROM ${table}`), table)
      }
      const copy = openLedger(target, 'copy')
      assert.deepEqual(copy.check(), [])
      copy.close()
    })

    it('M01: is of one moment while another process writes, and has what lies in the journal', async () => {
      const database = openLedgerDatabase({ path })
      const add = database.prepare("UPDATE windows SET spent_nano = spent_nano + 1 WHERE scope = 'user'")
      add.run()
      const ledger = openLedger(path, 'other')
      const expected = ledger.totals(userDay).spentNanoEur
      const copied = backupLedger({ path }, target)
      const writing = setInterval(() => void add.run(), 0)
      await copied
      clearInterval(writing)
      ledger.close()
      database.close()
      const copy = new Database(target, { readonly: true })
      const spent = copy.prepare<[], number>("SELECT spent_nano FROM windows WHERE scope = 'user'").pluck().get()
      assert.deepEqual(copy.pragma('integrity_check', { simple: true }), 'ok')
      assert.ok(spent !== undefined && spent >= expected)
      copy.close()
    })

    it('never takes the place of a file', async () => {
      writeFileSync(target, 'mine')
      await assert.rejects(backupLedger({ path }, target), FileExists)
      assert.equal(readFileSync(target, 'utf8'), 'mine')
      assert.deepEqual(
        readdirSync(folder.path).filter((name) => name.endsWith('.new')),
        [],
      )
    })

    it('M08: of a damaged ledger is its bytes', async () => {
      truncateSync(path, 30_000)
      const bytes = readFileSync(path)
      assert.equal(await backupLedger({ path }, target), 'bytes')
      assert.ok(readFileSync(target).equals(bytes))
      assert.equal(statSync(target).mode & 0o777, 0o600)
    })
  })
})
