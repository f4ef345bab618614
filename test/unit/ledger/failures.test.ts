import assert from 'node:assert/strict'
import Database from 'better-sqlite3'
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLedgerDatabase } from '../../../daemon/ledger/database.ts'
import { LedgerUnavailable, type Ledger } from '../../../daemon/ledger/ledger.ts'
import { ledgerOn } from '../../../daemon/ledger/sqlite.ts'
import { noonMs, openLedger, sampleAsk, sampleScopes, sampleSettlement, temporaryFolder, userDay } from './sample.ts'

describe('a ledger that cannot be used', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let path: string

  beforeEach(() => {
    folder = temporaryFolder()
    path = join(folder.path, 'ledger.db')
  })

  afterEach(() => folder.remove())

  /** Fills a ledger of some pages and closes it. */
  async function filledLedger(): Promise<void> {
    const ledger = openLedger(path)
    const asks = Array.from({ length: 200 }, () => sampleAsk())
    await Promise.all(asks.map((ask) => ledger.reserve(ask)))
    for (const ask of asks) ledger.settle(sampleSettlement(ask.callId))
    ledger.close()
  }

  function assertUntouchedRefusal(pattern: RegExp): void {
    const before = readFileSync(path)
    assert.throws(
      () => openLedger(path),
      (fault) => fault instanceof LedgerUnavailable && pattern.test(fault.message),
    )
    assert.ok(readFileSync(path).equals(before), 'the file was changed')
  }

  describe('at the start', () => {
    it('M08: refuses a file that was cut short and leaves it untouched', async () => {
      await filledLedger()
      truncateSync(path, Math.floor(statSync(path).size / 2))
      assertUntouchedRefusal(/damaged/)
    })

    it('M08: refuses a file that is empty', () => {
      writeFileSync(path, '')
      assertUntouchedRefusal(/empty/)
    })

    it('M08: refuses a file that is no database', () => {
      writeFileSync(path, randomBytes(8192))
      assertUntouchedRefusal(/damaged/)
    })

    it('M08: refuses a database that is no ledger', () => {
      const other = new Database(path)
      other.exec('CREATE TABLE notes (text)')
      other.close()
      assertUntouchedRefusal(/not a ledger/)
    })

    it('M08: refuses a schema from the future', async () => {
      await filledLedger()
      const newer = new Database(path)
      newer.pragma('user_version = 99')
      newer.close()
      assertUntouchedRefusal(/newer version/)
    })

    it('M08: refuses to make a new ledger where only the journal of an old one is left', () => {
      writeFileSync(`${path}-wal`, 'journal')
      assert.throws(() => openLedger(path), LedgerUnavailable)
      assert.equal(readFileSync(`${path}-wal`, 'utf8'), 'journal')
    })

    it('refuses a folder that is not there', () => {
      assert.throws(() => openLedger(join(folder.path, 'missing', 'ledger.db')), LedgerUnavailable)
    })
  })

  describe('while it runs', () => {
    let database: Database.Database
    let ledger: Ledger
    let lines: string[]

    beforeEach(() => {
      lines = []
      database = openLedgerDatabase({ path })
      ledger = ledgerOn(database, { path, epoch: 'first', nowMs: () => noonMs, log: (line) => lines.push(line) })
    })

    afterEach(() => ledger.close())

    /** Lets the file grow no further, as a full disk would. */
    function fillDisk(): void {
      database.pragma(`max_page_count = ${String(database.pragma('page_count', { simple: true }))}`)
    }

    function freeDisk(): void {
      database.pragma('max_page_count = 1000000')
    }

    /** Reserves until the disk is full; resolves with the calls that were admitted before. */
    async function reserveUntilFull(): Promise<string[]> {
      const admitted: string[] = []
      for (let call = 0; call < 1000; call += 1) {
        const ask = sampleAsk({ row: { task: `a task with a rather long name, number ${call}` } })
        try {
          await ledger.reserve(ask)
          admitted.push(ask.callId)
        } catch (fault) {
          assert.ok(fault instanceof LedgerUnavailable)
          assert.match(fault.message, /full/)
          return admitted
        }
      }
      throw new Error('the disk was never full')
    }

    it('A08: refuses reservations while the disk is full, and admits again when it has room', async () => {
      fillDisk()
      const admitted = await reserveUntilFull()
      await assert.rejects(ledger.reserve(sampleAsk({ row: { task: 'x'.repeat(4000) } })), LedgerUnavailable)
      assert.equal(ledger.totals(userDay).reservedNanoEur, admitted.length * 2000)
      freeDisk()
      assert.equal((await ledger.reserve(sampleAsk())).kind, 'admitted')
      assert.equal(ledger.totals(userDay).reservedNanoEur, (admitted.length + 1) * 2000)
      assert.deepEqual(ledger.check(), [])
      assert.ok(lines.length > 0 && lines.some((line) => line.includes('full')))
    })

    it('A07: keeps a settlement that could not be written and writes it once', async () => {
      const ask = sampleAsk()
      await ledger.reserve(ask)
      database.pragma('query_only = ON')
      ledger.settle(sampleSettlement(ask.callId))
      assert.throws(() => ledger.flush(), LedgerUnavailable)
      assert.throws(() => ledger.summary({ window: 'day', period: '2026-11-30' }), LedgerUnavailable)
      await assert.rejects(ledger.reserve(sampleAsk()), LedgerUnavailable)
      database.pragma('query_only = OFF')
      assert.equal((await ledger.reserve(sampleAsk())).kind, 'admitted')
      assert.deepEqual(ledger.totals(userDay), {
        spentNanoEur: 1200,
        reservedNanoEur: 2000,
        spentTokens: 120,
        reservedTokens: 200,
      })
      assert.deepEqual(ledger.check(), [])
    })

    it('A07: writes it by itself when the file can be written again', async () => {
      const ask = sampleAsk()
      await ledger.reserve(ask)
      const settled = new Promise<string>((resolve) => ledger.onSettled(resolve))
      database.pragma('query_only = ON')
      ledger.settle(sampleSettlement(ask.callId))
      assert.throws(() => ledger.flush(), LedgerUnavailable)
      database.pragma('query_only = OFF')
      // The retry does not keep a process alive, so this timer does while it is awaited.
      const alive = setInterval(() => undefined, 1000)
      assert.equal(await settled, ask.callId)
      clearInterval(alive)
      assert.equal(ledger.totals(userDay).spentNanoEur, 1200)
    })

    it('A08: refuses reservations in a read-only ledger with a sentence that says what to do', async () => {
      database.pragma('query_only = ON')
      await assert.rejects(
        ledger.reserve(sampleAsk()),
        (fault) => fault instanceof LedgerUnavailable && /cannot be written\. Let this user/.test(fault.message),
      )
      database.pragma('query_only = OFF')
    })

    it('rejects exactly the reservations of the batch that failed', async () => {
      const before = await ledger.reserve(sampleAsk())
      database.pragma('query_only = ON')
      const failed = await Promise.allSettled([ledger.reserve(sampleAsk()), ledger.reserve(sampleAsk())])
      database.pragma('query_only = OFF')
      const after = await ledger.reserve(sampleAsk())
      assert.deepEqual(
        [before.kind, ...failed.map((answer) => answer.status), after.kind],
        ['admitted', 'rejected', 'rejected', 'admitted'],
      )
      assert.equal(ledger.calls({}).length, 2)
    })

    it('forgets numbers that a failed batch gave to new windows, lines and sets', async () => {
      database.exec(
        "CREATE TEMP TRIGGER broken BEFORE INSERT ON calls BEGIN SELECT raise(ABORT, 'broken for the test'); END",
      )
      await assert.rejects(ledger.reserve(sampleAsk()), LedgerUnavailable)
      database.exec('DROP TRIGGER broken')
      const ask = sampleAsk({ row: { model: 'another' } })
      await ledger.reserve(ask)
      assert.equal(ledger.calls({})[0]?.model, 'another')
      assert.equal(ledger.totals(userDay).reservedNanoEur, 2000)
      assert.deepEqual(ledger.check(), [])
    })

    it('M08: refuses to read a sum that is none, and never takes it for 0', async () => {
      await ledger.reserve(sampleAsk())
      database.prepare('UPDATE windows SET spent_nano = -1').run()
      const other = openLedger(path, 'second')
      assert.throws(() => other.totals(userDay), LedgerUnavailable)
      await assert.rejects(other.reserve(sampleAsk({ scopes: sampleScopes({ userEur: 100_000 }) })), LedgerUnavailable)
      other.close()
    })

    it('M08: refuses when a page in the middle of the file is damaged', async () => {
      ledger.close()
      await filledLedger()
      const pageBytes = 2048
      const bytes = readFileSync(path)
      for (let page = 1; page * pageBytes < bytes.length; page += 1) {
        bytes.fill(0xa5, page * pageBytes, page * pageBytes + 64)
      }
      writeFileSync(path, bytes)
      // The schema lies on the damaged pages or before them: either the start fails or the first reservation.
      await assert.rejects(async () => {
        const damaged = openLedger(path, 'second')
        try {
          await damaged.reserve(sampleAsk())
        } finally {
          damaged.close()
        }
      }, LedgerUnavailable)
    })

    it('answers nothing after it was closed', async () => {
      ledger.close()
      await assert.rejects(ledger.reserve(sampleAsk()), LedgerUnavailable)
      assert.throws(() => ledger.totals(userDay), LedgerUnavailable)
    })
  })
})
