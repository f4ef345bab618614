import type { UsageOfDay } from '../../../shared/reconciliation.ts'

/** An entry of our side, of OpenAI's gpt-5-mini on a day in November unless the test says otherwise. */
export function usageOf(changes: Partial<UsageOfDay> = {}): UsageOfDay {
  return {
    day: '2026-11-02',
    upstream: 'openai',
    provider: 'openai',
    model: 'gpt-5-mini',
    responseModel: 'gpt-5-mini-2025-08-07',
    tier: 'standard',
    calls: 1,
    usd: 1,
    estimatedUsd: 0,
    inputTokens: 1000,
    outputTokens: 100,
    toolUsd: {},
    ...changes,
  }
}
