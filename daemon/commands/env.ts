import { clientVariables } from '../../shared/clientVariables.ts'
import type { Shell } from './arguments.ts'
import { findDaemon } from './daemonClient.ts'
import type { Terminal } from './terminal.ts'

/** The shell that most likely reads the output. */
export function currentShell(env: Readonly<Record<string, string | undefined>>, platform: NodeJS.Platform): Shell {
  const shell = env['SHELL'] ?? ''
  if (/(^|[\\/])fish(\.exe)?$/.test(shell)) return 'fish'
  // A shell of the Unix kind on Windows sets SHELL, PowerShell and cmd do not.
  return shell === '' && platform === 'win32' ? 'powershell' : 'sh'
}

/** One line that sets a variable in the syntax of a shell. Quotes keep what a future value might hold from being read as more. */
export function settingLine(shell: Shell, name: string, value: string): string {
  switch (shell) {
    case 'sh':
      return `export ${name}='${value.replaceAll("'", `'\\''`)}'`
    case 'fish':
      return `set -gx ${name} '${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    case 'powershell':
      return `$env:${name} = '${value.replaceAll("'", "''")}'`
    case 'cmd':
      return `set "${name}=${value}"`
  }
}

/** `tollgate env`: lines for `eval "$(tollgate env)"` and its relatives. Throws a CommandFailure. */
export async function runEnv(
  dataDir: string,
  asked: { readonly shell: Shell | null; readonly project: string | null; readonly task: string | null },
  terminal: Terminal,
): Promise<number> {
  const { url, key } = await findDaemon(dataDir)
  const shell = asked.shell ?? currentShell(terminal.env, terminal.platform)
  const variables = clientVariables({ origin: url, key, project: asked.project, task: asked.task })
  for (const [name, value] of Object.entries(variables)) terminal.out(`${settingLine(shell, name, value)}\n`)
  return 0
}
