import type { DaemonEvent } from '../../../extension/ui/eventFields.ts'
import { createText } from '../../../extension/text/text.ts'
import { createFigures } from '../../../extension/ui/figures.ts'
import type { LoopStatus, SpendStatus, Status, TaskStatus } from '../../../shared/status.ts'

/** The extension's sentences in English, with the substitution that VS Code makes. */
export const text = createText({
  t: (message, ...args) => message.replace(/\{(\d)\}/g, (_, index: string) => String(args[Number(index)])),
})

/** Figures as an English window writes them. */
export const figures = createFigures('en')

/** A day or month with 1.84 of 10 euros spent. */
export function spend(changes: Partial<SpendStatus> = {}): SpendStatus {
  return {
    spentEur: 1.84,
    listPriceEur: 0,
    reservedEur: 0,
    tokens: { input: 120_000, cacheRead: 90_000, cacheWrite: 0, output: 8_000 },
    calls: 41,
    unpricedCalls: 0,
    capEur: 10,
    capTokens: null,
    grantedEur: 0,
    grantedTokens: 0,
    grantedUntil: null,
    resetsAt: '2026-12-01T00:00:00+01:00',
    ...changes,
  }
}

/** A healthy gate. */
export function status(changes: Partial<Status> = {}): Status {
  return {
    time: '2026-11-30T12:00:00.000Z',
    version: '0.1.0',
    killed: false,
    kills: [],
    currency: 'EUR',
    timezone: 'Europe/Berlin',
    alertAt: 0.8,
    today: spend(),
    month: spend({ spentEur: 31.2, capEur: 150 }),
    models: [],
    pacing: [],
    tasks: [],
    inFlight: [],
    counters: {},
    integrity: {
      orphaned: 0,
      ledgerDrift: 0,
      ledgerCheckedAt: null,
      ledgerAvailable: true,
      pricesAsOf: '2026-11-01',
      usdRateAsOf: '2026-11-20',
      usdRateStale: false,
      drift: [],
      residual: {},
    },
    ...changes,
  }
}

/** A halt because of the tool `read_page`. */
export const loop: LoopStatus = {
  tool: 'read_page',
  repeats: 3,
  cycleLength: 1,
  haltedAt: '2026-11-30T11:59:00.000Z',
}

/** A healthy task that made calls lately. */
export function task(changes: Partial<TaskStatus> = {}): TaskStatus {
  return {
    id: 'shop-3',
    named: true,
    session: 'shop',
    project: 'checkout-bot',
    client: 'claude-cli/2.1',
    state: 'ok',
    iterations: 7,
    inputTokens: 81_000,
    wallSeconds: 41,
    startedAt: '2026-11-30T11:58:00.000Z',
    eur: 0.84,
    nearest: 'iterations',
    costIncomplete: false,
    forecast: null,
    loop: null,
    ...changes,
  }
}

/** A refusal by the cap of the day of the person who looks. */
export function refusal(fields: Record<string, unknown> = {}): DaemonEvent {
  return {
    event: 'refused',
    time: '2026-11-30T12:00:00.000Z',
    code: 'budget_exhausted',
    kind: 'spent',
    scope: 'user',
    scopeRef: 'me',
    own: true,
    window: 'day',
    unit: 'eur',
    limit: 10,
    resetsAt: '2026-12-01T00:00:00+01:00',
    ...fields,
  }
}
