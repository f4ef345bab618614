import type { CallFacts, ReceivedCall } from '../call.ts'
import type { FieldEdit } from '../dialects/edit.ts'
import type { Gate } from '../gate.ts'
import { raisedNumCtx } from '../guards/contextWindow.ts'
import type { ContextWindowState } from '../guards/contextWindow.ts'
import type { Terms } from './terms.ts'

/** Prompts below this fit into the smallest window that servers give, and ask nothing of them. */
const smallPromptTokens = 2000

/** Lowest ratio of a model's count to ours that natural text of any language has shown (I07: Chinese in its own model). */
const leastNaturalRatio = 0.65

/**
 * What the guard of the context window has to know. Asks the model server, which takes a few milliseconds where it answers
 * and a fraction of a second where it does not. Null where there is nothing to judge: the plan does not ask for it, the
 * prompt is small, or the window cannot be known. An embedding is not judged by the sum of its inputs, because each has the
 * window for itself. `clientHeaders` is the client's flat list: what it sent to this upstream may open it for us as well.
 */
export async function contextWindowState(
  gate: Gate,
  received: ReceivedCall,
  facts: CallFacts,
  terms: Terms,
  clientHeaders: readonly string[],
): Promise<ContextWindowState | null> {
  const { truncation } = received.identity.plan
  if (truncation === null || !facts.producesOutput) return null
  const { upstreamName, upstream, dialect } = received
  const upperTokens = terms.estimatedInputTokens
  const numCtx = facts.ollama?.numCtx ?? null
  const { minOutputTokens } = terms.config.budgets
  const isSmall = upperTokens < smallPromptTokens && (numCtx === null || upperTokens + minOutputTokens <= numCtx)
  if (isSmall) return null
  const window = await gate.contextWindows.find({
    upstreamName,
    upstream,
    dialect,
    model: facts.model,
    numCtx,
    needsMaximum: truncation.before === 'raise',
    credentials: credentialsOf(clientHeaders),
  })
  if (window === null) return null
  // As the verdict after the call takes it: a ratio above 1 would turn an over-estimate into an alarm.
  const ratio = Math.min(1, gate.residuals.ratio(upstreamName, facts.model))
  const leastRatio = gate.residuals.knows(upstreamName, facts.model) ? ratio : leastNaturalRatio
  return {
    window,
    plainTokens: Math.round(facts.estimate.textTokens * ratio),
    leastTokens: Math.round(facts.estimate.textTokens * leastRatio),
    upperTokens,
    usefulOutputTokens: Math.min(minOutputTokens, facts.requestedOutputTokens ?? Infinity),
  }
}

/** The facts of a call whose window was raised: the verdict about its answer goes by the window that it was sent with. */
export function sentFacts(facts: CallFacts, edits: readonly FieldEdit[]): CallFacts {
  const numCtx = raisedNumCtx(edits)
  return numCtx === null || facts.ollama === null ? facts : { ...facts, ollama: { ...facts.ollama, numCtx } }
}

function credentialsOf(headers: readonly string[]): readonly string[] {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization')
  return at < 0 ? [] : headers.slice(at, at + 2)
}
