import assert from 'node:assert/strict'
import { answerHeaders, upstreamHeaders, withoutHeader } from '../../../daemon/http/headers.ts'

function pairs(list: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (let at = 0; at + 1 < list.length; at += 2) found[list[at]!.toLowerCase()] = list[at + 1]!
  return found
}

describe('headers for the provider', () => {
  it('G05: drops stale lengths, hop-by-hop headers and everything that Connection names', () => {
    const raw = [
      'Host', '127.0.0.1:4141', 'Content-Length', '12', 'Transfer-Encoding', 'chunked', 'Connection', 'x-secret, keep-alive',
      'X-Secret', '1', 'Keep-Alive', 'timeout=5', 'Authorization', 'Bearer sk', 'Upgrade', 'h2c', 'TE', 'trailers',
    ] // prettier-ignore
    assert.deepEqual(pairs(upstreamHeaders(raw, 'x-secret, keep-alive')), {
      authorization: 'Bearer sk',
      'accept-encoding': 'identity',
    })
  })

  it('G02: asks for plain answers whatever the client accepts', () => {
    const sent = upstreamHeaders(['Accept-Encoding', 'zstd, br'], undefined)
    assert.equal(pairs(sent)['accept-encoding'], 'identity')
    assert.equal(sent.filter((name) => name.toLowerCase() === 'accept-encoding').length, 1)
  })

  it('N03: never forwards the local key or any other header of the gate', () => {
    const sent = upstreamHeaders(
      ['x-tollgate-key', 'LOCAL', 'X-Tollgate-Task', 'T', 'x-tollgate-anything', '1'],
      undefined,
    )
    assert.deepEqual(pairs(sent), { 'accept-encoding': 'identity' })
  })

  it('keeps every provider header, known or not (H04)', () => {
    const raw = ['anthropic-beta', 'afk-mode-2026-01-31,unknown-2027', 'anthropic-version', '2023-06-01', 'x-new', 'y']
    const sent = pairs(upstreamHeaders(raw, undefined))
    assert.equal(sent['anthropic-beta'], 'afk-mode-2026-01-31,unknown-2027')
    assert.equal(sent['x-new'], 'y')
  })
})

describe('headers for the client', () => {
  it('A15: a long retry-after of the provider does not put an SDK to sleep', () => {
    assert.equal(pairs(answerHeaders({ 'retry-after': '3600' }).list)['x-should-retry'], 'false')
    assert.equal(
      pairs(answerHeaders({ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }).list)['x-should-retry'],
      'false',
    )
    assert.equal(pairs(answerHeaders({ 'retry-after': '20' }).list)['x-should-retry'], undefined)
    assert.equal(pairs(answerHeaders({ 'retry-after-ms': '3600000' }).list)['x-should-retry'], 'false')
    assert.equal(pairs(answerHeaders({ 'retry-after-ms': '20000' }).list)['x-should-retry'], undefined)
    assert.equal(
      pairs(answerHeaders({ 'retry-after': '3600', 'x-should-retry': 'true' }).list)['x-should-retry'],
      'true',
    )
  })

  it('keeps repeated headers and drops hop-by-hop ones', () => {
    const { list } = answerHeaders({
      'set-cookie': ['a=1', 'b=2'],
      connection: 'x-hop',
      'x-hop': '1',
      'request-id': 'r',
    })
    assert.deepEqual(list, ['set-cookie', 'a=1', 'set-cookie', 'b=2', 'request-id', 'r'])
  })

  it('reads the content type whatever its case', () => {
    assert.equal(answerHeaders({ 'content-type': 'Text/Event-Stream' }).contentType, 'text/event-stream')
  })

  it('removes one header whatever its case', () => {
    assert.deepEqual(withoutHeader(['Content-Length', '3', 'x', 'y'], 'content-length'), ['x', 'y'])
  })
})
