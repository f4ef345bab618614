import assert from 'node:assert/strict'
import { judgeHost } from '../../../daemon/guards/host.ts'
import { judgeOrigin } from '../../../daemon/guards/origin.ts'

describe('N01: the Host guard', () => {
  for (const host of ['127.0.0.1:4141', 'localhost:4141', 'LOCALHOST:4141', 'localhost.:4141', '[::1]:4141']) {
    it(`lets ${host} in`, () => assert.equal(judgeHost(host, 4141), null))
  }
  for (const host of [
    undefined,
    '',
    'evil.example:4141',
    '127.0.0.1',
    '127.0.0.1:80',
    'localhost:4142',
    '127.0.0.1.evil.example:4141',
    '0.0.0.0:4141',
    '[::ffff:127.0.0.1]:4141',
    'localhost:4141@evil.example',
    '127.0.0.1:4141, evil.example',
  ]) {
    it(`refuses ${host ?? 'a missing Host'}`, () => assert.equal(judgeHost(host, 4141)?.code, 'forbidden_host'))
  }
})

describe('N02: the Origin guard', () => {
  it('refuses web pages, also those that send no Origin but say where they come from', () => {
    assert.equal(judgeOrigin('https://evil.example', undefined)?.code, 'forbidden_origin')
    assert.equal(judgeOrigin('null', undefined)?.code, 'forbidden_origin')
    assert.equal(judgeOrigin('http://127.0.0.1:4141', undefined)?.code, 'forbidden_origin')
    assert.equal(judgeOrigin(undefined, 'cross-site')?.code, 'forbidden_origin')
  })
  it('lets programs in', () => {
    assert.equal(judgeOrigin(undefined, undefined), null)
    assert.equal(judgeOrigin(undefined, 'none'), null)
  })
})
