import { posix, win32 } from 'node:path'
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
  /** Variables that it is started with; null takes one away. */
  readonly env: ShellVariables
}

type ShellVariables = Readonly<Record<string, string | null>>

/** The part of VS Code's terminal options that the launcher decides. */
export interface Launcher {
  readonly shellPath: string
  /** One string on Windows, which is handed on as it is. */
  readonly shellArgs: string[] | string
  readonly env: Record<string, string | null>
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
  const before: Readonly<Record<string, string | null | undefined>> = { ...host, ...shell.env }
  const carried = variables.map(({ name, value, action }): [string, string] => [
    carrier + name,
    action === 'append' ? (before[name] ?? '') + value : value,
  ])
  const env = { ...shell.env, ...Object.fromEntries(carried) }
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
 * The shell that VS Code would start: `detected` is its path; arguments and variables are those of the default profile in the
 * settings `terminal.integrated.defaultProfile.<platform>` and `terminal.integrated.profiles.<platform>`. Without a default it is the
 * profile of that shell. VS Code itself fills in `${env:…}` in the variables. On macOS a terminal's shell is a login shell unless
 * a profile says otherwise.
 */
export function userShell(
  detected: string,
  profileName: unknown,
  profiles: unknown,
  platform: NodeJS.Platform,
): UserShell {
  const fallback = { win32: 'cmd.exe', darwin: '/bin/zsh' }[platform as string] ?? '/bin/sh'
  const path = detected === '' ? fallback : detected
  const { args, env } = profileOf(path, profileName, recordOf(profiles), platform)
  return { path, args: argumentsOf(args, platform), env: variablesOf(env) }
}

function profileOf(
  shellPath: string,
  profileName: unknown,
  profiles: Readonly<Record<string, unknown>>,
  platform: NodeJS.Platform,
): Readonly<Record<string, unknown>> {
  if (typeof profileName === 'string') return recordOf(profiles[profileName])
  const nameOf = platform === 'win32' ? win32 : posix
  const shellName = nameOf.parse(shellPath).name
  return recordOf(
    Object.values(profiles).find((profile) =>
      [recordOf(profile)['path']].flat().some((one) => typeof one === 'string' && nameOf.parse(one).name === shellName),
    ),
  )
}

function argumentsOf(args: unknown, platform: NodeJS.Platform): readonly string[] {
  if (Array.isArray(args)) return args.filter((one) => typeof one === 'string')
  if (typeof args === 'string' && args !== '') return args.split(' ')
  return platform === 'darwin' ? ['-l'] : []
}

/** As VS Code reads them: text sets a variable, anything else takes it away. */
function variablesOf(env: unknown): ShellVariables {
  return Object.fromEntries(
    Object.entries(recordOf(env)).map(([name, value]) => [name, typeof value === 'string' ? value : null]),
  )
}

function quoted(word: string): string {
  return /^[\w./\\:-]+$/.test(word) ? word : `"${word}"`
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
