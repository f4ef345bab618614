import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A program of the benchmark that runs until it is stopped. */
export interface Program {
  readonly pid: number
  /** Its first line of output, parsed where it is JSON. */
  readonly said: Readonly<Record<string, unknown>>
  stop(): Promise<void>
}

const running = new Set<ChildProcess>()

// A run that ends early must not leave servers behind.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** How a program is started. */
export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Resolves when the program is ready; without it, its first line of output says so. */
  readonly ready?: () => Promise<void>
}

/** Starts a Node program and waits until it is ready. Rejects with what it wrote to stderr where it ends before. */
export async function start(args: readonly string[], options: StartOptions = {}): Promise<Program> {
  // The caller's own settings of the gate must not reach a measured one.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TOLLGATE_'))
  const child = spawn(process.execPath, ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', ...args], {
    env: { ...Object.fromEntries(inherited), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let complaint = ''
  child.stderr.on('data', (part: Buffer) => (complaint = (complaint + part.toString()).slice(-4000)))
  const gone = once(child, 'close').then(() => {
    running.delete(child)
    throw new Error(`${args[0] ?? ''} ended before it was ready: ${complaint}`)
  })
  gone.catch(() => undefined)
  const line = once(createInterface(child.stdout), 'line').then(([text]) => String(text))
  const said = await Promise.race([options.ready?.().then(() => '{}') ?? line, gone])
  return {
    pid: child.pid ?? 0,
    said: said.startsWith('{') ? (JSON.parse(said) as Record<string, unknown>) : {},
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 8000)
      await closed
      clearTimeout(timer)
    },
  }
}

/** Runs a Node program to its end and returns its output, parsed. */
export async function run(args: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  let output = ''
  child.stdout.on('data', (part: Buffer) => (output += part.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  running.delete(child)
  if (code !== 0) throw new Error(`${args[0] ?? ''} ended with ${code ?? 'a signal'}`)
  return JSON.parse(output) as unknown
}

/** Resident memory of a process, in megabytes (10^6 bytes). */
export function residentMb(pid: number): number {
  const kibibytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }))
  return (kibibytes * 1024) / 1e6
}
