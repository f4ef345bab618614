import assert from 'node:assert/strict'
import { choiceAskOf } from '../../../daemon/dialects/choiceAsk.ts'
import type { JsonObject } from '../../../daemon/dialects/dialect.ts'
import { applyEdits } from '../../../daemon/dialects/edit.ts'
import { choices } from '../../../daemon/guards/choices.ts'
import type { Plan } from '../../../shared/config.ts'
import { judgeBy, refusalOf } from './guarded.ts'

function judge(body: JsonObject, plan: Partial<Plan> = {}) {
  return judgeBy(choices, { plan, state: { choices: choiceAskOf(body) } })
}

/** The request as it goes out. */
function sent(body: JsonObject, plan: Partial<Plan> = {}): unknown {
  const verdict = judge(body, plan)
  if (verdict.kind === 'refuse') assert.fail(verdict.refusal.message)
  const edits = verdict.kind === 'change' ? verdict.edits : []
  return JSON.parse(applyEdits(Buffer.from(JSON.stringify(body)), edits).toString())
}

describe('the guard on choices', () => {
  it('H10: refuses more answers than the plan allows, and leaves the number alone where it is allowed', () => {
    for (const body of [{ n: 8 }, { n: 1, best_of: 8 }, { generationConfig: { candidateCount: 8 } }]) {
      const refusal = refusalOf(judge(body))
      assert.deepEqual([refusal.code, refusal.limit, refusal.requested], ['unsupported', 1, 8])
      assert.match(refusal.message, /asks for 8 answers at once, and plan agent allows 1\. .*plans\.agent\.maxN/)
    }
    assert.equal(judge({ n: 8 }, { maxN: 8 }).kind, 'allow')
    assert.equal(judge({ n: 8 }, { maxN: null }).kind, 'allow')
    assert.equal(judge({}).kind, 'allow')
  })

  it('H11: takes log probabilities out of a request of any dialect, and says so', () => {
    assert.deepEqual(sent({ model: 'm', logprobs: true, top_logprobs: 20 }), { model: 'm' })
    assert.deepEqual(sent({ logprobs: 5, prompt: 'x' }), { prompt: 'x' })
    assert.deepEqual(sent({ logprobs: 0 }), {}, 'a completion still returns one')
    assert.deepEqual(
      sent({ include: ['message.output_text.logprobs', 'reasoning.encrypted_content'], top_logprobs: 3 }),
      {
        include: ['reasoning.encrypted_content'],
      },
    )
    assert.deepEqual(sent({ generationConfig: { responseLogprobs: true, logprobs: 5, topP: 1 } }), {
      generationConfig: { topP: 1 },
    })
    const verdict = judge({ logprobs: true })
    assert.deepEqual(verdict.kind === 'change' && verdict.says, ['logprobs-'])
  })

  it('H11, G08: changes nothing where they are allowed, or where nobody asked for them', () => {
    assert.equal(judge({ logprobs: true, top_logprobs: 20 }, { allowLogprobs: true }).kind, 'allow')
    assert.equal(judge({ logprobs: false, top_logprobs: null, include: ['reasoning.encrypted_content'] }).kind, 'allow')
    assert.equal(judgeBy(choices).kind, 'allow')
  })
})
