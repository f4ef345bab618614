import { heldMark, heldName, heldVariables } from '../../shared/heldVariables.ts'

/** What the `tollgate` command of terminals runs. */
export interface Command {
  /** Name of the folder of the daemon's copy: its version and the beginning of its digest. */
  readonly copyName: string
  /** The program, `daemon.js` in that folder. */
  readonly program: string
  /** What runs it. */
  readonly runtime: string
  /** It is VS Code's own runtime, which runs a program only when it is told to. */
  readonly isOwnRuntime: boolean
  /** The data directory of the gate that the extension runs. */
  readonly dataDir: string
}

const gone = 'tollgate: The program is not there any more. A window of VS Code with Tollgate brings it back.'

/** Exit code of a shell for a program that is not there. */
const exitGone = 127

const runAsNode = ['ELECTRON_RUN_AS_NODE', 'ELECTRON_NO_ASAR'] as const

/** The command for every shell of the Unix kind. A `TOLLGATE_DATA_DIR` of the user's own holds, as it does for the program. */
export function shellScript(command: Command): string {
  const [runtime, program, dataDir] = [command.runtime, command.program, command.dataDir].map(shellWord)
  return [
    '#!/bin/sh',
    `# ${heading(command)}`,
    `if ! command -v ${runtime} >/dev/null 2>&1 || [ ! -f ${program} ]; then`,
    `  echo ${shellWord(gone)} >&2`,
    `  exit ${exitGone}`,
    'fi',
    `if [ -z "\${TOLLGATE_DATA_DIR:-}" ]; then export TOLLGATE_DATA_DIR=${dataDir}; fi`,
    ...heldVariables.map(
      (name) => `if [ -n "\${${name}+x}" ]; then export ${heldName(name)}="$${name}"; unset ${name}; fi`,
    ),
    `export ${[heldMark, ...(command.isOwnRuntime ? runAsNode : [])].map((name) => `${name}=1`).join(' ')}`,
    `exec ${runtime} ${program} "$@"`,
    '',
  ].join('\n')
}

/**
 * The command for PowerShell and the command prompt. `environment` is that of the extension host: the command prompt reads the file
 * in the console's code page, so that folders of the user, whose name may have any letters, stand there as variables.
 */
export function commandPromptScript(
  command: Command,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const [runtime, program, dataDir] = [command.runtime, command.program, command.dataDir].map((path) =>
    commandPromptPath(path, environment),
  )
  const isAscii = /^[\x20-\x7e]*$/.test(`${runtime}${program}${dataDir}`)
  return [
    '@echo off',
    `rem ${heading(command)}`,
    'setlocal DisableDelayedExpansion',
    ...(isAscii ? [] : ['chcp 65001 >nul']),
    `if not exist "${program}" (echo ${gone}>&2& exit /b ${exitGone})`,
    `if not defined TOLLGATE_DATA_DIR set "TOLLGATE_DATA_DIR=${dataDir}"`,
    ...heldVariables.flatMap((name) => [`if defined ${name} set "${heldName(name)}=%${name}%"`, `set "${name}="`]),
    ...[heldMark, ...(command.isOwnRuntime ? runAsNode : [])].map((name) => `set "${name}=1"`),
    // One line, read at once: the file may be replaced while the program runs.
    `"${runtime}" "${program}" %* & exit /b`,
    '',
  ].join('\r\n')
}

/** The name of the copy that a script runs; null for a file that is none of these scripts. */
export function copyNameIn(script: string): string | null {
  return /^(?:#!\/bin\/sh\n# |@echo off\r\nrem )Tollgate ([\w.+-]+), kept/.exec(script)?.[1] ?? null
}

/** The version in the name of a copy. */
export function versionOfCopy(copyName: string): string {
  return copyName.replace(/-[0-9a-f]+$/, '')
}

function heading({ copyName }: Command): string {
  return `Tollgate ${copyName}, kept by the extension of VS Code, which writes this file anew.`
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function commandPromptPath(path: string, environment: Readonly<Record<string, string | undefined>>): string {
  const folder = ['LOCALAPPDATA', 'APPDATA', 'USERPROFILE'].find((name) => {
    const value = environment[name] ?? ''
    return value !== '' && path.toLowerCase().startsWith(`${value.toLowerCase()}\\`)
  })
  // No path of Windows has a quotation mark or a line break, but a setting may.
  const rest = path.slice(folder === undefined ? 0 : (environment[folder] ?? '').length).replace(/["\r\n]/g, '')
  return `${folder === undefined ? '' : `%${folder}%`}${rest.replaceAll('%', '%%')}`
}
