import { gateUrl } from '../../../shared/addresses.ts'
import { clientVariables } from '../../../shared/clientVariables.ts'
import type { ClientAddress } from '../../../shared/clientVariables.ts'

/** Variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Where the clients of the command are sent. */
export type RunAddress = Required<ClientAddress> & { readonly task: string }

/**
 * The environment of a command that runs as one task: the shell's own with the variables of the gate. `OLLAMA_HOST` is
 * among them, because the command is guarded as a whole; it cannot be `ollama serve`. Where a proxy is set the gate's address is
 * excepted from it, since some clients send even loopback calls there.
 */
export function runEnvironment(shell: Environment, address: RunAddress): Record<string, string | undefined> {
  return {
    ...shell,
    ...noProxy(shell),
    ...clientVariables(address),
    OLLAMA_HOST: gateUrl(address, 'ollama'),
  }
}

function noProxy(shell: Environment): Record<string, string> {
  const isProxied = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].some(
    (name) => (shell[name] ?? '') !== '',
  )
  if (!isProxied) return {}
  // Clients differ in which of the two they read, and most read the small one first.
  const changed = ['NO_PROXY', 'no_proxy'].map((name): [string, string] => {
    const hosts = (shell[name] ?? shell['NO_PROXY'] ?? '').split(',').filter((host) => host.trim() !== '')
    return [name, [...new Set([...hosts, '127.0.0.1', 'localhost'])].join(',')]
  })
  return Object.fromEntries(changed)
}

/** Variables that send a client somewhere, and the places that the gate's upstreams stand for. */
const usualHosts: readonly (readonly [RegExp, RegExp])[] = [
  [/^OPENAI_(BASE_URL|API_BASE)$/, /^api\.openai\.com$/],
  [/^ANTHROPIC_(BASE_URL|API_BASE|API_URL)$/, /^api\.anthropic\.com$/],
  [/^GOOGLE_GEMINI_BASE_URL$/, /^generativelanguage\.googleapis\.com$/],
  [/^OLLAMA_(API_BASE|BASE_URL|HOST)$/, /^(127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1?\])(:11434)?$/],
]

/**
 * A variable of the shell that sends clients to a server of the user's own, with that server's host; null where there is none.
 * To replace it would send the key and the prompts that are meant for that server to the provider.
 */
export function foreignServer(shell: Environment): { readonly variable: string; readonly host: string } | null {
  for (const [variable, value = ''] of Object.entries(shell)) {
    const usual = usualHosts.find(([names]) => names.test(variable))
    if (usual === undefined || value === '' || isGateUrl(value)) continue
    const host = hostOf(value)
    if (!usual[1].test(host)) return { variable, host }
  }
  return null
}

/** The project that the calls of this shell count for, by the base URL that a terminal of the editor has; null without one. */
export function shellProject(shell: Environment): string | null {
  for (const name of ['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL', 'GOOGLE_GEMINI_BASE_URL', 'OLLAMA_BASE_URL']) {
    const value = shell[name] ?? ''
    const project = isGateUrl(value) ? /\/p\/([A-Za-z0-9_-]{1,128})\//.exec(value)?.[1] : undefined
    if (project !== undefined) return project
  }
  return null
}

/** A base URL of a gate, with or without its key: the upstream is a name in the path. */
function isGateUrl(value: string): boolean {
  return /^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d+\/([ktp]\/[A-Za-z0-9_-]+\/)*(openai|anthropic|gemini|ollama)(\/v1)?\/?$/.test(
    value,
  )
}

/** Host and port; `OLLAMA_HOST` may lack its scheme. */
function hostOf(value: string): string {
  try {
    return new URL(/^https?:\/\//.test(value) ? value : `http://${value}`).host
  } catch {
    return value
  }
}
