import { isObject, readJson } from './json.ts'
import type { JsonObject } from './json.ts'
import { pointAddresses } from './jsonAddresses.ts'
import type { JsonAddress } from './jsonAddresses.ts'
import { planOf } from './plan.ts'
import type { Plan, Seen } from './plan.ts'
import type { GateBase } from './servers.ts'

/** Vendors whose models have an address that can be chosen. */
const withAddress: readonly unknown[] = ['customendpoint', 'customoai', 'ollama']

/**
 * Copilot's models of the user's own, `chatLanguageModels.json`: a list of groups, each with a vendor, and an address in the
 * group or in each of its models. Groups of other vendors have none, and VS Code keeps the keys, so none is added here.
 */
export function planCopilot(present: string | null, gate: GateBase): Plan {
  const text = present ?? ''
  const groups = readJson(text, [])
  if (!Array.isArray(groups) || !groups.every(isObject)) return { kind: 'malformed' }
  const addresses: JsonAddress[] = []
  const azure: Seen[] = []
  for (const [at, group] of (groups as readonly JsonObject[]).entries()) {
    if (group['vendor'] === 'azure') azure.push({ name: nameOf(group), kind: 'azure' })
    if (!withAddress.includes(group['vendor'])) continue
    addresses.push(...addressOf(group, [at, 'url']))
    const models: unknown = group['models'] ?? []
    if (!Array.isArray(models)) return { kind: 'malformed' }
    for (const [index, model] of (models as readonly unknown[]).entries()) {
      if (isObject(model)) addresses.push(...addressOf(model, [at, 'models', index, 'url']))
    }
  }
  const { steps, seen } = pointAddresses(text, addresses, gate)
  return planOf(text, steps, [...seen, ...azure])
}

function addressOf(entry: JsonObject, path: (string | number)[]): readonly JsonAddress[] {
  const { url } = entry
  return typeof url === 'string' ? [{ name: nameOf(entry), path, address: url, otherwise: undefined }] : []
}

function nameOf({ name, id, vendor }: JsonObject): string {
  return [name, id, vendor].find((one) => typeof one === 'string') ?? ''
}
