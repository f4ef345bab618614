import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Lineage } from '../../../daemon/transcript/lineage.ts'
import type { Placement, ProviderAnswer } from '../../../daemon/transcript/lineage.ts'
import type { PendingCall } from '../../../daemon/transcript/pairing.ts'
import { StoredAnswers, statesSince } from '../../../daemon/transcript/storedAnswers.ts'
import { newThread } from '../../../daemon/transcript/threads.ts'
import type { ToolState, TranscriptFacts } from '../../../daemon/transcript/transcript.ts'
import { noTranscript } from '../../../daemon/transcript/transcript.ts'

const session = { name: 's', account: 'default', namespace: '', task: null, endedAtMs: null }

const pending = (id: string | null, callDigest: string, tool = 'read'): PendingCall => ({ id, tool, callDigest })

/** The results `[call id, digest]` of a request that carries nothing else. */
function results(...open: readonly (readonly [string | null, string])[]): TranscriptFacts {
  return {
    ...noTranscript,
    chain: open.map(([id, digest]) => `${id ?? ''} ${digest}`),
    openResults: open.map(([callId, resultDigest], message) => ({ message, callId, resultDigest, errorDigest: null })),
  }
}

const steps = (states: readonly ToolState[]): string[] =>
  states.map(({ callDigest, resultDigest }) => `${callDigest}=${resultDigest}`)

function stored(calls: readonly PendingCall[] | null, states: readonly ToolState[] = [], length = 2) {
  return { thread: newThread(session), length, states, calls }
}

describe('the steps of a request that goes on from an answer', () => {
  it('pair its results with the calls of the answer, in whatever order they come', () => {
    const answer = stored([pending('1', 'a'), pending('2', 'b', 'grep')])
    const states = statesSince(answer, results(['2', 'y'], ['1', 'x']))
    assert.deepEqual(steps(states), ['b=y', 'a=x'])
    assert.deepEqual(
      states.map(({ tool, message }) => [tool, message]),
      [
        ['grep', 2],
        ['read', 3],
      ],
    )
  })

  it('follow those of the conversation so far', () => {
    const first = statesSince(stored([pending('1', 'a')]), results(['1', 'x']))
    const second = statesSince(stored([pending('2', 'a')], first, 4), results(['2', 'x']))
    assert.deepEqual(steps(second), ['a=x', 'a=x'])
    assert.deepEqual(
      second.map(({ message }) => message),
      [2, 4],
    )
  })

  it('pair results without an id in the order of the calls', () => {
    const answer = stored([pending(null, 'a'), pending(null, 'b')])
    assert.deepEqual(steps(statesSince(answer, results([null, 'x'], [null, 'y']))), ['a=x', 'b=y'])
  })

  it('keep those that the request carries in whole, in order', () => {
    const own = { message: 1, tool: 'read', callDigest: 'own', resultDigest: 'z', errorDigest: null }
    const facts = { ...results(['1', 'x']), toolStates: [{ ...own, message: -1 }, own] }
    assert.deepEqual(steps(statesSince(stored([pending('1', 'a')]), facts)), ['own=z', 'a=x', 'own=z'])
  })

  it('are none as soon as the call of one result is not known: what has a hole may have been progress', () => {
    const before = statesSince(stored([pending('1', 'a')]), results(['1', 'x']))
    assert.deepEqual(statesSince(stored([pending('2', 'a')], before, 4), results(['2', 'x'], ['9', 'x'])), [])
    assert.deepEqual(statesSince(stored(null, before, 4), results(['2', 'x'])), [])
  })
})

describe('the memory of answers', () => {
  const state = (message: number): ToolState => ({
    message,
    tool: 'read',
    callDigest: 'a',
    resultDigest: String(message),
    errorDigest: null,
  })

  it('is bounded in answers and in steps, and forgets the oldest first', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(40), fc.nat(30), fc.nat(30)), { maxLength: 120 }), (answers) => {
        const memory = new StoredAnswers(20, 100)
        for (const [id, states, calls] of answers) {
          memory.remember(`r${id}`, {
            ...stored(
              Array.from({ length: calls }, (_, at) => pending(String(at), 'a')),
              Array.from({ length: states }, (_, at) => state(2 * at)),
            ),
          })
          assert.ok(memory.size <= 20 && memory.steps <= 100)
          assert.equal(memory.find(`r${id}`)?.states.length, states)
        }
      }),
    )
    const memory = new StoredAnswers(3)
    for (const id of ['1', '2', '3', '4']) memory.remember(id, stored([]))
    assert.deepEqual(
      ['1', '2', '3', '4'].map((id) => memory.find(id) !== null),
      [false, true, true, true],
    )
  })

  it('keeps no step before the window, and whole turns of the latest ones', () => {
    const memory = new StoredAnswers()
    const states = Array.from({ length: 400 }, (_, at) => state(3 * Math.floor(at / 3) + (at % 3) * 0.5))
    memory.remember('1', stored([], states))
    const kept = memory.find('1')!.states
    assert.ok(kept.length <= 128 && kept.length > 124)
    assert.equal(kept[0]!.message % 3, 0)
    assert.deepEqual(kept.at(-1), states.at(-1))
    memory.remember('2', { ...stored([], states), thread: { ...newThread(session), loopFrom: 390 } })
    assert.ok(memory.find('2')!.states.every(({ message }) => message >= 390))
  })

  it('knows for longer whose an answer was than what it asked for', () => {
    const memory = new StoredAnswers(50, 10)
    memory.remember('1', {
      ...stored([pending('c', 'a')], [state(1)]),
      thread: { ...newThread(session), lastHuman: 7 },
    })
    for (let other = 2; other < 40; other += 1) memory.remember(String(other), stored([pending('c', 'a')]))
    const { thread, states, calls } = memory.find('1')!
    assert.deepEqual([thread.lastHuman, states, calls], [7, [], null])
  })

  it('keeps no step behind calls that are not known', () => {
    const memory = new StoredAnswers()
    memory.remember('1', stored(null, [state(1)]))
    assert.deepEqual(memory.find('1')?.states, [])
  })
})

/** An agent of which the provider keeps the history: each call is a request from an earlier answer and its answer. */
class Agent {
  readonly lineage: Lineage
  #sessions = 0
  #answers = 0

  constructor(answers?: StoredAnswers) {
    this.lineage = new Lineage(() => `s${++this.#sessions}`, undefined, undefined, answers)
  }

  place(from: string | null, facts: TranscriptFacts): Placement {
    return this.lineage.place({
      account: 'default',
      explicitSession: null,
      facts,
      isRetry: false,
      previousResponseId: from,
    })!
  }

  answer(placed: Placement, calls: ProviderAnswer['calls']): string {
    const responseId = `resp_${++this.#answers}`
    this.lineage.ended(placed, this.#answers, true, { responseId, calls })
    return responseId
  }
}

const asks: TranscriptFacts = { ...noTranscript, chain: ['go'], humans: [0] }

describe('requests that go on from the same answer', () => {
  it('never see the steps of one another, however they are interleaved', () => {
    const fork = fc.record({ from: fc.nat(), result: fc.constantFrom('x', 'y'), fails: fc.boolean() })
    fc.assert(
      fc.property(fc.array(fork, { minLength: 1, maxLength: 60 }), (forks) => {
        const agent = new Agent()
        const start = agent.place(null, asks)
        agent.lineage.loopWindow(start, 'task')
        const answers = [{ id: agent.answer(start, [pending('c0', 'call')]), call: 'c0', way: [] as string[] }]
        for (const [at, { from, result, fails }] of forks.entries()) {
          const origin = answers[from % answers.length]!
          const placed = agent.place(origin.id, results([origin.call, result]))
          const way = [...origin.way, `call=${result}`]
          assert.deepEqual(steps(placed.toolStates), way)
          assert.ok(placed.toolStates.every(({ message }) => message >= agent.lineage.loopWindow(placed, 'task')))
          assert.equal(placed.session, start.session)
          if (fails) agent.lineage.ended(placed, 0, false)
          else answers.push({ id: agent.answer(placed, [pending(`c${at + 1}`, 'call')]), call: `c${at + 1}`, way })
        }
      }),
    )
  })

  it('see a part of their own way or nothing of it when answers are forgotten', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 60 }), (froms) => {
        const agent = new Agent(new StoredAnswers(5, 12))
        const start = agent.place(null, asks)
        agent.lineage.loopWindow(start, 'task')
        const answers = [{ id: agent.answer(start, [pending('c0', 'call')]), call: 'c0', way: [] as string[] }]
        for (const [at, from] of froms.entries()) {
          const origin = answers[from % answers.length]!
          const placed = agent.place(origin.id, results([origin.call, `r${at}`]))
          const way = [...origin.way, `call=r${at}`]
          const seen = steps(placed.toolStates)
          assert.deepEqual(seen, way.slice(way.length - seen.length))
          agent.lineage.loopWindow(placed, 'task')
          answers.push({ id: agent.answer(placed, [pending(`c${at + 1}`, 'call')]), call: `c${at + 1}`, way })
        }
      }),
    )
  })
})

describe('the window of a conversation that the provider keeps', () => {
  it('K14, K09: begins behind the first request, and anew with another task', () => {
    const agent = new Agent()
    let placed = agent.place(null, asks)
    const windows = [agent.lineage.loopWindow(placed, 'one')]
    for (const [at, task] of ['one', 'one', 'two', 'two'].entries()) {
      const id = agent.answer(placed, [pending(`c${at}`, 'call')])
      placed = agent.place(id, results([`c${at}`, 'x']))
      windows.push(agent.lineage.loopWindow(placed, task))
    }
    assert.deepEqual(windows, [1, 1, 1, 7, 7])
    assert.deepEqual(
      placed.toolStates.map(({ message }) => message),
      [8],
    )
  })

  it('K09: is not touched by a request that was refused', () => {
    const agent = new Agent()
    const start = agent.place(null, asks)
    agent.lineage.loopWindow(start, 'one')
    const id = agent.answer(start, [pending('c', 'call')])
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const refused = agent.place(id, results(['c', 'x']))
      assert.equal(agent.lineage.loopWindow(refused, 'one'), 1)
      assert.deepEqual(steps(refused.toolStates), ['call=x'])
      agent.lineage.ended(refused, attempt, false)
    }
    const resumed = agent.place(id, results(['c', 'x']))
    assert.equal(agent.lineage.loopWindow(resumed, 'one, resumed'), 3)
  })

  it('goes on where a client that carried its history leaves it with the provider', () => {
    const agent = new Agent()
    const own = { message: 2, tool: 'read', callDigest: 'call', resultDigest: 'x', errorDigest: null }
    const start = agent.place(null, asks)
    agent.lineage.loopWindow(start, 'one')
    agent.lineage.ended(start, 0, true)
    const carried = agent.place(null, { ...asks, chain: ['go', 'call', 'result'], toolStates: [own] })
    const since = agent.lineage.loopWindow(carried, 'one')
    const placed = agent.place(agent.answer(carried, [pending('c', 'call')]), results(['c', 'x']))
    assert.equal(agent.lineage.loopWindow(placed, 'one'), since)
    assert.deepEqual(
      placed.toolStates.map(({ message }) => message),
      [2, 4],
    )
  })

  it('counts a request without messages to its conversation', () => {
    const agent = new Agent()
    const start = agent.place(null, asks)
    const id = agent.answer(start, [])
    assert.equal(agent.place(id, noTranscript).session, start.session)
    const unknown = {
      account: 'default',
      explicitSession: null,
      facts: noTranscript,
      isRetry: false,
      previousResponseId: 'resp_9',
    }
    assert.equal(agent.lineage.place(unknown), null)
  })
})
