import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createTranscriptRecorder } from '../../../daemon/transcript/recorder.ts'
import { TextDigests } from '../../../daemon/transcript/textDigests.ts'
import type { TranscriptFacts, TranscriptRecorder } from '../../../daemon/transcript/transcript.ts'

function record(feed: (recorder: TranscriptRecorder) => void, salt = 'salt'): TranscriptFacts {
  const recorder = createTranscriptRecorder(new TextDigests(salt))
  feed(recorder)
  return recorder.facts()
}

type Role = 'system' | 'human' | 'assistant' | 'tool'
const texts = (...messages: readonly (readonly [Role, string])[]): TranscriptFacts =>
  record((recorder) => {
    for (const [role, text] of messages) {
      recorder.message(role)
      recorder.text(text)
    }
  })

describe('the chain of a transcript', () => {
  it('begins like that of an earlier request of the same conversation, and only like that', () => {
    const message = fc.tuple(fc.constantFrom<Role>('human', 'assistant'), fc.string({ minLength: 1, maxLength: 200 }))
    fc.assert(
      fc.property(fc.array(message, { minLength: 1 }), fc.array(message), fc.nat(), (before, after, at) => {
        const earlier = texts(...before)
        const later = texts(...before, ...after)
        assert.equal(later.chain.length, before.length + after.length)
        assert.deepEqual(later.chain.slice(0, before.length), earlier.chain)
        const changed = before.map(
          ([role, text], index) => [role, index === at % before.length ? `${text}!` : text] as const,
        )
        assert.notEqual(texts(...changed).chain.at(-1), earlier.chain.at(-1))
      }),
    )
  })

  it('depends on roles, on the parts of a message and on the salt', () => {
    const hello = texts(['human', 'hello'])
    assert.notDeepEqual(texts(['assistant', 'hello']).chain, hello.chain)
    const inParts = record((recorder) => {
      recorder.message('human')
      recorder.text('hel')
      recorder.text('lo')
    })
    assert.notDeepEqual(inParts.chain, hello.chain)
    const salted = record((recorder) => {
      recorder.message('human')
      recorder.text('hello')
    }, 'other')
    assert.notDeepEqual(salted.chain, hello.chain)
  })

  it('stays where it is at an empty message, so that dropped reasoning breaks nothing', () => {
    const withReasoning = texts(['human', 'go'], ['assistant', ''], ['assistant', 'gone'])
    assert.equal(withReasoning.chain[1], withReasoning.chain[0])
    assert.equal(withReasoning.chain[2], texts(['human', 'go'], ['assistant', 'gone']).chain[1])
  })

  it('is not broken by a clock in the system prompt', () => {
    const at = (time: string) => texts(['system', `You help. It is ${time}.`], ['human', 'hi']).chain
    assert.deepEqual(at('2026-12-01T10:00:00Z'), at('2026-12-01T10:00:31Z'))
    assert.notDeepEqual(texts(['system', 'You help.'], ['human', 'hi']).chain, at('2026-12-01T10:00:00Z'))
  })

  it('tells images apart, and not where the cache marks stand', () => {
    const image = (data: string, marks: object = {}): TranscriptFacts =>
      record((recorder) => {
        recorder.message('human')
        recorder.opaque({ type: 'image', source: { data }, ...marks })
      })
    const large = 'A'.repeat(200_000)
    assert.notDeepEqual(image(`${large}B`).chain, image(`${large}C`).chain)
    assert.deepEqual(image(large, { cache_control: { type: 'ephemeral' } }).chain, image(large).chain)
    const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as unknown
    assert.equal(record((recorder) => (recorder.message('human'), recorder.opaque(deep))).chain.length, 1)
  })

  it('N08: keeps no text', () => {
    const facts = record((recorder) => {
      recorder.message('human')
      recorder.text('tiny secret')
      recorder.message('assistant')
      recorder.text('I will now look at the secret place where the treasure lies buried.')
      recorder.toolCall('1', 'dig', { place: 'secret' })
      recorder.message('tool')
      recorder.toolResult('1', null, 'Error: secret place not found', true)
    })
    assert.ok(!JSON.stringify(facts).includes('secret'))
    assert.equal(facts.narration.length, 1)
  })
})

describe('human messages', () => {
  it('are those of the user role with something in them and no tool result', () => {
    const facts = record((recorder) => {
      recorder.message('system')
      recorder.text('be brief')
      recorder.message('human')
      recorder.text('go')
      recorder.message('assistant')
      recorder.toolCall('1', 'ls', {})
      recorder.message('human')
      recorder.text('a reminder of the client')
      recorder.toolResult('1', null, 'a.ts', false)
      recorder.message('human')
      recorder.message('human')
      recorder.opaque({ type: 'image' })
    })
    assert.deepEqual(facts.humans, [1, 5])
  })
})

describe('tool states', () => {
  const states = (feed: (recorder: TranscriptRecorder) => void) => record(feed).toolStates

  it('pair each result with the call of its id, in whatever order they come', () => {
    const [first, second] = states((recorder) => {
      recorder.message('assistant')
      recorder.toolCall('a', 'read', { file: 1 })
      recorder.toolCall('b', 'list', '{"dir":2}')
      recorder.message('tool')
      recorder.toolResult('b', null, 'two', false)
      recorder.message('tool')
      recorder.toolResult('a', null, 'one', false)
    })
    assert.deepEqual([first!.tool, first!.message, second!.tool, second!.message], ['list', 1, 'read', 2])
  })

  it('pair results without an id with the oldest open call of their tool, else of any', () => {
    const paired = states((recorder) => {
      recorder.message('assistant')
      for (const tool of ['read', 'list', 'read', 'find']) recorder.toolCall(null, tool, {})
      for (const tool of ['read', 'read', 'unknown', null]) {
        recorder.message('tool')
        recorder.toolResult(null, tool, 'x', false)
      }
    })
    assert.deepEqual(
      paired.map(({ tool }) => tool),
      ['read', 'read', 'list', 'find'],
    )
  })

  it('take ids that come again one after the other', () => {
    const paired = states((recorder) => {
      for (const tool of ['read', 'list']) {
        recorder.message('assistant')
        recorder.toolCall('call_0', tool, {})
        recorder.message('tool')
        recorder.toolResult('call_0', null, 'x', false)
      }
    })
    assert.deepEqual(
      paired.map(({ tool }) => tool),
      ['read', 'list'],
    )
  })

  it('leave out a result whose call was cut away, and a second result of one call', () => {
    assert.deepEqual(
      states((recorder) => {
        recorder.message('tool')
        recorder.toolResult('gone', null, 'x', false)
        recorder.message('assistant')
        recorder.toolCall('a', 'read', {})
        recorder.message('tool')
        recorder.toolResult('a', null, 'x', false)
        recorder.toolResult('a', null, 'x', false)
      }).map(({ message }) => message),
      [2],
    )
  })

  const stateOf = (tool: string, args: unknown, content: unknown, isError = false) =>
    states((recorder) => {
      recorder.message('assistant')
      recorder.toolCall('a', tool, args)
      recorder.message('tool')
      recorder.toolResult('a', null, content, isError)
    })[0]!

  it('are equal for the same call and result in another spelling', () => {
    const one = stateOf('read', { path: 'a', limit: 5 }, 'took 5 ms')
    assert.deepEqual(stateOf('read', '{ "limit": 5, "path": "a" }', [{ type: 'text', text: 'took 9 ms' }]), one)
    const long = { path: 'a'.repeat(500), limit: 5 }
    assert.deepEqual(
      stateOf('read', JSON.stringify(long, null, 4), 'x').callDigest,
      stateOf('read', { limit: 5, path: long.path }, 'x').callDigest,
    )
  })

  it('differ by tool, by arguments and by result', () => {
    const one = stateOf('read', { path: 'a' }, 'x')
    assert.notEqual(stateOf('list', { path: 'a' }, 'x').callDigest, one.callDigest)
    assert.notEqual(stateOf('read', { path: 'b' }, 'x').callDigest, one.callDigest)
    for (const other of ['y', '', null, ['x', 'x'], [{ type: 'image', data: 'x' }], { value: 'x' }]) {
      assert.notEqual(stateOf('read', { path: 'a' }, other).resultDigest, one.resultDigest)
    }
  })

  it('K07: carry the same error class for different failures of one kind', () => {
    const failed = (text: string, isError = true) => stateOf('git', {}, text, isError).errorDigest
    assert.notEqual(failed('Exit code 128\nfatal: a'), null)
    assert.equal(failed('Exit code 128\nfatal: a'), failed('Exit code 128\nfatal: b'))
    assert.notEqual(failed('Exit code 128\nfatal: a'), failed('Exit code 1\nfatal: a'))
    assert.equal(failed('fine', false), null)
    assert.notEqual(failed('fine', true), null)
  })

  it('are found in linear steps, however many calls stay open', () => {
    const many = 60_000
    const found = states((recorder) => {
      recorder.message('assistant')
      for (let call = 0; call < many; call++) recorder.toolCall(null, 'a', {})
      recorder.toolCall(null, 'b', {})
      recorder.message('tool')
      for (let call = 0; call < many; call++) recorder.toolResult(null, 'b', 'x', false)
    })
    assert.equal(found.length, many)
    assert.deepEqual([found[0]!.tool, found.at(-1)!.tool], ['b', 'a'])
  })
})

describe('the rest of the facts', () => {
  it('hold the length of the longest message: its text, arguments and results', () => {
    const facts = record((recorder) => {
      recorder.message('human')
      recorder.text('12345')
      recorder.message('assistant')
      recorder.text('123')
      recorder.toolCall('a', 'read', '1234')
      recorder.message('tool')
      recorder.toolResult('a', null, ['123456', '78'], false)
      recorder.opaque('1234567890')
    })
    assert.equal(facts.longestMessageChars, 8)
  })

  it('K08: hold the sentences of the last assistant texts, in one spelling', () => {
    const facts = texts(
      ['human', 'Let me take a closer look at the code to understand the problem.'],
      ...Array.from({ length: 9 }, (_, at): readonly [Role, string] => [
        'assistant',
        `Ok. Let me take a closer  look at the code to understand the PROBLEM. Part ${at}.`,
      ]),
    )
    assert.deepEqual(
      facts.narration.map(({ message }) => message),
      [4, 5, 6, 7, 8, 9],
    )
    assert.equal(new Set(facts.narration.map(({ digest }) => digest)).size, 1)
  })

  it('keep the digests of the first person and of the last thousand messages of a very long transcript', () => {
    const words = (count: number) =>
      Array.from({ length: count }, (_, at): readonly [Role, string] => ['human', `m${at}`])
    const [facts, longer] = [texts(...words(3000)), texts(...words(3001))]
    assert.equal(facts.chain.length, 3000)
    assert.equal(facts.chain.filter((digest) => digest !== '').length, 1025)
    assert.deepEqual([facts.humans[0], facts.humans.at(-1), facts.humans.length], [0, 2999, 1025])
    assert.notEqual(facts.chain[0], '')
    // What matters is that a request still finds the one before it.
    assert.ok(longer.chain.includes(facts.chain.at(-1)!))
  })

  it('are empty for a request without messages', () => {
    assert.deepEqual(
      record(() => undefined),
      {
        chain: [],
        humans: [],
        toolStates: [],
        openResults: [],
        narration: [],
        longestMessageChars: 0,
        toolsDigest: null,
      },
    )
  })
})
