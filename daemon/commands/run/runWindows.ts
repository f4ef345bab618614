import { win32 } from 'node:path'
import type { Environment } from './runEnvironment.ts'

/** What the system is asked to start. */
export interface StartLine {
  readonly file: string
  readonly args: readonly string[]
  /** Windows: the arguments are quoted already. */
  readonly isVerbatim: boolean
}

/**
 * Windows starts only `.exe` files by itself, and many command line agents are installed as `.cmd` scripts, which need `cmd.exe`.
 * The program is looked up as a shell would, and where it is a script its arguments are quoted for the two readers that they
 * pass: the C runtime's rules first, then a caret before each character that `cmd.exe` would act on, twice because the script
 * reads the line again.
 */
export function windowsStart(
  words: readonly [string, ...string[]],
  env: Environment,
  isFile: (path: string) => boolean,
): StartLine {
  const [program, ...args] = words
  const found = find(program, env, isFile)
  if (found === null || !/\.(cmd|bat)$/i.test(found)) return { file: found ?? program, args, isVerbatim: false }
  const line = [careted(found), ...args.map((arg) => careted(careted(quoted(arg))))].join(' ')
  return {
    file: env['ComSpec'] ?? env['COMSPEC'] ?? 'cmd.exe',
    args: ['/d', '/s', '/c', `"${line}"`],
    isVerbatim: true,
  }
}

function find(program: string, env: Environment, isFile: (path: string) => boolean): string | null {
  const endings = (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((ending) => ending !== '')
  const folders = /[\\/]/.test(program)
    ? ['']
    : (env['Path'] ?? env['PATH'] ?? '').split(';').filter((folder) => folder !== '')
  const names = win32.extname(program) === '' ? endings.map((ending) => program + ending) : [program]
  for (const folder of folders) {
    for (const name of names) {
      const path = win32.join(folder, name)
      if (isFile(path)) return path
    }
  }
  return null
}

function quoted(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
}

function careted(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
}
