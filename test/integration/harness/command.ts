import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cleanEnvironment, program } from './daemon.ts'
import { eventually } from './eventually.ts'

/** How a command ended. */
export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that still runs. */
export interface RunningCommand {
  stdout(): string
  /** Waits until stdout holds what `pattern` describes. */
  saw(pattern: RegExp): Promise<void>
  signal(name: NodeJS.Signals): void
  readonly result: Promise<CommandResult>
}

/** Starts `tollgate <words>` as a process of its own. */
export function startCommand(words: readonly string[], env: Readonly<Record<string, string>> = {}): RunningCommand {
  const child = spawn(process.execPath, [program, ...words], {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (part: Buffer) => (stdout += part.toString()))
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()))
  const result = once(child, 'close').then(([code]): CommandResult => ({ code: code as number | null, stdout, stderr }))
  return {
    stdout: () => stdout,
    saw: (pattern) =>
      eventually(`${words.join(' ')} to print ${String(pattern)}`, () => (pattern.test(stdout) ? true : null)).then(
        () => undefined,
      ),
    signal: (name) => void child.kill(name),
    result,
  }
}

/** Runs `tollgate <words>` to its end. */
export function runCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return startCommand(words, env).result
}
