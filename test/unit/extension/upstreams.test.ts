import assert from 'node:assert/strict'
import fc from 'fast-check'
import { clientBaseUrl, parseUpstreams, readUpstreams } from '../../../extension/upstreams.ts'
import { builtInUpstreams } from '../../../shared/addresses.ts'

describe('upstreams in the extension', () => {
  const box = { name: 'box', dialect: 'ollama', free: true }

  it('are those of the configuration', async () => {
    const asked: string[] = []
    const upstreams = await readUpstreams((path) => {
      asked.push(path)
      return Promise.resolve({
        upstreams: [box, { name: '../x', dialect: 'openai', free: false }, { name: 'y' }, null],
      })
    })
    assert.deepEqual(upstreams, [box])
    assert.deepEqual(asked, ['/api/upstreams'])
  })

  it('are the built-in ones while the daemon is away, or too old to tell', async () => {
    for (const call of [() => Promise.reject(new Error('gone')), () => Promise.resolve({ error: 'not found' })]) {
      const upstreams = await readUpstreams(call)
      assert.deepEqual(
        upstreams.map(({ name }) => name),
        builtInUpstreams,
      )
      assert.deepEqual(
        upstreams.find(({ name }) => name === 'ollama'),
        { ...box, name: 'ollama' },
      )
    }
  })

  it('never throw, whatever answers', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => Array.isArray(parseUpstreams(value))))
  })

  it('have base URLs in the form that their clients want, with and without a project', () => {
    const address = { origin: 'http://127.0.0.1:4141', key: 'abc' }
    assert.equal(
      clientBaseUrl({ ...address, project: 'shop' }, { name: 'groq', dialect: 'openai' }),
      'http://127.0.0.1:4141/k/abc/p/shop/groq/v1',
    )
    assert.equal(
      clientBaseUrl({ ...address, project: null }, { name: 'anthropic', dialect: 'anthropic' }),
      'http://127.0.0.1:4141/k/abc/anthropic',
    )
  })
})
