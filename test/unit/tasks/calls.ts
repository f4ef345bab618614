import type { AdmittedCall, SettledCall } from '../../../daemon/call.ts'
import { basePlan } from '../../../daemon/config/defaults.ts'
import { noTranscript } from '../../../daemon/transcript/transcript.ts'
import { noUsage } from '../../../shared/usage.ts'

/** A call that was admitted: 1,000 tokens of input, 0.02 euros held. */
export function admittedCall(change: Partial<AdmittedCall> = {}): AdmittedCall {
  return {
    id: 'call_1',
    receivedAtMs: 0,
    identity: { keyId: 'default', tenant: 'acme', user: 'ada', project: 'shop', planName: 'agent', plan: basePlan },
    upstreamName: 'openai',
    upstream: { baseUrl: 'https://api.openai.com/v1', dialect: 'openai', free: false },
    upstreamPath: '/chat/completions',
    dialect: 'openai-chat',
    explicitTask: null,
    userAgent: 'agent/1.0 (linux)',
    sessionHeader: null,
    isRetry: false,
    isSubAgent: false,
    billing: 'metered',
    body: Buffer.from('{}'),
    facts: {
      model: 'gpt-5.6',
      stream: false,
      requestedOutputTokens: null,
      ignoredOutputTokens: null,
      outputField: ['max_tokens'],
      producesOutput: true,
      choices: 1,
      choiceAsk: { n: 1, withoutLogprobs: [] },
      thinkingBudgetTokens: null,
      includeUsage: 'not-applicable',
      unsupported: null,
      hiddenInput: null,
      estimate: { upperTokens: 1000, textTokens: 900, mediaTokens: 0 },
      serverTools: [],
      tier: {},
      cacheWrite: 'none',
      ollama: null,
      sessionHint: null,
      transcript: noTranscript,
    },
    task: 'run',
    taskState: 'ok',
    session: null,
    outputCeiling: 4096,
    edits: [],
    changes: [],
    warnings: [],
    hideUsageChunk: false,
    degradedTo: null,
    reservedNanoEur: 20_000_000,
    reservedTokens: 5096,
    estimatedInputTokens: 1000,
    usdRate: 0.92,
    priced: true,
    isListPrice: false,
    ...change,
  }
}

/** The same call, settled: 800 tokens of input, 300 of them cached, 50 of output, 0.003 euros. */
export function settledCall(admitted: AdmittedCall, change: Partial<SettledCall> = {}): SettledCall {
  return {
    ...admitted,
    settlement: 'exact',
    outcome: 'ok',
    usage: { ...noUsage, input: 500, cacheRead: 300, output: 50 },
    costNanoEur: 3_000_000,
    status: 200,
    finish: 'stop',
    responseModel: 'gpt-5.6',
    settledAtMs: admitted.receivedAtMs + 1000,
    ...change,
  }
}
