import type { CallFacts, ReceivedCall } from '../call.ts'
import { applyEdits } from '../dialects/edit.ts'
import type { JsonObject } from '../dialects/dialect.ts'
import { pathWithModel } from '../dialects/modelPlace.ts'
import { plainPath } from '../dialects/routes.ts'
import type { DescribeRequest } from '../describe.ts'
import type { Gate } from '../gate.ts'
import { constrainedChanges } from '../tasks/constrained.ts'
import type { Placed } from './place.ts'
import type { Terms } from './terms.ts'

/** A call that was made smaller, as it goes on from here. */
export interface Constrained {
  readonly received: ReceivedCall
  readonly facts: CallFacts
  /** As `x-tollgate-changes` says it. */
  readonly changes: readonly string[]
}

/**
 * Changes the next calls of a task that is close to a ceiling: a cheaper model, no paid tools, a lower output ceiling, a
 * compacted transcript, each as far as the plan says so. The changed body is described again, so that price, allowlist and
 * estimate follow it; its place in the conversation stays that of the client's own. Once a task was compacted it stays so:
 * going back would rewrite the whole cached prefix. Null where nothing changes.
 */
export async function constrain(
  gate: Gate,
  received: ReceivedCall,
  facts: CallFacts,
  terms: Terms,
  placed: Placed,
  request: DescribeRequest,
): Promise<Constrained | null> {
  const { plan } = received.identity
  const { task } = placed
  const limits = plan.task?.onConstrained ?? null
  if (task === null || limits === null || placed.standing?.stop !== null) return null
  const isCompacting = gate.memory.compacting.has(task)
  const isConstrained = placed.state === 'constrained'
  if (!isConstrained && !isCompacting) return null
  const body = JSON.parse(received.body.toString('utf8')) as JsonObject
  const changed = constrainedChanges({
    dialect: received.dialect,
    body,
    facts,
    limits: isConstrained ? limits : { ...limits, cheaperModel: false, disablePaidTools: false, maxOutputTokens: null },
    tiers: terms.config.tiers,
    outputCeiling: facts.producesOutput ? (facts.requestedOutputTokens ?? plan.defaultOutputTokens) : null,
    paidTools: facts.serverTools.map((tool) => tool.name),
  })
  if (changed.says.length === 0) return null
  if (changed.compaction !== null) gate.memory.compacting.set(task, true)
  const { dialect, upstreamPath } = received
  const sentPath = changed.model === null ? upstreamPath : pathWithModel(dialect, upstreamPath, changed.model)
  const asked = { ...request, path: plainPath(sentPath) }
  const described = await gate.describer.describe(applyEdits(received.body, changed.edits), asked)
  // What could be read before can be read after an edit; were it not so, the client's own body goes out.
  if (!described.description.ok) return null
  return {
    received: { ...received, upstreamPath: sentPath, body: described.bytes },
    facts: { ...described.description.facts, transcript: facts.transcript },
    changes: changed.says,
  }
}
