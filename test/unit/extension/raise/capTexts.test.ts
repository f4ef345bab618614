import assert from 'node:assert/strict'
import { fillText, grantText, raisableName, raisedText } from '../../../../extension/raise/capTexts.ts'
import { figures, text } from '../support.ts'
import { raisable } from './parts.ts'

const month = raisable({ scope: 'tenant', ref: 'acme', name: 'acme', window: 'month', cap: 150, limit: 155 })

describe('what is said of caps', () => {
  it('names them by the amount that is set, the window and whose they are', () => {
    const nameOf = (cap: typeof month): string => raisableName(cap, text, figures)
    assert.equal(nameOf(raisable({ limit: 12 })), '€10.00 a day for you')
    assert.equal(nameOf(month), '€150.00 a month for the account')
    assert.equal(nameOf(raisable({ unit: 'tokens', cap: 50_000 })), '50k tokens a day for you')
    const project = raisable({ scope: 'project', ref: 'shop', name: 'shop', isOwn: false, cap: 2 })
    assert.equal(nameOf(project), '€2.00 a day for project shop')
  })

  it('tells how far they are used, with what is allowed on top', () => {
    assert.equal(fillText(raisable({ used: 9.8 }), text, figures), '€9.80 of €10.00 used (98%)')
    assert.equal(fillText(raisable({ limit: 12, used: 12 }), text, figures), '€12.00 of €12.00 used (100%)')
    const tokens = raisable({ unit: 'tokens', cap: 50_000, limit: 50_000, used: 40_000 })
    assert.equal(fillText(tokens, text, figures), '40k of 50k tokens used (80%)')
    assert.equal(fillText(raisable({ cap: 0, limit: 0 }), text, figures), '0: paid calls are off')
  })

  it('tells of a grant everything that is gone when it is taken back', () => {
    assert.equal(grantText({ id: 1, eur: 2, tokens: 0 }, text, figures), '€2.00')
    assert.equal(grantText({ id: 1, eur: 0, tokens: 50_000 }, text, figures), '50k tokens')
    assert.equal(grantText({ id: 1, eur: 2, tokens: 50_000 }, text, figures), '€2.00 + 50k tokens')
  })

  it('says after a raise how much and until when, what still holds, and that all calls are stopped', () => {
    const raised = { cap: raisable(), amount: 2.5, until: '00:00' }
    const done = '€2.50 more until 00:00, on top of €10.00 a day for you.'
    assert.equal(raisedText(raised, null, false, text, figures), done)
    assert.equal(
      raisedText(raised, { cap: month, left: 3.1 }, true, text, figures),
      `${done} The cap of €150.00 a month for the account still holds: €3.10 left. Tollgate has stopped all model calls.`,
    )
  })
})
