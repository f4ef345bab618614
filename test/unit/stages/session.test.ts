import assert from 'node:assert/strict'
import { sessionOf } from '../../../daemon/stages/session.ts'
import { admittedCall } from '../tasks/calls.ts'

function named(header: string | null, hint: { name: string; isConversation: boolean } | null, keyId = 'default') {
  const { facts, ...received } = admittedCall({ sessionHeader: header })
  const identity = { ...received.identity, keyId }
  return sessionOf({ ...received, identity }, { ...facts, sessionHint: hint }, 'salt')
}

describe('the session that a client names', () => {
  it('is a conversation where a header names it, and as the request says where its own fields do', () => {
    assert.equal(named('5dd0', null)?.isConversation, true)
    assert.equal(named('5dd0', { name: 'shop', isConversation: false })?.isConversation, true)
    assert.equal(named(null, { name: 'shop', isConversation: false })?.isConversation, false)
    assert.equal(named(null, { name: 'conv_1', isConversation: true })?.isConversation, true)
    assert.equal(named(null, null), null)
    assert.equal(named(null, { name: '', isConversation: true }), null)
  })

  it('N08: is a digest that tells nothing, equal for equal names of one key only', () => {
    const id = named('user_ada@example.com', null)?.id ?? ''
    assert.match(id, /^[0-9a-f]{24}$/)
    assert.equal(named('user_ada@example.com', null)?.id, id)
    assert.notEqual(named('user_ada@example.com', null, 'key-1')?.id, id)
    assert.notEqual(named('user_bob@example.com', null)?.id, id)
  })
})
