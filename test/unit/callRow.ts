import type { CallRow } from '../../shared/status.ts'
import { noUsage } from '../../shared/usage.ts'

/** A settled call as `/api/calls` shows it, with what a test says otherwise. */
export function callRow(changes: Partial<CallRow> = {}): CallRow {
  return {
    id: 'c1',
    time: '2026-11-30T12:00:00.000Z',
    tenant: 'personal',
    user: 'me',
    project: null,
    task: null,
    session: null,
    client: '',
    upstream: 'openai',
    dialect: 'openai-chat',
    model: 'gpt-4o',
    responseModel: null,
    stream: false,
    isRetry: false,
    state: 'settled',
    settlement: 'exact',
    outcome: 'ok',
    status: 200,
    finish: 'stop',
    usage: noUsage,
    billing: 'metered',
    eur: 0,
    listPriceEur: 0,
    reservedEur: 0,
    estimatedInput: 0,
    usdRate: 0.92,
    rateAsOf: '2026-11-01',
    price: null,
    durationMs: 3140,
    firstByteMs: 300,
    warnings: [],
    ...changes,
  }
}
