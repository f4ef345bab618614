import type { Plan, Upstream } from '../shared/config.ts'
import type { NanoEur } from '../shared/money.ts'
import type { Billing } from '../shared/status.ts'
import type { Usage } from '../shared/usage.ts'
import type { RefusalCode, WarningCode } from '../shared/codes.ts'
import type { EventName } from '../shared/protocol.ts'
import type { ChoiceAsk } from './dialects/choiceAsk.ts'
import type { FieldEdit } from './dialects/edit.ts'
import type { VendorName } from './dialects/vendors.ts'
import type { TranscriptFacts } from './transcript/transcript.ts'

/**
 * A call is one object that is enriched stage by stage, so that its type says how far it has come:
 * `ReceivedCall → DescribedCall → AdmittedCall → SettledCall`.
 */

/** Who makes the call and under which limits. */
export interface Identity {
  /** `default` for the data directory's own key, else the position in the configuration's `keys`; never the key itself. */
  readonly keyId: string
  readonly tenant: string
  readonly user: string
  readonly project: string | null
  readonly planName: string
  readonly plan: Plan
}

/** The wire format of one call; finer than an upstream's dialect because one server speaks several. */
export type DialectName =
  | 'openai-chat'
  | 'openai-completions'
  | 'openai-responses'
  | 'openai-embeddings'
  | 'anthropic-messages'
  | 'ollama-chat'
  | 'ollama-generate'
  | 'ollama-embed'
  | 'gemini-generate'
  | 'gemini-embed'

/** After receive and authenticate: the bytes, where they go, who sent them. */
export interface ReceivedCall {
  readonly id: string
  /** Wall clock at arrival, milliseconds since the epoch. */
  readonly receivedAtMs: number
  readonly identity: Identity
  readonly upstreamName: string
  readonly upstream: Upstream
  /** The path below the upstream's base URL, with its query, for example `/chat/completions?beta=true`. */
  readonly upstreamPath: string
  readonly dialect: DialectName
  /** Explicit task from path or header. */
  readonly explicitTask: string | null
  readonly userAgent: string
  /** Client's own session id, when a header names one. */
  readonly sessionHeader: string | null
  /** True for a retry that the client's SDK says it makes. */
  readonly isRetry: boolean
  /** The client says that an agent, and not a person, wrote the user messages of this call. */
  readonly isSubAgent: boolean
  /** How it is paid for, told by the form of its credentials. */
  readonly billing: Billing
  /** The decoded body (content-encoding removed). */
  readonly body: Buffer
}

/** What a dialect reads out of a request. Small, free of prompt text, and structured-cloneable. */
export interface CallFacts {
  readonly model: string
  readonly stream: boolean
  /** Output ceiling that the client asked for, per choice; `null` where it set none (or a value that means none). */
  readonly requestedOutputTokens: number | null
  /** A ceiling in a field that this upstream ignores; the client's wish for the one that is put in. */
  readonly ignoredOutputTokens: number | null
  /** Path of the field that holds the ceiling, or that would have to hold it: `['max_tokens']`, `['options','num_predict']`. */
  readonly outputField: readonly string[]
  /** False for embeddings: there is nothing to bound. */
  readonly producesOutput: boolean
  /** Answers per call that are billed: `n`, `best_of`. */
  readonly choices: number
  /** `n` and log probabilities as they were asked for, for the plan's limits. */
  readonly choiceAsk: ChoiceAsk
  /** Thinking budget that must stay below the output ceiling. */
  readonly thinkingBudgetTokens: number | null
  /** Whether `stream_options.include_usage` has to be injected to learn the usage, and how. */
  readonly includeUsage: 'present' | 'inject' | 'replace-false' | 'not-applicable'
  /** Why this request cannot be accounted for (`background`, a stateful conversation), or null. */
  readonly unsupported: string | null
  /** Input that lives on the provider's side: `previous_response_id`, `conversation`, `prompt`, a cache by its name. */
  readonly hiddenInput: HiddenInput | null
  /** Input tokens: an upper bound to reserve, a low one to detect truncation. Raw: residual not applied. */
  readonly estimate: InputEstimate
  /** Server-side tools that cost per use, with the most uses that the request allows (`null`: unbounded). */
  readonly serverTools: readonly { readonly name: string; readonly maxUses: number | null }[]
  /** Price-relevant request fields: service_tier, speed, inference_geo. */
  readonly tier: Readonly<Record<string, string>>
  /** Longest lifetime of cache writes that the request asks for. */
  readonly cacheWrite: 'none' | '5m' | '1h'
  /** Ollama: options.num_ctx, options.num_keep and truncate of the request. */
  readonly ollama: {
    readonly numCtx: number | null
    readonly numKeep: number | null
    readonly truncate: boolean
  } | null
  /** The session that the request itself names. */
  readonly sessionHint: SessionHint | null
  /** Whose server it is, by `vendors.ts`; absent where the format is nobody else's. */
  readonly vendor?: VendorName
  /** Models besides `model` that the provider may run for this request: fallbacks, an advisor. Absent: none. */
  readonly otherModels?: readonly string[]
  /** Every output ceiling of a request that has several, the one in `outputField` among them; absent where it is the only one. */
  readonly ceilings?: readonly { readonly path: readonly (string | number)[]; readonly tokens: number }[]
  /** Names of the body's own fields, so that a new one can be added without a search; absent where they are very many. */
  readonly fields?: readonly string[]
  /** What the message list tells: whose continuation it is, and which steps repeat. */
  readonly transcript: TranscriptFacts
}

/** Input that a request only names. */
export interface HiddenInput {
  readonly previousResponseId: string | null
  /** Gemini: name of the cache whose content stands before the prompt. */
  readonly cachedContent?: string
}

/** A name that may tell conversations apart. Only its digest is kept. */
export interface SessionHint {
  readonly name: string
  /** False where a whole application may share it. */
  readonly isConversation: boolean
}

/** Estimated input tokens of one request. */
export interface InputEstimate {
  /** Upper bound with high probability, structure and media included. Reservations use it. */
  readonly upperTokens: number
  /** Plain count of the text alone, without margins and media: truncation and the residual compare with it. */
  readonly textTokens: number
  /** Bound for images, files and audio, already inside `upperTokens`. */
  readonly mediaTokens: number
  /** `upperTokens` is the provider's own count with a small margin: nothing of ours corrects it or learns from it. */
  readonly exact?: true
}

/** What a guard has to say of a call that it lets pass. Said once: by a header, by an event, and with the call's row. */
export interface CallWarning {
  readonly code: Extract<WarningCode, EventName>
  /** What `x-tollgate-warning` says behind the code: `estimated=12920; window=4096`. */
  readonly says: string
  /** What the event has besides the call's own names. */
  readonly fields: Readonly<Record<string, string | number>>
}

/** After describe and the guards. */
export interface DescribedCall extends ReceivedCall {
  readonly facts: CallFacts
  readonly task: string | null
  readonly session: string | null
  /** Worst of the task's ceilings and its repetition, for `x-tollgate-state`. */
  readonly taskState: 'ok' | 'warn' | 'constrained' | 'halted'
  /** Output ceiling per choice that goes upstream; null where nothing is produced. */
  readonly outputCeiling: number | null
  /** Changes to the body, applied in place. */
  readonly edits: readonly FieldEdit[]
  /** The same changes as `x-tollgate-changes` says them. */
  readonly changes: readonly string[]
  /** What the guards said of it although it may go on. */
  readonly warnings: readonly CallWarning[]
  /** Hide the usage-only chunk that we asked for. */
  readonly hideUsageChunk: boolean
  /** `upstream/model` that answers in the place of the one that was asked, because a budget is used up. */
  readonly degradedTo: string | null
}

/** After reserve: money is held, the call may go out. */
export interface AdmittedCall extends DescribedCall {
  readonly reservedNanoEur: NanoEur
  readonly reservedTokens: number
  /** Calibrated upper estimate of the input. */
  readonly estimatedInputTokens: number
  readonly usdRate: number
  readonly priced: boolean
  /** Its euros are what it would cost by the token: tasks and rates count them, no budget does, and nobody is billed. */
  readonly isListPrice: boolean
}

/** How sure the figures of a row are. */
export type SettlementKind = 'exact' | 'estimated' | 'partial' | 'orphaned' | 'released'

/** How a call ended. */
export type CallOutcome =
  | 'ok'
  | 'upstream_error'
  | 'upstream_truncated'
  | 'upstream_unreachable'
  | 'upstream_timeout'
  | 'client_closed'
  | 'killed'
  | 'overrun'
  | 'shutting_down'
  | 'gate_fault'
  | 'orphaned'

/** After settle: what it used, once and for all. */
export interface SettledCall extends AdmittedCall {
  readonly settlement: SettlementKind
  readonly outcome: CallOutcome
  readonly usage: Usage
  readonly costNanoEur: NanoEur
  /** Upstream's status, null when there was no answer. */
  readonly status: number | null
  readonly finish: string | null
  readonly responseModel: string | null
  readonly settledAtMs: number
}

/** A refusal is a value. Faults are exceptions. */
export interface Refusal {
  readonly code: RefusalCode
  /** One sentence for the person at the client: what happened, where, what to do next. */
  readonly message: string
  readonly scope?: string
  readonly scopeRef?: string
  readonly window?: 'day' | 'month' | 'minute' | 'task'
  readonly unit?: 'eur' | 'tokens' | 'calls'
  readonly kind?: 'held' | 'spent'
  /** Decimal euros, tokens or calls, by `unit`. */
  readonly limit?: number
  readonly spent?: number
  readonly reserved?: number
  readonly requested?: number
  /** ISO time with the zone's offset. */
  readonly resetsAt?: string
  readonly retryAfterSeconds?: number
  readonly phase?: 'connect' | 'first_byte' | 'idle' | 'total'
  /** Other guards that would have refused too. */
  readonly also?: readonly RefusalCode[]
}
