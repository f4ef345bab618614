import type { InjectedVariable } from '../env/injection.ts'

/** What a guarded terminal is started with. */
export interface LauncherInput {
  readonly variables: readonly InjectedVariable[]
  /** The environment of the extension host; what is appended to a variable stands behind its value here. */
  readonly host: Readonly<Record<string, string | undefined>>
  /** The user's shell and its arguments. */
  readonly shell: UserShell
  readonly platform: NodeJS.Platform
}

/** A shell as a terminal profile names it. */
export interface UserShell {
  readonly path: string
  readonly args: readonly string[]
}

/** The part of VS Code's terminal options that the launcher decides. */
export interface Launcher {
  readonly shellPath: string
  /** One string on Windows, which is handed on as it is. */
  readonly shellArgs: string[] | string
  readonly env: Record<string, string>
}

/** Stands before the name of a variable on its way through VS Code. */
const carrier = 'GUARDED_'

/**
 * Starts the user's shell with Tollgate's variables in force.
 *
 * A terminal's own variables do not suffice: what extensions contribute to all terminals is applied after them, so that the base
 * URLs without a task would win. (`strictEnv` keeps those out in a local window only; a remote one ignores it.) So the values
 * travel under other names, and a first small shell gives them their own before it becomes the user's. No value stands in a
 * command line, where every user of the machine could read the local key.
 */
export function launcher({ variables, host, shell, platform }: LauncherInput): Launcher {
  const names = variables.map(({ name }) => name)
  const env = Object.fromEntries(
    variables.map(({ name, value, action }) => [
      carrier + name,
      action === 'append' ? (host[name] ?? '') + value : value,
    ]),
  )
  if (platform === 'win32') {
    const steps = names.flatMap((name) => [`set "${name}=%${carrier}${name}%"`, `set "${carrier}${name}="`])
    const start = [shell.path, ...shell.args].map(quoted).join(' ')
    return { shellPath: 'cmd.exe', shellArgs: `/d /s /c "${[...steps, start].join('&')}"`, env }
  }
  const steps = names.map((name) => `export ${name}="$${carrier}${name}"; unset ${carrier}${name}`)
  return {
    shellPath: '/bin/sh',
    shellArgs: ['-c', [...steps, 'exec "$0" "$@"'].join('; '), shell.path, ...shell.args],
    env,
  }
}

/**
 * The shell that VS Code would start: `detected` is its path; its arguments are those of the default profile in the settings
 * `terminal.integrated.defaultProfile.<platform>` and `terminal.integrated.profiles.<platform>`. On macOS a terminal's shell is a
 * login shell unless a profile says otherwise.
 */
export function userShell(
  detected: string,
  profileName: unknown,
  profiles: unknown,
  platform: NodeJS.Platform,
): UserShell {
  const fallback = { win32: 'cmd.exe', darwin: '/bin/zsh' }[platform as string] ?? '/bin/sh'
  const path = detected === '' ? fallback : detected
  const profile = typeof profileName === 'string' ? recordOf(recordOf(profiles)[profileName]) : {}
  const { args } = profile
  if (Array.isArray(args)) return { path, args: args.filter((one) => typeof one === 'string') }
  if (typeof args === 'string' && args !== '') return { path, args: args.split(' ') }
  return { path, args: platform === 'darwin' ? ['-l'] : [] }
}

function quoted(word: string): string {
  return /^[\w./\\:-]+$/.test(word) ? word : `"${word}"`
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
