import { isObject, readJson } from './json.ts'
import type { JsonObject } from './json.ts'
import { pointAddresses } from './jsonAddresses.ts'
import type { JsonAddress } from './jsonAddresses.ts'
import { planOf } from './plan.ts'
import type { Plan, Seen } from './plan.ts'
import type { Format, GateBase } from './servers.ts'

/** The vendor that calls this machine where no address is written. */
const ollama = 'ollama'

/** Vendors whose models have an address that can be chosen. */
const withAddress: readonly string[] = ['customendpoint', 'customoai', ollama]

/** The vendor of Copilot's own models, which are no endpoints of the user's. */
const copilotItself = 'copilot'

/**
 * Copilot's models of the user's own, `chatLanguageModels.json`: a list of groups, each with a vendor, and an address in the
 * group or in each of its models. Groups of other vendors have none, so they call their vendor past the gate, and VS Code keeps
 * the keys, so none is added here.
 */
export function planCopilot(present: string | null, gate: GateBase): Plan {
  const text = present ?? ''
  const groups = readJson(text, [])
  if (!Array.isArray(groups) || !groups.every(isObject)) return { kind: 'malformed' }
  const addresses: JsonAddress[] = []
  const others: Seen[] = []
  for (const [at, group] of (groups as readonly JsonObject[]).entries()) {
    const { vendor } = group
    if (typeof vendor !== 'string' || vendor === copilotItself) continue
    if (!withAddress.includes(vendor)) {
      const name = nameOf(group)
      others.push(vendor === 'azure' ? { name, kind: 'azure' } : { name, kind: 'direct', server: vendor })
      continue
    }
    const models: unknown = group['models'] ?? []
    if (!Array.isArray(models)) return { kind: 'malformed' }
    if (vendor === ollama && !group['url']) others.push({ name: nameOf(group), kind: 'direct', server: vendor })
    addresses.push(...addressOf(group, group, [at, 'url']))
    for (const [index, model] of (models as readonly unknown[]).entries()) {
      if (isObject(model)) addresses.push(...addressOf(model, group, [at, 'models', index, 'url']))
    }
  }
  const { steps, seen } = pointAddresses(text, addresses, gate)
  return planOf(text, steps, [...seen, ...others])
}

/** Without an address a custom endpoint cannot be called. */
function addressOf(entry: JsonObject, group: JsonObject, path: (string | number)[]): readonly JsonAddress[] {
  const { url } = entry
  if (typeof url !== 'string' || url === '') return []
  const format = formatOf(url, entry['apiType'] ?? group['apiType'])
  return [{ name: nameOf(entry), path, address: url, otherwise: undefined, format }]
}

/** An address may be whole, with the endpoint at its end, or the type says which endpoint is put behind it. */
function formatOf(url: string, apiType: unknown): Format {
  return /\/messages\/?$/.test(url) || apiType === 'messages' ? 'anthropic' : 'openai'
}

function nameOf({ name, id, vendor }: JsonObject): string {
  return [name, id, vendor].find((one) => typeof one === 'string') ?? ''
}
