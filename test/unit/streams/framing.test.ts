import assert from 'node:assert/strict'
import { readDocument } from '../../../daemon/streams/document.ts'
import { lastFields } from '../../../daemon/streams/lastFields.ts'
import { readLines } from '../../../daemon/streams/ndjson.ts'
import { readEvents } from '../../../daemon/streams/sse.ts'

function eventsOf(pieces: readonly Uint8Array[], maxChars?: number): string[] {
  const seen: string[] = []
  const feed = readEvents(
    { event: (data, name) => seen.push(`${name}|${data}`), oversized: (tail) => seen.push(`large|${tail.slice(-12)}`) },
    maxChars,
  )
  for (const piece of pieces) feed.push(piece)
  feed.end()
  return seen
}
function linesOf(pieces: readonly Uint8Array[], maxChars?: number): string[] {
  const seen: string[] = []
  const feed = readLines(
    { line: (text) => seen.push(text), oversized: (tail) => seen.push(`large|${tail.slice(-12)}`) },
    maxChars,
  )
  for (const piece of pieces) feed.push(piece)
  feed.end()
  return seen
}
function splits(text: string): Uint8Array[][] {
  const bytes = Buffer.from(text)
  const pairs = Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)])
  return [...pairs, Array.from(bytes, (byte) => Uint8Array.of(byte))]
}

describe('server-sent events', () => {
  it('F01, F02: are the same with every line end and split at every byte', () => {
    const stream = ': hi\n\nevent: a\ndata: 北京🌍\n\ndata: 1\ndata: 2\n\nid: 4\nretry: 10\ndata:x\n\n'
    for (const ending of ['\n', '\r\n', '\r']) {
      for (const pieces of splits(stream.replaceAll('\n', ending))) {
        assert.deepEqual(eventsOf(pieces), ['a|北京🌍', '|1\n2', '|x'])
      }
    }
  })
  it('count although the last line break is missing', () => {
    assert.deepEqual(eventsOf([Buffer.from('data: 1\n\ndata: [DONE]')]), ['|1', '|[DONE]'])
  })
  it('may begin with a byte order mark', () => assert.deepEqual(eventsOf([Buffer.from('\ufeffdata: 1\n\n')]), ['|1']))

  for (const ending of ['\n', '\r\n', '\r']) {
    it(`are skipped when they are too large, with their tail reported and the next ones read (${JSON.stringify(ending)})`, () => {
      const huge = `data: {"a":"${'x'.repeat(2000)}","usage":1}`
      const stream = [
        'data: 1',
        '',
        huge,
        '',
        'data: 2',
        '',
        `event: big\ndata: ${'y'.repeat(900)}\ndata: ${'z'.repeat(900)}end`,
        '',
        'data: 3',
        '',
        '',
      ]
        .join('\n')
        .replaceAll('\n', ending)
      const bytes = Buffer.from(stream)
      for (const size of [1, 7, 100]) {
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        )
        assert.deepEqual(
          eventsOf(pieces, 800),
          ['|1', 'large|","usage":1}', '|2', 'large|zzzzzzzzzend', '|3'],
          `pieces of ${size}`,
        )
      }
    })
  }
  it('too large and never ended leave no event behind', () => {
    assert.deepEqual(eventsOf([Buffer.from(`data: 1\n\ndata: ${'x'.repeat(5000)}`)], 800), ['|1', 'large|xxxxxxxxxxxx'])
  })
})

describe('lines of JSON', () => {
  it('I08: are the same split at every byte, with CRLF and without a last line end', () => {
    for (const pieces of splits('{"a":"北京🌍"}\r\n\n{"b":2}\n{"c":3}')) {
      assert.deepEqual(
        linesOf(pieces).map((line) => line.trim()),
        ['{"a":"北京🌍"}', '{"b":2}', '{"c":3}'],
      )
    }
  })
  it('are skipped when they are too long, with their tail reported and the next ones read', () => {
    const bytes = Buffer.from(`first\n${'x'.repeat(400_000)}done\nlast`)
    const pieces = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, at) =>
      bytes.subarray(at * 1000, (at + 1) * 1000),
    )
    assert.deepEqual(linesOf(pieces, 5000), ['first', 'large|xxxxxxxxdone', 'last'])
    assert.deepEqual(linesOf([bytes], 5000), ['first', 'large|xxxxxxxxdone', 'last'])
  })
})

describe('documents', () => {
  const read = (pieces: readonly string[], maxBytes?: number): string[] => {
    const seen: string[] = []
    const feed = readDocument(
      { document: (text) => seen.push(text), oversized: (tail) => seen.push(`large|${tail.length}|${tail.slice(-4)}`) },
      maxBytes,
    )
    for (const piece of pieces) feed.push(Buffer.from(piece))
    feed.end()
    return seen
  }
  it('are joined', () => assert.deepEqual(read(['{"a"', ':1}']), ['{"a":1}']))
  it('are kept by their end alone when they are too large', () => {
    assert.deepEqual(read([...Array.from({ length: 500 }, () => 'x'.repeat(1000)), 'tail'], 10_000), [
      'large|65536|tail',
    ])
  })
})

describe('the last fields of a long text', () => {
  it('are found behind text that looks like them', () => {
    const tail =
      'xx "usage":{"a":1}, "usage" : {"b":{"c":"}\\""},"d":[2]}, "status":"done\\u0021", "n" : -1.5e2, "note":"the \\"usage\\": field"}'
    assert.deepEqual(lastFields(tail, ['usage', 'status', 'n', 'missing']), {
      usage: { b: { c: '}"' }, d: [2] },
      status: 'done!',
      n: -150,
    })
  })
  it('are passed over where they are not complete', () => {
    assert.deepEqual(lastFields('"usage":{"a":1},"usage":{"b":', ['usage']), { usage: { a: 1 } })
    assert.deepEqual(lastFields('"usage"', ['usage']), {})
    assert.deepEqual(lastFields('', ['usage']), {})
  })
})
