import { gateUrl } from '../../shared/addresses.ts'
import { lineEndOf, markedBlock, planOf } from './plan.ts'
import type { Plan, Seen } from './plan.ts'
import { serverOf } from './servers.ts'
import type { GateBase } from './servers.ts'
import { applySteps, step } from './steps.ts'
import type { Step } from './steps.ts'
import { scanToml } from './toml.ts'
import type { TomlEntry, TomlScan } from './toml.ts'

/** The provider that Tollgate adds. The built-in one cannot be redefined. */
const ownProvider = 'tollgate'

/** The built-in provider, which is used where none is chosen. */
const builtIn = 'openai'

/**
 * Codex, `config.toml`. It gets a provider of its own instead of `openai_base_url`: the built-in provider opens a WebSocket, and
 * some versions send that to OpenAI whatever the address is. It is chosen wherever the built-in one was chosen; what the profile in
 * force chooses says whether the file is touched at all.
 */
export function planCodex(present: string | null, gate: GateBase): Plan {
  const text = present ?? ''
  const scan = scanToml(text)
  if (scan === undefined || isHidden(scan)) return { kind: 'malformed' }
  const inForce = choiceInForce(scan)
  const lead = leadOf(scan, inForce?.value ?? builtIn, gate)
  if (lead.kind === 'azure' || lead.kind === 'elsewhere') return lead
  const choices = scan.entries.filter(({ path }) => isChoice(path))
  const seen = choices.map((choice) => seenOf(choice, leadOf(scan, choice.value ?? '', gate)))
  const steps = stepsOf(text, scan, choices, inForce, gate)
  return steps === undefined ? { kind: 'malformed' } : planOf(text, steps, [{ name: '', kind: 'gate' }, ...seen])
}

/** Where a provider's calls go. `change`: to OpenAI, or to the gate at an address of before. */
type Lead =
  | { readonly kind: 'gate' }
  | { readonly kind: 'change' }
  | { readonly kind: 'azure' }
  /** A host, or the provider's name where none is written. */
  | { readonly kind: 'elsewhere'; readonly server: string }

function leadOf(scan: TomlScan, provider: string, gate: GateBase): Lead {
  const place = provider === builtIn ? ['openai_base_url'] : ['model_providers', provider, 'base_url']
  const address = entryAt(scan, place)?.value
  const server = typeof address === 'string' ? serverOf(address, gate, 'openai') : undefined
  if (server?.kind === 'gate') return server
  if (provider === ownProvider) return { kind: 'change' }
  if (/azure/i.test(provider) || server?.kind === 'azure') return { kind: 'azure' }
  const host = server?.kind === 'elsewhere' ? server.host : ''
  if (provider !== builtIn) return { kind: 'elsewhere', server: host || provider }
  return server?.kind === 'elsewhere' ? { kind: 'elsewhere', server: host } : { kind: 'change' }
}

/** A choice of a provider in a profile goes by the profile's name. */
function seenOf({ path, value }: TomlEntry, lead: Lead): Seen {
  const name = path[1] ?? value ?? ''
  if (lead.kind === 'elsewhere') return { name, kind: 'elsewhere', server: lead.server }
  return { name, kind: lead.kind === 'change' ? 'edited' : lead.kind }
}

/** At the top of the file, or in a profile. */
function isChoice(path: readonly string[]): boolean {
  return path.at(-1) === 'model_provider' && (path.length === 1 || (path.length === 3 && path[0] === 'profiles'))
}

/** What chooses the provider: the profile that is in force, else the top of the file. */
function choiceInForce(scan: TomlScan): TomlEntry | undefined {
  const profile = entryAt(scan, ['profile'])?.value
  const ofProfile = typeof profile !== 'string' ? undefined : entryAt(scan, ['profiles', profile, 'model_provider'])
  return ofProfile ?? entryAt(scan, ['model_provider'])
}

function entryAt({ entries }: TomlScan, path: readonly string[]): TomlEntry | undefined {
  return entries.find((entry) => entry.path.length === path.length && startsWith(entry.path, path))
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((part, at) => part === path[at])
}

/** Settings at the top that are text. */
const texts: readonly string[] = ['model_provider', 'profile', 'openai_base_url']

/**
 * Whether something that decides where Codex calls stands where it is not found: in a value in braces, in a list of tables, or as
 * another kind of value than text.
 */
function isHidden({ entries, tables, lists }: TomlScan): boolean {
  const isText = ([first = '']: readonly string[]): boolean => texts.includes(first)
  const isTable = ([first, second, third]: readonly string[]): boolean =>
    third === undefined &&
    (first === 'profiles' || (first === 'model_providers' && (second === undefined || second === ownProvider)))
  return (
    tables.some((path) => isText(path) || isChoice(path)) ||
    lists.some(([first, , third]) => third === undefined && (first === 'profiles' || first === 'model_providers')) ||
    entries.some(
      ({ path, value }) =>
        isTable(path) || (isText(path) && path.length > 1) || (value === null && (isText(path) || isChoice(path))),
    )
  )
}

function addressOf(gate: GateBase): string {
  return JSON.stringify(`${gateUrl(gate, 'openai')}/v1`)
}

/** What is put in the place of a part of the text. */
type Change = readonly [offset: number, length: number, inserted: string]

/** Chooses Tollgate's provider and adds it. Undefined where there is something of that name without an address. */
function stepsOf(
  text: string,
  scan: TomlScan,
  choices: readonly TomlEntry[],
  inForce: TomlEntry | undefined,
  gate: GateBase,
): readonly Step[] | undefined {
  const lineEnd = lineEndOf(text)
  const chosen: Change[] = []
  if (leadOf(scan, builtIn, gate).kind === 'change') {
    for (const { value, valueFrom, to } of choices) {
      if (value === builtIn) chosen.push([valueFrom, to - valueFrom, `"${ownProvider}"`])
    }
    if (inForce === undefined) {
      const choice = markedBlock([`model_provider = "${ownProvider}"`], lineEnd)
      chosen.push([text.startsWith('\uFEFF') ? 1 : 0, 0, choice + lineEnd + lineEnd])
    }
  }
  const isChosen = choices.some(({ value }) => value === ownProvider)
  if (chosen.length === 0 && !isChosen) return []
  const provided = providerChanges(text, scan, isChosen, gate)
  if (provided === undefined) return undefined
  // From the bottom to the top, so that what was found in the text stays where it is; in an empty text the provider is below.
  const steps: Step[] = []
  for (const [offset, length, inserted] of [...provided, ...chosen].sort(([left], [right]) => right - left)) {
    steps.push(step(applySteps(text, steps), offset, length, inserted))
  }
  return steps
}

function providerChanges(text: string, scan: TomlScan, isChosen: boolean, gate: GateBase): Change[] | undefined {
  const path = ['model_providers', ownProvider]
  const own = entryAt(scan, [...path, 'base_url'])
  if (own !== undefined) {
    const isRight = leadOf(scan, ownProvider, gate).kind === 'gate'
    return isRight ? [] : [[own.valueFrom, own.to - own.valueFrom, addressOf(gate)]]
  }
  const isThere = [...scan.tables, ...scan.entries.map((entry) => entry.path)].some((one) => startsWith(one, path))
  if (isThere || isChosen) return undefined
  const lineEnd = lineEndOf(text)
  const before = /^\uFEFF?$/.test(text) ? '' : text.endsWith('\n') ? lineEnd : lineEnd + lineEnd
  return [[text.length, 0, before + providerTable(gate, lineEnd) + lineEnd]]
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
