import assert from 'node:assert/strict'
import type { Successor } from '../../../extension/daemon/connection.ts'
import { noCaps } from '../../../extension/ui/exhaustedCaps.ts'
import { renderTooltip } from '../../../extension/ui/tooltip.ts'
import type { Status } from '../../../shared/status.ts'
import { figures, status, text } from './support.ts'

const running = [{ call: 'c', task: null, model: 'gpt-4o', elapsedMs: 1000, outputTokens: 10 }]

function tooltip(successor: Successor | null, inFlight: Status['inFlight']): string {
  const gate = { kind: 'up', status: status({ inFlight }), exhausted: noCaps, successor } as const
  const terminals = { bypassed: false, wrongHost: false, skipped: [] }
  const nowMs = Date.parse('2026-11-30T12:00:00Z')
  return renderTooltip({ gate, terminals, host: null, show: 'spendAndTokens', nowMs }, text, figures)
}

describe('the tooltip during an upgrade', () => {
  it('says which gate is busy while its calls keep a newer one waiting, and nothing once they have ended', () => {
    const waiting = { version: '0.2.0', state: 'waiting' } as const
    assert.match(tooltip(waiting, running), /An older Tollgate \(0\.1\.0\) is busy\. It is replaced when/)
    assert.doesNotMatch(tooltip(waiting, []), /older/)
  })

  it('says that the newer gate could not start, and what goes on', () => {
    const failed = { version: '0.2.0', state: 'failed' } as const
    assert.match(tooltip(failed, []), /Tollgate 0\.2\.0 could not start, so the older gate goes on\./)
  })

  it('says nothing about it else', () => {
    assert.doesNotMatch(tooltip(null, running), /older/)
  })
})
