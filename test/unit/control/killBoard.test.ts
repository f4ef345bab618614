import assert from 'node:assert/strict'
import { EventBus } from '../../../daemon/observe/eventBus.ts'
import { KillBoard } from '../../../daemon/control/killBoard.ts'
import { StopStays } from '../../../daemon/control/pendingStops.ts'
import type { PendingStops } from '../../../daemon/control/pendingStops.ts'
import { LedgerUnavailable } from '../../../daemon/ledger/ledger.ts'
import type { KillSwitch, Ledger } from '../../../daemon/ledger/ledger.ts'
import { unavailableLedger } from '../../../daemon/ledger/unavailableLedger.ts'
import { createLog } from '../../../daemon/observe/log.ts'
import { InFlight } from '../../../daemon/observe/inFlight.ts'
import type { KillRequest } from '../../../shared/protocol.ts'

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

/** Stops that wait, in a directory that can be written or not. */
function waiting(stops: KillRequest[], isWritable: boolean): PendingStops {
  const drop = (goes: (stop: KillRequest) => boolean): number => {
    if (stops.some(goes) && !isWritable) throw new StopStays('The stop that waits cannot be removed.')
    const gone = stops.filter(goes)
    for (const stop of gone) stops.splice(stops.indexOf(stop), 1)
    return gone.length
  }
  return {
    list: () => [...stops],
    keep: (stop) => {
      if (!isWritable) throw new Error('The disk is full.')
      stops.push(stop)
    },
    withdraw: ({ scope, ref }) => drop((stop) => scope === 'global' || (stop.scope === scope && stop.ref === ref)),
    settle: ({ scope, ref }) => void drop((stop) => stop.scope === scope && stop.ref === ref),
  }
}

function board(isWritable: boolean, kept: KillSwitch[] = [], pending: PendingStops = waiting([], isWritable)) {
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
  const logged: string[] = []
  const log = createLog({ write: (line) => void logged.push(line), nowMs: () => 0, format: 'plain' })
  const kills = new KillBoard({ ledger, inFlight, events, pending, log, nowMs: () => 1000 })
  return { kills, events, stopped, logged }
}

describe('the kill board', () => {
  it('stops and blocks where neither ledger nor directory can be written, and says that it holds until the restart only', () => {
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

  it('C12: a stop that was asked for while no daemon answered is a stored switch, once, and waits no more', () => {
    const kept: KillSwitch[] = []
    const stops: KillRequest[] = [{ scope: 'global' }, { scope: 'task', ref: 'build' }]
    const { kills, events } = board(true, kept, waiting(stops, true))
    kills.takeUpPending()
    kills.takeUpPending()
    assert.deepEqual(
      kept.map(({ scope, ref }) => [scope, ref]),
      [
        ['global', ''],
        ['task', 'build'],
      ],
    )
    assert.deepEqual([stops, kills.current()], [[], kept])
    assert.deepEqual(
      events.list({ sinceMs: 0, limit: 10 }).map(({ event, scope }) => [event, scope]),
      [
        ['killed', 'global'],
        ['killed', 'task'],
      ],
    )
  })

  it('goes on waiting where the ledger cannot be written, so that it holds over the next restart too', () => {
    const stops: KillRequest[] = []
    const { kills, events } = board(false, [], waiting(stops, true))
    kills.kill({ scope: 'global' })
    assert.deepEqual(stops, [{ scope: 'global' }])
    assert.ok(!('untilRestart' in (events.list({ sinceMs: 0, limit: 1 })[0] ?? {})))
    const next = board(false, [], waiting(stops, true))
    next.kills.takeUpPending()
    next.kills.takeUpPending()
    assert.equal(next.kills.current().length, 1)
    assert.equal(next.events.list({ sinceMs: 0, limit: 10 }).length, 1, 'said once, however often it is looked for')
    assert.ok(stops.length > 0)
  })

  it('takes back what waits with what is on: the global resume all, another one its own', () => {
    const stops: KillRequest[] = [{ scope: 'global' }, { scope: 'task', ref: 'build' }, { scope: 'key', ref: 'k' }]
    const { kills } = board(true, [], waiting(stops, true))
    kills.resume({ scope: 'key', ref: 'k' })
    assert.deepEqual(stops, [{ scope: 'global' }, { scope: 'task', ref: 'build' }])
    kills.resume({ scope: 'global' })
    assert.deepEqual(stops, [])
  })

  it('is not lifted where a stop that waits stays: it would be on again after a restart', () => {
    const stops: KillRequest[] = [{ scope: 'global' }]
    const { kills } = board(true, [], waiting(stops, false))
    kills.takeUpPending()
    assert.throws(() => kills.resume({ scope: 'global' }), StopStays)
    assert.equal(kills.current().length, 1)
  })

  it('C12: is kept as a stop that waits where the ledger could not be opened at all', () => {
    const stops: KillRequest[] = []
    const ledger = unavailableLedger('The file is damaged.')
    const events = new EventBus(ledger, () => 1000)
    const log = createLog({ write: () => undefined, nowMs: () => 0, format: 'plain' })
    const pending = waiting(stops, true)
    const kills = new KillBoard({ ledger, inFlight: new InFlight(), events, pending, log, nowMs: () => 1000 })
    kills.kill({ scope: 'task', ref: 'build' })
    kills.takeUpPending()
    assert.ok(stops.length > 0 && stops.every(({ ref }) => ref === 'build'))
    kills.resume({ scope: 'task', ref: 'build' })
    assert.deepEqual([stops, kills.current()], [[], []])
  })

  it('stops everything where it cannot be known at the start which stops wait, says so and goes on', () => {
    const list = (): never => {
      throw new Error('EMFILE: too many open files')
    }
    const kept: KillSwitch[] = []
    const { kills, events, stopped, logged } = board(true, kept, { ...waiting([], true), list })
    // While it runs, the next look will tell.
    kills.takeUpPending()
    assert.deepEqual([kept, stopped], [[], []])
    kills.takeUpPending(true)
    kills.takeUpPending(true)
    assert.deepEqual([kept.map(({ scope }) => scope), stopped], [['global'], ['build: killed', 'test: killed']])
    assert.equal(events.list({ sinceMs: 0, limit: 10 }).length, 1)
    assert.match(logged[1]!, / error the stops that wait cannot be read, .*EMFILE/)
  })
})
