import path from 'node:path'
import type { Config } from '../../../shared/config.ts'
import { configFile } from '../../config/configFile.ts'
import { loadConfig, type LoadedConfig } from '../../config/load.ts'
import type { DatabaseOptions } from '../../ledger/database.ts'
import { reasonOf } from '../attempt.ts'
import { printable } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { findDaemonState, type DaemonState } from './daemonState.ts'

/** What the doctor knows before it looks at anything. */
export interface DoctorWorld {
  readonly dataDir: string
  /** `ledger.db` and how SQLite is loaded. */
  readonly ledger: DatabaseOptions
  readonly configPath: string
  readonly loaded: LoadedConfig
  readonly systemTimezone: string
  readonly platform: NodeJS.Platform
  readonly nowMs: number
  readonly daemon: DaemonState
  /** A command line of this program for the same data directory. */
  readonly command: (words: string) => string
}

/** What is passed in from outside. */
export interface DoctorOptions {
  readonly dataDir: string
  /** As it was typed; null: the file in the data directory. */
  readonly config: string | null
  readonly terminal: Pick<Terminal, 'env' | 'platform'>
  readonly nowMs: number
  readonly systemTimezone: string
  readonly nativeBinding?: string
  /** Where a daemon listens that was not told otherwise. */
  readonly usualPort?: number
  /** Whether the data directory is the one that a command finds without being told. */
  readonly isUsualDir: boolean
}

/** Looks for the daemon and reads the configuration. */
export async function lookAround(options: DoctorOptions): Promise<DoctorWorld> {
  const { dataDir, terminal, nowMs, systemTimezone, nativeBinding } = options
  const file = configFile(path.resolve(options.config ?? path.join(dataDir, 'config.json')), options.config !== null)
  const extra = options.isUsualDir ? '' : ` --data-dir ${quoted(dataDir)}`
  return {
    dataDir,
    ledger: { path: path.join(dataDir, 'ledger.db'), ...(nativeBinding === undefined ? {} : { nativeBinding }) },
    configPath: file.path,
    loaded: load(file, terminal.env, systemTimezone),
    systemTimezone,
    platform: terminal.platform,
    nowMs,
    daemon: await findDaemonState(dataDir, options.usualPort),
    command: (words) => `tollgate ${words}${extra}`,
  }
}

function load(
  file: ReturnType<typeof configFile>,
  env: Readonly<Record<string, string | undefined>>,
  systemTimezone: string,
): LoadedConfig {
  try {
    return loadConfig({ text: file.read(), env, systemTimezone })
  } catch (fault) {
    return { ok: false, problems: [`${file.path} cannot be read: ${reasonOf(fault)}.`] }
  }
}

/** The configuration where it is valid. */
export function configOf({ loaded }: DoctorWorld): Config | null {
  return loaded.ok ? loaded.config : null
}

/** A path as a shell takes it. */
function quoted(file: string): string {
  return /^[\w./:\\-]+$/.test(file) ? file : `"${printable(file)}"`
}
