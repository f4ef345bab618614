import { gateUrl } from '../../shared/addresses.ts'
import { isObject, readJson } from './json.ts'
import { pointAddresses } from './jsonAddresses.ts'
import type { JsonAddress } from './jsonAddresses.ts'
import { planOf } from './plan.ts'
import type { Plan } from './plan.ts'
import type { Format, GateBase } from './servers.ts'

/** What its own providers get where no address is written. The others have one, or cannot be sent elsewhere. */
const byProvider: Readonly<Record<string, (gate: GateBase) => string>> = {
  anthropic: (gate) => gateUrl(gate, 'anthropic'),
  gemini: (gate) => gateUrl(gate, 'gemini'),
  'openai-native': (gate) => `${gateUrl(gate, 'openai')}/v1`,
}

/** What its own providers speak. The others speak OpenAI's format, or have a server of their own. */
const formats: Readonly<Record<string, Format>> = { anthropic: 'anthropic', gemini: 'gemini' }

/** Cline, `providers.json`: every provider that was set up there, with the address in its settings. */
export function planCline(present: string | null, gate: GateBase): Plan {
  const text = present ?? ''
  const file = readJson(text, {})
  if (!isObject(file)) return { kind: 'malformed' }
  const providers = file['providers'] ?? {}
  if (!isObject(providers)) return { kind: 'malformed' }
  const addresses: JsonAddress[] = []
  for (const [name, provider] of Object.entries(providers)) {
    const settings = isObject(provider) ? provider['settings'] : undefined
    if (!isObject(settings)) continue
    const address = settings['baseUrl'] ?? undefined
    if (address !== undefined && typeof address !== 'string') return { kind: 'malformed' }
    addresses.push({
      name,
      path: ['providers', name, 'settings', 'baseUrl'],
      address,
      otherwise: Object.hasOwn(byProvider, name) ? byProvider[name]?.(gate) : undefined,
      format: (Object.hasOwn(formats, name) ? formats[name] : undefined) ?? 'openai',
    })
  }
  const { steps, seen } = pointAddresses(text, addresses, gate)
  return planOf(text, steps, seen)
}
