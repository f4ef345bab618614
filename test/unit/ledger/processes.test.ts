import assert from 'node:assert/strict'
import Database from 'better-sqlite3'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { openLedger, noonMs, sampleAsk, sampleSettlement, temporaryFolder, userDay } from './sample.ts'

const hammer = join(import.meta.dirname, 'hammer.ts')

interface Tally {
  readonly admitted: number
  readonly over: number
}

function startHammer(path: string, epoch: string, calls: number, cap: number, end: 'settle' | 'hold'): ChildProcess {
  return spawn(process.execPath, [hammer, path, epoch, String(calls), String(cap), end], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
}

async function tallyOf(child: ChildProcess): Promise<Tally> {
  let text = ''
  for await (const chunk of child.stdout!) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  return JSON.parse(text) as Tally
}

describe('two processes on one ledger', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let path: string

  beforeEach(() => {
    folder = temporaryFolder()
    path = join(folder.path, 'ledger.db')
  })

  afterEach(() => folder.remove())

  it('A04 M02: see the holds of each other and never pass the cap between them', async () => {
    const cap = 300 * 2000
    const children = ['one', 'two'].map((epoch) => startHammer(path, epoch, 250, cap, 'settle'))
    const tallies = await Promise.all(children.map(tallyOf))
    assert.equal(tallies[0]!.admitted + tallies[1]!.admitted, 300)
    assert.deepEqual(
      tallies.map(({ over }) => over),
      [0, 0],
    )
    const ledger = openLedger(path, 'after')
    assert.equal(ledger.totals(userDay).spentNanoEur, cap)
    assert.equal(ledger.totals(userDay).reservedNanoEur, 0)
    assert.equal(ledger.calls({ limit: 1000 }).length, 300)
    assert.deepEqual(ledger.check(), [])
    ledger.close()
  })

  it('M02: are ten that write at once, and none of them finds the ledger locked', async function () {
    this.timeout(60_000)
    const epochs = Array.from({ length: 10 }, (_, writer) => `writer ${writer}`)
    const children = epochs.map((epoch) => startHammer(path, epoch, 10, 1e9, 'settle'))
    const tallies = await Promise.all(children.map(tallyOf))
    assert.deepEqual(
      tallies.map(({ admitted }) => admitted),
      epochs.map(() => 10),
    )
    const ledger = openLedger(path, 'after')
    assert.equal(ledger.totals(userDay).spentNanoEur, 100 * 2000)
    assert.deepEqual(ledger.check(), [])
    ledger.close()
  })

  it('A05: make one ledger when both start on an empty folder', async () => {
    const children = ['one', 'two', 'three'].map((epoch) => startHammer(path, epoch, 5, 1e9, 'settle'))
    const tallies = await Promise.all(children.map(tallyOf))
    const ledger = openLedger(path, 'after')
    assert.equal(
      ledger.calls({}).length,
      tallies.reduce((sum, { admitted }) => sum + admitted, 0),
    )
    assert.equal(ledger.totals(userDay).spentNanoEur, 15 * 2000)
    ledger.close()
  })

  it('A06: leave no ghost when one is killed with open reservations', async () => {
    const child = startHammer(path, 'victim', 5, 1e9, 'hold')
    const { admitted } = await tallyOf(child)
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    const ledger = openLedger(path, 'after')
    assert.equal(ledger.totals(userDay).reservedNanoEur, admitted * 2000)
    assert.equal(ledger.settleOrphans(noonMs + 1000).calls, admitted)
    assert.deepEqual(ledger.totals(userDay), {
      spentNanoEur: admitted * 2000,
      reservedNanoEur: 0,
      spentTokens: admitted * 200,
      reservedTokens: 0,
    })
    assert.deepEqual(ledger.check(), [])
    ledger.close()
  })

  it('M01: read statistics while rows are written, and never find the database locked', async () => {
    const child = startHammer(path, 'writer', 1000, 1e9, 'settle')
    const tally = tallyOf(child)
    const state = { ended: false }
    void tally.then(() => (state.ended = true))
    const own = openLedger(path, 'reader')
    const outside = new Database(path, { readonly: true, timeout: 0 })
    let reads = 0
    while (!state.ended) {
      own.summary({ window: 'day', period: '2026-11-30' })
      own.byModel('2026-11-30')
      own.calls({ limit: 50 })
      own.check()
      outside.prepare('SELECT count(*), sum(cost_nano) FROM calls').get()
      reads += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.ok(reads > 0)
    assert.equal((await tally).admitted, 1000)
    outside.close()
    own.close()
  })

  it('A04: notice in memory what the other has committed', async () => {
    const one = openLedger(path, 'one')
    const two = openLedger(path, 'two')
    for (let round = 0; round < 5; round += 1) {
      for (const ledger of [one, two]) {
        const ask = sampleAsk()
        await ledger.reserve(ask)
        ledger.settle(sampleSettlement(ask.callId))
        ledger.flush()
      }
    }
    assert.equal(one.totals(userDay).spentNanoEur, 12_000)
    assert.deepEqual(two.check(), [])
    one.close()
    two.close()
  })
})
