import assert from 'node:assert/strict'
import { statusForClient } from '../../../daemon/http/retryingClients.ts'

describe('the status of a refusal', () => {
  it('is the semantic one for clients that listen to x-should-retry', () => {
    assert.equal(statusForClient(429, 'OpenAI/JS 7.59.0', 'auto'), 429)
    assert.equal(statusForClient(403, 'Anthropic/Python 0.80', 'auto'), 403)
    assert.equal(statusForClient(429, '', 'auto'), 429)
  })
  const repeating: readonly [string, number][] = [
    ['ai/7.0.173 ai-sdk/provider-utils/4.0 runtime/node.js/24', 429],
    ['ai-sdk/openai/4.0.118', 503],
    ['codex_cli_rs/0.121.0 (Linux)', 403],
    ['claude-cli/2.1.0 (external, cli)', 429],
    ['GeminiCLI/0.61.0', 503],
    ['google-genai-sdk/3.3.0 gl-node/v24.21.0', 429],
    ['litellm/1.80', 422],
    ['langchainjs-openai/1.0.0', 422],
  ]
  for (const [userAgent, status] of repeating) {
    it(`is 400 instead of ${status} for ${userAgent}, which would repeat it`, () => {
      assert.equal(statusForClient(status, userAgent, 'auto'), 400)
      assert.equal(statusForClient(status, userAgent, 'semantic'), status)
    })
  }
  it('stays semantic where that client does not repeat it', () => {
    assert.equal(statusForClient(403, 'ai-sdk/openai/4.0.118', 'auto'), 403)
  })
  it('is 400 for everybody when configured so', () => {
    assert.equal(statusForClient(429, 'OpenAI/JS', 'final'), 400)
  })
})
