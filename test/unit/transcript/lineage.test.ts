import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Lineage } from '../../../daemon/transcript/lineage.ts'
import type { LineageAsk, Placement } from '../../../daemon/transcript/lineage.ts'
import { createTranscriptRecorder } from '../../../daemon/transcript/recorder.ts'
import { TextDigests } from '../../../daemon/transcript/textDigests.ts'
import type { TranscriptFacts } from '../../../daemon/transcript/transcript.ts'

const digests = new TextDigests('salt')

/** `"h:text"` a person's message, `"s:"` system, `"a:"` assistant, `"t:"` a tool's result. */
function transcript(...messages: readonly string[]): TranscriptFacts {
  const recorder = createTranscriptRecorder(digests)
  for (const message of messages) {
    const role = { h: 'human', s: 'system', a: 'assistant', t: 'tool' }[message[0]!] as 'human'
    recorder.message(role)
    recorder.text(message.slice(2))
  }
  return recorder.facts()
}

class Gate {
  #sessions = 0
  nowMs = 1_000_000
  readonly lineage: Lineage

  constructor(maxRequests?: number, maxSessions?: number) {
    this.lineage = new Lineage(() => `s${++this.#sessions}`, maxRequests, maxSessions)
  }

  place(messages: readonly string[], ask: Partial<LineageAsk> = {}): Placement {
    const facts = transcript(...messages)
    const placed = this.lineage.place({
      account: 'default',
      explicitSession: null,
      isRetry: false,
      previousResponseId: null,
      facts,
      ...ask,
    })
    return placed!
  }

  /** A call from request to answer. */
  call(messages: readonly string[], ask: Partial<LineageAsk> = {}): Placement {
    const placed = this.place(messages, ask)
    this.lineage.ended(placed, (this.nowMs += 1000), true)
    return placed
  }
}

const start = ['s:be brief', 'h:fix it']
const grown = [...start, 'a:look', 't:code']
const further = [...grown, 'a:edit', 't:done']

describe('a request of a known conversation', () => {
  it('belongs to its session, and what the earlier one carried is not new', () => {
    const gate = new Gate()
    const first = gate.call(start)
    const second = gate.call(grown)
    const third = gate.call(further)
    assert.deepEqual([first.session, second.session, third.session], ['s1', 's1', 's1'])
    assert.deepEqual([first.isNew, second.isNew, third.isNew], [true, false, false])
    assert.deepEqual([first.newFrom, second.newFrom, third.newFrom], [1, 2, 4])
    assert.deepEqual([first.compacted, second.compacted, third.compacted], [false, false, false])
    assert.deepEqual([first.previousAnswerEndedAtMs, third.previousAnswerEndedAtMs], [null, 1_002_000])
  })

  it('is told from another conversation with the same system prompt', () => {
    const gate = new Gate()
    gate.call(start)
    assert.equal(gate.call(['s:be brief', 'h:translate it']).session, 's2')
    assert.equal(gate.call(grown).session, 's1')
  })

  it('is told from another with the same examples before the question', () => {
    const gate = new Gate()
    const examples = ['s:label', 'h:good', 'a:plus', 'h:bad', 'a:minus']
    assert.equal(gate.call([...examples, 'h:fine']).session, 's1')
    assert.equal(gate.call([...examples, 'h:awful']).session, 's2')
  })

  it('has each of its messages new exactly once, however the turns are cut', () => {
    const role = fc.constantFrom('h', 'a', 't')
    fc.assert(
      fc.property(
        fc.array(role, { minLength: 3, maxLength: 40 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
        (roles, cuts) => {
          const gate = new Gate()
          const messages = ['h:start', ...roles.map((letter, at) => `${letter}:${at}`)]
          let known = 1
          gate.call(messages.slice(0, 1))
          for (const cut of cuts) {
            if (known === messages.length) break
            const length = Math.min(messages.length, known + cut)
            const placed = gate.call(messages.slice(0, length))
            assert.deepEqual([placed.session, placed.newFrom], ['s1', known])
            known = length
          }
        },
      ),
    )
  })

  it('is followed through the longest of its earlier requests', () => {
    const gate = new Gate()
    gate.call(start)
    gate.call(further)
    assert.equal(gate.call([...further, 'h:thanks']).newFrom, 6)
  })

  it('has nothing new in it when it is repeated', () => {
    const gate = new Gate()
    gate.call(start)
    gate.call(grown)
    const again = gate.call(grown)
    assert.deepEqual([again.session, again.newFrom, again.isNew], ['s1', 4, false])
  })

  it('may be a branch: only its last human messages are new', () => {
    const gate = new Gate()
    gate.call(start)
    gate.call(grown)
    gate.call(further)
    const branch = gate.call([...grown, 'a:edit', 't:undone', 'h:no', 'h:try again'])
    assert.deepEqual([branch.session, branch.newFrom, branch.compacted], ['s1', 6, false])
    const cut = gate.call([...start, 'a:other', 't:thing'])
    assert.deepEqual([cut.session, cut.newFrom, cut.compacted], ['s1', 4, true])
  })

  it('goes on from an answer that the provider keeps', () => {
    const gate = new Gate()
    const first = gate.place(start)
    gate.lineage.ended(first, 1000, true, { responseId: 'resp_1', calls: [] })
    const next = gate.place(['h:and now?'], { previousResponseId: 'resp_1' })
    assert.deepEqual([next.session, next.newFrom, next.isNew], ['s1', 0, false])
    assert.equal(gate.place(['h:and now?'], { previousResponseId: 'resp_9' }).session, 's1', 'known by its text')
    assert.equal(gate.place(['h:something else'], { previousResponseId: 'resp_9' }).session, 's2')
    assert.equal(gate.place(['h:x'], { previousResponseId: 'resp_1', explicitSession: 'named' }).session, 'named')
  })

  it("is never another account's, whatever it says", () => {
    const gate = new Gate()
    const first = gate.call(['s:be short', 'h:hello'])
    gate.call(['s:be short', 'h:hello', 'a:hi', 'h:go on'])
    const other = gate.call(['s:be short', 'h:hello', 'a:hi', 'h:go on'], { account: 'other' })
    assert.notEqual(other.session, first.session)
    assert.equal(other.isNew, true)
  })

  it('has no place without messages and name', () => {
    const gate = new Gate()
    const ask = { account: 'default', facts: transcript(), isRetry: false, previousResponseId: null }
    assert.equal(gate.lineage.place({ ...ask, explicitSession: null }), null)
    assert.equal(gate.lineage.place({ ...ask, explicitSession: 'named' })?.session, 'named')
  })
})

describe('the same first request once more', () => {
  it('is a retry while the first one failed, or where the client says so', () => {
    const gate = new Gate()
    const first = gate.place(start)
    gate.lineage.ended(first, 1000, false)
    const retry = gate.call(start)
    assert.deepEqual([retry.session, retry.newFrom, retry.isNew], ['s1', 2, false])
    assert.equal(gate.call(start, { isRetry: true }).session, 's1')
  })

  it('is a new start after an answer', () => {
    const gate = new Gate()
    gate.call(start)
    const again = gate.call(start)
    assert.deepEqual([again.session, again.isNew, again.newFrom], ['s2', true, 1])
  })

  it('is a run of its own although both runs go the same way', () => {
    const gate = new Gate()
    for (const run of ['s1', 's2', 's3']) {
      for (const request of [start, grown, further]) assert.equal(gate.call(request).session, run)
    }
  })

  it('is a run of its own while others are under way, each continued once', () => {
    const gate = new Gate()
    const firsts = [1, 2, 3].map(() => gate.place(start).session)
    assert.deepEqual(firsts, ['s1', 's2', 's3'])
    const seconds = ['a:one', 'a:two', 'a:three'].map((answer) => gate.place([...start, answer, 't:x']).session)
    assert.deepEqual([...seconds].sort(), firsts)
    const thirds = ['a:one', 'a:two', 'a:three'].map(
      (answer) => gate.place([...start, answer, 't:x', 'a:on', 't:y']).session,
    )
    assert.deepEqual(thirds, seconds)
  })

  it('is a run of its own while others are under way that answer the same', () => {
    const gate = new Gate()
    for (const request of [start, grown, further]) {
      const sessions = [1, 2].map(() => gate.place(request).session)
      assert.deepEqual(sessions.sort(), ['s1', 's2'])
    }
  })

  it('stays in the session that the client names', () => {
    const gate = new Gate()
    assert.equal(gate.call(start, { explicitSession: 'named' }).isNew, true)
    const again = gate.call(start, { explicitSession: 'named' })
    assert.deepEqual([again.session, again.isNew, again.newFrom], ['named', false, 2])
  })
})

describe('a session that the client names', () => {
  const named = { explicitSession: 'named' }

  it('takes precedence over what the transcript looks like', () => {
    const gate = new Gate()
    assert.equal(gate.call(start).session, 's1')
    assert.equal(gate.call(grown, named).session, 'named')
    assert.equal(gate.call(further, { explicitSession: 'other' }).session, 'other')
    assert.equal(gate.call(further).session, 's1')
  })

  it('K13: stays when its history is replaced by a summary, and nothing old becomes new', () => {
    const gate = new Gate()
    gate.call(start, named)
    gate.call(further, named)
    const compacted = gate.call(['s:be brief', 'h:This goes on from a summary.', 'a:edit', 't:done'], named)
    assert.deepEqual(
      [compacted.session, compacted.isNew, compacted.compacted, compacted.newFrom],
      ['named', false, true, 4],
    )
    const next = gate.call(['s:be brief', 'h:This goes on from a summary.', 'a:edit', 't:done', 'a:run', 't:ok'], named)
    assert.deepEqual([next.compacted, next.newFrom], [false, 4])
  })

  it('has sub-agents beside its own transcript, and each is continued', () => {
    const gate = new Gate()
    gate.call(start, named)
    const agent = ['s:you explore', 'h:find the tax']
    assert.deepEqual([gate.call(agent, named).session, gate.call(grown, named).newFrom], ['named', 2])
    const next = gate.call([...agent, 'a:grep', 't:found'], named)
    assert.deepEqual([next.compacted, next.newFrom], [false, 2])
    assert.deepEqual([gate.call(further, named).compacted, gate.call(further, named).newFrom], [false, 6])
  })

  it('keeps a transcript whose client takes back its latest message', () => {
    const gate = new Gate()
    gate.call(start, named)
    gate.lineage.loopWindow(gate.call([...grown, 'h:a reminder that does not stay'], named), 'task')
    const next = gate.call(further, named)
    assert.deepEqual([next.session, next.compacted], ['named', false])
    assert.equal(gate.lineage.loopWindow(next, 'task'), 5)
  })
})

describe('the window in which repetition counts', () => {
  const since = (gate: Gate, messages: readonly string[], task: string, ask: Partial<LineageAsk> = {}) =>
    gate.lineage.loopWindow(gate.call(messages, ask), task)

  it('K14: begins behind all that the first call of a task carries, and stays there', () => {
    const gate = new Gate()
    assert.deepEqual(
      [start, grown, further].map((messages) => since(gate, messages, 'one')),
      [2, 2, 2],
    )
    const asked = [...further, 'a:done', 'h:and the rest?']
    assert.equal(since(gate, asked, 'two'), 8)
    assert.equal(since(gate, [...asked, 'a:look', 't:more'], 'two'), 8)
  })

  it('begins anew for a person whose task was opened by another transcript of the session', () => {
    const gate = new Gate()
    const named = { explicitSession: 'named' }
    since(gate, start, 'one', named)
    since(gate, grown, 'one', named)
    assert.equal(since(gate, ['h:title for: and the rest?'], 'two', named), 1)
    assert.equal(since(gate, [...grown, 'a:done', 'h:and the rest?'], 'two', named), 6)
  })

  it('K13: restarts at the summary that replaces a history', () => {
    const gate = new Gate()
    const named = { explicitSession: 'named' }
    since(gate, start, 'one', named)
    since(gate, further, 'one', named)
    assert.equal(since(gate, ['s:be brief', 'h:Summary.', 'a:edit', 't:done'], 'one', named), 2)
  })

  it('goes on counting where a client drops old messages each turn', () => {
    const gate = new Gate()
    since(gate, start, 'one')
    const window = (turn: number) => [
      ...start,
      ...[turn, turn + 1, turn + 2].flatMap((at) => [`a:call ${at}`, 't:same']),
    ]
    since(gate, window(0), 'one')
    for (const turn of [1, 2, 3, 4]) {
      const placed = gate.call(window(turn))
      assert.deepEqual([placed.session, gate.lineage.loopWindow(placed, 'one')], ['s1', 2])
    }
  })

  it('is shared by a branch that grows beyond its origin', () => {
    const gate = new Gate()
    since(gate, start, 'one')
    since(gate, grown, 'one')
    since(gate, further, 'one')
    assert.equal(since(gate, [...grown, 'a:edit', 't:failed', 'a:edit', 't:failed'], 'one'), 2)
  })
})

describe('the memory of lineages', () => {
  it('M11: is bounded, forgets the oldest one by one, and never makes the past new again', () => {
    const gate = new Gate(50, 10)
    gate.call(start)
    for (let other = 0; other < 49; other++) {
      gate.call([`h:question ${other}`])
      gate.call(start, { isRetry: true })
    }
    assert.equal(gate.call(grown).session, 's1', 'what is in use stays')
    for (let other = 0; other < 1000; other++) {
      gate.call([`h:other ${other}`], { explicitSession: other % 2 === 0 ? `named ${other}` : null })
      assert.ok(gate.lineage.size <= 50)
    }
    const forgotten = gate.call([...further, 'h:hello?', 'a:yes', 't:x'])
    assert.equal(forgotten.isNew, true)
    assert.equal(forgotten.newFrom, 9, 'no message of the past opens a task')
    assert.equal(gate.lineage.loopWindow(forgotten, 'task'), 9, 'no step of the past is counted')
  })

  it('M11: places every request, whatever was forgotten, and calls nothing new that it saw', () => {
    const request = fc.tuple(fc.nat(4), fc.integer({ min: 1, max: 6 }))
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60 }), (requests) => {
        const gate = new Gate(12, 2)
        for (const [conversation, length] of requests) {
          const messages = Array.from({ length }, (_, at) => `${at % 2 === 0 ? 'h' : 'a'}:${conversation} ${at}`)
          const placed = gate.call(messages, { explicitSession: conversation < 2 ? `named ${conversation}` : null })
          assert.ok(placed.newFrom >= 0 && placed.newFrom <= length)
          const humansSeenNew = messages.filter((message, at) => at >= placed.newFrom && message.startsWith('h'))
          assert.ok(humansSeenNew.length <= 3)
          assert.ok(gate.lineage.size <= 12)
        }
      }),
    )
  })
})
