import type { FieldEdit } from '../dialects/edit.ts'
import type { RefusalCode } from '../../shared/codes.ts'
import type { CallWarning, Refusal } from '../call.ts'
import type { Guard, GuardedCall, GuardState, StackVerdict } from './guard.ts'
import { choices } from './choices.ts'
import { contextWindow } from './contextWindow.ts'
import { conversationSize } from './conversationSize.ts'
import { loop } from './loop.ts'
import { messageLength } from './messageLength.ts'
import { modelAllowlist } from './modelAllowlist.ts'
import { outputCeiling } from './outputCeiling.ts'
import { rate } from './rate.ts'
import { storm } from './storm.ts'
import { taskCeilings } from './taskCeilings.ts'
import { unpricedModel } from './unpricedModel.ts'
import { unsupportedFeature } from './unsupported.ts'
import { velocity } from './velocity.ts'

/** The stack, most severe first. A new guard is one file and one line here. */
export const guardStack: readonly Guard[] = [
  unsupportedFeature,
  modelAllowlist,
  unpricedModel,
  messageLength,
  conversationSize,
  contextWindow,
  outputCeiling,
  choices,
  loop,
  storm,
  taskCeilings,
  rate,
  velocity,
]

/** Asks every guard. The first refusal in the stack's order wins and names the others; else changes and warnings are put together. */
export function runStack(guards: readonly Guard[], call: GuardedCall, state: GuardState): StackVerdict {
  const refusals: Refusal[] = []
  const edits: FieldEdit[] = []
  const changes: string[] = []
  const warnings: CallWarning[] = []
  let outputCeilingTokens: number | null = null
  for (const guard of guards) {
    const verdict = guard.judge(call, state)
    switch (verdict.kind) {
      case 'allow':
        break
      case 'refuse':
        refusals.push(verdict.refusal)
        break
      case 'change':
        edits.push(...verdict.edits)
        changes.push(...verdict.says)
        warnings.push(...(verdict.warnings ?? []))
        outputCeilingTokens = verdict.outputCeiling ?? outputCeilingTokens
        break
    }
  }
  const [worst, ...others] = refusals
  if (worst !== undefined) {
    const also: readonly RefusalCode[] = others.map((refusal) => refusal.code)
    return { kind: 'refuse', refusal: { ...worst, also } }
  }
  return { kind: 'pass', described: { edits, changes, outputCeiling: outputCeilingTokens, warnings } }
}
