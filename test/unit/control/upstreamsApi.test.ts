import assert from 'node:assert/strict'
import { listUpstreams } from '../../../daemon/control/upstreamsApi.ts'
import { defaults } from '../../../daemon/config/defaults.ts'
import { builtInUpstreams } from '../../../shared/addresses.ts'
import { builtInRow } from '../../../shared/upstreams.ts'

describe('GET /api/upstreams', () => {
  it('tells names, dialects and prices, and no address: that may hold a password', () => {
    const upstreams = {
      corp: { baseUrl: 'https://ada:secret@llm.example/v1?token=secret', dialect: 'openai', free: false },
      box: { baseUrl: 'http://gpu:11434', dialect: 'ollama', free: true },
    } as const
    const answer = listUpstreams({ upstreams })
    assert.deepEqual(answer.upstreams, [
      { name: 'corp', dialect: 'openai', free: false },
      { name: 'box', dialect: 'ollama', free: true },
    ])
    assert.doesNotMatch(JSON.stringify(answer), /secret|example|gpu/)
  })

  it('is what the extension assumes of the built-in ones while no daemon answers', () => {
    assert.deepEqual(builtInUpstreams.map(builtInRow), listUpstreams(defaults).upstreams)
  })
})
