import { execFile, spawn } from 'node:child_process'
import type { StdioOptions } from 'node:child_process'
import { statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Environment } from './runEnvironment.ts'
import { groupLives, signalGroup } from './runGroup.ts'
import type { CommandEnd } from './runSummary.ts'
import { windowsStart } from './runWindows.ts'

/** How long a process group may take to end after SIGTERM, in milliseconds. */
const killAfterMs = 5000

/** How often it is looked whether the group has ended, in milliseconds. */
const lookEveryMs = 50

/** A command that could not be started; `exitCode` is the one that shells use: 127 not found, 126 found but not to be run. */
export class StartFailure extends Error {
  override name = 'StartFailure'
  readonly exitCode: 126 | 127

  constructor(program: string, code: string | undefined) {
    super(
      code === 'ENOENT'
        ? `There is no program "${program}".`
        : `"${program}" cannot be run (${code ?? 'unknown reason'}).`,
    )
    this.exitCode = code === 'ENOENT' ? 127 : 126
  }
}

/** A running command with the processes that it started. */
export interface CommandGroup {
  /** Id of the command's process and, but on Windows, of its group. */
  readonly pid: number
  /** The command's own end; processes that it left behind may live on. */
  readonly ended: Promise<CommandEnd>
  /** Sends a signal to the whole group. On Windows a console tells its programs itself, so nothing is done. */
  readonly signal: (name: NodeJS.Signals) => void
  /** Ends the whole group: SIGTERM, and SIGKILL for what is left later. Resolves with the signal that was needed, when it is gone. */
  readonly stop: () => Promise<'SIGTERM' | 'SIGKILL'>
}

/** How a command is started. */
export interface StartOptions {
  readonly words: readonly [string, ...string[]]
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** `inherit`, so that the command has the terminal's own input and output. */
  readonly stdio?: StdioOptions
  /** Patience after SIGTERM, in milliseconds. */
  readonly killAfterMs?: number
}

/**
 * Starts a command as the leader of a process group of its own, so that it can be stopped with all that it started, and without
 * whoever started us. Rejects with a StartFailure.
 */
export async function startGroup(options: StartOptions): Promise<CommandGroup> {
  const { words, env, platform } = options
  const isWindows = platform === 'win32'
  const start = isWindows
    ? windowsStart(words, env, (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    : { file: words[0], args: words.slice(1), isVerbatim: false }
  const child = spawn(start.file, [...start.args], {
    env: { ...env },
    stdio: options.stdio ?? 'inherit',
    // On Windows this would open another console window, and groups do not exist.
    detached: !isWindows,
    windowsVerbatimArguments: start.isVerbatim,
  })
  const ended = new Promise<CommandEnd>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error: NodeJS.ErrnoException) => reject(new StartFailure(words[0], error.code)))
  })
  // A later error is a signal that could not be sent.
  child.on('error', () => undefined)
  const { pid } = child
  if (pid === undefined) throw new StartFailure(words[0], undefined)
  const patienceMs = options.killAfterMs ?? killAfterMs
  return isWindows
    ? { pid, ended, signal: () => undefined, stop: () => stopTree(pid, ended, patienceMs) }
    : { pid, ended, signal: (name) => signalGroup(pid, name), stop: () => stopGroup(pid, platform, patienceMs) }
}

async function stopGroup(pid: number, platform: NodeJS.Platform, patienceMs: number): Promise<'SIGTERM' | 'SIGKILL'> {
  signalGroup(pid, 'SIGTERM')
  // One that is suspended would hear of it only later.
  signalGroup(pid, 'SIGCONT')
  const endMs = performance.now() + patienceMs
  while (groupLives(pid, platform)) {
    if (performance.now() >= endMs) {
      signalGroup(pid, 'SIGKILL')
      return 'SIGKILL'
    }
    await wait(lookEveryMs)
  }
  return 'SIGTERM'
}

async function stopTree(pid: number, ended: Promise<CommandEnd>, patienceMs: number): Promise<'SIGTERM' | 'SIGKILL'> {
  await taskkill(['/T', '/PID', String(pid)])
  const gone = await Promise.race([ended.then(() => true), wait(patienceMs, false)])
  if (gone) return 'SIGTERM'
  await taskkill(['/T', '/F', '/PID', String(pid)])
  return 'SIGKILL'
}

function taskkill(args: readonly string[]): Promise<void> {
  const file = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\taskkill.exe`
  // It fails for a process that has ended, which is as well.
  return new Promise((resolve) => execFile(file, [...args], { windowsHide: true }, () => resolve()))
}

/** Signals that are meant for the command when they reach us. A group of its own gets none from the terminal. */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGWINCH'] as const

/**
 * Passes our signals on to the command until the returned function is called, so that Ctrl+C, a closed terminal, a changed size
 * and Ctrl+Z mean to it what they would mean without us.
 */
export function forwardSignals(group: CommandGroup): () => void {
  const pass = (name: NodeJS.Signals): void => group.signal(name)
  const suspend = (): void => {
    // SIGTSTP does nothing to a group whose session has no terminal.
    group.signal('SIGSTOP')
    process.kill(process.pid, 'SIGSTOP')
  }
  const goOn = (): void => group.signal('SIGCONT')
  const names = process.platform === 'win32' ? (['SIGINT', 'SIGBREAK'] as const) : forwarded
  for (const name of names) process.on(name, pass)
  if (process.platform !== 'win32') process.on('SIGTSTP', suspend).on('SIGCONT', goOn)
  return () => {
    for (const name of names) process.off(name, pass)
    process.off('SIGTSTP', suspend).off('SIGCONT', goOn)
  }
}
