import { continueAddress, continueFormat, isInside } from './continueModels.ts'
import { isObject, readJson } from './json.ts'
import type { JsonObject } from './json.ts'
import { pointAddresses } from './jsonAddresses.ts'
import type { JsonAddress } from './jsonAddresses.ts'
import { planOf } from './plan.ts'
import type { Plan, Seen } from './plan.ts'
import type { GateBase } from './servers.ts'

/** Places of single models beside the list. */
const single = ['tabAutocompleteModel', 'embeddingsProvider', 'reranker'] as const

/** Continue's older `config.json`. */
export function planContinueJson(present: string, gate: GateBase): Plan {
  const file = readJson(present, {})
  if (!isObject(file)) return { kind: 'malformed' }
  const models: unknown = file['models'] ?? []
  if (!Array.isArray(models)) return { kind: 'malformed' }
  const found: readonly (readonly [model: unknown, path: readonly (string | number)[]])[] = [
    ...(models as readonly unknown[]).map((model, at) => [model, ['models', at]] as const),
    ...single.map((name) => [file[name], [name]] as const),
  ]
  const addresses: JsonAddress[] = []
  const azure: Seen[] = []
  for (const [model, path] of found) {
    if (!isObject(model) || typeof model['provider'] !== 'string') continue
    const { provider } = model
    if (isInside(provider)) continue
    const name = nameOf(model)
    if (provider === 'azure') {
      azure.push({ name, kind: 'azure' })
      continue
    }
    const address = model['apiBase'] ?? undefined
    if (address !== undefined && typeof address !== 'string') return { kind: 'malformed' }
    addresses.push({
      name,
      path: [...path, 'apiBase'],
      address,
      otherwise: continueAddress(provider, gate),
      provider,
      format: continueFormat(provider),
      endsInSlash: true,
    })
  }
  const { steps, seen } = pointAddresses(present, addresses, gate)
  return planOf(present, steps, [...seen, ...azure])
}

function nameOf({ title, model, provider }: JsonObject): string {
  return [title, model, provider].find((one) => typeof one === 'string') ?? ''
}
