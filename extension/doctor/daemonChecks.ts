import { execFile } from 'node:child_process'
import type { DaemonCheck } from './surroundings.ts'

/** Longest that the command line's doctor is waited for, in milliseconds. */
const limitMs = 10_000

/** How the bundled command line is run. */
export interface CommandLine {
  /** Node.js, or VS Code's own runtime. */
  readonly program: string
  readonly script: string
  readonly dataDir: string
  readonly environment: Record<string, string>
}

/** What `tollgate doctor` complains about; null where it gave no answer. It only reads, also while a daemon runs. */
export function runDoctorCommand({
  program,
  script,
  dataDir,
  environment,
}: CommandLine): Promise<readonly DaemonCheck[] | null> {
  return new Promise((resolve) => {
    execFile(
      program,
      [script, 'doctor', '--json', '--data-dir', dataDir],
      { env: environment, cwd: dataDir, timeout: limitMs, maxBuffer: 4 << 20, windowsHide: true },
      // It ends with 1 or 2 where it found something, so the answer counts and not the code.
      (_, stdout) => resolve(parseChecks(stdout)),
    )
  })
}

/** The warnings and failures in its JSON; null where that is none. What the report says by itself is left out. */
export function parseChecks(text: string): readonly DaemonCheck[] | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const { checks } = (value ?? {}) as { readonly checks?: unknown }
  if (!Array.isArray(checks)) return null
  return (checks as readonly unknown[]).flatMap((check): DaemonCheck[] => {
    const { name, verdict, says, next } = (check ?? {}) as Record<string, unknown>
    if (verdict !== 'warn' && verdict !== 'fail') return []
    if (typeof says !== 'string' || name === 'daemon.running') return []
    return [{ verdict, says, next: typeof next === 'string' ? next : null }]
  })
}
