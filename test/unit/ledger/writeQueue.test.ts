import assert from 'node:assert/strict'
import type { BatchWork, BatchWriter } from '../../../daemon/ledger/batch.ts'
import { LedgerUnavailable } from '../../../daemon/ledger/ledger.ts'
import { WriteQueue } from '../../../daemon/ledger/writeQueue.ts'
import { sampleAsk } from './sample.ts'

/** A queue before a writer that admits everything; says what each batch held. */
function queued() {
  const batches: BatchWork[] = []
  const writer: Pick<BatchWriter, 'write' | 'holds' | 'openCalls'> = {
    openCalls: 0,
    holds: () => true,
    write: (work) => {
      batches.push(work)
      const answers = work.asks.map(({ outputTokens }) => ({
        kind: 'admitted' as const,
        outputTokens,
        reservedNanoEur: 0,
        reservedTokens: 0,
      }))
      return { answers, settled: [], freed: false, unsound: [] }
    },
  }
  const queue = new WriteQueue({
    writer: writer as BatchWriter,
    unavailable: (fault) => new LedgerUnavailable(String(fault)),
    log: () => undefined,
  })
  return { queue, ratios: () => batches.map(({ residuals }) => residuals.map(({ ratio }) => ratio)) }
}

const residual = (ratio: number) => ({ upstream: 'openai', model: 'gpt-5', ratio, samples: 1 })

describe('what waits for a commit', () => {
  it('keeps residuals out of the commits that a call waits for, and writes the newest where nobody does', async () => {
    const { queue, ratios } = queued()
    for (const ratio of [1.1, 1.2]) {
      queue.saveResidual(residual(ratio))
      await queue.reserve(sampleAsk())
    }
    queue.flush()
    queue.flush()
    assert.deepEqual(ratios(), [[], [], [1.2]])
    queue.close()
  })

  it('writes residuals with every 201st reservation at the latest', async () => {
    const { queue, ratios } = queued()
    for (let call = 0; call < 402; call += 1) {
      queue.saveResidual(residual(call))
      await queue.reserve(sampleAsk())
    }
    const written = ratios().map((batch, at) => (batch.length > 0 ? at : -1))
    assert.deepEqual(
      written.filter((at) => at >= 0),
      [200, 401],
    )
    queue.close()
  })

  it('writes residuals when it closes, with the reservation that is still waiting', async () => {
    const { queue, ratios } = queued()
    queue.saveResidual(residual(1.3))
    const asked = queue.reserve(sampleAsk())
    queue.close()
    await asked
    assert.deepEqual(ratios(), [[1.3]])
  })
})
