import { noUsage } from '../../shared/usage.ts'
import type { Usage } from '../../shared/usage.ts'
import type { JsonObject } from './dialect.ts'
import { stringIn } from './read.ts'
import { restOf, sumOf, withinOf } from './usageParts.ts'
import type { UsagePart } from './usageParts.ts'

/** One entry of Anthropic's `usage.iterations`. */
export interface Iteration {
  readonly type: string
  /** Null for the model that was asked. */
  readonly model: string | null
  readonly usage: Usage
}

/** What the list of iterations makes of the block that holds it. */
export interface Iterated {
  /** Everything that is billed. */
  readonly usage: Usage
  readonly parts: readonly UsagePart[]
}

/** An entry as it stands in the list. */
export function iterationOf(entry: JsonObject, usage: Usage): Iteration {
  return { type: stringIn(entry, 'type') ?? '', model: stringIn(entry, 'model')?.slice(0, 512) ?? null, usage }
}

/**
 * The whole usage of an answer, taken apart by the models that did it. The runs beside the message (compaction, an advisor)
 * are not in the block's own figures and are added; each is priced by itself. Where a fallback answered, the entries name
 * their models. The block's own figures stay the sum that is billed: an attempt that they leave out is not, so that the
 * entry that answered takes its share first and those before it what is left.
 */
export function iterated(own: Usage, iterations: readonly Iteration[], askedModel: string): Iterated {
  const apart = iterations.filter(isApart).map(({ model, usage }) => ({ model: model ?? askedModel, usage }))
  const usage = apart.reduce((whole, part) => sumOf(whole, part.usage), own)
  if (!iterations.some(({ type }) => type === 'fallback_message')) return { usage, parts: apart }
  const attempts = iterations.filter((iteration) => !isApart(iteration))
  const inOrder = [
    ...attempts.filter(({ type }) => type === 'fallback_message').reverse(),
    ...attempts.filter(({ type }) => type !== 'fallback_message').reverse(),
  ]
  let left = { ...own, ...noFees }
  const shares = inOrder.map(({ model, usage: entry }) => {
    const share = withinOf(entry, left)
    left = restOf(left, share)
    return { model: model ?? askedModel, usage: share }
  })
  return { usage, parts: [...shares.filter(({ usage: share }) => isSome(share)), ...apart] }
}

/** Fees are the provider's and the same whatever model ran, so that they stay with the rest. */
const noFees = { webSearches: 0, fileSearches: 0, codeContainers: 0 }

function isApart({ type }: Pick<Iteration, 'type'>): boolean {
  return /^(compaction|advisor)/.test(type)
}

function isSome(usage: Usage): boolean {
  return (Object.keys(noUsage) as (keyof Usage)[]).some((name) => usage[name] > 0)
}
