import assert from 'node:assert/strict'
import { GateState } from '../../../extension/gateState.ts'
import type { GateView } from '../../../extension/ui/gateView.ts'
import type { DiscoveryRecord } from '../../../shared/protocol.ts'
import { refusal, status, text } from './support.ts'

function record(pid: number): DiscoveryRecord {
  const url = 'http://127.0.0.1:4141'
  return { url, port: 4141, key: 'k', token: 't', pid, version: '0.1.0', protocol: 1, startedAtMs: 0 }
}

const connected = (pid: number) =>
  ({ kind: 'connected', record: record(pid), status: status({}), successor: null }) as const

describe('the state of the gate', () => {
  let seen: GateView[]
  let arrivals: number[]
  let state: GateState
  beforeEach(() => {
    seen = []
    arrivals = []
    state = new GateState({
      text,
      isEnabled: () => true,
      ask: () => Promise.resolve({ events: [] }),
      warn: () => undefined,
      currencyIs: () => undefined,
      changed: (gate) => seen.push(gate),
      arrived: ({ pid }) => arrivals.push(pid),
    })
  })
  const exhausted = () => (state.view.kind === 'up' ? state.view.exhausted.length : null)

  it('tells of each gate once that it is there, one that cannot be followed as well', () => {
    state.connectionChanged(connected(7))
    state.connectionChanged(connected(7))
    state.connectionChanged(connected(8))
    state.connectionChanged({ kind: 'unfollowed', why: 'newer', record: record(9), version: '9.0.0' })
    state.connectionChanged({ kind: 'unfollowed', why: 'newer', record: record(9), version: '9.0.0' })
    assert.deepEqual(arrivals, [7, 8, 9])
    assert.equal(seen.length, 5)
  })

  it('keeps a cap that refused a call over a hand-over, and forgets it for another ledger', () => {
    state.connectionChanged(connected(7))
    state.hear(refusal())
    assert.equal(exhausted(), 1)
    state.connectionChanged(connected(8))
    assert.equal(exhausted(), 1)
    state.forgetCaps()
    state.connectionChanged(connected(9))
    assert.equal(exhausted(), 0)
  })
})
