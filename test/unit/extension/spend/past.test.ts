import assert from 'node:assert/strict'
import { unavailableLedger } from '../../../../daemon/ledger/unavailableLedger.ts'
import { EventBus } from '../../../../daemon/observe/eventBus.ts'
import { mostOfKind, noEvents, refusedSince, refusedUnseen, withEvents } from '../../../../extension/ui/spendEvents.ts'
import { readPast, readRefusals } from '../../../../extension/ui/spendPast.ts'
import { drawn, event, nothing, row } from './parts.ts'

const dayStartMs = Date.parse('2026-11-30T00:00:00.000Z')

/** The daemon's own memory of events behind its own address, with a clock of the test. */
function gateAt(startMs: number) {
  let nowMs = startMs
  const events = new EventBus(unavailableLedger('not used here'), () => nowMs)
  const asked: string[] = []
  return {
    asked,
    events,
    later: (ms: number) => {
      nowMs += ms
    },
    ask: (path: string): Promise<unknown> => {
      asked.push(path)
      const query = new URL(path, 'http://gate').searchParams
      const before = query.get('before')
      return Promise.resolve({
        events: events.list({
          sinceMs: Number(query.get('since')),
          limit: Math.min(1000, Number(query.get('limit'))),
          names: query.get('event')?.split(',') ?? null,
          beforeId: before === null ? Infinity : Number(before),
        }),
      })
    },
  }
}

describe('what happened before a window', () => {
  it('is there in a window that is opened late, with thousands of calls and refusals in between', async () => {
    const gate = gateAt(dayStartMs + 7 * 3_600_000)
    gate.events.emit('refused', { call: 'early', code: 'model_not_allowed', message: 'The plan does not allow o9.' })
    gate.events.emit('truncated', { call: 'cut', model: 'qwen3:4b', estimated: 12_920, reported: 2051 })
    for (let call = 0; call < 3000; call += 1) {
      gate.later(1000)
      gate.events.emit('call_started', { call: `c${call}` })
      gate.events.emit('refused', {
        call: `r${call}`,
        code: 'task_halted',
        scope: 'task',
        scopeRef: 'shop',
        message: 'x',
      })
      gate.events.emit('call_settled', { call: `c${call}` })
    }
    const { events, isWhole } = await readPast(gate.ask, dayStartMs)
    assert.ok(isWhole)
    assert.ok(gate.asked.length > 1 && gate.asked.length <= 3, `${gate.asked.length} pages`)
    assert.ok(gate.asked.every((path) => !path.includes('call_')))
    const nodes = drawn(nothing, events)
    assert.match(row(nodes, 'blocked').description, /^501\+ calls$/)
    assert.equal(row(nodes, 'blocked/model_not_allowed').description, '1 call')
    assert.ok(row(nodes, 'warnings').children.some(({ label }) => label === 'Truncated prompt: qwen3:4b'))
  })

  it('is not asked for again and again where a daemon knows no pages', async () => {
    let asks = 0
    const same = Array.from({ length: 1000 }, (_, at) => ({ ...event('refused', { code: 'killed' }), id: at + 1 }))
    const ask = (): Promise<unknown> => {
      asks += 1
      return Promise.resolve({ events: same })
    }
    assert.equal((await readPast(ask, 0)).isWhole, false)
    assert.equal(asks, 2)
  })

  it('is nothing where the answer is none', async () => {
    for (const answer of [undefined, null, {}, { events: 3 }]) {
      assert.deepEqual(await readPast(() => Promise.resolve(answer), 0), { events: [], isWhole: true })
    }
    await assert.rejects(
      readPast(() => Promise.reject(new Error('no daemon is running')), 0),
      /no daemon/,
    )
  })
})

describe('the badge', () => {
  it('asks only for refusals, and counts those after the last look', async () => {
    const gate = gateAt(dayStartMs)
    gate.events.emit('refused', { call: 'a', code: 'killed' })
    gate.later(60_000)
    const lookedAtMs = dayStartMs + 60_000
    gate.events.emit('refused', { call: 'seen', code: 'killed' })
    gate.later(1)
    gate.events.emit('truncated', { call: 'b', model: 'm' })
    gate.events.emit('refused', { call: 'c', code: 'killed' })
    gate.events.emit('refused', { call: 'd', code: 'velocity' })
    const kept = withEvents(noEvents, await readRefusals(gate.ask, lookedAtMs + 1))
    assert.deepEqual(refusedSince(kept, lookedAtMs, 0), { count: 2, isFloor: false })
    assert.equal(gate.asked.length, 1)
    assert.match(gate.asked[0]!, /event=refused&since=/)
  })

  it('is the same after a reload as before it', async () => {
    const gate = gateAt(dayStartMs)
    for (let call = 0; call < 5; call += 1) {
      gate.later(1000)
      gate.events.emit('refused', { call: `r${call}`, code: 'killed' })
    }
    const lookedAtMs = dayStartMs + 2000
    const before = withEvents(noEvents, (await readPast(gate.ask, dayStartMs)).events)
    const after = withEvents(noEvents, await readRefusals(gate.ask, lookedAtMs + 1))
    assert.deepEqual(refusedSince(after, lookedAtMs, 0), refusedSince(before, lookedAtMs, 0))
    assert.equal(refusedSince(after, lookedAtMs, 0).count, 3)
  })

  it('counts nothing of other days, by the calendar of the gate', () => {
    const nowMs = Date.parse('2026-11-30T12:00:00.000Z')
    const kept = withEvents(noEvents, [
      event('refused', { code: 'killed', time: '2026-11-29T12:00:00.001Z' }),
      event('refused', { code: 'killed', time: '2026-11-29T22:59:59.000Z' }),
      event('refused', { code: 'velocity', time: '2026-11-29T23:00:01.000Z' }),
      event('refused', { code: 'killed', time: '2026-11-30T11:00:00.000Z' }),
    ])
    const unseen = (lookedAtMs: number, zone: string): number => refusedUnseen(kept, lookedAtMs, nowMs, zone, 0).count
    assert.equal(unseen(0, 'Europe/Berlin'), 2)
    assert.equal(unseen(0, 'UTC'), 1)
    assert.equal(unseen(Date.parse('2026-11-30T10:00:00.000Z'), 'Europe/Berlin'), 1)
    assert.equal(unseen(Infinity, 'Europe/Berlin'), 0)
  })

  it('says that there may be more where not all are kept: in a burst, and before the gate was started', () => {
    const burst = Array.from({ length: mostOfKind }, () => event('refused', { code: 'killed' }))
    assert.deepEqual(refusedSince(withEvents(noEvents, burst), 0, 0), { count: mostOfKind, isFloor: true })
    const one = withEvents(noEvents, [event('refused', { code: 'killed' })])
    const startedMs = Date.parse('2026-11-30T11:30:01.000Z')
    assert.deepEqual(refusedSince(one, 0, startedMs), { count: 1, isFloor: true })
    assert.deepEqual(refusedSince(one, Date.parse('2026-11-30T11:30:00.000Z'), startedMs), { count: 0, isFloor: false })
  })
})
