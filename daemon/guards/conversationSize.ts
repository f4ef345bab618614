import type { CallFacts } from '../call.ts'
import type { Guard, GuardedCall } from './guard.ts'
import { allow } from './guard.ts'

/** Characters per token where nothing better is known (design 3.4, pessimistic). */
const charsPerToken = 3

/**
 * Refuses a conversation that would send more tokens per turn than the plan allows. Every turn sends all the turns before
 * it again, so two things are asked:
 *
 * - Does this turn fit? Its estimate must not be above the plan's tokens.
 * - From the second message of a person on: would the next turn fit? It sends this transcript, its answer and one more
 *   message like the longest. Counted at three characters a token, because nobody knows yet what will come.
 *
 * Known answer 2 (plan `chat`, 6,000 tokens): the first message of 6,000 characters is 2,000 tokens and passes. When it comes
 * a second time, the transcript is at least 4,000 tokens and the next turn 4,000 + the answer + 2,000, which is above 6,000:
 * refused. A chat of short messages runs on until a turn is nearly full.
 */
export const conversationSize: Guard = {
  name: 'conversationSize',
  judge: (call) => {
    const { plan, planName } = call.received.identity
    const most = plan.maxConversationTokens
    if (most === null || call.facts.transcript.chain.length === 0) return allow
    const sent = call.facts.estimate.upperTokens
    const next = nextTurnTokens(call)
    if (sent <= most && next <= most) return allow
    const size =
      sent > most
        ? `This turn sends about ${sent.toLocaleString('en')} tokens`
        : `With its answer and one more such message the next turn would send about ${next.toLocaleString('en')} tokens`
    const remedy = call.facts.transcript.humans.length > 1 ? 'Start a new conversation' : 'Send less at once'
    const message = `${size}, and plan ${planName} allows ${most.toLocaleString('en')} a turn in one conversation. ${remedy}, or raise plans.${planName}.maxConversationTokens.`
    return {
      kind: 'refuse',
      refusal: {
        code: 'conversation_too_long',
        message,
        scope: 'plan',
        scopeRef: planName,
        unit: 'tokens',
        limit: most,
        requested: Math.max(sent, next),
      },
    }
  },
}

/** 0 until a person has written twice: a single message is bounded by the message guard. */
function nextTurnTokens({ received, facts }: GuardedCall): number {
  const { humans, longestMessageChars } = facts.transcript
  if (humans.length < 2) return 0
  // The body's UTF-8 bytes stand for its characters; base64 of media says nothing about tokens.
  const byChars = facts.estimate.mediaTokens > 0 ? 0 : Math.ceil(received.body.length / charsPerToken)
  const transcript = Math.max(facts.estimate.upperTokens, byChars)
  return transcript + answerTokens(facts, received.identity.plan) + Math.ceil(longestMessageChars / charsPerToken)
}

function answerTokens(facts: CallFacts, plan: GuardedCall['received']['identity']['plan']): number {
  const asked = facts.requestedOutputTokens ?? facts.ignoredOutputTokens ?? plan.defaultOutputTokens
  return Math.min(asked, plan.maxOutputTokens ?? Infinity)
}
