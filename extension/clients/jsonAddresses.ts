import { setJson } from './json.ts'
import type { Seen } from './plan.ts'
import { serverOf } from './servers.ts'
import type { Format, GateBase } from './servers.ts'
import { applySteps } from './steps.ts'
import type { Step } from './steps.ts'

/** One address in a JSON document. */
export interface JsonAddress {
  /** The model's or provider's name, for the reader. */
  readonly name: string
  readonly path: (string | number)[]
  /** Undefined where none is written. */
  readonly address: string | undefined
  /** What is written where none is; undefined: it stays so. */
  readonly otherwise: string | undefined
  /** Who is called where none is written, for the reader. */
  readonly provider?: string
  /** What the client speaks there. */
  readonly format?: Format
  readonly endsInSlash?: boolean
}

/** Points each address at the gate that leads to a provider behind it. */
export function pointAddresses(
  text: string,
  addresses: readonly JsonAddress[],
  gate: GateBase,
): { readonly steps: readonly Step[]; readonly seen: readonly Seen[] } {
  const steps: Step[] = []
  const seen: Seen[] = []
  for (const { name, path, address, otherwise, provider, format, endsInSlash = false } of addresses) {
    const set = (value: string): void => {
      const whole = endsInSlash && !value.endsWith('/') ? `${value}/` : value
      steps.push(...setJson(applySteps(text, steps), path, whole))
      seen.push({ name, kind: 'edited' })
    }
    if (address === undefined || address === '') {
      if (otherwise !== undefined) set(otherwise)
      else seen.push({ name, kind: 'direct', ...(provider === undefined ? {} : { server: provider }) })
      continue
    }
    const server = serverOf(address, gate, format)
    if (server.kind === 'known') set(server.through)
    else seen.push({ name, kind: server.kind, ...(server.kind === 'elsewhere' ? { server: server.host } : {}) })
  }
  return { steps, seen }
}
