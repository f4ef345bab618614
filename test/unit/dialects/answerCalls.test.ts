import assert from 'node:assert/strict'
import fc from 'fast-check'
import { digestAnswerCalls } from '../../../daemon/transcript/callDigest.ts'
import { TextDigests } from '../../../daemon/transcript/textDigests.ts'
import { describeRequest, namedEvents, readAnswer } from './builders.ts'

type Item = Readonly<Record<string, unknown>>

const weather: Item = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'weather',
  arguments: '{"city":"P"}',
}
const patch: Item = { type: 'custom_tool_call', id: 'ct_1', call_id: 'call_2', name: 'patch', input: '*** Begin Patch' }
const shell: Item = { type: 'shell_call', id: 'sh_1', call_id: 'call_3', action: { commands: ['ls'], timeout_ms: 9 } }
const message: Item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] }

const response = (output: readonly Item[], more: Item = {}): Item => ({
  id: 'resp_1',
  status: 'completed',
  output,
  ...more,
})
const json = (output: readonly Item[], more: Item = {}) =>
  readAnswer('openai-responses', 'json', JSON.stringify(response(output, more))).calls

/** A stream that shows the items, and repeats `last` at its end. */
const stream = (items: readonly Item[], last: readonly Item[] = items, more: Item = {}) =>
  readAnswer(
    'openai-responses',
    'sse',
    namedEvents(
      { type: 'response.created', response: { id: 'resp_1' } },
      ...items.flatMap((item, at) => [
        { type: 'response.output_item.added', output_index: at, item: { ...item, arguments: '' } },
        { type: 'response.output_item.done', output_index: at, item },
      ]),
      { type: 'response.completed', response: response(last, more) },
    ),
  ).calls

const expected = [
  { id: 'call_1', tool: 'weather', argumentsText: '{"city":"P"}' },
  { id: 'call_2', tool: 'patch', argumentsText: '*** Begin Patch' },
  { id: 'call_3', tool: 'shell', argumentsText: '{"commands":["ls"],"timeout_ms":9}' },
]

describe('the tool calls of a Responses answer', () => {
  it('are read from a document and from a stream alike', () => {
    assert.deepEqual(json([message, weather, patch, shell]), expected)
    assert.deepEqual(stream([message, weather, patch, shell]), expected)
  })

  it('are read from a stream that does not repeat its output, and from one that shows it only at its end', () => {
    assert.deepEqual(stream([weather, patch, shell], []), expected)
    assert.deepEqual(stream([], [weather, patch, shell]), expected)
  })

  it('are none where the model called no tool, which is something else than not known', () => {
    assert.deepEqual(json([message]), [])
    assert.deepEqual(stream([message]), [])
  })

  it('are not known before the end, nor when one that had begun is missing at the end', () => {
    const begun = { type: 'response.output_item.added', output_index: 0, item: { ...weather, arguments: '' } }
    const done = { type: 'response.output_item.done', output_index: 0, item: weather }
    const cut = readAnswer('openai-responses', 'sse', namedEvents(begun, done))
    assert.deepEqual([cut.terminal, cut.calls], [false, null])
    const completed = { type: 'response.completed', response: response([]) }
    assert.equal(readAnswer('openai-responses', 'sse', namedEvents(begun, completed)).calls, null)
    assert.equal(readAnswer('openai-responses', 'json', '{"id":"resp_1","output":[{"type":"function').calls, null)
  })

  it('are not known of an answer that nobody can go on from, and in formats where nobody can', () => {
    assert.equal(json([weather], { store: false }), null)
    assert.equal(stream([weather], [weather], { store: false }), null)
    assert.deepEqual(json([message, weather], { store: true }), expected.slice(0, 1))
    const chat = { choices: [{ message: { tool_calls: [{ id: 'a', function: { name: 'x', arguments: '{}' } }] } }] }
    assert.equal(readAnswer('openai-chat', 'json', JSON.stringify(chat)).calls, null)
  })

  it('are all kept or none: 64 calls, and 256 thousand characters of arguments', () => {
    const calls = (count: number, chars: number) =>
      Array.from({ length: count }, (_, at) => ({ ...patch, call_id: `call_${at}`, input: 'x'.repeat(chars) }))
    assert.equal(json(calls(64, 10))?.length, 64)
    assert.equal(json(calls(65, 10)), null)
    assert.equal(stream(calls(65, 10)), null)
    assert.equal(json(calls(4, 65_536))?.length, 4)
    assert.equal(json(calls(4, 65_537)), null)
    assert.equal(json([...calls(1, 300_000), ...calls(1, 1)]), null)
  })

  it('K11: have the digests that a transcript has which carries them', () => {
    const ofTranscript = (item: Item) => {
      const output = { type: `${String(item['type'])}_output`, call_id: item['call_id'], output: 'ok' }
      return describeRequest('openai-responses', { model: 'm', input: [item, output] }).facts.transcript.toolStates[0]!
    }
    const ofAnswer = (item: Item) => digestAnswerCalls(new TextDigests('salt'), json([item])!)[0]!
    for (const item of [weather, patch, shell]) {
      const { tool, callDigest } = ofTranscript(item)
      assert.deepEqual([ofAnswer(item).tool, ofAnswer(item).callDigest], [tool, callDigest])
    }
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), fc.jsonValue(), fc.string(), (text, value, name) => {
        for (const item of [
          { ...weather, name, arguments: text },
          { ...shell, action: value },
        ]) {
          assert.equal(ofAnswer(item).callDigest, ofTranscript(item).callDigest)
        }
      }),
    )
  })

  it('K11: meet their results by the id, which is kept as a digest', () => {
    const [call] = digestAnswerCalls(new TextDigests('salt'), json([weather])!)
    const output = { type: 'function_call_output', call_id: 'call_1', output: '9 degrees' }
    const { openResults, toolStates } = describeRequest('openai-responses', { model: 'm', input: [output] }).facts
      .transcript
    assert.deepEqual(toolStates, [])
    assert.deepEqual(
      openResults.map(({ message: index, callId }) => [index, callId]),
      [[0, call!.id]],
    )
  })
})

describe('what stays of the tool calls of an answer', () => {
  it('N08: is no text', () => {
    const secret = {
      ...weather,
      call_id: 'call_of_ada',
      arguments: '{"city":"Klein Kleckersdorf an der Lahn, Hinterhof"}',
    }
    const digests = new TextDigests('salt')
    const kept = digestAnswerCalls(digests, json([secret])!)
    assert.doesNotMatch(JSON.stringify(kept), /Kleckersdorf|ada/)
    assert.deepEqual(Object.keys(kept[0]!).sort(), ['callDigest', 'id', 'tool'])
  })
})
