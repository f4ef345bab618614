import assert from 'node:assert/strict'
import { EventBus } from '../../../daemon/observe/eventBus.ts'
import { KillBoard } from '../../../daemon/control/killBoard.ts'
import { LedgerUnavailable } from '../../../daemon/ledger/ledger.ts'
import type { KillSwitch, Ledger } from '../../../daemon/ledger/ledger.ts'
import { unavailableLedger } from '../../../daemon/ledger/unavailableLedger.ts'
import { InFlight } from '../../../daemon/observe/inFlight.ts'

/** A ledger that keeps switches, or that nothing can be written to. */
function ledgerWith(kept: KillSwitch[], isWritable: boolean): Ledger {
  const write = (change: () => void): void => {
    if (!isWritable) throw new LedgerUnavailable('The disk is full.')
    change()
  }
  return {
    ...unavailableLedger('not used here'),
    kills: () => kept,
    setKill: (kill) => write(() => kept.push(kill)),
    clearKill: (scope, ref) =>
      write(() => {
        const at = kept.findIndex((kill) => kill.scope === scope && kill.ref === ref)
        if (at >= 0) kept.splice(at, 1)
      }),
  }
}

function board(isWritable: boolean, kept: KillSwitch[] = []) {
  const ledger = ledgerWith(kept, isWritable)
  const events = new EventBus(ledger, () => 1000)
  const inFlight = new InFlight()
  const stopped: string[] = []
  for (const task of ['build', 'test']) {
    inFlight.add({
      id: task,
      tenant: 'acme',
      keyId: 'default',
      task,
      slot: 'default',
      model: 'm',
      startedAtMs: 0,
      outputTokens: () => 0,
      cancel: ({ code }) => stopped.push(`${task}: ${code}`),
    })
  }
  return { kills: new KillBoard({ ledger, inFlight, events, nowMs: () => 1000 }), events, stopped }
}

describe('the kill board', () => {
  it('stops and blocks on a ledger that cannot be written, and says that it holds until the restart only', () => {
    const { kills, events, stopped } = board(false)
    assert.equal(kills.kill({ scope: 'global' }).cancelled, 2)
    assert.deepEqual(stopped, ['build: killed', 'test: killed'])
    assert.deepEqual(kills.current(), [{ scope: 'global', ref: '', sinceMs: 1000 }])
    const [event] = events.list({ sinceMs: 0, limit: 10 })
    assert.deepEqual([event?.event, event?.['untilRestart']], ['killed', true])
  })

  it('says nothing of the kind where the switch was written down', () => {
    const kept: KillSwitch[] = []
    const { kills, events } = board(true, kept)
    assert.equal(kills.kill({ scope: 'task', ref: 'build' }).cancelled, 1)
    assert.equal(kept.length, 1)
    const [event] = events.list({ sinceMs: 0, limit: 10 })
    assert.ok(event !== undefined && !('untilRestart' in event))
  })

  it('does not take a switch back that stays written: it would be on again after a restart', () => {
    const { kills } = board(false, [{ scope: 'global', ref: '', sinceMs: 1 }])
    assert.throws(() => kills.resume({ scope: 'global' }), LedgerUnavailable)
    assert.equal(kills.current().length, 1)
  })

  it('holds one switch per scope and name, however often it is pressed', () => {
    const { kills } = board(true)
    kills.kill({ scope: 'global' })
    kills.kill({ scope: 'global' })
    assert.equal(kills.current().length, 1)
    kills.resume({ scope: 'global' })
    assert.deepEqual(kills.current(), [])
  })
})
