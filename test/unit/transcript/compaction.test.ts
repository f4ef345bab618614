import assert from 'node:assert/strict'
import fc from 'fast-check'
import { applyEdits } from '../../../daemon/dialects/edit.ts'
import type { JsonObject } from '../../../daemon/dialects/dialect.ts'
import { compact, compactionPolicy } from '../../../daemon/transcript/compaction.ts'
import type { CompactionPolicy } from '../../../daemon/transcript/compaction.ts'
import { carriedResults } from '../../../daemon/transcript/compactionResults.ts'
import { agentDialects, agentRequest, agentTurns } from './agentRun.ts'
import type { AgentDialect, AgentTurn } from './agentRun.ts'

const small: CompactionPolicy = { keepResults: 2, keepChars: 1000, slack: 2, minResultChars: 300 }

function turn(...lengths: readonly number[]): AgentTurn {
  const calls = lengths.map((length, place) => ({
    tool: 'read_file',
    args: { path: `${place}` },
    result: 'x'.repeat(length),
  }))
  return { says: 'I read on.', calls }
}

/** What goes out, parsed again. */
function sent(dialect: AgentDialect, body: JsonObject, policy: CompactionPolicy): JsonObject {
  const bytes = Buffer.from(JSON.stringify(body))
  return JSON.parse(applyEdits(bytes, compact(dialect, body, policy).edits).toString()) as JsonObject
}

/** Contents of all tool results, oldest first. */
function contents(dialect: AgentDialect, body: JsonObject): readonly unknown[] {
  return carriedResults(dialect, body).map(({ path }) => {
    const content = path.reduce<unknown>((value, step) => (value as Record<string | number, unknown>)[step], body)
    return dialect === 'gemini-generate' ? (content as { readonly output: unknown }).output : content
  })
}

/** The body without the contents of its tool results. */
function skeleton(dialect: AgentDialect, body: JsonObject): unknown {
  const edits = carriedResults(dialect, body).map(({ path }) => ({ path, value: null }))
  return JSON.parse(applyEdits(Buffer.from(JSON.stringify(body)), edits).toString())
}

function anthropic(...messages: readonly unknown[]): JsonObject {
  return { model: 'm', system: 's'.repeat(5000), messages }
}

function anthropicResult(id: string, content: unknown, extra: JsonObject = {}): JsonObject {
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...extra }] }
}

const answer = { role: 'assistant', content: [{ type: 'text', text: 'a' }] }
const later = Array.from({ length: 3 }, (_, index) => [answer, anthropicResult(`late${index}`, 'z'.repeat(900))]).flat()

describe('compact', () => {
  for (const dialect of agentDialects) {
    it(`puts a sentence in the place of old results and keeps the newest: ${dialect}`, () => {
      const body = agentRequest(dialect, [turn(12_345), turn(100), turn(1500), turn(600), turn(500)])
      const compaction = compact(dialect, body, small)
      assert.deepEqual([compaction.elidedResults, compaction.elidedChars, compaction.boundary], [2, 13_845, 3])
      const sentence = (count: string): string =>
        `[Tollgate left out ${count} characters of this old tool result to keep the task within its budget.]`
      assert.deepEqual(contents(dialect, sent(dialect, body, small)), [
        sentence('12,345'),
        'x'.repeat(100),
        sentence('1,500'),
        'x'.repeat(600),
        'x'.repeat(500),
      ])
    })
    it(`leaves a healthy transcript alone: ${dialect}`, () => {
      const body = agentRequest(dialect, [turn(900), turn(900)])
      assert.deepEqual(compact(dialect, body, small), { edits: [], elidedResults: 0, elidedChars: 0, boundary: 0 })
      assert.equal(compact(dialect, agentRequest(dialect, []), small).boundary, 0)
    })
    it(`never touches what the model has not read yet, however much it is: ${dialect}`, () => {
      const body = agentRequest(dialect, [turn(50_000), turn(4000, 4000, 4000, 4000, 4000)])
      assert.equal(compact(dialect, body, small).boundary, 1)
    })
  }
  it('never touches the newest results, however large', () => {
    const body = agentRequest('openai-chat', [turn(90_000), turn(90_000), turn(90_000), turn(90_000), turn(90_000)])
    assert.equal(compact('openai-chat', body, small).boundary, 3)
  })
  it('moves the boundary in steps: results of 300 to 3,000 characters move it every few turns, and never back', () => {
    for (const length of [300, 500, 3000]) {
      const turns = Array.from({ length: 40 }, () => turn(length))
      const boundaries = turns.map(
        (_, index) => compact('openai-chat', agentRequest('openai-chat', turns.slice(0, index + 1)), small).boundary,
      )
      const moves = boundaries.filter((boundary, index) => index > 0 && boundary !== boundaries[index - 1])
      assert.deepEqual(
        boundaries,
        boundaries.toSorted((one, other) => one - other),
      )
      assert.ok(moves.length >= 5 && moves.length <= 20, `${length}: ${boundaries.join(' ')}`)
    }
  })
  it('K13: starts anew where the client replaced its history by a summary', () => {
    const turns = Array.from({ length: 40 }, () => turn(700))
    assert.ok(compact('anthropic-messages', agentRequest('anthropic-messages', turns), small).boundary > 30)
    const summary = { role: 'user', content: 'Summary of what happened so far: '.repeat(200) }
    assert.equal(compact('anthropic-messages', anthropic(summary, ...later.slice(0, 2)), small).boundary, 0)
  })
  it('H05: leaves system blocks, human messages and their images alone', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'i'.repeat(90_000) } }
    const human = { role: 'user', content: [image, { type: 'text', text: 'h'.repeat(90_000) }] }
    const body = anthropic(human, answer, anthropicResult('a', 'x'.repeat(5000)), ...later)
    const paths = compact('anthropic-messages', body, small).edits.map(({ path }) => path)
    assert.deepEqual(paths[0], ['messages', 2, 'content', 0, 'content'])
    assert.ok(paths.every((path) => path.at(-1) === 'content' && path.length === 5))
  })
  it('leaves out images of old results, says how many, and weighs them like text', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aaaa' } }
    const body = anthropic(
      anthropicResult('a', [image]),
      answer,
      anthropicResult('b', [{ type: 'text', text: 'é' }, image, image]),
      ...later,
    )
    assert.deepEqual(
      compact('anthropic-messages', body, small).edits.map(({ value }) => value),
      [
        [
          {
            type: 'text',
            text: '[Tollgate left out 1 image of this old tool result to keep the task within its budget.]',
          },
        ],
        [
          {
            type: 'text',
            text: '[Tollgate left out 1 character and 2 images of this old tool result to keep the task within its budget.]',
          },
        ],
      ],
    )
  })
  it('keeps the cache breakpoints that the client set, on the block and inside of it', () => {
    const mark = { type: 'ephemeral', ttl: '1h' }
    const body = anthropic(
      anthropicResult('a', 'x'.repeat(5000), { cache_control: mark, is_error: true }),
      answer,
      anthropicResult('b', [{ type: 'text', text: 'y'.repeat(5000), cache_control: mark }]),
      ...later,
    )
    const after = sent('anthropic-messages', body, small)['messages'] as { content: JsonObject[] }[]
    assert.deepEqual(
      { ...after[0]?.content[0], content: '' },
      { type: 'tool_result', tool_use_id: 'a', content: '', cache_control: mark, is_error: true },
    )
    const [inside] = after[2]!.content[0]!['content'] as readonly [JsonObject]
    assert.deepEqual(inside['cache_control'], mark)
    assert.match(String(inside['text']), /^\[Tollgate left out 5,000 characters/)
  })
  it('leaves results whose parts later messages may point at', () => {
    const long = { type: 'text', text: 'x'.repeat(9000) }
    const document = {
      type: 'document',
      source: { type: 'text', data: 'd'.repeat(9000) },
      citations: { enabled: true },
    }
    const body = anthropic(
      anthropicResult('a', [long, document]),
      answer,
      anthropicResult('b', [{ type: 'tool_reference', tool_name: 't' }, long]),
      answer,
      { role: 'assistant', content: [{ type: 'web_search_tool_result', tool_use_id: 's', content: [long] }] },
      ...later,
    )
    const paths = compact('anthropic-messages', body, small).edits.map(({ path }) => path[1])
    assert.ok(paths.every((message) => Number(message) > 4))
  })
  it('keeps the form of a list of parts in Responses', () => {
    const parts = [
      { type: 'input_text', text: 'x'.repeat(5000) },
      { type: 'input_image', image_url: 'data:,' },
    ]
    const input = [
      { type: 'custom_tool_call_output', call_id: 'a', output: parts },
      ...(agentRequest('openai-responses', [turn(900), turn(900), turn(900)])['input'] as unknown[]),
    ]
    assert.deepEqual(compact('openai-responses', { input }, small).edits[0], {
      path: ['input', 0, 'output'],
      value: [
        {
          type: 'input_text',
          text: '[Tollgate left out 5,000 characters and 1 image of this old tool result to keep the task within its budget.]',
        },
      ],
    })
  })
  it('has nothing to do in formats without tool results, and in bodies that are not as they should be', () => {
    for (const dialect of [
      'openai-completions',
      'openai-embeddings',
      'ollama-generate',
      'ollama-embed',
      'gemini-embed',
    ] as const) {
      assert.equal(compact(dialect, { messages: [{ role: 'tool', content: 'x'.repeat(9000) }] }).boundary, 0)
    }
    for (const dialect of agentDialects) {
      for (const odd of [null, 'x', 3, [null, 3, 'x', { role: 'tool' }, { role: 'user', content: [null, {}] }]]) {
        assert.deepEqual(compact(dialect, { messages: odd, input: odd, contents: odd }).edits, [])
      }
    }
  })
})

const someTurns = fc.array(
  fc.array(fc.integer({ min: 0, max: 2500 }), { minLength: 1, maxLength: 4 }).map((lengths) => turn(...lengths)),
  { maxLength: 25 },
)
const somePolicy = fc.record({
  keepResults: fc.integer({ min: 0, max: 4 }),
  keepChars: fc.integer({ min: 0, max: 4000 }),
  slack: fc.constantFrom(1.5, 2, 3),
  minResultChars: fc.constantFrom(1, 300),
})

describe('compact on random runs', () => {
  it('K11: does the same in all formats, and changes nothing but contents of old results', () => {
    fc.assert(
      fc.property(someTurns, somePolicy, (turns, policy) => {
        const outcomes = agentDialects.map((dialect) => {
          const body = agentRequest(dialect, turns)
          const after = sent(dialect, body, policy)
          assert.deepEqual(skeleton(dialect, after), skeleton(dialect, body))
          return contents(dialect, after)
        })
        for (const outcome of outcomes) assert.deepEqual(outcome, outcomes[0])
        const before = turns.flatMap(({ calls }) => calls.map(({ result }) => result))
        const untouched = Math.max(policy.keepResults, turns.at(-1)?.calls.length ?? 0)
        assert.deepEqual(outcomes[0]?.slice(-untouched), before.slice(-untouched))
      }),
      { numRuns: 150 },
    )
  })
  it('never takes back what it elided, turn after turn, and keeps what is left within bounds', () => {
    fc.assert(
      fc.property(someTurns, somePolicy, (turns, policy) => {
        let elided: ReadonlyMap<string, unknown> = new Map()
        for (let count = 1; count <= turns.length; count += 1) {
          const body = agentRequest('openai-responses', turns.slice(0, count))
          const { edits, boundary } = compact('openai-responses', body, policy)
          const now = new Map(edits.map(({ path, value }) => [path.join('.'), value]))
          for (const [path, value] of elided) assert.deepEqual(now.get(path), value)
          elided = now
          const lengths = turns.slice(0, count).flatMap(({ calls }) => calls.map(({ result }) => result.length))
          const sum = (part: readonly number[]): number =>
            part.filter((length) => length >= policy.minResultChars).reduce((total, length) => total + length, 0)
          const fixed = Math.max(policy.keepResults, turns[count - 1]?.calls.length ?? 0)
          const most = policy.slack * Math.max(policy.keepChars, sum(lengths.slice(-fixed)))
          assert.ok(sum(lengths.slice(boundary)) <= most)
        }
      }),
      { numRuns: 200 },
    )
  })
  it('has defaults that move rarely', () => {
    assert.ok(compactionPolicy.slack > 1 && compactionPolicy.minResultChars > 200)
    const turns = agentTurns(60)
    const boundaries = turns.map(
      (_, index) => compact('openai-chat', agentRequest('openai-chat', turns.slice(0, index))).boundary,
    )
    assert.ok(new Set(boundaries).size <= 60 / 4, boundaries.join(' '))
  })
})
