import { gateUrl } from '../../shared/addresses.ts'
import { isObject, readJson, setJson } from './json.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { planOf } from './plan.ts'
import type { Plan } from './plan.ts'
import { serverOf } from './servers.ts'
import type { GateBase } from './servers.ts'
import { applySteps } from './steps.ts'
import type { Step } from './steps.ts'

const baseUrl = 'ANTHROPIC_BASE_URL'

/** Claude Code switches its tool search off behind any base URL but the provider's, unless this is set. */
const toolSearch = 'ENABLE_TOOL_SEARCH'

/** Claude Code's own `settings.json`, whose `env` the panel and the command line read. */
export function planClaudeFile(present: string | null, gate: GateBase): Plan {
  const text = present ?? ''
  const settings = readJson(text, {})
  if (!isObject(settings)) return { kind: 'malformed' }
  const env = settings['env'] ?? {}
  if (!isObject(env)) return { kind: 'malformed' }
  return planEnvironment(text, env, gate, (name) => ['env', name], undefined)
}

/** The setting `claudeCode.environmentVariables`, a list of `{name, value}`, as JSON; null where it is not set. */
export function planClaudeSetting(present: string | null, gate: GateBase): Plan {
  const text = present ?? ''
  const list = readJson(text, [])
  if (!Array.isArray(list)) return { kind: 'malformed' }
  const rows = list as readonly unknown[]
  if (!rows.every(isRow)) return { kind: 'malformed' }
  const names = rows.map(({ name }) => name)
  // Which of two rows of one name counts is not known.
  if (new Set(names).size < names.length) return { kind: 'malformed' }
  const env = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  return planEnvironment(
    text,
    env,
    gate,
    (name, added) => (names.includes(name) ? [names.indexOf(name), 'value'] : [names.length + added]),
    (name, value) => ({ name, value }),
  )
}

function isRow(row: unknown): row is { readonly name: string; readonly value?: unknown } {
  return isObject(row) && typeof row['name'] === 'string'
}

function planEnvironment(
  text: string,
  env: JsonObject,
  gate: GateBase,
  pathOf: (name: string, added: number) => (string | number)[],
  rowOf: ((name: string, value: string) => JsonValue) | undefined,
): Plan {
  if (isSet(env['CLAUDE_CODE_USE_FOUNDRY'])) return { kind: 'azure' }
  if (isSet(env['CLAUDE_CODE_USE_BEDROCK'])) return { kind: 'elsewhere', server: 'Amazon Bedrock' }
  if (isSet(env['CLAUDE_CODE_USE_VERTEX'])) return { kind: 'elsewhere', server: 'Vertex AI' }
  const address = env[baseUrl] ?? ''
  if (typeof address !== 'string') return { kind: 'malformed' }
  if (address !== '') {
    const server = serverOf(address, gate, 'anthropic')
    if (server.kind === 'gate') return { kind: 'already', left: [] }
    if (server.kind === 'azure') return server
    if (server.kind === 'elsewhere') return { kind: 'elsewhere', server: server.host }
  }
  const steps: Step[] = []
  let added = 0
  // A list is begun as a list: the editor of JSON would make an object of nothing.
  if (rowOf !== undefined && text === '') steps.push({ offset: 0, removed: '', inserted: '[]' })
  const set = (name: string, value: string): void => {
    const isThere = Object.hasOwn(env, name)
    const path = pathOf(name, added)
    steps.push(...setJson(applySteps(text, steps), path, isThere || rowOf === undefined ? value : rowOf(name, value)))
    if (!isThere) added++
  }
  set(baseUrl, gateUrl(gate, 'anthropic'))
  if (!Object.hasOwn(env, toolSearch)) set(toolSearch, 'true')
  return planOf(text, steps, [])
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false' && value !== false
}
