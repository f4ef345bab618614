import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Ledger } from '../../../../daemon/ledger/ledger.ts'
import { migrations, schemaVersion } from '../../../../daemon/ledger/schema.ts'
import { examineLedger } from '../../../../daemon/ledger/rescue/examine.ts'
import type { Finding, FindingKind } from '../../../../daemon/ledger/rescue/findings.ts'
import { openLedger, sampleAsk, temporaryFolder } from '../sample.ts'
import { asIfKilled, fill, filledLedger, force, pagesOf, tamper, wipePages } from './damage.ts'

describe('a look into a ledger', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let path: string

  beforeEach(async () => {
    folder = temporaryFolder()
    path = join(folder.path, 'ledger.db')
    await filledLedger(path, 30, 2)
  })

  afterEach(() => folder.remove())

  const look = (isRunning = false): readonly Finding[] => examineLedger({ path, isRunning }).findings

  function finds(kind: FindingKind, example: RegExp | null, isRunning = false): void {
    const before = readFileSync(path)
    const findings = look(isRunning)
    const found = findings.find((finding) => finding.kind === kind)
    assert.ok(found !== undefined, JSON.stringify(findings))
    if (example !== null) assert.match([found.says, ...found.examples].join('\n'), example)
    assert.ok(readFileSync(path).equals(before), 'the file was changed')
  }

  it('finds nothing in a sound one, and counts what it holds', () => {
    assert.deepEqual(examineLedger({ path, isRunning: false }), {
      path,
      sizeBytes: readFileSync(path).length,
      schema: schemaVersion,
      knownSchema: schemaVersion,
      counts: { calls: 32, open: 2, orphaned: 0, windows: 6, lines: 2, firstDay: '2026-11-30', lastDay: '2026-11-30' },
      findings: [],
    })
  })

  it('A09: finds windows and lines that are not the sum of their calls', () => {
    tamper(
      path,
      "UPDATE windows SET spent_nano = spent_nano + 1 WHERE scope = 'user'; UPDATE lines SET output = 0 WHERE id = 1",
    )
    finds('sums', /^2 sums differ.*\nuser acme\/ada 2026-11-30: 0\.0000 and 3600 tokens \(\+ /)
  })

  for (const [name, table, change, example] of [
    ['a negative sum', 'windows', "spent_nano = -3 WHERE scope = 'user'", /windows row \d+: spent_nano = -3/],
    ['a text', 'windows', "spent_tokens = 'NaN' WHERE scope = 'user'", /windows row \d+: spent_tokens = 'NaN'/],
    [
      'a fraction',
      'calls',
      'cost_nano = 0.5 WHERE seq = (SELECT min(seq) FROM calls)',
      /calls row \d+: cost_nano = 0\.5/,
    ],
    [
      'a number that no sum can hold',
      'lines',
      'spent_nano = 9007199254740993 WHERE id = 1',
      /lines row 1: spent_nano = 9/,
    ],
  ] as const) {
    it(`M08: finds ${name}`, () => {
      force(path, table, change)
      finds('figures', example)
    })
  }

  it('A07: finds a call that is there twice', () => {
    tamper(
      path,
      'UPDATE calls SET id = (SELECT id FROM calls ORDER BY seq LIMIT 1) WHERE seq = (SELECT max(seq) FROM calls)',
    )
    finds('duplicates', /1 call id is there more than once.*\ncall-\d+-\d+: 2 rows/)
  })

  it('finds calls that refer to nothing', () => {
    tamper(path, 'DELETE FROM lines WHERE id = 2')
    finds('references', /^16 calls refer/)
    tamper(path, "DELETE FROM windows WHERE scope = 'tenant'")
    finds('references', /^32 calls refer/)
    tamper(path, "UPDATE scope_sets SET members = id || ',x'")
    finds('references', /^32 calls refer/)
  })

  it('finds a call that counts for another day than it came in on, but not one across midnight', () => {
    tamper(
      path,
      `UPDATE calls SET received_at_ms = ${Date.UTC(2026, 11, 1, 11)} WHERE seq = (SELECT min(seq) FROM calls)`,
    )
    assert.deepEqual(look(), [])
    tamper(
      path,
      `UPDATE calls SET received_at_ms = ${Date.UTC(2026, 11, 2, 1)} WHERE seq = (SELECT min(seq) FROM calls)`,
    )
    finds('days', /counts for 2026-11-30, came in at 2026-12-02T01:00:00Z/)
    assert.equal(look()[0]?.verdict, 'warn')
  })

  it('finds an open reservation of a dead daemon only where another one runs', () => {
    assert.deepEqual(look(true), [], 'the newest owner may have open ones')
    tamper(path, "INSERT INTO owners (epoch) VALUES ('next')")
    assert.deepEqual(look(false), [])
    finds('open_calls', /^2 reservations of daemons that are gone are still open/, true)
  })

  it('M08: finds a damaged page, and does not go on to the rows', () => {
    wipePages(path, pagesOf(path, 'calls').slice(0, 1))
    finds('structure', /is damaged/)
    assert.equal(examineLedger({ path, isRunning: false }).counts, null)
  })

  it('M08: finds a table that is not as the schema has it', () => {
    tamper(path, 'ALTER TABLE task_orders RENAME COLUMN stopped_by TO stopped_of')
    finds('structure', /its tables are not those of schema/)
    assert.throws(() => openLedger(path), /no such column: stopped_by.*tollgate doctor/)
  })

  it('M08: finds a file that is cut, empty, something else, or a folder', () => {
    truncateSync(path, 20_000)
    assert.match(
      look()
        .map(({ kind }) => kind)
        .join(),
      /structure|unreadable/,
    )
    truncateSync(path, 0)
    finds('unreadable', /is empty \(0 bytes\)\.$/)
    writeFileSync(path, 'x'.repeat(30_000))
    finds('unreadable', /is damaged\.$/)
    path = join(folder.path, 'a-folder')
    mkdirSync(path)
    assert.match(look()[0]!.says, /is a folder and no ledger\.$/)
  })

  it('tells a schema of the future from damage, and one of the past from both', () => {
    tamper(path, 'PRAGMA user_version = 900')
    finds('schema_newer', /schema 900, this one knows/)
    path = join(folder.path, 'old.db')
    const old = new Database(path)
    old.exec(migrations[0]!)
    old.pragma('user_version = 1')
    old.close()
    finds('schema_older', /has schema 1; the next start/)
  })

  it('tells that there is none yet from one whose journal is left', () => {
    path = join(folder.path, 'none.db')
    assert.deepEqual(
      look().map(({ kind }) => kind),
      ['missing'],
    )
    writeFileSync(`${path}-wal`, '')
    assert.deepEqual(
      look().map(({ kind }) => kind),
      ['unreadable'],
    )
  })

  it('M08: leaves the trace of a journal that was cut, however often it is looked at', async () => {
    const live: Ledger = openLedger(path, 'live')
    await fill(live, 10)
    const killed = join(folder.path, 'killed', 'ledger.db')
    asIfKilled(path, killed)
    live.close()
    path = killed
    truncateSync(`${path}-wal`, 0)
    finds('journal', /0 of \d+ pages are left/)
    finds('journal', /0 of \d+ pages are left/)
    assert.throws(() => openLedger(path), /journal .* is missing/)
  })

  it('M01: works beside a ledger that is written to, and leaves nothing there but the journal of the writer', async () => {
    const live = openLedger(path, 'live')
    const names = readdirSync(folder.path)
    for (let round = 0; round < 5; round += 1) {
      await live.reserve(sampleAsk())
      assert.deepEqual(look(), [])
    }
    assert.deepEqual(readdirSync(folder.path), names)
    live.close()
    assert.deepEqual(readdirSync(folder.path), ['ledger.db'])
  })

  it('says of a file of somebody else that it cannot be opened, and not that it is damaged', function () {
    chmodSync(path, 0o000)
    const findings = look()
    // The superuser may read everything.
    if (process.getuid?.() === 0) assert.deepEqual(findings, [])
    else
      assert.deepEqual(
        findings.map(({ kind }) => kind),
        ['inaccessible'],
      )
  })
})
