import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { Admission } from '../../../daemon/budget/admission.ts'
import { decideReservation } from '../../../daemon/budget/reservation.ts'
import { LedgerUnavailable } from '../../../daemon/ledger/ledger.ts'
import type { CappedScope, Ledger, ReservationAsk, ReservationResult } from '../../../daemon/ledger/ledger.ts'

const scope: CappedScope = {
  scope: 'user',
  ref: 'me',
  window: 'day',
  period: '2026-11-30',
  capNanoEur: 100,
  capTokens: null,
}

/** A ledger of one scope with a cap, and no file. */
function smallLedger(cap: number): {
  ledger: Ledger
  asked: string[]
  settle: (held: number, cost: number) => void
  spent: () => number
} {
  const asked: string[] = []
  const freed: (() => void)[] = []
  let spent = 0
  let reserved = 0
  const ledger = {
    onFreed: (listener: () => void) => freed.push(listener),
    reserve: (ask: ReservationAsk): Promise<ReservationResult> => {
      asked.push(ask.callId)
      const need = ask.cost(ask.outputTokens)
      if (spent + reserved + need <= cap) {
        reserved += need
        return Promise.resolve({
          kind: 'admitted',
          outputTokens: ask.outputTokens,
          reservedNanoEur: need,
          reservedTokens: 0,
        })
      }
      const totals = { spentNanoEur: spent, reservedNanoEur: reserved, spentTokens: 0, reservedTokens: 0 }
      const reason = spent + need <= cap ? 'held' : 'spent'
      return Promise.resolve({ kind: 'refused', reason, scope, unit: 'eur', totals, requested: need })
    },
  } as unknown as Ledger
  const settle = (held: number, cost: number): void => {
    reserved -= held
    spent += cost
    for (const listener of freed) listener()
  }
  return { ledger, asked, settle, spent: () => spent }
}

/** A ledger that decides by the cap that comes with the ask, as the real one does. */
function cappedLedger(): { ledger: Ledger; reserved: () => number } {
  const totals = { spentNanoEur: 0, reservedNanoEur: 0, spentTokens: 0, reservedTokens: 0 }
  const ledger = {
    onFreed: () => undefined,
    reserve: (asked: ReservationAsk): Promise<ReservationResult> => {
      const standings = asked.scopes.map((one) => ({ scope: one, totals: { ...totals } }))
      const result = decideReservation(asked, standings)
      if (result.kind === 'admitted') totals.reservedNanoEur += result.reservedNanoEur
      return Promise.resolve(result)
    },
  } as unknown as Ledger
  return { ledger, reserved: () => totals.reservedNanoEur }
}

function ask(callId: string, cost: number): ReservationAsk {
  return {
    callId,
    scopes: [scope],
    inputTokens: 1,
    outputTokens: 1,
    minOutputTokens: 1,
    cost: () => cost,
    row: {} as ReservationAsk['row'],
  }
}

const never = new AbortController().signal

describe('admission', () => {
  it('lets a call wait for its siblings and admits it once they settled below their reservation', async () => {
    const { ledger, settle } = smallLedger(100)
    const admission = new Admission(ledger)
    assert.equal((await admission.admit(ask('a', 80), 1000, never)).kind, 'admitted')
    const waiting = admission.admit(ask('b', 80), 5000, never)
    await wait(5)
    assert.equal(admission.waiting, 1)
    settle(80, 10)
    assert.equal((await waiting).kind, 'admitted')
    assert.equal(admission.waiting, 0)
  })

  it('admits waiters in the order in which they came', async () => {
    const { ledger, settle, asked } = smallLedger(100)
    const admission = new Admission(ledger)
    await admission.admit(ask('first', 100), 0, never)
    const results = ['second', 'third', 'fourth'].map((id) => admission.admit(ask(id, 50), 300, never))
    await wait(5)
    asked.length = 0
    settle(100, 0)
    await wait(5)
    assert.deepEqual(asked, ['second', 'third', 'fourth'])
    assert.deepEqual(
      (await Promise.all(results)).map((result) => result.kind),
      ['admitted', 'admitted', 'refused'],
    )
  })

  it('refuses as held when the wait is over, and at once when waiting is off', async () => {
    const { ledger } = smallLedger(100)
    const admission = new Admission(ledger)
    await admission.admit(ask('a', 80), 0, never)
    for (const waitMs of [0, 20]) {
      const result = await admission.admit(ask('b', 80), waitMs, never)
      assert.equal(result.kind === 'refused' && result.reason, 'held')
    }
  })

  it('A15: refuses what is spent from memory, without asking the ledger again', async () => {
    const { ledger, settle, asked } = smallLedger(100)
    const admission = new Admission(ledger)
    await admission.admit(ask('a', 90), 0, never)
    settle(90, 90)
    const first = await admission.admit(ask('b', 20), 1000, never)
    assert.equal(first.kind === 'refused' && first.reason, 'spent')
    const before = asked.length
    for (let times = 0; times < 100; times += 1) {
      const again = await admission.admit(ask(`c${times}`, 20), 1000, never)
      assert.equal(again.kind === 'refused' && again.reason, 'spent')
    }
    assert.equal(asked.length, before)
    assert.equal((await admission.admit(ask('small', 10), 0, never)).kind, 'admitted')
  })

  it('asks again once the cap was raised', async () => {
    const { ledger, settle } = smallLedger(100)
    const admission = new Admission(ledger)
    await admission.admit(ask('a', 100), 0, never)
    settle(100, 100)
    assert.equal((await admission.admit(ask('b', 20), 0, never)).kind, 'refused')
    const raised = { ...ask('c', 20), scopes: [{ ...scope, capNanoEur: 1000 }] }
    const result = await admission.admit(raised, 0, never)
    // This small ledger still has its own cap; what counts is that it was asked and not the memory.
    assert.equal(result.kind === 'refused' && result.scope.capNanoEur, scope.capNanoEur)
  })

  it('tries the calls that wait again with the caps of now', async () => {
    const { ledger, reserved } = cappedLedger()
    const admission = new Admission(ledger)
    await admission.admit(ask('a', 80), 0, never)
    const waiting = [admission.admit(ask('b', 80), 60_000, never), admission.admit(ask('c', 80), 60_000, never)]
    while (admission.waiting < 2) await wait(1)
    admission.recap((window) => ({ ...window, capNanoEur: 160, capTokens: null }))
    assert.equal((await waiting[0]!).kind, 'admitted')
    assert.equal(reserved(), 160)
    assert.equal(admission.waiting, 1)
    admission.recap((window) => ({ ...window, capNanoEur: 240, capTokens: null }))
    assert.equal((await waiting[1]!).kind, 'admitted')
    assert.equal(reserved(), 240)
  })

  it('asks again for a call that was under way to its refusal when its cap was raised', async () => {
    const { ledger, reserved } = cappedLedger()
    const admission = new Admission(ledger)
    await admission.admit(ask('a', 80), 0, never)
    const underWay = admission.admit(ask('b', 80), 0, never)
    admission.recap((window) => ({ ...window, capNanoEur: 160, capTokens: null }))
    assert.equal((await underWay).kind, 'admitted')
    assert.equal(reserved(), 160)
  })

  it('lets go of a call whose client left while it waited', async () => {
    const { ledger } = smallLedger(100)
    const admission = new Admission(ledger)
    await admission.admit(ask('a', 80), 0, never)
    const left = new AbortController()
    const waiting = admission.admit(ask('b', 80), 60_000, left.signal)
    await wait(5)
    left.abort()
    assert.equal((await waiting).kind, 'refused')
    assert.equal(admission.waiting, 0)
  })

  it('A08: says that nothing is recorded after a reservation that could not be written, until one that could', async () => {
    const { ledger } = smallLedger(100)
    let fault: Error | null = null
    const admission = new Admission({
      ...ledger,
      reserve: (asked) => (fault === null ? ledger.reserve(asked) : Promise.reject(fault)),
    })
    assert.equal(admission.isRecording, true)
    fault = new LedgerUnavailable('The disk is full.')
    await assert.rejects(admission.admit(ask('a', 10), 0, never), LedgerUnavailable)
    assert.equal(admission.isRecording, false)
    fault = null
    await admission.admit(ask('b', 10), 0, never)
    assert.equal(admission.isRecording, true)
    fault = new RangeError('figures that cannot be used')
    await assert.rejects(admission.admit(ask('c', 10), 0, never), RangeError)
    assert.equal(admission.isRecording, true, 'a fault of one call is none of the ledger')
  })
})
