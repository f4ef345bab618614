import type { GateView } from '../ui/gateView.ts'

/** What the kill switches stop: all calls, those of some keys, tenants or tasks, or none that this window knows of. */
export type Stopped = 'all' | 'some' | 'none'

/** What is stopped at this gate. */
export function stoppedAt(gate: GateView): Stopped {
  if (gate.kind !== 'up') return 'none'
  if (gate.status.killed) return 'all'
  return gate.status.kills.length > 0 ? 'some' : 'none'
}
