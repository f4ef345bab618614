import { gateUrl } from '../../shared/addresses.ts'
import type { InjectSettings } from '../settings.ts'

/** A group of clients that is guarded or not as a whole. */
export type ClientFamily = 'openai' | 'anthropic' | 'gemini' | 'ollama'

/** Everything the injected values follow from. */
export interface InjectionInput {
  /** `http://127.0.0.1:4141` */
  readonly origin: string
  readonly key: string
  /** Slug of the workspace, or null without one. */
  readonly project: string | null
  /** Makes everything in the terminal one task; left out: the gate tells tasks apart by itself. */
  readonly task?: string
  readonly inject: InjectSettings
  /** The environment that VS Code itself was started with, which terminals inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** One change of a terminal's environment. */
export interface InjectedVariable {
  readonly name: string
  readonly value: string
  readonly action: 'replace' | 'append'
}

/** A family that is left alone, because the user already sends its calls to a server of their own. */
export interface SkippedFamily {
  readonly family: ClientFamily
  readonly why: 'azure' | 'elsewhere'
  readonly variable: string
}

/** What terminals get. */
export interface Injection {
  readonly variables: readonly InjectedVariable[]
  readonly skipped: readonly SkippedFamily[]
}

/** How new terminals of this window are set up. */
export interface TerminalState {
  readonly bypassed: boolean
  /** The extension runs beside the user, the terminals on another machine: loopback would be the wrong one. */
  readonly wrongHost: boolean
  readonly skipped: readonly SkippedFamily[]
}

/** Base URL variables that clients read, with what they expect behind the upstream's name. */
const baseUrlVariables: Readonly<Record<ClientFamily, { readonly names: readonly string[]; readonly suffix: string }>> =
  {
    openai: { names: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'], suffix: '/v1' },
    anthropic: { names: ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_BASE', 'ANTHROPIC_API_URL'], suffix: '' },
    gemini: { names: ['GOOGLE_GEMINI_BASE_URL'], suffix: '' },
    ollama: { names: ['OLLAMA_API_BASE', 'OLLAMA_BASE_URL'], suffix: '' },
  }

/** Hosts that a family's calls go to anyway, so that a variable that names them may be replaced. */
const usualHosts: Readonly<Record<ClientFamily, RegExp>> = {
  openai: /^api\.openai\.com$/,
  anthropic: /^api\.anthropic\.com$/,
  gemini: /^generativelanguage\.googleapis\.com$/,
  ollama: /^(127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1?\]):11434$/,
}

/**
 * The variables that point a terminal's model clients at the gate. The values are constants of the installation and the
 * project: a value that changes would mark every open terminal as stale.
 *
 * A family is skipped where the user already points it somewhere else: the gate would send the key of that server to the
 * provider's own. `AzureOpenAI` reads `OPENAI_BASE_URL` too, and its key must not reach the OpenAI route.
 */
export function injection(input: InjectionInput): Injection {
  const skipped: SkippedFamily[] = []
  const variables: InjectedVariable[] = []
  for (const family of ['openai', 'anthropic', 'gemini', 'ollama'] as const) {
    if (!input.inject[family]) continue
    const skip = reasonToSkip(family, input.environment)
    if (skip) {
      skipped.push(skip)
      continue
    }
    const base = gateUrl(input, family)
    const { names, suffix } = baseUrlVariables[family]
    for (const name of names) variables.push({ name, value: base + suffix, action: 'replace' })
    if (family === 'ollama' && input.inject.ollamaHost)
      variables.push({ name: 'OLLAMA_HOST', value: base, action: 'replace' })
    // Claude Code switches its tool search off behind any base URL but the provider's, unless this is set.
    if (family === 'anthropic') variables.push({ name: 'ENABLE_TOOL_SEARCH', value: 'true', action: 'replace' })
  }
  if (variables.length > 0) variables.push(...noProxyVariables(input.environment))
  return { variables, skipped }
}

function reasonToSkip(family: ClientFamily, environment: InjectionInput['environment']): SkippedFamily | undefined {
  if (family === 'openai') {
    const azure =
      Object.keys(environment).find((name) => name.startsWith('AZURE_OPENAI_') && environment[name]) ??
      (environment['OPENAI_API_TYPE']?.toLowerCase().startsWith('azure') ? 'OPENAI_API_TYPE' : undefined)
    if (azure !== undefined) return { family, why: 'azure', variable: azure }
  }
  const names = baseUrlVariables[family].names
  for (const variable of family === 'ollama' ? [...names, 'OLLAMA_HOST'] : names) {
    const value = environment[variable]
    if (value && !isGateUrl(value) && !usualHosts[family].test(hostOf(family, value))) {
      return { family, why: 'elsewhere', variable }
    }
  }
  return undefined
}

/** A window that was opened from a guarded terminal has our own values in its environment. */
function isGateUrl(value: string): boolean {
  return /^http:\/\/(127\.0\.0\.1|localhost):\d+\/k\//.test(value)
}

/** Host of a base URL as `usualHosts` writes it. `OLLAMA_HOST` may lack its scheme and its port. */
function hostOf(family: ClientFamily, value: string): string {
  try {
    const url = new URL(/^https?:\/\//.test(value) ? value : `http://${value}`)
    return family === 'ollama' && url.port === '' ? `${url.hostname}:11434` : url.host
  } catch {
    return value
  }
}

/** Some clients send even loopback calls through a proxy; where one is set, the gate's address is excepted. */
function noProxyVariables(environment: InjectionInput['environment']): readonly InjectedVariable[] {
  const proxied = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  if (!proxied.some((name) => environment[name])) return []
  const names = environment['no_proxy'] === undefined ? ['NO_PROXY'] : ['NO_PROXY', 'no_proxy']
  return names.flatMap((name): InjectedVariable[] => {
    const present = environment[name]
    if (!present) return [{ name, value: '127.0.0.1,localhost', action: 'replace' }]
    return present.split(',').some((host) => host.trim() === '127.0.0.1')
      ? []
      : [{ name, value: ',127.0.0.1,localhost', action: 'append' }]
  })
}
