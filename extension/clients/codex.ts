import { gateUrl } from '../../shared/addresses.ts'
import { lineEndOf, markedBlock, planOf } from './plan.ts'
import type { Plan } from './plan.ts'
import { serverOf } from './servers.ts'
import type { GateBase, Server } from './servers.ts'
import { applySteps, step } from './steps.ts'
import type { Step } from './steps.ts'
import { scanToml } from './toml.ts'
import type { TomlEntry, TomlScan } from './toml.ts'

/** The provider that Tollgate adds. The built-in one cannot be redefined. */
const ownProvider = 'tollgate'

/**
 * Codex, `config.toml`. It gets a provider of its own instead of `openai_base_url`: the built-in provider opens a WebSocket, and
 * some versions send that to OpenAI whatever the address is.
 */
export function planCodex(present: string | null, gate: GateBase): Plan {
  const text = present ?? ''
  const scan = scanToml(text)
  if (scan === undefined || entryAt(scan, ['model_providers']) !== undefined) return { kind: 'malformed' }
  const chosen = chosenProvider(scan)
  const provider = chosen?.value ?? 'openai'
  const own = entryAt(scan, ['model_providers', ownProvider, 'base_url'])
  const address =
    provider === 'openai'
      ? entryAt(scan, ['openai_base_url'])
      : entryAt(scan, ['model_providers', provider, 'base_url'])
  const server = typeof address?.value === 'string' ? serverOf(address.value, gate) : undefined

  if (provider === ownProvider) {
    if (own === undefined || server === undefined) return { kind: 'malformed' }
    return server.kind === 'gate' ? { kind: 'already' } : planOf(text, [readdressed(text, own, gate)], [])
  }
  if (server?.kind === 'gate') return { kind: 'already' }
  if (/azure/i.test(provider) || server?.kind === 'azure') return { kind: 'azure' }
  if (provider !== 'openai') return { kind: 'elsewhere', server: hostOf(server) || provider }
  if (server?.kind === 'elsewhere') return { kind: 'elsewhere', server: server.host }
  const steps = switched(text, chosen, own, scan, gate)
  return steps === undefined ? { kind: 'malformed' } : planOf(text, steps, [])
}

function hostOf(server: Server | undefined): string {
  return server?.kind === 'elsewhere' ? server.host : ''
}

/** What chooses the provider: the profile that is in force, else the top of the file. */
function chosenProvider(scan: TomlScan): TomlEntry | undefined {
  const profile = entryAt(scan, ['profile'])?.value
  const ofProfile = typeof profile !== 'string' ? undefined : entryAt(scan, ['profiles', profile, 'model_provider'])
  return ofProfile ?? entryAt(scan, ['model_provider'])
}

function entryAt({ entries }: TomlScan, path: readonly string[]): TomlEntry | undefined {
  return entries.find((entry) => entry.path.length === path.length && entry.path.every((part, at) => part === path[at]))
}

function readdressed(text: string, { valueFrom, to }: TomlEntry, gate: GateBase): Step {
  return step(text, valueFrom, to - valueFrom, addressOf(gate))
}

function addressOf(gate: GateBase): string {
  return JSON.stringify(`${gateUrl(gate, 'openai')}/v1`)
}

/** Chooses Tollgate's provider and adds it. Undefined where a table of that name lacks an address. */
function switched(
  text: string,
  chosen: TomlEntry | undefined,
  own: TomlEntry | undefined,
  scan: TomlScan,
  gate: GateBase,
): readonly Step[] | undefined {
  const lineEnd = lineEndOf(text)
  const changes: (readonly [offset: number, length: number, inserted: string])[] = []
  if (own !== undefined) {
    changes.push([own.valueFrom, own.to - own.valueFrom, addressOf(gate)])
  } else {
    if (scan.tables.some((path) => path[0] === 'model_providers' && path[1] === ownProvider)) return undefined
    const before = /^\uFEFF?$/.test(text) ? '' : text.endsWith('\n') ? lineEnd : lineEnd + lineEnd
    changes.push([text.length, 0, before + providerTable(gate, lineEnd) + lineEnd])
  }
  const choice = markedBlock([`model_provider = "${ownProvider}"`], lineEnd)
  if (chosen === undefined) changes.push([text.startsWith('\uFEFF') ? 1 : 0, 0, choice + lineEnd + lineEnd])
  else changes.push([chosen.from, lineLength(text, chosen.from), choice])
  // From the bottom to the top, so that what was found in the text stays where it is.
  const steps: Step[] = []
  for (const [offset, length, inserted] of changes.sort(([left], [right]) => right - left)) {
    steps.push(step(applySteps(text, steps), offset, length, inserted))
  }
  return steps
}

/** To the end of the line, without its end: a remark behind the value belongs to what was chosen before. */
function lineLength(text: string, from: number): number {
  return /\r?\n/.exec(text.slice(from))?.index ?? text.length - from
}

function providerTable(gate: GateBase, lineEnd: string): string {
  return markedBlock(
    [
      `[model_providers.${ownProvider}]`,
      'name = "OpenAI through Tollgate"',
      `base_url = ${addressOf(gate)}`,
      'wire_api = "responses"',
      'requires_openai_auth = true',
      'supports_websockets = false',
    ],
    lineEnd,
  )
}
