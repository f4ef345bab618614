import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { journalLoss } from '../../../../daemon/ledger/file/journal.ts'
import type { Ledger } from '../../../../daemon/ledger/ledger.ts'
import { LedgerUnavailable } from '../../../../daemon/ledger/ledger.ts'
import { asIfKilled, fill, patch } from '../rescue/damage.ts'
import { openLedger, temporaryFolder, userDay } from '../sample.ts'

const frameBytes = 2048 + 24

describe('the journal of a daemon that was killed', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let path: string
  let ledger: Ledger

  beforeEach(async () => {
    folder = temporaryFolder()
    path = join(folder.path, 'killed', 'ledger.db')
    ledger = openLedger(join(folder.path, 'ledger.db'))
    await fill(ledger, 5, 2)
    asIfKilled(join(folder.path, 'ledger.db'), path)
  })

  afterEach(() => {
    ledger.close()
    folder.remove()
  })

  it('is whole where nothing happened to it, and the ledger opens with everything spent', () => {
    assert.equal(journalLoss(path), null)
    const again = openLedger(path, 'second')
    assert.equal(again.totals(userDay).spentNanoEur, 5 * 1200)
    again.close()
  })

  for (const [name, spoil] of [
    ['was emptied', (wal: string) => truncateSync(wal, 0)],
    ['was removed', (wal: string) => rmSync(wal)],
    ['lost its last page', (wal: string) => truncateSync(wal, statSync(wal).size - frameBytes)],
    ['was overwritten', (wal: string) => writeFileSync(wal, Buffer.alloc(statSync(wal).size, 0x37))],
    ['has a page that changed', (wal: string) => patch(wal, (bytes) => bytes.fill(0xa5, 32 + 24 + 100, 32 + 24 + 200))],
  ] as const) {
    it(`M08: is refused when it ${name}, instead of opening with less spent, and stays as it is`, () => {
      const main = readFileSync(path)
      spoil(`${path}-wal`)
      const index = readFileSync(`${path}-shm`)
      const loss = journalLoss(path)
      assert.ok(loss !== null && loss.foundFrames < loss.committedFrames)
      for (let start = 0; start < 2; start += 1) {
        assert.throws(
          () => openLedger(path, 'second'),
          (fault) =>
            fault instanceof LedgerUnavailable && /journal .*-wal is missing.*tollgate doctor/.test(fault.message),
        )
      }
      assert.ok(readFileSync(path).equals(main) && readFileSync(`${path}-shm`).equals(index))
    })
  }

  it('is not said to be cut where its index is only older, as after a power failure', () => {
    const late = join(folder.path, 'late', 'ledger.db')
    ledger.close()
    ledger = openLedger(join(folder.path, 'ledger.db'), 'third')
    asIfKilled(join(folder.path, 'ledger.db'), late)
    // The next round of the journal, beside the index of the one before.
    patch(`${late}-shm`, (bytes) => {
      for (const at of [32, 80]) bytes.writeUInt32BE((bytes.readUInt32BE(at) - 1) >>> 0, at)
    })
    assert.equal(journalLoss(late), null)
  })

  it('is not looked for where there is no index, or none that can be read', () => {
    rmSync(`${path}-wal`)
    patch(`${path}-shm`, (bytes) => bytes.fill(0, 0, 48))
    assert.equal(journalLoss(path), null)
    rmSync(`${path}-shm`)
    assert.equal(journalLoss(path), null)
  })

  it('is whole beside a process that writes to it', async () => {
    for (let round = 0; round < 20; round += 1) {
      await fill(ledger, 3)
      assert.equal(journalLoss(join(folder.path, 'ledger.db')), null)
    }
  })
})
