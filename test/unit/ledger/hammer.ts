import { openLedger, sampleAsk, sampleScopes, sampleSettlement } from './sample.ts'

/**
 * A process that reserves and settles against one file as fast as it can: `hammer.ts <path> <epoch> <calls> <cap>
 * <settle|hold>`. Prints one JSON line with what it was admitted.
 */
const [, , path = '', epoch = '', calls = '0', cap = '0', end = 'settle'] = process.argv
const ledger = openLedger(path, epoch)
const scopes = sampleScopes({ userEur: Number(cap) })
let admitted = 0
let over = 0
for (let call = 0; call < Number(calls); call += 5) {
  const asks = Array.from({ length: 5 }, () => sampleAsk({ scopes }))
  const results = await Promise.all(asks.map((ask) => ledger.reserve(ask)))
  results.forEach((result, at) => {
    if (result.kind === 'refused') return
    admitted += 1
    if (end === 'settle') ledger.settle(sampleSettlement(asks[at]!.callId, { costNanoEur: 2000 }))
  })
  const totals = ledger.totals(scopes[0]!)
  if (totals.spentNanoEur + totals.reservedNanoEur > Number(cap)) over += 1
}
if (end === 'hold') {
  process.stdout.write(`${JSON.stringify({ admitted, over })}\n`)
  // Holds its reservations until it is killed.
  setInterval(() => undefined, 1000)
} else {
  ledger.close()
  process.stdout.write(`${JSON.stringify({ admitted, over })}\n`)
}
