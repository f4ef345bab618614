import assert from 'node:assert/strict'
import type { CallFacts, ReceivedCall, Refusal } from '../../../daemon/call.ts'
import { basePlan } from '../../../daemon/config/defaults.ts'
import type { GuardState, StackVerdict } from '../../../daemon/guards/guard.ts'
import { guardStack, runStack } from '../../../daemon/guards/stack.ts'
import { noTranscript } from '../../../daemon/transcript/transcript.ts'
import type { Plan } from '../../../shared/config.ts'

const facts: CallFacts = {
  model: 'gpt-5.6',
  stream: false,
  requestedOutputTokens: null,
  ignoredOutputTokens: null,
  outputField: ['max_completion_tokens'],
  producesOutput: true,
  choices: 1,
  choiceAsk: { n: 1, withoutLogprobs: [] },
  thinkingBudgetTokens: null,
  includeUsage: 'not-applicable',
  unsupported: null,
  hiddenInput: null,
  estimate: { upperTokens: 100, textTokens: 90, mediaTokens: 0 },
  serverTools: [],
  tier: {},
  cacheWrite: 'none',
  ollama: null,
  sessionHint: null,
  transcript: noTranscript,
}

const calm: GuardState = {
  nowMs: 0,
  callsLastMinute: 0,
  tokensLastMinute: 0,
  inFlight: 0,
  oldestCallAgeMs: 0,
  priced: true,
  euroCapApplies: true,
  priceSuggestions: [],
  deniedTier: null,
  unpricedPolicy: 'refuse',
  modelMaxOutputTokens: null,
}

function judge(
  change: {
    facts?: Partial<CallFacts>
    state?: Partial<GuardState>
    plan?: Partial<Plan>
    dialect?: ReceivedCall['dialect']
    baseUrl?: string
  } = {},
) {
  const plan: Plan = { ...basePlan, ...change.plan }
  const received: ReceivedCall = {
    id: 'call_1',
    receivedAtMs: 0,
    identity: { keyId: 'default', tenant: 'personal', user: 'me', project: null, planName: 'agent', plan },
    upstreamName: 'openai',
    upstream: { baseUrl: change.baseUrl ?? 'https://api.openai.com/v1', dialect: 'openai', free: false },
    upstreamPath: '/chat/completions',
    dialect: change.dialect ?? 'openai-chat',
    explicitTask: null,
    userAgent: '',
    sessionHeader: null,
    isRetry: false,
    isSubAgent: false,
    billing: 'metered',
    body: Buffer.from('{}'),
  }
  return runStack(guardStack, { received, facts: { ...facts, ...change.facts } }, { ...calm, ...change.state })
}

function refusal(verdict: StackVerdict): Refusal {
  if (verdict.kind === 'refuse') return verdict.refusal
  return assert.fail('expected a refusal')
}

function passed(verdict: StackVerdict): Extract<StackVerdict, { kind: 'pass' }>['described'] {
  if (verdict.kind === 'pass') return verdict.described
  return assert.fail(`refused: ${verdict.refusal.message}`)
}

describe('the output ceiling', () => {
  it('injects the plan default where none is set, in the field that the upstream understands', () => {
    const described = passed(judge())
    assert.deepEqual(described.edits, [{ path: ['max_completion_tokens'], value: 4096 }])
    assert.deepEqual(described.changes, ['max_completion_tokens=4096'])
    assert.equal(described.outputCeiling, 4096)
  })

  it('changes nothing that is within bounds (G08)', () => {
    const described = passed(judge({ facts: { requestedOutputTokens: 2000 } }))
    assert.deepEqual(described, { edits: [], changes: [], outputCeiling: 2000, warnings: [] })
  })

  it('H07: clamps in the field that the client used, and never adds a second one', () => {
    const described = passed(judge({ facts: { requestedOutputTokens: 90_000, outputField: ['max_tokens'] } }))
    assert.deepEqual(described.edits, [{ path: ['max_tokens'], value: 32_000 }])
  })

  it("never goes above the model's own maximum", () => {
    assert.equal(passed(judge({ state: { modelMaxOutputTokens: 1000 } })).outputCeiling, 1000)
  })

  it('refuses a thinking budget that leaves no room for an answer', () => {
    const found = refusal(judge({ facts: { requestedOutputTokens: 64_000, thinkingBudgetTokens: 40_000 } }))
    assert.equal(found.code, 'reasoning_exceeds_output')
  })

  it('leaves the 16 tokens of a legacy completion at OpenAI alone', () => {
    const described = passed(judge({ dialect: 'openai-completions' }))
    assert.deepEqual(described, { edits: [], changes: [], outputCeiling: 16, warnings: [] })
    assert.equal(
      passed(judge({ dialect: 'openai-completions', baseUrl: 'http://127.0.0.1:8000/v1' })).outputCeiling,
      4096,
    )
  })

  it("puts the client's own number where it used a field that the server ignores", () => {
    const ignored = { ignoredOutputTokens: 60, outputField: ['max_tokens'] }
    assert.deepEqual(passed(judge({ facts: ignored })).edits, [{ path: ['max_tokens'], value: 60 }])
  })

  it('has nothing to bound in embeddings', () => {
    assert.equal(passed(judge({ facts: { producesOutput: false } })).outputCeiling, null)
  })
})

describe('the guard stack', () => {
  it('lets the most severe verdict win and lists the others with it', () => {
    const found = refusal(judge({ plan: { models: ['claude-*'] }, state: { priced: false, inFlight: 99 } }))
    assert.equal(found.code, 'model_not_allowed')
    assert.deepEqual(found.also, ['unpriced_model', 'rate_limited'])
  })

  it('hands on what guards say of a call that they let pass', () => {
    const window = { tokens: 4096, certainty: 'loaded', modelMaximum: null } as const
    const known = { window, plainTokens: 5000, leastTokens: 5000, upperTokens: 6000, usefulOutputTokens: 256 }
    const described = passed(judge({ state: { contextWindow: known } }))
    assert.deepEqual(
      described.warnings.map(({ code }) => code),
      ['over_window'],
    )
    assert.equal(described.outputCeiling, 4096, 'and what the others changed')
  })

  it('refuses a model without a price only under a euro cap, and names near ones', () => {
    const found = refusal(judge({ state: { priced: false, priceSuggestions: ['gpt-5.5'] } }))
    assert.match(found.message, /gpt-5\.5.*prices\.overrides/)
    passed(judge({ state: { priced: false, euroCapApplies: false } }))
    passed(judge({ state: { priced: false, unpricedPolicy: 'dearest' } }))
  })

  it('refuses calls, tokens and concurrency above the plan, and says when the next is possible', () => {
    const rate = { callsPerMinute: 10, tokensPerMinute: 1000, eurPerMinute: null, concurrent: 4 }
    assert.equal(refusal(judge({ plan: { rate }, state: { inFlight: 4 } })).unit, 'calls')
    const calls = refusal(judge({ plan: { rate }, state: { callsLastMinute: 10, oldestCallAgeMs: 20_000 } }))
    assert.equal(calls.retryAfterSeconds, 40)
    assert.equal(refusal(judge({ plan: { rate }, state: { tokensLastMinute: 901 } })).unit, 'tokens')
    passed(judge({ plan: { rate }, state: { tokensLastMinute: 900, callsLastMinute: 9, inFlight: 3 } }))
  })

  it('refuses a feature that cannot be accounted for', () => {
    assert.equal(
      refusal(judge({ facts: { unsupported: 'background responses are not supported' } })).code,
      'unsupported',
    )
  })

  it('avoids the words by which clients take a refusal for a passing fault', () => {
    const verdicts = [
      judge({ plan: { models: [] } }),
      judge({ state: { priced: false } }),
      judge({ state: { inFlight: 99 } }),
      judge({ facts: { requestedOutputTokens: 64_000, thinkingBudgetTokens: 40_000 } }),
    ]
    for (const verdict of verdicts) {
      assert.doesNotMatch(
        refusal(verdict).message,
        /rate limit|too many requests|quota|overloaded|try again|billing|credit balance|context length|context window|too long/i,
      )
    }
  })
})
