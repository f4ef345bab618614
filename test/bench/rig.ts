import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gateUrl } from '../../shared/addresses.ts'
import { peerHeaders, startPeer } from './peer.ts'
import { start } from './processes.ts'
import type { Program } from './processes.ts'
import type { Target } from './wire.ts'

/** The ways a call can take to the upstream. */
export const candidateNames = ['direct', 'forward', 'peer', 'tollgate'] as const
export type CandidateName = (typeof candidateNames)[number]

/** A running daemon of the benchmark. */
export interface Daemon {
  readonly pid: number
  readonly port: number
  readonly token: string
  /** A chat call through it; `query` is handed on to the upstream. */
  chat(query?: string): Target
  stop(): Promise<void>
}

/** Everything that is measured side by side, against one upstream. */
export interface Rig {
  readonly upstream: Target
  readonly peerPid: number
  readonly daemon: Daemon
  target(name: CandidateName, query?: string): Target
  stop(): Promise<void>
}

/** Where the daemon that is measured lies. */
export interface RigOptions {
  readonly distDir: string
}

const chatPath = '/v1/chat/completions'
const here = import.meta.dirname

/** The tiny upstream, in a process of its own. */
export async function startUpstream(): Promise<Program & { readonly port: number }> {
  const program = await start([path.join(here, 'upstream.ts')])
  return { ...program, port: Number(program.said['port']) }
}

/**
 * What a daemon gets besides the defaults: our upstream, and caps and ceilings that are checked on each call and never
 * reached. One client that sends thousands of calls within seconds is what they are there to stop.
 */
function configFor(upstreamPort: number): object {
  return {
    upstreams: { openai: { baseUrl: `http://127.0.0.1:${upstreamPort}/v1`, dialect: 'openai' } },
    budgets: { userDaily: { eur: 1e6, tokens: 1e12 }, tenantDaily: { eur: 1e6 }, tenantMonthly: { eur: 1e6 } },
    plans: {
      agent: {
        rate: { concurrent: 1000 },
        task: { maxIterations: 1e9, maxInputTokens: 1e12, maxWallSeconds: 1e6, maxEur: 1e6 },
        storm: { starts: 1e6 },
      },
    },
  }
}

/** Starts the daemon as it is, with everything on. A `dataDir` that is given is kept, else a new one is removed again. */
export async function startDaemon(options: RigOptions, upstreamPort: number, dataDir?: string): Promise<Daemon> {
  const folder = dataDir ?? mkdtempSync(path.join(tmpdir(), 'tollgate-bench-'))
  const configFile = path.join(folder, 'bench.json')
  writeFileSync(configFile, JSON.stringify(configFor(upstreamPort)))
  const program = path.join(options.distDir, 'daemon.js')
  const args = [program, 'serve', '--port', '0', '--data-dir', folder, '--config', configFile]
  const daemon = await start([...daemonFlags(), ...args])
  const { url, key, token } = daemon.said as { readonly url: string; readonly key: string; readonly token: string }
  const base = new URL(gateUrl({ origin: url, key, task: null, project: null }, 'openai'))
  return {
    pid: daemon.pid,
    port: Number(base.port),
    token,
    chat: (query = '') => ({ port: Number(base.port), path: `${base.pathname}${chatPath}${query}`, headers: {} }),
    async stop() {
      await daemon.stop()
      if (dataDir === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Options for the daemon's Node, for a profile: `BENCH_NODE_OPTIONS="--cpu-prof --cpu-prof-dir=…"`. */
function daemonFlags(): readonly string[] {
  return (process.env['BENCH_NODE_OPTIONS'] ?? '').split(' ').filter((flag) => flag !== '')
}

/** Starts the upstream and all that stands before it. */
export async function startRig(options: RigOptions): Promise<Rig> {
  const upstream = await startUpstream()
  const forwardOnly = await start([path.join(here, 'forwardOnly.ts'), `http://127.0.0.1:${upstream.port}`])
  const peerPort = await freePort()
  const peer = await startPeer(peerPort)
  const daemon = await startDaemon(options, upstream.port)
  const direct: Target = { port: upstream.port, path: chatPath, headers: {} }
  return {
    upstream: direct,
    peerPid: peer.pid,
    daemon,
    target(name, query = '') {
      switch (name) {
        case 'direct':
          return { ...direct, path: chatPath + query }
        case 'forward':
          return { ...direct, port: Number(forwardOnly.said['port']), path: chatPath + query }
        case 'peer':
          return { port: peerPort, path: chatPath + query, headers: peerHeaders(upstream.port) }
        case 'tollgate':
          return daemon.chat(query)
      }
    },
    async stop() {
      for (const program of [daemon, peer, forwardOnly, upstream]) await program.stop()
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
