import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openLedgerDatabase } from '../../../daemon/ledger/database.ts'
import { migrations, schemaVersion } from '../../../daemon/ledger/schema.ts'
import { openLedger, sampleAsk, temporaryFolder, userDay } from './sample.ts'

describe('the file of the ledger', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let path: string

  beforeEach(() => {
    folder = temporaryFolder()
    path = join(folder.path, 'ledger.db')
  })

  afterEach(() => folder.remove())

  it('is made whole, under its own name only, and readable for its owner only', () => {
    const database = openLedgerDatabase({ path })
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal(database.pragma('user_version', { simple: true }), schemaVersion)
    database.close()
    assert.deepEqual(readdirSync(folder.path), ['ledger.db'])
  })

  it('M01: waits for locks, writes ahead, flushes each commit and keeps references', () => {
    const database = openLedgerDatabase({ path })
    const pragma = (name: string): unknown => database.pragma(name, { simple: true })
    assert.equal(pragma('journal_mode'), 'wal')
    assert.equal(pragma('synchronous'), 2)
    assert.ok(Number(pragma('busy_timeout')) >= 5000)
    assert.equal(pragma('foreign_keys'), 1)
    database.close()
  })

  it('numbers its schema by its migrations', () => {
    assert.equal(schemaVersion, migrations.length)
  })

  it('keeps what it holds when it is opened again', async () => {
    const first = openLedger(path)
    await first.reserve(sampleAsk())
    first.close()
    const second = openLedger(path, 'second')
    assert.equal(second.totals(userDay).reservedNanoEur, 2000)
    second.close()
  })
})
