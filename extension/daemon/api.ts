import { request } from 'node:http'
import type { DiscoveryRecord, Health } from '../../shared/protocol.ts'

/** Largest answer that is read, in bytes: the control answers are small. */
const maxAnswerBytes = 8 << 20

/** An answer of the daemon's HTTP side that is no success. */
export class DaemonAnswer extends Error {
  override name = 'DaemonAnswer'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** `GET /healthz` of a daemon, or undefined when nothing of ours answers in time. */
export async function readHealth(url: string, timeoutMs: number): Promise<Health | undefined> {
  try {
    return parseHealth(await exchange(new URL('/healthz', url), { method: 'GET', timeoutMs }))
  } catch {
    return undefined
  }
}

/** Calls the control API with the record's token. Throws a DaemonAnswer for a refusal, an Error when there is no answer. */
export async function callDaemon(
  record: Pick<DiscoveryRecord, 'url' | 'token'>,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  timeoutMs = 5000,
): Promise<unknown> {
  return exchange(new URL(path, record.url), { method, timeoutMs, token: record.token, body })
}

function parseHealth(value: unknown): Health | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const health = value as Partial<Record<keyof Health, unknown>>
  if (health.name !== 'tollgate' || typeof health.version !== 'string') return undefined
  if (typeof health.protocol !== 'number' || typeof health.pid !== 'number') return undefined
  return {
    name: 'tollgate',
    version: health.version,
    protocol: health.protocol,
    pid: health.pid,
    // A daemon that does not say how many calls it has is treated as busy, so that it is never replaced in mid-call.
    inFlight: typeof health.inFlight === 'number' ? health.inFlight : 1,
  }
}

interface Exchange {
  readonly method: 'GET' | 'POST'
  readonly timeoutMs: number
  readonly token?: string
  readonly body?: unknown
}

function exchange(url: URL, options: Exchange): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const body = options.body === undefined ? undefined : JSON.stringify(options.body)
    const headers: Record<string, string> = { accept: 'application/json' }
    if (options.token !== undefined) headers['authorization'] = `Bearer ${options.token}`
    if (body !== undefined) headers['content-type'] = 'application/json'
    const call = request(url, {
      method: options.method,
      headers,
      agent: false,
      signal: AbortSignal.timeout(options.timeoutMs),
    })
    call.on('error', reject)
    call.on('response', (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('error', reject)
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxAnswerBytes) response.destroy(new Error('the answer is too large'))
        else chunks.push(chunk)
      })
      response.on('end', () => {
        const status = response.statusCode ?? 0
        const text = Buffer.concat(chunks).toString('utf8')
        if (status < 200 || status > 299) reject(new DaemonAnswer(status, messageOf(text) ?? `HTTP ${status}`))
        else resolve(parseJson(text))
      })
    })
    call.end(body)
  })
}

function parseJson(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function messageOf(text: string): string | undefined {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null) return undefined
  const error: unknown = (value as { error?: unknown }).error
  if (typeof error === 'string') return error
  const message: unknown = (error as { message?: unknown } | undefined)?.message
  return typeof message === 'string' ? message : undefined
}
