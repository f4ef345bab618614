import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createUsageChunkFilter, maxHeldBytes } from '../../../daemon/streams/hideUsageChunk.ts'

function filtered(pieces: readonly Uint8Array[]): string {
  const filter = createUsageChunkFilter()
  return Buffer.concat([...pieces.flatMap((piece) => filter.push(piece)), ...filter.end()]).toString('latin1')
}
function once(text: string): string {
  return Buffer.from(filtered([Buffer.from(text)]), 'latin1').toString()
}

const azure = 'data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}],"usage":null}\n\n'
const role = 'data: {"id":"c1","choices":[{"index":0,"delta":{"role":"assistant"}}],"usage":null}\n\n'
const text = 'data: {"choices":[{"index":0,"delta":{"content":"北京🌍 \\"choices\\":[] "}}],"usage":null}\n\n'
const finish = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9}}\n\n'
const extra = 'data: {"id":"c1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}\n\n'
const done = 'data: [DONE]\n\n'
const stream = [azure, ': comment\n\n', role, text, finish, extra, done].join('')
const wanted = stream.replace(extra, '')

describe('hiding the usage chunk that the gate asked for', () => {
  it('B01: takes out the usage-only event and leaves every other byte', () => assert.equal(once(stream), wanted))

  it('B02: keeps events with choices, Azure’s first event, and usage that is null', () => {
    for (const kept of [
      azure,
      role,
      text,
      finish,
      done,
      'data: {"choices":[],"usage":null}\n\n',
      'data: {"choices":null,"usage":{}}\n\n',
      'data: {"usage":{"prompt_tokens":9}}\n\n',
      'data: {"choices":[],"usage":[]}\n\n',
      ': {"choices":[],"usage":{}}\n\n',
      'data: {"choices":[{"delta":{"choices":[]}}],"usage":{"prompt_tokens":9}}\n\n',
      'event: x\n\n',
    ]) {
      assert.equal(once(kept), kept)
    }
  })
  it('B02: knows the event in other spellings', () => {
    for (const spelling of [
      'data:{"usage":{"prompt_tokens":9},"choices":[ ]}\n\n',
      'event: message\ndata: { "choices" : [\t], "usage" : { } }\n\n',
      'id: 4\ndata: {"choices":[],\ndata: "usage":{}}\n\n',
    ]) {
      assert.equal(once(role + spelling + done), role + done)
    }
  })
  for (const [name, ending] of [
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['a lone CR', '\r'],
  ] as const) {
    const bytes = Buffer.from(stream.replaceAll('\n', ending))
    const expected = Buffer.from(wanted.replaceAll('\n', ending)).toString('latin1')
    it(`F01, F02: gives the same bytes with ${name} split at every byte, and byte by byte`, () => {
      for (let at = 0; at <= bytes.length; at += 1)
        assert.equal(filtered([bytes.subarray(0, at), bytes.subarray(at)]), expected, `at byte ${at}`)
      assert.equal(filtered(Array.from(bytes, (byte) => Uint8Array.of(byte))), expected)
    })
  }
  it('F01: leaves streams of random events as they are but for the one, however they are cut', () => {
    const event = fc.constantFrom(
      azure,
      role,
      text,
      finish,
      extra,
      done,
      ': c\n\n',
      '\n',
      'data: x\ndata: y\r\n\r\n',
      'data: z\r\r',
      'junk\n',
    )
    fc.assert(
      fc.property(fc.array(event), fc.array(fc.nat(3000)), (events, cuts) => {
        const bytes = Buffer.from(events.join(''))
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((left, right) => left - right),
          bytes.length,
        ]
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
        assert.equal(filtered(pieces), filtered([bytes]))
        const ends = events.every((one) => one.endsWith('\n\n') || one.endsWith('\r\n\r\n'))
        if (ends)
          assert.equal(filtered(pieces), Buffer.from(events.filter((one) => one !== extra).join('')).toString('latin1'))
      }),
      { numRuns: 300 },
    )
  })
  it('passes a chunk of whole ordinary events on as the same object', () => {
    const filter = createUsageChunkFilter()
    const chunk = Buffer.from(role + text)
    const [passed, ...more] = filter.push(chunk)
    assert.equal(passed, chunk)
    assert.deepEqual(more, [])
  })
  it('holds back an event that is not complete, and nothing before it', () => {
    const filter = createUsageChunkFilter()
    assert.equal(Buffer.concat([...filter.push(Buffer.from(`${role}data: {"cho`))]).toString(), role)
    assert.equal(Buffer.concat([...filter.push(Buffer.from('ices":[{}]}\n'))]).toString(), '')
    assert.equal(Buffer.concat([...filter.push(Buffer.from('\n'))]).toString(), 'data: {"choices":[{}]}\n\n')
  })
  it('passes on an event that is complete but for the line feed of its last CRLF', () => {
    const filter = createUsageChunkFilter()
    assert.equal(Buffer.concat([...filter.push(Buffer.from('data: a\r\n\r'))]).toString(), 'data: a\r\n\r')
    assert.equal(Buffer.concat([...filter.push(Buffer.from('\ndata: b\r\n\r\n'))]).toString(), '\ndata: b\r\n\r\n')
  })
  it('F06: gives out what a cut stream left over, but not the usage', () => {
    assert.equal(once(`${role}data: {"choices":[{"del`), `${role}data: {"choices":[{"del`)
    assert.equal(once(role + extra.trimEnd()), role)
  })
  it('lets an event that is far too large through as it comes, and filters again behind it', () => {
    const filter = createUsageChunkFilter()
    const half = Buffer.from(`data: {"choices":[],"usage":{"x":"${'y'.repeat(maxHeldBytes)}`)
    assert.equal(filter.push(half)[0], half)
    const rest = Buffer.from('zzz')
    assert.equal(filter.push(rest)[0], rest)
    const end = `"}}\n\n${role}${extra}${done}`
    assert.equal(Buffer.concat([...filter.push(Buffer.from(end))]).toString(), `"}}\n\n${role}${done}`)
    assert.deepEqual(filter.end(), [])
  })
})
