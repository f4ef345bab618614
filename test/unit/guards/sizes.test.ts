import assert from 'node:assert/strict'
import type { DialectName } from '../../../daemon/call.ts'
import { conversationSize } from '../../../daemon/guards/conversationSize.ts'
import { messageLength } from '../../../daemon/guards/messageLength.ts'
import type { Plan } from '../../../shared/config.ts'
import { describeRequest } from '../dialects/builders.ts'
import { chatPlan, judgeBy, refusalOf } from './guarded.ts'

/** A conversation of texts, the first and every second one by a person, under plan `chat` in a given dialect. */
function judge(
  guard: typeof messageLength,
  texts: readonly string[],
  options: { dialect?: DialectName; plan?: Partial<Plan>; upperTokens?: number; system?: string } = {},
) {
  const turns = texts.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }))
  const { system } = options
  const messages = system === undefined ? turns : [{ role: 'system', content: system }, ...turns]
  const body = { model: 'gpt-4o-mini', max_tokens: 400, messages }
  const { facts } = describeRequest(options.dialect ?? 'openai-chat', body)
  const { upperTokens } = options
  return judgeBy(guard, {
    planName: 'chat',
    plan: { ...chatPlan, ...options.plan },
    received: { body: Buffer.from(JSON.stringify(body)) },
    facts: upperTokens === undefined ? facts : { ...facts, estimate: { ...facts.estimate, upperTokens } },
  })
}

const long = 'a'.repeat(6000)

describe('the guard on the length of a message', () => {
  it('known answer 2: refuses a message of 9,000 characters in plan chat with 400', () => {
    for (const dialect of ['openai-chat', 'anthropic-messages', 'ollama-chat'] as const) {
      const refusal = refusalOf(judge(messageLength, ['b'.repeat(9000)], { dialect }))
      assert.deepEqual([refusal.code, refusal.limit, refusal.requested], ['message_too_long', 8000, 9000], dialect)
      assert.match(refusal.message, /9,000 characters, and plan chat allows 8,000\. .*plans\.chat\.maxMessageChars/)
    }
  })

  it('looks at each message alone, and at nothing where the plan has no bound', () => {
    assert.equal(judge(messageLength, ['b'.repeat(8000), 'c'.repeat(8000), 'd'.repeat(8000)]).kind, 'allow')
    assert.equal(judge(messageLength, ['b'.repeat(9000)], { plan: { maxMessageChars: null } }).kind, 'allow')
  })
})

describe('the guard on the size of a conversation', () => {
  it('known answer 2: passes a message of 6,000 characters once and refuses it the second time with 422', () => {
    for (const dialect of ['openai-chat', 'anthropic-messages', 'ollama-chat'] as const) {
      assert.equal(judge(conversationSize, [long], { dialect }).kind, 'allow', dialect)
      const refusal = refusalOf(judge(conversationSize, [long, 'ok', long], { dialect }))
      assert.deepEqual([refusal.code, refusal.unit, refusal.limit], ['conversation_too_long', 'tokens', 6000], dialect)
      assert.match(
        refusal.message,
        /^With its answer and one more such message the next turn would send about 6,4\d\d tokens/,
      )
    }
  })

  it('known answer 2: comes out whatever an estimator makes of the text', () => {
    assert.equal(judge(conversationSize, [long], { upperTokens: 760 }).kind, 'allow')
    assert.equal(judge(conversationSize, [long, 'ok', long], { upperTokens: 1540 }).kind, 'refuse')
  })

  it('lets a chat of short messages run until a turn is nearly full', () => {
    const line = 'x'.repeat(300)
    const refusedAt = Array.from({ length: 60 }, (_, at) => at + 1).find(
      (turns) =>
        judge(
          conversationSize,
          Array.from({ length: turns * 2 - 1 }, () => line),
        ).kind === 'refuse',
    )
    assert.ok(refusedAt !== undefined && refusedAt > 20 && refusedAt < 30, `refused at turn ${refusedAt}`)
  })

  it('refuses a turn whose estimate alone is above the plan, the first one too', () => {
    const refusal = refusalOf(judge(conversationSize, ['short'], { upperTokens: 6001, system: 's' }))
    assert.match(refusal.message, /^This turn sends about 6,001 tokens.* Send less at once/)
    assert.equal(judge(conversationSize, ['short'], { upperTokens: 6000 }).kind, 'allow')
  })

  it('has nothing to say without a bound or a transcript', () => {
    assert.equal(judge(conversationSize, [long, 'ok', long], { plan: { maxConversationTokens: null } }).kind, 'allow')
    const { facts } = describeRequest('openai-embeddings', { model: 'm', input: long.repeat(9) })
    assert.equal(judgeBy(conversationSize, { plan: chatPlan, facts }).kind, 'allow')
  })

  it('does not take the base64 of an image for text', () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(20_000)}` } }
    const body = {
      model: 'gpt-4o-mini',
      messages: [
        { role: 'user', content: [image] },
        { role: 'assistant', content: 'a cat' },
        { role: 'user', content: 'Which colour?' },
      ],
    }
    const { facts } = describeRequest('openai-chat', body)
    const received = { body: Buffer.from(JSON.stringify(body)) }
    assert.equal(judgeBy(conversationSize, { plan: chatPlan, facts, received }).kind, 'allow')
  })
})
