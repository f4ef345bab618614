import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import type { Ledger } from '../../../../daemon/ledger/ledger.ts'
import { LedgerUnavailable } from '../../../../daemon/ledger/ledger.ts'
import { examineLedger } from '../../../../daemon/ledger/rescue/examine.ts'
import { repairLedger, type RepairReport } from '../../../../daemon/ledger/rescue/repair.ts'
import { noonMs, openLedger, sampleAsk, sampleSettlement, temporaryFolder, userDay } from '../sample.ts'
import {
  asIfKilled,
  fill,
  filledLedger,
  force,
  keepUp,
  pagesOf,
  patch,
  query,
  standIns,
  tamper,
  wipePages,
} from './damage.ts'

const month = { scope: 'tenant', ref: 'acme', window: 'month', period: '2026-11' } as const

describe('the repair of a ledger', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let path: string

  beforeEach(() => {
    folder = temporaryFolder()
    path = join(folder.path, 'ledger.db')
  })

  afterEach(() => folder.remove())

  const repair = (): Promise<RepairReport> => repairLedger({ path, names: standIns, nowMs: noonMs })

  /** Nothing is wrong with it, and the daemon takes it. */
  function withSound<Result>(use: (ledger: Ledger) => Result): Result {
    const { findings } = examineLedger({ path, isRunning: false })
    assert.deepEqual(findings, [])
    const ledger = openLedger(path, 'after')
    try {
      assert.deepEqual(ledger.check(), [])
      return use(ledger)
    } finally {
      ledger.close()
    }
  }

  const spent = (): number => withSound((ledger) => ledger.totals(userDay).spentNanoEur)

  describe('whose file is sound', () => {
    it('A09: sets windows, lines and tasks to the sum of their calls, and keeps the file as it was beside it', async () => {
      await filledLedger(path, 40, 2)
      keepUp(path, null)
      const [before, tasks] = [query(path, 'SELECT * FROM lines'), query(path, 'SELECT * FROM task_lines')]
      tamper(
        path,
        `UPDATE windows SET spent_nano = 1 WHERE scope = 'user'; UPDATE windows SET reserved_tokens = 0;
         UPDATE lines SET spent_nano = spent_nano + 7, input = 0, calls = 3; DELETE FROM task_lines`,
      )
      const { backup, rebuilt, mended } = await repair()
      assert.equal(rebuilt, null)
      assert.equal(mended.lines, 2)
      const user = mended.windows.find(({ scope }) => scope.scope === 'user')
      assert.deepEqual([user?.before.spentNanoEur, user?.after.spentNanoEur], [1, 40 * 1200])
      assert.equal(spent(), 40 * 1200)
      assert.deepEqual(query(path, 'SELECT * FROM lines'), before)
      assert.equal(tasks.length, 6)
      assert.deepEqual(query(path, 'SELECT * FROM task_lines'), tasks)
      assert.match(backup, /ledger-2026-11-30-120000\.backup\.db$/)
      assert.equal(query(backup, "SELECT spent_nano FROM windows WHERE scope = 'user'")[0]?.['spent_nano'], 1)
      assert.equal(statSync(backup).mode & 0o777, 0o600)
    })

    it('changes nothing where nothing is wrong, and still makes the backup', async () => {
      await filledLedger(path, 10)
      const rows = (): unknown => ['calls', 'lines', 'windows'].map((table) => query(path, `SELECT * FROM ${table}`))
      const before = rows()
      const { backup, mended } = await repair()
      assert.deepEqual(rows(), before)
      assert.deepEqual([mended.lines, mended.windows, mended.figures.calls], [0, [], 0])
      assert.ok(existsSync(backup))
      assert.notEqual((await repair()).backup, backup, 'a backup of the same second gets a name of its own')
    })

    for (const [name, figure] of [
      ['negative', 'cost_nano = -5'],
      ['not a number', "cost_nano = 'NaN'"],
      ['a fraction', 'output = 0.5'],
      ['beyond what a sum can hold', 'cost_nano = 9007199254740992'],
    ] as const) {
      it(`M08: charges a call whose figure is ${name} with what was reserved for it, never with 0`, async () => {
        await filledLedger(path, 10)
        force(path, 'calls', `${figure} WHERE seq = (SELECT max(seq) FROM calls)`)
        const { mended } = await repair()
        assert.equal(mended.figures.calls, 1)
        assert.equal(spent(), 9 * 1200 + 2000)
      })
    }

    it('M08: adds a window up anew whose sum is not a number', async () => {
      await filledLedger(path, 10)
      force(path, 'windows', "spent_nano = 'NaN', reserved_tokens = -1 WHERE scope = 'user'")
      const { mended } = await repair()
      assert.equal(mended.figures.sums, 1)
      assert.equal(spent(), 10 * 1200)
    })

    it('counts calls again whose line, windows or daemon are lost', async () => {
      await filledLedger(path, 12, 1)
      tamper(path, 'DELETE FROM lines; DELETE FROM scope_sets WHERE id = 1; DELETE FROM owners')
      const { mended } = await repair()
      assert.deepEqual(mended.references.lines, 13)
      assert.ok(mended.references.windows > 0)
      withSound((ledger) => {
        // Those whose windows are left belong to whom they belonged.
        const own = ledger.totals(userDay)
        const standIn = ledger.totals({ ...userDay, ref: 'general/me' })
        assert.equal(own.spentNanoEur + standIn.spentNanoEur, 12 * 1200)
        assert.ok(own.spentNanoEur > 0 && standIn.spentNanoEur > 0)
      })
    })

    it('leaves what retention keeps of the calls that it removed', async () => {
      const old = noonMs - 40 * 86_400_000
      await filledLedger(path, 30, 0, { receivedAtMs: old, day: '2026-10-21', month: '2026-10' })
      await filledLedger(path, 10)
      keepUp(path, noonMs - 86_400_000)
      assert.equal(query(path, 'SELECT * FROM calls').length, 10)
      const rows = (table: string) => query(path, `SELECT * FROM ${table}`)
      const [lines, windows, tasks] = [rows('lines'), rows('windows'), rows('task_lines')]
      tamper(path, 'UPDATE lines SET spent_nano = 0, output = 1; UPDATE windows SET spent_nano = 3, spent_tokens = 0')
      await repair()
      assert.deepEqual([rows('windows'), rows('task_lines')], [windows, tasks])
      const isKept = ({ day }: Readonly<Record<string, unknown>>): boolean => day !== '2026-10-21'
      assert.deepEqual(rows('lines').filter(isKept), lines.filter(isKept))
      // How the tokens of removed calls were split is known only to the line.
      const tokens = "SELECT sum(input + cache_read + cache_write + output) AS sum FROM lines WHERE day = '2026-10-21'"
      assert.equal(query(path, tokens)[0]!['sum'], 30 * 120)
      withSound((ledger) => assert.equal(ledger.totals({ ...userDay, period: '2026-10-21' }).spentNanoEur, 30 * 1200))
    })

    it('counts calls in windows again that are lost themselves', async () => {
      await filledLedger(path, 12)
      tamper(path, "DELETE FROM windows WHERE window = 'day'")
      await repair()
      withSound((ledger) => {
        assert.equal(ledger.totals(userDay).spentNanoEur, 12 * 1200)
        assert.equal(ledger.totals(month).spentNanoEur, 12 * 1200)
      })
    })
  })

  describe('whose file is damaged', () => {
    /** Two hundred calls on a dozen pages. */
    async function damagedLedger(damage: () => void): Promise<Buffer> {
      await filledLedger(path, 200, 3)
      damage()
      return readFileSync(path)
    }

    it('M08: keeps what the calls of a lost page cost, as one row for each line', async () => {
      const bytes = await damagedLedger(() => wipePages(path, pagesOf(path, 'calls').slice(3, 5)))
      const { backup, rebuilt, mended } = await repair()
      assert.ok(readFileSync(backup).equals(bytes), 'the damaged file is kept')
      assert.match(backup, /ledger-2026-11-30-120000\.damaged\.db$/)
      assert.equal(rebuilt?.losses.pages, 2)
      assert.ok(mended.restored.calls > 10)
      assert.equal(mended.restored.nanoEur, mended.restored.calls * 1200)
      assert.equal((rebuilt.rows.get('calls') ?? 0) + mended.restored.calls, 203)
      withSound((ledger) => {
        assert.equal(ledger.totals(userDay).spentNanoEur, 200 * 1200)
        assert.equal(ledger.totals(userDay).spentTokens, 200 * 120)
        assert.equal(ledger.totals(month).spentNanoEur, 200 * 1200)
        assert.equal(ledger.summary({ window: 'day', period: '2026-11-30' }).calls, 200)
        assert.equal(ledger.settleOrphans(noonMs).calls, 3)
      })
    })

    it('M08: reads the calls of pages whose way from the root is lost', async () => {
      await damagedLedger(() => wipePages(path, pagesOf(path, 'calls', 'internal')))
      const { rebuilt, mended } = await repair()
      assert.equal(rebuilt?.rows.get('calls'), 203)
      assert.equal(mended.restored.calls, 0)
      assert.equal(spent(), 200 * 1200)
    })

    it('M08: reads everything but the first page of a file whose first page is lost', async () => {
      await damagedLedger(() => wipePages(path, [1]))
      const { rebuilt } = await repair()
      assert.equal(rebuilt?.rows.get('calls'), 203)
      assert.equal(spent(), 200 * 1200)
    })

    it('M08: reads what is left of a file that was cut', async () => {
      await damagedLedger(() => truncateSync(path, Math.floor((statSync(path).size * 0.8) / 2048) * 2048 + 100))
      const { rebuilt, mended } = await repair()
      const read = rebuilt?.rows.get('calls') ?? 0
      assert.ok(read > 0 && read < 203, String(read))
      assert.equal(spent(), 200 * 1200)
      const ofCalls = query(path, 'SELECT sum(cost_nano) AS sum FROM calls WHERE warnings IS NULL')[0]!['sum']
      assert.equal(mended.restored.nanoEur, 200 * 1200 - Number(ofCalls))
    })

    it('M08: builds an empty ledger from bytes that hold nothing, and says that nothing could be read', async () => {
      writeFileSync(path, randomBytes(20_000))
      const { rebuilt, backup } = await repair()
      assert.equal(rebuilt?.rows.size, 0)
      assert.equal(statSync(backup).size, 20_000)
      assert.equal(spent(), 0)
    })

    it('M08: reads what the journal of a killed daemon still holds, and says how much of it is lost', async () => {
      const live = join(folder.path, 'live', 'ledger.db')
      const { path: other } = folder
      path = join(other, 'live.db')
      const ledger = openLedger(path)
      await fill(ledger, 50)
      asIfKilled(path, live)
      ledger.close()
      path = live
      const frames = Math.floor((statSync(`${live}-wal`).size - 32) / 2072)
      truncateSync(`${live}-wal`, 32 + 2072 * Math.floor(frames / 2))
      assert.deepEqual(
        examineLedger({ path, isRunning: false }).findings.map(({ kind }) => kind),
        ['journal'],
      )
      const { rebuilt, backup } = await repair()
      assert.ok((rebuilt?.journal?.foundFrames ?? 0) > 0)
      assert.ok((rebuilt?.journal?.foundFrames ?? 0) < (rebuilt?.journal?.committedFrames ?? 0))
      assert.ok(existsSync(`${backup}-wal`) && existsSync(`${backup}-shm`))
      const left = spent()
      assert.ok(left > 0 && left < 50 * 1200, String(left))
    })

    it('goes on with new calls afterwards', async () => {
      await damagedLedger(() => wipePages(path, pagesOf(path, 'calls').slice(0, 1)))
      await repair()
      const ledger = openLedger(path, 'after')
      const ask = sampleAsk()
      await ledger.reserve(ask)
      ledger.settle(sampleSettlement(ask.callId))
      assert.equal(ledger.totals(userDay).spentNanoEur, 201 * 1200)
      ledger.close()
    })

    it('is brought to its end where it was interrupted between emptying the old file and naming the new one', async () => {
      await damagedLedger(() => wipePages(path, pagesOf(path, 'calls').slice(0, 1)))
      await repair()
      renameSync(path, `${path}.repaired`)
      writeFileSync(path, '')
      assert.throws(() => openLedger(path), LedgerUnavailable, 'until then it is refused')
      assert.equal((await repair()).wasInterrupted, true)
      assert.equal(spent(), 200 * 1200)
    })
  })

  describe('that is none to be repaired', () => {
    async function isRefused(says: RegExp): Promise<void> {
      const [before, names] = [readFileSync(path), readdirSync(folder.path)]
      await assert.rejects(repair(), (fault) => fault instanceof LedgerUnavailable && says.test(fault.message))
      assert.ok(readFileSync(path).equals(before))
      assert.deepEqual(
        readdirSync(folder.path).filter((name) => !/-(wal|shm)$/.test(name)),
        names.filter((name) => !/-(wal|shm)$/.test(name)),
      )
    }

    it('M08: is refused for a schema from the future, and the file is not changed', async () => {
      await filledLedger(path, 3)
      tamper(path, 'PRAGMA user_version = 900')
      await isRefused(/newer version of Tollgate \(schema 900/)
    })

    it('is refused for another program’s database', async () => {
      const other = new Database(path)
      other.exec('CREATE TABLE notes (text)')
      other.close()
      await isRefused(/not a ledger of Tollgate/)
    })

    it('is refused where there is no ledger', async () => {
      await assert.rejects(repair(), /There is no ledger/)
      assert.deepEqual(readdirSync(folder.path), [])
    })

    it('leaves everything as it was where it fails', async () => {
      await filledLedger(path, 20)
      patch(path, (bytes) => bytes.fill(0xa5, 2048, 4096))
      const before = readFileSync(path)
      // The name that the new file needs is taken by a folder.
      mkdirSync(join(folder.path, 'ledger.db.repaired', 'x'), { recursive: true })
      await assert.rejects(repair())
      assert.ok(readFileSync(path).equals(before))
    })

    it('M08: ends with a ledger that adds up, or a refusal, whatever bytes of the file changed', async () => {
      await filledLedger(path, 60, 2)
      const whole = readFileSync(path)
      const spots = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.uint8Array({ minLength: 1, maxLength: 300 })), {
        minLength: 1,
        maxLength: 4,
      })
      await fc.assert(
        fc.asyncProperty(spots, async (changes) => {
          const bytes = Buffer.from(whole)
          for (const [at, change] of changes) bytes.set(change.subarray(0, bytes.length - at), at)
          for (const name of readdirSync(folder.path)) rmSync(join(folder.path, name), { recursive: true })
          writeFileSync(path, bytes)
          try {
            await repair()
          } catch (fault) {
            assert.ok(fault instanceof LedgerUnavailable, String(fault))
            assert.ok(readFileSync(path).equals(bytes))
            return
          }
          const ledger = openLedger(path, 'after')
          assert.deepEqual(ledger.check(), [])
          ledger.close()
        }),
        { numRuns: 60 },
      )
    })
  })
})
