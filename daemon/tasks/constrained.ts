import type { Config, TaskLimits } from '../../shared/config.ts'
import type { CallFacts, DialectName } from '../call.ts'
import type { JsonObject } from '../dialects/dialect.ts'
import type { FieldEdit } from '../dialects/edit.ts'
import { fieldIn } from '../dialects/geminiFields.ts'
import { modelEdits } from '../dialects/modelPlace.ts'
import { arrayIn } from '../dialects/read.ts'
import { leastCeiling, setCeiling } from '../guards/outputCeiling.ts'
import { matchesPattern } from '../guards/pattern.ts'
import { compact } from '../transcript/compaction.ts'
import type { Compaction, CompactionPolicy } from '../transcript/compaction.ts'
import { withoutTools } from './constrainedTools.ts'

/** A call of a task that is near one of its ceilings. */
export interface ConstrainedCall {
  readonly dialect: DialectName
  /** The request as the client sent it, parsed. */
  readonly body: JsonObject
  readonly facts: Pick<CallFacts, 'model' | 'outputField' | 'producesOutput' | 'thinkingBudgetTokens' | 'ceilings'>
  /** What the plan wants changed; null changes nothing. */
  readonly limits: TaskLimits['onConstrained']
  readonly tiers: Config['tiers']
  /** Output tokens per choice that the guards left; null where nothing is produced. */
  readonly outputCeiling: number | null
  /** Kinds of the provider's own tools that cost by the use, as `facts.serverTools` names them. */
  readonly paidTools: readonly string[]
  /** How much of old results is kept; absent is the default. */
  readonly compaction?: CompactionPolicy
}

/** What becomes of it. Everything has to be judged anew with these: price, allowlist, window, estimate. */
export interface ConstrainedChanges {
  /** To be applied after those of the guards, so that they win. A model that the path names is not among them. */
  readonly edits: readonly FieldEdit[]
  /** As `x-tollgate-changes` says them: `model=…`, `max_tokens=1024`, `tools-=web_search`, `compacted=12`. */
  readonly says: readonly string[]
  /** The cheaper model, or null where it stays. */
  readonly model: string | null
  /** Output tokens per choice from now on. */
  readonly outputCeiling: number | null
  /** Kinds of tools that are gone. */
  readonly removedTools: readonly string[]
  readonly compaction: Compaction | null
}

/**
 * What a constrained task's next call loses (design 3.1): its dear model, the tools that cost, the length of its answers,
 * old tool results. Each can be switched off. Pure; what the request does not have is not changed.
 */
export function constrainedChanges(call: ConstrainedCall): ConstrainedChanges {
  const { dialect, body, facts, limits } = call
  // Embeddings of another model do not compare with those that the client has.
  if (limits === null || !facts.producesOutput) return unchanged(call)
  const model = limits.cheaperModel && !isBoundToModel(call) ? cheaperModel(facts.model, call.tiers) : null
  const ceiling = lowerCeiling(call, limits.maxOutputTokens)
  const tools = limits.disablePaidTools ? withoutTools(dialect, body, call.paidTools) : null
  const compaction = limits.compact ? compact(dialect, body, call.compaction) : null
  const elided = compaction?.elidedResults ?? 0
  return {
    edits: [
      ...(model === null ? [] : modelEdits(dialect, model)),
      ...(ceiling?.edits ?? []),
      ...(tools?.edits ?? []),
      ...(compaction?.edits ?? []),
    ],
    says: [
      ...(model === null ? [] : [`model=${model}`]),
      ...(ceiling?.says ?? []),
      ...(tools?.removed ?? []).map((kind) => `tools-=${kind}`),
      ...(elided === 0 ? [] : [`compacted=${elided}`]),
    ],
    model,
    outputCeiling: ceiling?.outputCeiling ?? call.outputCeiling,
    removedTools: tools?.removed ?? [],
    compaction: elided === 0 ? null : compaction,
  }
}

function unchanged({ outputCeiling }: ConstrainedCall): ConstrainedChanges {
  return { edits: [], says: [], model: null, outputCeiling, removedTools: [], compaction: null }
}

/**
 * The model that the tier map names for another: by its name, by its name without the date of its version, or by a pattern
 * with `*`, in this order. Null where there is none, or it is the same.
 */
export function cheaperModel(model: string, tiers: Config['tiers']): string | null {
  const undated = model.replace(/[-@]20\d\d-?\d\d-?\d\d$/, '')
  const key =
    [model, undated].find((name) => Object.hasOwn(tiers, name)) ??
    Object.keys(tiers).find((pattern) => matchesPattern(pattern, model))
  const cheaper = key === undefined ? undefined : tiers[key]
  return cheaper === undefined || cheaper === model ? null : cheaper
}

/** Ollama's `context` is the conversation in tokens of one model, and a cache of Gemini's is of one model too. */
function isBoundToModel({ dialect, body }: ConstrainedCall): boolean {
  if (dialect === 'gemini-generate') return fieldIn(body, 'cachedContent') !== undefined
  return dialect === 'ollama-generate' && arrayIn(body, 'context').length > 0
}

function lowerCeiling(call: ConstrainedCall, most: number | null): ReturnType<typeof setCeiling> | null {
  const { outputCeiling, facts, dialect } = call
  if (most === null || outputCeiling === null) return null
  const ceiling = Math.max(most, leastCeiling(dialect, facts))
  return ceiling < outputCeiling ? setCeiling(facts.outputField, ceiling, facts.ceilings) : null
}
