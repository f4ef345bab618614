import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { mkdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DiscoveryRecord } from '../../shared/protocol.ts'
import { copyDaemon, forgetUser, isAlive, noteUser, pruneCopies } from './copies.ts'
import type { StartedDaemon } from './ensure.ts'
import type { Log } from '../log.ts'

/** What the launch of a daemon needs. */
export interface LaunchOptions {
  /** `dist/` of the extension. */
  readonly distDir: string
  /** Where the copies of the daemon live. */
  readonly copiesDir: string
  readonly dataDir: string
  /** Port where there is no predecessor; with one its port is kept, because terminals have it in their base URLs. */
  readonly port: number
  /** The daemon whose place is taken. */
  readonly predecessor: DiscoveryRecord | undefined
  readonly version: string
  /** Runtime of the user's own, or empty for the one that runs this extension. */
  readonly nodePath: string
  readonly log: Log
  /** Called once the copy to run is there and unused ones are not; it does not reject. */
  copied(copyDir: string): Promise<void>
}

/** A log above this many bytes becomes `daemon.log.1` before a start. */
const maxLogBytes = 4 << 20

/** How long a daemon that was replaced may take to end, in milliseconds. */
const longestEndMs = 5000

/** Where the daemon's standard error goes. */
export function daemonLogPath(dataDir: string): string {
  return join(dataDir, 'logs', 'daemon.log')
}

/**
 * Variables of the daemon's environment. It gets none of VS Code's own, which would attach debuggers or reach this window,
 * and no base URL of a model client, so that it can never send a call to itself.
 */
export function daemonEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  ownRuntime: boolean,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !isUnwanted(name)) kept[name] = value
  }
  if (ownRuntime) {
    kept['ELECTRON_RUN_AS_NODE'] = '1'
    kept['ELECTRON_NO_ASAR'] = '1'
  }
  return kept
}

function isUnwanted(name: string): boolean {
  return (
    /^(VSCODE|ELECTRON)_/i.test(name) ||
    /_(BASE_URL|API_BASE|API_URL)$/i.test(name) ||
    ['NODE_OPTIONS', 'NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE', 'OLLAMA_HOST'].includes(name.toUpperCase())
  )
}

/**
 * Starts the daemon as a process of its own that outlives this window. Its standard output carries the local key and the
 * control token and so goes nowhere; its standard error goes to the log file. Throws when it cannot be launched.
 */
export async function launchDaemon(options: LaunchOptions): Promise<StartedDaemon> {
  const copyDir = await copyDaemon(options.distDir, options.copiesDir, options.version, process.pid)
  try {
    await prune(options.copiesDir, options.log)
    await options.copied(copyDir)
    return await launchFrom(copyDir, options)
  } finally {
    await forgetUser(copyDir, process.pid)
  }
}

/** Removes the copies that nobody uses any more once a daemon that was replaced has ended. */
export async function pruneAfter(pid: number, copiesDir: string, log: Log): Promise<void> {
  for (let waitedMs = 0; isAlive(pid) && waitedMs < longestEndMs; waitedMs += 100) await sleep(100)
  await prune(copiesDir, log)
}

async function prune(copiesDir: string, log: Log): Promise<void> {
  for (const name of await pruneCopies(copiesDir, Date.now())) log.info(`Removed the unused daemon ${name}.`)
}

async function launchFrom(copyDir: string, options: LaunchOptions): Promise<StartedDaemon> {
  const logPath = daemonLogPath(options.dataDir)
  await mkdir(join(options.dataDir, 'logs'), { recursive: true, mode: 0o700 })
  await rotate(logPath)

  const runtime = options.nodePath === '' ? process.execPath : options.nodePath
  const script = join(copyDir, 'daemon.js')
  const { predecessor } = options
  const port = String(predecessor?.port ?? options.port)
  const args = [script, 'serve', '--port', port, '--data-dir', options.dataDir]
  if (predecessor) args.push('--replace', String(predecessor.pid))
  options.log.info(`Starting the daemon: ${runtime} ${args.join(' ')}`)

  const logFd = openSync(logPath, 'a', 0o600)
  const startOffset = fstatSync(logFd).size
  try {
    const child = spawn(runtime, args, {
      cwd: copyDir,
      env: daemonEnvironment(process.env, options.nodePath === ''),
      detached: true,
      windowsHide: true,
      stdio: ['ignore', 'ignore', logFd],
    })
    const exited = new Promise<{ code: number | string; detail: string }>((resolve) => {
      child.once('exit', (code, signal) => {
        resolve({ code: code ?? signal ?? 'unknown', detail: lastLine(logPath, startOffset) })
      })
    })
    const pid = await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('spawn', () => resolve(child.pid ?? 0))
    })
    child.unref()
    await noteUser(copyDir, pid)
    return { pid, exited }
  } finally {
    closeSync(logFd)
  }
}

async function rotate(logPath: string): Promise<void> {
  try {
    if ((await stat(logPath)).size > maxLogBytes) await rename(logPath, `${logPath}.1`)
  } catch {
    // No log yet, or another window rotates it right now.
  }
}

/** The last line that was logged after `fromOffset`, at most 300 characters: the daemon's own sentence about its end. */
function lastLine(logPath: string, fromOffset: number): string {
  try {
    const fd = openSync(logPath, 'r')
    try {
      const size = fstatSync(fd).size
      const start = Math.max(fromOffset, size - 4096)
      const buffer = Buffer.alloc(Math.max(0, size - start))
      readSync(fd, buffer, 0, buffer.length, start)
      return (buffer.toString('utf8').trimEnd().split('\n').at(-1) ?? '').slice(0, 300)
    } finally {
      closeSync(fd)
    }
  } catch {
    return ''
  }
}
