import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { gateUrl } from '../../../shared/addresses.ts'
import type { ListeningLine } from '../../../shared/protocol.ts'
import type { CallRow, EventRow, Status } from '../../../shared/status.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { eventually } from './eventually.ts'

/** How a daemon is started. */
export interface DaemonOptions {
  /** The configuration file's content; `against` makes one for the playing upstream. */
  readonly config?: object
  /** Further command line arguments. */
  readonly args?: readonly string[]
  /** An empty value takes a variable away that the harness sets. */
  readonly env?: Readonly<Record<string, string>>
  /** Kept after the daemon ends; without it the daemon gets a temporary one that is removed. */
  readonly dataDir?: string
  /** 0 (the default) takes a free one. */
  readonly port?: number
  /** Working directory; the test's own by default. */
  readonly cwd?: string
  /** Another copy of the bundle. */
  readonly program?: string
  /** Command that runs the program with its arguments, for example `['sh', '-c', 'ulimit -f 600; exec "$@"', 'sh']`. */
  readonly via?: readonly string[]
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A running daemon process. */
export interface Daemon {
  readonly url: string
  readonly key: string
  readonly token: string
  readonly pid: number
  readonly dataDir: string
  /** Resolves when the process is gone. */
  readonly exit: Promise<Exit>
  stderr(): string
  /** Everything that was written to stdout so far, the listening line included. */
  stdout(): string
  /** Calls the control API with the bearer token. */
  api(path: string, init?: RequestInit): Promise<Response>
  /** The same with a JSON body, and the answer parsed; throws for what is not 2xx. */
  json<T>(path: string, body?: object): Promise<T>
  status(): Promise<Status>
  /** Calls, newest first. */
  calls(): Promise<readonly CallRow[]>
  /** Waits until `count` calls are settled (by default at least one and none is open) and returns them, newest first. */
  settled(count?: number): Promise<readonly CallRow[]>
  events(name?: string): Promise<readonly EventRow[]>
  /** Base URL of an upstream without the provider's own `/v1`. */
  base(upstream: string, parts?: { readonly task?: string; readonly project?: string; readonly key?: string }): string
  /** Sends a signal and does not wait. */
  signal(name: NodeJS.Signals): void
  /** SIGTERM, then waits for the end. */
  stop(): Promise<Exit>
  /** SIGKILL, then waits for the end; the data directory stays for the next daemon. */
  kill9(): Promise<void>
  /** For `after` hooks: ends it whatever its state and removes its temporary directory. */
  discard(): Promise<void>
}

/** The bundle under test. */
export const program = join(import.meta.dirname, '../../../dist/daemon.js')
const running = new Set<{ readonly child: ChildProcess; readonly ownDir: string | null }>()

/** Configuration whose `openai`, `anthropic`, `gemini` and `ollama` are the playing upstream; `more` is laid over it. */
export function against(upstream: Pick<Upstream, 'baseUrls'>, more: object = {}): object {
  const { openai, anthropic, gemini, ollama } = upstream.baseUrls
  return {
    timezone: 'Europe/Berlin',
    upstreams: {
      openai: { baseUrl: openai, dialect: 'openai' },
      anthropic: { baseUrl: anthropic, dialect: 'anthropic' },
      gemini: { baseUrl: gemini, dialect: 'gemini' },
      ollama: { baseUrl: ollama, dialect: 'ollama', free: true },
    },
    ...more,
  }
}

/** Starts `dist/daemon.js serve` and waits for its listening line. Rejects with its stderr when it ends before. */
export async function startDaemon(options: DaemonOptions = {}): Promise<Daemon> {
  const { child, dataDir, ownDir, stderr } = spawnDaemon(options)
  const entry = { child, ownDir }
  running.add(entry)
  let written = ''
  child.stdout.on('data', (part: Buffer) => (written += part.toString()))
  const exit = once(child, 'close').then(([code, signal]): Exit => {
    running.delete(entry)
    return { code: code as number | null, signal: signal as NodeJS.Signals | null }
  })
  const first = once(createInterface(child.stdout), 'line').then(
    ([line]) => JSON.parse(line as string) as ListeningLine,
  )
  const started = await Promise.race([first, exit])
  if ('code' in started) throw new Error(`The daemon ended with ${started.code} before it listened: ${stderr()}`)
  return new RunningDaemon(started, child, dataDir, ownDir, exit, stderr, () => written)
}

/** Runs `dist/daemon.js` to its end, for arguments and configurations that it has to reject. */
export async function runDaemon(
  options: DaemonOptions,
): Promise<Exit & { readonly stderr: string; readonly stdout: string }> {
  const { child, ownDir, stderr } = spawnDaemon(options)
  const entry = { child, ownDir }
  running.add(entry)
  let stdout = ''
  child.stdout.on('data', (part: Buffer) => (stdout += part.toString()))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  running.delete(entry)
  if (ownDir !== null) rmSync(ownDir, { recursive: true, force: true })
  return { code, signal, stderr: stderr(), stdout }
}

/** Ends every daemon that a test left behind, by its pid, and removes their directories. For `after` hooks. */
export async function stopAllDaemons(): Promise<void> {
  for (const { child, ownDir } of [...running]) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'close')
    }
    if (ownDir !== null) rmSync(ownDir, { recursive: true, force: true })
  }
}

// A test process that dies must not leave daemons behind.
process.once('exit', () => {
  for (const { child, ownDir } of running) {
    child.kill('SIGKILL')
    if (ownDir !== null) rmSync(ownDir, { recursive: true, force: true })
  }
})

function spawnDaemon(options: DaemonOptions) {
  if (!existsSync(program)) throw new Error('dist/daemon.js is missing: run `npm run build` first.')
  const ownDir = options.dataDir === undefined ? mkdtempSync(join(tmpdir(), 'tollgate-test-')) : null
  const dataDir = options.dataDir ?? ownDir ?? ''
  const args = [options.program ?? program, 'serve', '--port', String(options.port ?? 0), '--data-dir', dataDir]
  if (options.config !== undefined) {
    const file = join(dataDir, 'test-config.json')
    writeFileSync(file, JSON.stringify(options.config))
    args.push('--config', file)
  }
  const [command, ...before] = [...(options.via ?? []), process.execPath]
  const child = spawn(command, [...before, ...args, ...(options.args ?? [])], {
    env: { ...cleanEnvironment(), ...withoutEmpty({ TOLLGATE_CURRENCY_ASOF: today(), ...options.env }) },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  })
  let text = ''
  child.stderr.on('data', (part: Buffer) => (text += part.toString()))
  return { child, dataDir, ownDir, stderr: () => text }
}

/** Date of the exchange rate, unless a test says another: a stale one would make every reservation larger. */
function today(): string {
  return new Date().toISOString().slice(0, 10)
}

function withoutEmpty(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
}

/** The caller's environment without its own TOLLGATE_ variables, which must not leak into a test. */
export function cleanEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TOLLGATE_')))
}

class RunningDaemon implements Daemon {
  readonly url: string
  readonly key: string
  readonly token: string
  readonly pid: number
  readonly dataDir: string
  readonly exit: Promise<Exit>
  readonly stderr: () => string
  readonly stdout: () => string
  readonly #child: ChildProcess
  readonly #ownDir: string | null

  constructor(
    line: ListeningLine,
    child: ChildProcess,
    dataDir: string,
    ownDir: string | null,
    exit: Promise<Exit>,
    stderr: () => string,
    stdout: () => string,
  ) {
    this.url = line.url
    this.key = line.key
    this.token = line.token
    this.pid = line.pid
    this.dataDir = dataDir
    this.exit = exit
    this.stderr = stderr
    this.stdout = stdout
    this.#child = child
    this.#ownDir = ownDir
  }

  api(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${this.token}`)
    return fetch(`${this.url}${path}`, { ...init, headers })
  }

  async json<T>(path: string, body?: object): Promise<T> {
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const response = await this.api(path, body === undefined ? {} : post)
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
    return JSON.parse(text) as T
  }

  status(): Promise<Status> {
    return this.json<Status>('/api/status')
  }

  async calls(): Promise<readonly CallRow[]> {
    return (await this.json<{ calls: readonly CallRow[] }>('/api/calls?limit=500')).calls
  }

  settled(count?: number): Promise<readonly CallRow[]> {
    return eventually('the calls to be settled', async () => {
      const calls = await this.calls()
      const open = calls.filter((call) => call.state === 'reserved').length
      return open === 0 && calls.length >= (count ?? 1) ? calls : null
    })
  }

  async events(name?: string): Promise<readonly EventRow[]> {
    const { events } = await this.json<{ events: readonly EventRow[] }>('/api/events')
    return name === undefined ? events : events.filter((event) => event.event === name)
  }

  base(
    upstream: string,
    parts: { readonly task?: string; readonly project?: string; readonly key?: string } = {},
  ): string {
    const { task = null, project = null, key = this.key } = parts
    return gateUrl({ origin: this.url, key, task, project }, upstream)
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  async stop(): Promise<Exit> {
    this.#child.kill('SIGTERM')
    const exit = await this.exit
    if (this.#ownDir !== null) rmSync(this.#ownDir, { recursive: true, force: true })
    return exit
  }

  async kill9(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.exit
  }

  async discard(): Promise<void> {
    await this.kill9()
    if (this.#ownDir !== null) rmSync(this.#ownDir, { recursive: true, force: true })
  }
}
