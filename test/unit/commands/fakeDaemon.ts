import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { writeDiscovery } from '../../../daemon/lifecycle/discovery.ts'
import type { Terminal } from '../../../daemon/commands/terminal.ts'
import type { SpendStatus, Status } from '../../../shared/status.ts'

/** A window of a status with nothing in it but what is said. */
export function spend(changes: Partial<SpendStatus> = {}): SpendStatus {
  return {
    spentEur: 0,
    listPriceEur: 0,
    reservedEur: 0,
    tokens: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
    calls: 0,
    unpricedCalls: 0,
    capEur: 10,
    capTokens: null,
    grantedEur: 0,
    grantedTokens: 0,
    grantedUntil: null,
    resetsAt: '2026-12-01T00:00:00+01:00',
    ...changes,
  }
}

/** A status with nothing in it but what is said. */
export function status(changes: Partial<Status> = {}): Status {
  return {
    time: '2026-11-30T12:00:00.000Z',
    version: '0.1.0',
    killed: false,
    kills: [],
    currency: 'EUR',
    timezone: 'Europe/Berlin',
    alertAt: 0.8,
    today: spend(),
    month: spend({ capEur: 150 }),
    models: [],
    pacing: [],
    tasks: [],
    inFlight: [],
    counters: {},
    integrity: {
      orphaned: 0,
      ledgerDrift: 0,
      ledgerCheckedAt: null,
      ledgerAvailable: true,
      pricesAsOf: '2026-11-01',
      usdRateAsOf: '2026-11-20',
      usdRateStale: false,
      drift: [],
      residual: {},
    },
    ...changes,
  }
}

/** A terminal that remembers what was written to it. */
export interface RecordedTerminal extends Terminal {
  readonly written: () => string
  readonly complained: () => string
  readonly interrupt: () => void
}

/** A terminal without a screen, or with one of that many columns. */
export function recordedTerminal(columns: number | null = null): RecordedTerminal {
  let out = ''
  let err = ''
  let interrupted: (() => void) | null = null
  return {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    env: { SHELL: '/bin/bash' },
    platform: 'linux',
    columns: () => columns,
    onInterrupt: (listener) => {
      interrupted = listener
      return () => void (interrupted = null)
    },
    written: () => out,
    complained: () => err,
    interrupt: () => interrupted?.(),
  }
}

/** A request that the fake daemon saw. */
export interface SeenRequest {
  readonly route: string
  readonly authorization: string | undefined
  readonly body: string
}

/** Answers the control addresses with what a test tells it to. */
export class FakeDaemon {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'tollgate-cli-'))
  readonly token = 'control-token'
  readonly seen: SeenRequest[] = []
  /** Route → status and body. A route without its query stands for every query. */
  readonly answers: Record<string, { readonly status: number; readonly body: unknown }> = {}
  onControl: (socket: WebSocket) => void = () => undefined
  health: unknown = { name: 'tollgate', version: '0.1.0', protocol: 1, pid: process.pid, inFlight: 0 }
  readonly #server: Server
  readonly #sockets = new WebSocketServer({ noServer: true })

  constructor() {
    this.#server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => void (body += chunk.toString('utf8')))
      request.on('end', () => {
        const route = `${request.method ?? ''} ${request.url ?? ''}`
        this.seen.push({ route, authorization: request.headers.authorization, body })
        const known = this.answers[route] ?? this.answers[route.replace(/\?.*$/, '')]
        const answer = route === 'GET /healthz' ? { status: 200, body: this.health } : known
        response.writeHead(answer?.status ?? 404, { 'content-type': 'application/json' })
        response.end(typeof answer?.body === 'string' ? answer.body : JSON.stringify(answer?.body ?? {}))
      })
    })
    this.#server.on('upgrade', (request, socket, head) => {
      this.seen.push({ route: `WS ${request.url ?? ''}`, authorization: request.headers.authorization, body: '' })
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.onControl(opened))
    })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    writeDiscovery(this.dataDir, {
      url: this.url,
      port: (this.#server.address() as AddressInfo).port,
      key: 'local-key',
      token: this.token,
      pid: process.pid,
      version: '0.1.0',
      protocol: 1,
      startedAtMs: 0,
    })
  }

  /** Stops to listen and leaves the record behind, as a daemon that was killed does. */
  async die(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async remove(): Promise<void> {
    if (this.#server.listening) await this.die()
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}
