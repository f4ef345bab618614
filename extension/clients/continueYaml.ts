import { continueAddress } from './continueModels.ts'
import { blockBegin, lineEndOf, markedBlock, planOf } from './plan.ts'
import type { Plan, Seen } from './plan.ts'
import { serverOf } from './servers.ts'
import type { GateBase } from './servers.ts'
import { applySteps, step } from './steps.ts'
import type { Step } from './steps.ts'
import { linesOf, scanModels } from './yamlModels.ts'
import type { Line, YamlModel, YamlValue } from './yamlModels.ts'

/** A value that is more than its text: an alias, a tag, a block, a collection. */
const notPlain = /^[&*!|>{[%@`]/

/** Continue's `config.yaml`: each model with a provider that the gate forwards to gets an `apiBase`, in a marked block. */
export function planContinueYaml(present: string | null, gate: GateBase): Plan {
  const text = present ?? ''
  const lines = linesOf(text)
  const models = scanModels(lines)
  if (models === undefined) return { kind: 'malformed' }
  const seen: Seen[] = []
  const steps: Step[] = []
  // From the last to the first, so that what was found in the text stays where it is.
  for (const model of [...models].reverse()) {
    const { provider, apiBase, name } = model.values
    if (provider === undefined) continue
    if (notPlain.test(provider.value) || (apiBase !== undefined && notPlain.test(apiBase.value))) {
      return { kind: 'malformed' }
    }
    const called = name?.value ?? provider.value
    if (provider.value === 'azure') {
      seen.unshift({ name: called, kind: 'azure' })
      continue
    }
    const hasAddress = apiBase !== undefined && apiBase.value !== ''
    const server = hasAddress ? serverOf(apiBase.value, gate) : undefined
    if (server !== undefined && server.kind !== 'known') {
      seen.unshift({ name: called, kind: server.kind, ...(server.kind === 'elsewhere' ? { server: server.host } : {}) })
      continue
    }
    const through = server?.through ?? continueAddress(provider.value, gate)
    if (through === undefined) continue
    steps.push(
      addressStep(applySteps(text, steps), lines, model, provider, through.endsWith('/') ? through : `${through}/`),
    )
    seen.unshift({ name: called, kind: 'edited' })
  }
  return planOf(text, steps, seen)
}

function addressStep(
  text: string,
  lines: readonly Line[],
  { indent, values: { apiBase } }: YamlModel,
  provider: YamlValue,
  address: string,
): Step {
  const lineEnd = lineEndOf(text)
  const margin = ' '.repeat(indent)
  if (apiBase === undefined) {
    const line = lines[provider.line]
    const end = line === undefined ? text.length : line.from + line.text.length
    return step(text, end, 0, lineEnd + markedBlock([`apiBase: ${address}`], lineEnd, margin))
  }
  const line = lines[apiBase.line]
  const isOwn = lines[apiBase.line - 1]?.text.trim() === blockBegin
  // Behind a dash there is no room for a line of its own.
  if (line === undefined || isOwn || line.text.trimStart().startsWith('-')) {
    const space = text[apiBase.from - 1] === ':' ? ' ' : ''
    return step(text, apiBase.from, apiBase.to - apiBase.from, space + address)
  }
  return step(text, line.from, line.text.length, markedBlock([`apiBase: ${address}`], lineEnd, margin))
}
