/**
 * The one table of refusals. Statuses, metrics, events, the reference in `docs/refusals.md` and the extension's texts all
 * come from here; a code is stable once it has been released.
 */
export const refusalCodes = {
  forbidden_host: { status: 403, says: 'The Host header does not name this gate.' },
  forbidden_origin: { status: 403, says: 'A web page tried to use the gate.' },
  invalid_key: { status: 401, says: 'The local key is missing or wrong.' },
  killed: { status: 403, says: 'The kill switch is on.' },
  invalid_request: { status: 400, says: 'The request cannot be decoded or parsed.' },
  message_too_long: { status: 400, says: 'One message is longer than the plan allows.' },
  body_too_large: { status: 413, says: 'The body is larger than the plan allows.' },
  unsupported_encoding: { status: 415, says: 'The content-encoding of the request is not supported.' },
  slow_body: { status: 408, says: 'The request body did not arrive in time.' },
  model_not_allowed: { status: 403, says: 'The plan does not allow this model.' },
  loop_halted: { status: 403, says: 'The task repeats the same step.' },
  task_halted: { status: 403, says: 'The task has reached its ceiling.' },
  conversation_too_long: { status: 422, says: 'The conversation is larger than the plan allows.' },
  context_overflow: { status: 422, says: "The prompt does not fit the model's window." },
  unpriced_model: { status: 422, says: 'A euro cap applies and the model has no price.' },
  reasoning_exceeds_output: { status: 422, says: 'The thinking budget leaves no room for an answer.' },
  unsupported: { status: 422, says: 'This endpoint or feature cannot be accounted for.' },
  budget_exhausted: { status: 429, says: 'A spending or token budget is used up.' },
  rate_limited: { status: 429, says: 'Calls, tokens or concurrency above the plan.' },
  restart_storm: { status: 429, says: 'The same task is started again and again.' },
  velocity: { status: 429, says: 'Money is spent faster than the plan allows.' },
  ledger_unavailable: { status: 503, says: 'The ledger cannot record the call, so it is not made.' },
  shutting_down: { status: 503, says: 'The gate is stopping.' },
  upstream_unreachable: { status: 502, says: 'The provider cannot be reached.' },
  truncated: { status: 502, says: 'The provider answered on a truncated prompt.' },
  upstream_timeout: { status: 504, says: 'The provider did not answer in time.' },
  overrun: { status: 502, says: 'The provider sent more output than was reserved.' },
} as const satisfies Record<string, { status: number; says: string }>

/** A stable refusal code. */
export type RefusalCode = keyof typeof refusalCodes

/** Things that are said but refuse nothing. */
export const warningCodes = [
  'truncated',
  'empty_answer',
  'output_limit',
  'usage_missing',
  'unpriced_call',
  'price_uncertain',
  'over_window',
  'degraded',
] as const

/** What is unusual about the calls together. Each is said as an event and counted. */
export const anomalyKinds = [
  'velocity',
  'cost_growth',
  'hour_spend',
  'refusals',
  'cache_unread',
  'residual_drift',
  'ledger_drift',
] as const

/** A name of `anomalyKinds`. */
export type AnomalyKind = (typeof anomalyKinds)[number]

/** A stable warning code. */
export type WarningCode = (typeof warningCodes)[number]
