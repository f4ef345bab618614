import type { CallFacts, DialectName } from '../call.ts'
import type { FieldEdit } from '../dialects/edit.ts'
import type { Guard, Verdict } from './guard.ts'
import { allow } from './guard.ts'

/** What api.openai.com generates for a legacy completion that sets no limit; injecting more would change the answer. */
const legacyCompletionDefault = 16

/** OpenAI's Responses refuse a lower ceiling. */
const leastResponsesTokens = 16

/**
 * The lowest ceiling per choice that a provider takes: above the thinking budget, and not below the format's own least. A
 * ceiling that is put in or lowered to less comes back as an error.
 */
export function leastCeiling(dialect: DialectName, facts: Pick<CallFacts, 'thinkingBudgetTokens'>): number {
  return Math.max((facts.thinkingBudgetTokens ?? 0) + 1, dialect === 'openai-responses' ? leastResponsesTokens : 1)
}

/**
 * What has no bound cannot be reserved. No ceiling set: the plan's default is injected in the field that the upstream
 * understands. Above the plan's or the model's own maximum: clamped there, in the field that the client used (H07). What the
 * client itself set and no limit forbids goes out as it is.
 */
export const outputCeiling: Guard = {
  name: 'outputCeiling',
  judge: ({ received, facts }, state) => {
    if (!facts.producesOutput) return allow
    const { plan, planName } = received.identity
    const most = Math.min(plan.maxOutputTokens ?? Infinity, state.modelMaxOutputTokens ?? Infinity)
    const asked = facts.requestedOutputTokens
    if (asked !== null && asked <= most) return { kind: 'change', edits: [], says: [], outputCeiling: asked }
    if (asked === null && received.dialect === 'openai-completions' && isOpenAi(received.upstream.baseUrl)) {
      return { kind: 'change', edits: [], says: [], outputCeiling: Math.min(legacyCompletionDefault, most) }
    }
    const thinking = facts.thinkingBudgetTokens ?? 0
    const ceiling =
      asked === null
        ? Math.min(facts.ignoredOutputTokens ?? Math.max(plan.defaultOutputTokens, thinking + 1024), most)
        : most
    if (thinking >= ceiling) {
      const message = `The thinking budget of ${thinking} tokens leaves no room for an answer below the ${ceiling} output tokens that plan ${planName} allows. Lower the thinking budget or raise plans.${planName}.maxOutputTokens.`
      return {
        kind: 'refuse',
        refusal: { code: 'reasoning_exceeds_output', message, unit: 'tokens', limit: ceiling, requested: thinking },
      }
    }
    return setCeiling(facts.outputField, Math.max(ceiling, leastCeiling(received.dialect, facts)), facts.ceilings)
  },
}

/** The change that puts a ceiling into a request; of several in it, those that are higher are lowered to it. */
export function setCeiling(
  field: readonly string[],
  ceiling: number,
  ceilings?: CallFacts['ceilings'],
): Extract<Verdict, { kind: 'change' }> {
  const paths = ceilings?.filter(({ tokens }) => tokens > ceiling).map(({ path }) => path) ?? [field]
  const edits: FieldEdit[] = paths.map((path) => ({ path, value: ceiling }))
  return { kind: 'change', edits, says: [`${field.at(-1) ?? 'output'}=${ceiling}`], outputCeiling: ceiling }
}

function isOpenAi(baseUrl: string): boolean {
  return /^https:\/\/api\.openai\.com(\/|$)/.test(baseUrl)
}
