import { continueAddress, continueFormat, isInside } from './continueModels.ts'
import { lineEndOf, markedBlock, planOf } from './plan.ts'
import type { Plan, Seen } from './plan.ts'
import { serverOf } from './servers.ts'
import type { GateBase } from './servers.ts'
import { applySteps, step } from './steps.ts'
import type { Step } from './steps.ts'
import { linesOf, scanModels } from './yamlModels.ts'
import type { Line, YamlModel, YamlValue } from './yamlModels.ts'

/** A value that is more than its text: an alias, a tag, a block, a collection, quotes with escapes. */
const notPlain = /^[&*!|>{[%@`"']/

/** YAML's words for no value. */
const isNull = /^(~|null|Null|NULL)?$/

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
    const [provider, apiBase, name, uses] = ['provider', 'apiBase', 'name', 'uses'].map((key) => model.values.get(key))
    if (provider === undefined) {
      // A block of Continue's own collection says elsewhere what it calls.
      if (uses !== undefined) seen.unshift({ name: uses.value, kind: 'direct' })
      continue
    }
    if (!isPlain(provider) || isNull.test(provider.value) || (apiBase !== undefined && !isPlain(apiBase))) {
      return { kind: 'malformed' }
    }
    if (isInside(provider.value)) continue
    const called = name === undefined || !isPlain(name) || name.value === '' ? provider.value : name.value
    if (provider.value === 'azure') {
      seen.unshift({ name: called, kind: 'azure' })
      continue
    }
    const hasAddress = apiBase !== undefined && !isNull.test(apiBase.value)
    const server = hasAddress ? serverOf(apiBase.value, gate, continueFormat(provider.value)) : undefined
    if (server !== undefined && server.kind !== 'known') {
      seen.unshift({ name: called, kind: server.kind, ...(server.kind === 'elsewhere' ? { server: server.host } : {}) })
      continue
    }
    const through = server?.through ?? continueAddress(provider.value, gate)
    if (through === undefined) {
      seen.unshift({ name: called, kind: 'direct', server: provider.value })
      continue
    }
    const address = through.endsWith('/') ? through : `${through}/`
    const present = applySteps(text, steps)
    steps.push(
      apiBase === undefined
        ? addedAddress(present, lines[provider.line], model, address)
        : replacedAddress(present, apiBase, address),
    )
    seen.unshift({ name: called, kind: 'edited' })
  }
  return planOf(text, steps, seen)
}

function isPlain({ value, goesOn }: YamlValue): boolean {
  return !goesOn && !notPlain.test(value)
}

/** Behind the line of the provider. */
function addedAddress(text: string, line: Line | undefined, { indent }: YamlModel, address: string): Step {
  const lineEnd = lineEndOf(text)
  const end = line === undefined ? text.length : line.from + line.text.length
  return step(text, end, 0, lineEnd + markedBlock([`apiBase: ${address}`], lineEnd, ' '.repeat(indent)))
}

/** The value only; what stands behind it stays there. */
function replacedAddress(text: string, { from, to }: YamlValue, address: string): Step {
  const before = text[from - 1] === ':' ? ' ' : ''
  const after = text[to] === '#' ? ' ' : ''
  return step(text, from, to - from, before + address + after)
}
