import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ledger } from '../../../daemon/ledger/ledger.ts'
import { noUsage } from '../../../shared/usage.ts'
import { openLedger, sampleAsk, sampleScopes, sampleSettlement, temporaryFolder, userDay } from './sample.ts'

describe('reserving in the SQLite ledger', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let ledger: Ledger

  beforeEach(() => {
    folder = temporaryFolder()
    ledger = openLedger(join(folder.path, 'ledger.db'))
  })

  afterEach(() => {
    ledger.close()
    folder.remove()
  })

  it('A01: admits two of eight calls of one tick where two fit', async () => {
    const scopes = sampleScopes({ userEur: 5000 })
    const results = await Promise.all(Array.from({ length: 8 }, () => ledger.reserve(sampleAsk({ scopes }))))
    assert.equal(results.filter((result) => result.kind === 'admitted').length, 2)
    assert.deepEqual(ledger.totals(userDay), {
      spentNanoEur: 0,
      reservedNanoEur: 4000,
      spentTokens: 0,
      reservedTokens: 400,
    })
  })

  it('M02: writes the calls of one tick with one commit, however many they are', async () => {
    await ledger.reserve(sampleAsk())
    const before = commitsIn(join(folder.path, 'ledger.db-wal'))
    await Promise.all(Array.from({ length: 50 }, () => ledger.reserve(sampleAsk())))
    assert.equal(commitsIn(join(folder.path, 'ledger.db-wal')) - before, 1)
  })

  it('A02: admits two of four parallel calls beside what is settled', async () => {
    const scopes = sampleScopes({ userEur: 5_000_000_000 })
    const first = sampleAsk({ scopes, cost: () => 4_900_000_000 })
    await ledger.reserve(first)
    ledger.settle(sampleSettlement(first.callId, { costNanoEur: 4_752_720_000 }))
    const asks = Array.from({ length: 4 }, () => sampleAsk({ scopes, cost: () => 88_400_000 }))
    const results = await Promise.all(asks.map((ask) => ledger.reserve(ask)))
    assert.deepEqual(
      results.map((result) => (result.kind === 'admitted' ? 'admitted' : result.reason)),
      ['admitted', 'admitted', 'held', 'held'],
    )
    const { spentNanoEur, reservedNanoEur } = ledger.totals(userDay)
    assert.equal(spentNanoEur + reservedNanoEur, 4_929_520_000)
  })

  it('A05: applies the cap to the first burst of a task that was never seen', async () => {
    const task = { scope: 'task', ref: 'new', window: 'life', period: '-', capNanoEur: 6000, capTokens: null } as const
    const asks = Array.from({ length: 8 }, () => sampleAsk({ scopes: [...sampleScopes(), task] }))
    const results = await Promise.all(asks.map((ask) => ledger.reserve(ask)))
    assert.equal(results.filter((result) => result.kind === 'admitted').length, 3)
    assert.equal(ledger.totals(task).reservedNanoEur, 6000)
  })

  it('A11: refuses after call 500 of a day that holds 500, and remembers it over the calls', async () => {
    const scopes = sampleScopes({ userEur: 1_000_000_000 })
    let admitted = 0
    for (let call = 0; call < 1000; call += 20) {
      const asks = Array.from({ length: 20 }, () => sampleAsk({ scopes, cost: () => 2_000_000 }))
      const results = await Promise.all(asks.map((ask) => ledger.reserve(ask)))
      results.forEach((result, at) => {
        if (result.kind === 'refused') return
        admitted += 1
        ledger.settle(sampleSettlement(asks[at]!.callId, { costNanoEur: 2_000_000 }))
      })
    }
    assert.equal(admitted, 500)
    assert.equal(ledger.totals(userDay).spentNanoEur, 1_000_000_000)
  })

  it('A13: lets nothing paid pass a cap of 0, and a free call pass it', async () => {
    const scopes = sampleScopes({ userEur: 0 })
    const paid = await ledger.reserve(sampleAsk({ scopes }))
    const free = await ledger.reserve(sampleAsk({ scopes, cost: () => 0 }))
    assert.ok(paid.kind === 'refused' && paid.reason === 'spent')
    assert.equal(free.kind, 'admitted')
  })

  it('takes from no scope what one of them refuses', async () => {
    const result = await ledger.reserve(sampleAsk({ scopes: sampleScopes({ monthEur: 1999 }) }))
    assert.ok(result.kind === 'refused' && result.scope.window === 'month')
    assert.equal(ledger.totals(userDay).reservedNanoEur, 0)
    assert.deepEqual(ledger.calls({}), [])
  })

  it('clamps the output to what is left and reserves exactly that', async () => {
    const ask = sampleAsk({ scopes: sampleScopes({ userEur: 1555 }), minOutputTokens: 10 })
    const result = await ledger.reserve(ask)
    assert.deepEqual(result, { kind: 'admitted', outputTokens: 55, reservedNanoEur: 1550, reservedTokens: 155 })
  })

  it('settles before it reserves, in the same batch', async () => {
    const scopes = sampleScopes({ userEur: 2000 })
    const first = sampleAsk({ scopes })
    await ledger.reserve(first)
    ledger.settle(sampleSettlement(first.callId, { costNanoEur: 0, usage: noUsage }))
    const second = await ledger.reserve(sampleAsk({ scopes }))
    assert.equal(second.kind, 'admitted')
  })

  it('rejects an ask with figures that cannot be counted, and admits its neighbours', async () => {
    const answers = await Promise.allSettled([
      ledger.reserve(sampleAsk()),
      ledger.reserve(sampleAsk({ cost: () => Number.NaN })),
      ledger.reserve(sampleAsk()),
    ])
    assert.deepEqual(
      answers.map((answer) => answer.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(ledger.check(), [])
  })

  it('rejects a call that is reserved already, in the same batch and later', async () => {
    const ask = sampleAsk()
    const [first, second] = await Promise.allSettled([ledger.reserve(ask), ledger.reserve(ask)])
    assert.deepEqual([first.status, second.status], ['fulfilled', 'rejected'])
    await assert.rejects(ledger.reserve(ask), RangeError)
    assert.equal(ledger.totals(userDay).reservedNanoEur, 2000)
  })

  it('keeps every cap and invariant 4 under any interleaving of batches', async () => {
    const round = fc.record({
      asks: fc.array(fc.record({ input: fc.nat(200), output: fc.nat(400), min: fc.nat(100) }), { maxLength: 8 }),
      settle: fc.array(fc.record({ which: fc.nat(), share: fc.double({ min: 0, max: 1, noNaN: true }) }), {
        maxLength: 8,
      }),
    })
    let runs = 0
    await fc.assert(
      fc.asyncProperty(
        fc.nat(20_000),
        fc.nat(3000),
        fc.array(round, { maxLength: 8 }),
        async (userEur, userTokens, rounds) => {
          runs += 1
          const scopes = sampleScopes({ userEur, userTokens, monthEur: 15_000 }).map((scope) => ({
            ...scope,
            ref: `${scope.ref}-${runs}`,
          }))
          const open: { id: string; nano: number; tokens: number }[] = []
          for (const { asks, settle } of rounds) {
            for (const { which, share } of settle) {
              if (open.length === 0) continue
              const [call] = open.splice(which % open.length, 1)
              const usage = { ...noUsage, output: Math.floor(call!.tokens * share) }
              const costNanoEur = Math.floor(call!.nano * share)
              ledger.settle(sampleSettlement(call!.id, { usage, costNanoEur }))
            }
            const drawn = asks.map(({ input, output, min }) =>
              sampleAsk({ scopes, inputTokens: input, outputTokens: output, minOutputTokens: min }),
            )
            const results = await Promise.all(drawn.map((ask) => ledger.reserve(ask)))
            results.forEach((result, at) => {
              if (result.kind === 'refused') return
              open.push({ id: drawn[at]!.callId, nano: result.reservedNanoEur, tokens: result.reservedTokens })
            })
            for (const scope of scopes) {
              const totals = ledger.totals(scope)
              assert.ok(totals.spentNanoEur + totals.reservedNanoEur <= (scope.capNanoEur ?? Infinity))
              assert.ok(totals.spentTokens + totals.reservedTokens <= (scope.capTokens ?? Infinity))
            }
          }
          assert.deepEqual(
            ledger.check().filter(({ scope }) => scope.ref.endsWith(`-${runs}`)),
            [],
          )
        },
      ),
      { numRuns: 25 },
    )
  })
})

/** Commits in a write-ahead log, by SQLite's file format: a frame that ends one says how many pages the file has then. */
function commitsIn(path: string): number {
  const log = readFileSync(path)
  const frameBytes = 24 + log.readUInt32BE(8)
  let commits = 0
  for (let at = 32; at + frameBytes <= log.length; at += frameBytes) if (log.readUInt32BE(at + 4) > 0) commits += 1
  return commits
}
