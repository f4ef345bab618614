import { version } from '../../shared/build.ts'
import { anomalyKinds, refusalCodes, warningCodes } from '../../shared/codes.ts'
import type { AnomalyKind, RefusalCode, WarningCode } from '../../shared/codes.ts'
import { eurFromNano } from '../../shared/money.ts'
import type { NanoEur } from '../../shared/money.ts'
import type { CallOutcome, DialectName } from '../call.ts'
import { CounterFamily, headText, HistogramFamily, lineText } from './prometheus.ts'
import type { Labels } from './prometheus.ts'

/**
 * What Tollgate counts since the daemon started. Names of the OpenTelemetry conventions for generative AI where they exist
 * (spelled as Prometheus spells them), `tollgate_*` for the rest. No label grows without bound: models come from clients,
 * so only the first `modelLimit` have a series of their own.
 */

/** One settled call. */
export interface SettledSample {
  readonly upstream: string
  readonly dialect: DialectName
  /** As the client asked for it. */
  readonly model: string
  /** Everything that the model read, cached or not. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly durationMs: number
  /** Null where no byte of an answer came. */
  readonly firstByteMs: number | null
  readonly costNanoEur: NanoEur
  /** What a call of a subscription would have cost; not in `costNanoEur`. */
  readonly listNanoEur: NanoEur
  readonly outcome: CallOutcome
}

/** Gauges that are read at the time of a scrape, with what they say. */
export const gaugeMeanings = {
  tollgate_calls_in_flight: 'Calls whose answer is not finished.',
  tollgate_calls_waiting: 'Calls that wait for the reservations of others to settle.',
  tollgate_killed: '1 while the global kill switch is on.',
  tollgate_budget_spent: 'Spent in the window, in the unit of the label.',
  tollgate_budget_reserved: 'Held for calls in flight, in the unit of the label.',
  tollgate_budget_cap: 'Cap of the window, in the unit of the label; no series where it is unlimited.',
  tollgate_pacing_used: "Used share of a provider's own window, 0 to 1; no series before an answer has said it.",
  tollgate_price_drift: 'Invoice divided by our figure at the last reconciliation; +Inf where only the invoice has it.',
  tollgate_residual: 'Reported input tokens divided by the estimate, per upstream and model.',
  tollgate_ledger_available: '0 while the ledger cannot record calls, so that none are made.',
  tollgate_ledger_drift: 'Windows whose totals differ from the sum of their calls.',
  tollgate_ledger_orphaned_total: 'Calls that were settled at their worst case because their daemon died.',
} as const satisfies Record<`tollgate_${string}`, string>

/** Name of a gauge. */
export type GaugeName = keyof typeof gaugeMeanings

/** One reading. Labels hold names from the configuration, never one that a client made up. */
export interface Gauge {
  readonly name: GaugeName
  readonly value: number
  readonly labels: Labels
}

/** The registry. */
export interface Metrics {
  /** Once per refused call. */
  refused(code: RefusalCode): void
  /** Once per warning about a call. */
  warned(code: WarningCode): void
  /** Once per anomaly that is said. */
  anomaly(kind: AnomalyKind): void
  settled(sample: SettledSample): void
  /**
   * Count per refusal code and per warning. A truncated answer that the plan turns into an error is both; it is one here.
   */
  counters(): Record<string, number>
  /** Text in the format of Prometheus, version 0.0.4. */
  render(gauges: readonly Gauge[]): string
}

/** Names of providers in the OpenTelemetry conventions, where they differ from ours. */
const providerNames: Readonly<Record<string, string>> = {
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  xai: 'x_ai',
  llamacpp: 'llama_cpp',
}

const tokenBounds = Array.from({ length: 14 }, (_, power) => 4 ** power)
const durationBounds = Array.from({ length: 14 }, (_, power) => 2 ** power / 100)
const firstChunkBounds = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60]

/** `gen_ai.operation.name` of a dialect. */
function operationOf(dialect: DialectName): string {
  switch (dialect) {
    case 'openai-chat':
    case 'openai-responses':
    case 'anthropic-messages':
    case 'ollama-chat':
      return 'chat'
    case 'openai-completions':
    case 'ollama-generate':
      return 'text_completion'
    case 'gemini-generate':
      return 'generate_content'
    case 'openai-embeddings':
    case 'gemini-embed':
    case 'ollama-embed':
      return 'embeddings'
  }
}

/** An empty registry with every code at 0, so that a rate can be computed from the first refusal on. */
export function createMetrics(modelLimit = 100): Metrics {
  const refusals = new CounterFamily('tollgate_refusals_total', 'Refused calls by code.')
  const warnings = new CounterFamily('tollgate_warnings_total', 'Warnings about calls by code.')
  const anomalies = new CounterFamily('tollgate_anomalies_total', 'Anomalies by kind.')
  const calls = new CounterFamily('tollgate_calls_settled_total', 'Settled calls by outcome.')
  const cost = new CounterFamily('tollgate_cost_eur_total', 'Settled cost in euros.')
  const listPrice = new CounterFamily(
    'tollgate_list_price_eur_total',
    'What settled calls of subscriptions would have cost, in euros.',
  )
  const tokens = new HistogramFamily('gen_ai_client_token_usage', 'Billable tokens per call.', tokenBounds)
  const durations = new HistogramFamily(
    'gen_ai_client_operation_duration_seconds',
    'Time from the arrival of a call to its settlement.',
    durationBounds,
  )
  const firstChunks = new HistogramFamily(
    'gen_ai_client_operation_time_to_first_chunk_seconds',
    "Time to the first byte of the provider's answer.",
    firstChunkBounds,
  )
  for (const code of Object.keys(refusalCodes)) refusals.add(code, { code }, 0)
  for (const code of warningCodes) warnings.add(code, { code }, 0)
  for (const kind of anomalyKinds) anomalies.add(kind, { kind }, 0)
  const models = new Set<string>()

  function modelLabel(model: string): string {
    const label = model.slice(0, 128)
    if (models.has(label)) return label
    if (models.size >= modelLimit) return 'other'
    models.add(label)
    return label
  }

  return {
    refused: (code) => refusals.add(code, { code }, 1),
    warned: (code) => warnings.add(code, { code }, 1),
    anomaly: (kind) => anomalies.add(kind, { kind }, 1),

    settled(sample) {
      const model = modelLabel(sample.model)
      const provider = providerNames[sample.upstream] ?? sample.upstream
      const operation = operationOf(sample.dialect)
      const labels = {
        gen_ai_operation_name: operation,
        gen_ai_provider_name: provider,
        gen_ai_request_model: model,
      }
      const key = `${operation} ${provider} ${model}`
      tokens.observe(`${key} input`, { ...labels, gen_ai_token_type: 'input' }, sample.inputTokens)
      if (operation !== 'embeddings') {
        tokens.observe(`${key} output`, { ...labels, gen_ai_token_type: 'output' }, sample.outputTokens)
      }
      const failed = sample.outcome === 'ok' ? {} : { error_type: sample.outcome }
      durations.observe(`${key} ${sample.outcome}`, { ...labels, ...failed }, sample.durationMs / 1000)
      if (sample.firstByteMs !== null) firstChunks.observe(key, labels, sample.firstByteMs / 1000)
      calls.add(sample.outcome, { outcome: sample.outcome }, 1)
      const place = { gen_ai_provider_name: provider, gen_ai_request_model: model }
      cost.add(`${provider} ${model}`, place, eurFromNano(sample.costNanoEur))
      if (sample.listNanoEur > 0) listPrice.add(`${provider} ${model}`, place, eurFromNano(sample.listNanoEur))
    },

    counters() {
      const counts: Record<string, number> = {}
      for (const code of Object.keys(refusalCodes)) counts[code] = refusals.value(code)
      for (const code of warningCodes) counts[code] = Math.max(counts[code] ?? 0, warnings.value(code))
      return counts
    },

    render(gauges) {
      const families = [refusals, warnings, anomalies, calls, cost, listPrice, tokens, durations, firstChunks]
      const parts = families.map((family) => family.render())
      for (const name of Object.keys(gaugeMeanings) as GaugeName[]) {
        const readings = gauges.filter((gauge) => gauge.name === name)
        if (readings.length === 0) continue
        const type = name.endsWith('_total') ? 'counter' : 'gauge'
        parts.push(headText(name, type, gaugeMeanings[name]))
        for (const { labels, value } of readings) parts.push(lineText(name, labels, value))
      }
      parts.push(headText('tollgate_build_info', 'gauge', 'The running version.'))
      parts.push(lineText('tollgate_build_info', { version }, 1))
      return parts.join('')
    },
  }
}
