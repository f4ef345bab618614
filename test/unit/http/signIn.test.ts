import assert from 'node:assert/strict'
import fc from 'fast-check'
import { billingOf } from '../../../daemon/http/signIn.ts'
import type { Upstream } from '../../../shared/config.ts'

const anthropic: Upstream = { baseUrl: 'https://api.anthropic.com', dialect: 'anthropic', free: false }
const openai: Upstream = { baseUrl: 'https://chatgpt.com/backend-api/codex', dialect: 'openai', free: false }
const claude = { authorization: 'Bearer sk-ant-oat01-Abc_def-123' }
const chatgpt = { authorization: 'Bearer eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl', 'chatgpt-account-id': 'acc-1' }

describe('how a call is paid for', () => {
  it('is a subscription for the tokens of Claude and ChatGPT at an upstream of their dialect', () => {
    assert.equal(billingOf(claude, anthropic), 'subscription')
    assert.equal(billingOf({ authorization: 'bearer  sk-ant-oat02-x' }, anthropic), 'subscription')
    assert.equal(billingOf(chatgpt, openai), 'subscription')
  })

  it('is by the token for API keys, also where they come as a bearer', () => {
    assert.equal(billingOf({}, anthropic), 'metered')
    assert.equal(billingOf({ 'x-api-key': 'sk-ant-api03-x' }, anthropic), 'metered')
    assert.equal(billingOf({ authorization: 'Bearer sk-ant-api03-x' }, anthropic), 'metered')
    assert.equal(billingOf({ authorization: 'Bearer sk-proj-x', 'chatgpt-account-id': 'acc-1' }, openai), 'metered')
    assert.equal(billingOf({ authorization: chatgpt.authorization }, openai), 'metered')
  })

  it('is by the token where a key stands beside the sign-in, because the key may be what is billed', () => {
    assert.equal(billingOf({ ...claude, 'x-api-key': 'sk-ant-api03-x' }, anthropic), 'metered')
    assert.equal(billingOf({ ...chatgpt, 'api-key': 'x' }, openai), 'metered')
  })

  it('is by the token at an upstream of another dialect, and at a free one', () => {
    assert.equal(billingOf(claude, openai), 'metered')
    assert.equal(billingOf(chatgpt, anthropic), 'metered')
    assert.equal(billingOf(claude, { ...anthropic, free: true }), 'metered')
    assert.equal(billingOf(claude, { ...anthropic, dialect: 'ollama' }), 'metered')
  })

  it('is never a subscription for what does not have exactly the form of a sign-in', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(anthropic, openai), (text, upstream) => {
        fc.pre(!/sk-ant-oat\d*-|^eyJ/i.test(text))
        assert.equal(billingOf({ authorization: `Bearer ${text}`, 'chatgpt-account-id': 'a' }, upstream), 'metered')
      }),
    )
  })
})
