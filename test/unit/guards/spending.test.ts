import assert from 'node:assert/strict'
import { storm } from '../../../daemon/guards/storm.ts'
import { velocity } from '../../../daemon/guards/velocity.ts'
import { StormBook } from '../../../daemon/tasks/storm.ts'
import { VelocityBook } from '../../../daemon/tasks/velocity.ts'
import { nanoFromEur } from '../../../shared/money.ts'
import { judgeBy, refusalOf } from './guarded.ts'

describe('the guard on restart storms', () => {
  function verdictAfter(starts: number) {
    const book = new StormBook()
    for (let at = 0; at < starts; at += 1) book.started('default', 'same', 20, at * 1000)
    return judgeBy(storm, {
      state: { storm: { standing: book.read('default', 'same', 600, 100_000), account: 'default' } },
    })
  }

  it('refuses the 21st start of the same task by account, with the seconds until the next may come', () => {
    assert.equal(verdictAfter(19).kind, 'allow')
    const refusal = refusalOf(verdictAfter(20))
    assert.deepEqual(
      [refusal.code, refusal.scope, refusal.scopeRef, refusal.limit, refusal.spent, refusal.retryAfterSeconds],
      ['restart_storm', 'key', 'default', 20, 20, 500],
    )
    assert.match(refusal.message, /started 20 times in 600 s.*plans\.agent\.storm\.starts/)
  })

  it('refuses nothing where the call begins no task or the plan has no bound', () => {
    assert.equal(judgeBy(storm).kind, 'allow')
    const standing = { starts: 99, secondsToNext: 1 }
    assert.equal(judgeBy(storm, { plan: { storm: null }, state: { storm: { standing, account: 'a' } } }).kind, 'allow')
  })
})

describe('the guard on velocity', () => {
  function verdictAt(spentEur: number, limitEur: number, worstCaseEur = 0.1) {
    const book = new VelocityBook()
    const task = { scope: 'task', ref: 'run' } as const
    book.add([task], nanoFromEur(spentEur), 30_000)
    const standing = book.read([task], limitEur, 50_000)!
    return judgeBy(velocity, {
      state: { velocity: { standing, worstCaseNanoEur: nanoFromEur(worstCaseEur), currency: 'EUR' } },
    })
  }

  it('refuses a paid call of a task that spent its euros of the minute', () => {
    assert.equal(verdictAt(1.99, 2).kind, 'allow')
    const refusal = refusalOf(verdictAt(2.31, 2))
    assert.deepEqual(
      [refusal.code, refusal.scope, refusal.scopeRef, refusal.limit, refusal.spent, refusal.retryAfterSeconds],
      ['velocity', 'task', 'run', 2, 2.31, 40],
    )
    assert.match(refusal.message, /spent 2\.31 EUR in the last minute, and plan agent allows 2\.00 a minute/)
  })

  it('lets a call without cost through, and none that costs through a bound of 0', () => {
    assert.equal(verdictAt(2.31, 2, 0).kind, 'allow')
    const refusal = refusalOf(verdictAt(0, 0))
    assert.match(refusal.message, /paid calls are off/)
    assert.equal(refusal.retryAfterSeconds, undefined)
    assert.equal(judgeBy(velocity).kind, 'allow')
  })
})
