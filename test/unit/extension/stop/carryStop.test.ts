import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { carryStop, keepStop, stopWaits } from '../../../../extension/stop/pendingStop.ts'

describe('a stop when the data directory changes', () => {
  let folder: string
  let from: string
  let to: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-carry-'))
    from = join(folder, 'from')
    to = join(folder, 'to')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('waits in the new one too, where it is in force or waits in the old one', async () => {
    await carryStop(from, to, true)
    assert.equal(await stopWaits(to), true)
    await keepStop(from)
    await carryStop(from, join(folder, 'third'), false)
    assert.equal(await stopWaits(join(folder, 'third')), true)
  })

  it('is none in the new one where there was none', async () => {
    await carryStop(from, to, false)
    assert.equal(await stopWaits(to), false)
  })
})
