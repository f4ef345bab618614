import type { InjectedVariable } from '../env/injection.ts'

/** A terminal's whole environment follows from this. */
export interface EnvironmentInput {
  /** The environment of the extension host, which VS Code resolved through the user's shell. */
  readonly host: Readonly<Record<string, string | undefined>>
  /** The setting `terminal.integrated.env.<platform>`; null takes a variable away. */
  readonly configured: Readonly<Record<string, string | null>>
  readonly variables: readonly InjectedVariable[]
  readonly workspaceFolder: string
  readonly platform: NodeJS.Platform
  readonly vscodeVersion: string
}

/** Variables that are meant for VS Code's own processes. */
const editorsOwn = /^(ELECTRON_|VSCODE_(?!PORTABLE$)|APPLICATION_INSIGHTS_NO_DIAGNOSTIC_CHANNEL$)/i

/**
 * The complete environment of a guarded terminal. It has to be complete: what extensions contribute to all terminals is applied
 * after a terminal's own variables, so Tollgate's base URLs without a task would win. Only a terminal with an environment of its
 * own (`strictEnv`) is left out of that, and then VS Code adds nothing else either.
 */
export function guardedEnvironment(input: EnvironmentInput): Record<string, string> {
  const { host, configured, variables, workspaceFolder, platform, vscodeVersion } = input
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && !editorsOwn.test(name)) environment[name] = value
  }
  // VS Code keeps the user's options aside while its own processes run with others.
  const ownOptions = host['VSCODE_NODE_OPTIONS']
  if (ownOptions !== undefined) environment['NODE_OPTIONS'] = ownOptions
  environment['TERM_PROGRAM'] = 'vscode'
  environment['TERM_PROGRAM_VERSION'] = vscodeVersion
  environment['COLORTERM'] = 'truecolor'
  // Without it programs take every character beyond ASCII for a broken one.
  if (platform !== 'win32') environment['LANG'] ??= platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'
  for (const [name, value] of Object.entries(configured)) {
    if (value === null) Reflect.deleteProperty(environment, name)
    else environment[name] = resolved(value, host, workspaceFolder)
  }
  for (const { name, value, action } of variables) {
    environment[name] = action === 'append' ? (environment[name] ?? '') + value : value
  }
  return environment
}

/** The two kinds of reference that the setting is used with; others stay as they are. */
function resolved(value: string, host: EnvironmentInput['host'], workspaceFolder: string): string {
  return value
    .replace(/\$\{env:([^}]+)\}/g, (_, name: string) => host[name] ?? '')
    .replaceAll('${workspaceFolder}', workspaceFolder)
}
