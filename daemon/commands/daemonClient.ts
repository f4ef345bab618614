import { request } from 'node:http'
import { protocolVersion } from '../../shared/build.ts'
import type { DiscoveryRecord, Health } from '../../shared/protocol.ts'
import { readDiscovery } from '../lifecycle/discovery.ts'

/** Longest wait for an answer of the control interface, in milliseconds. */
const answerTimeoutMs = 5000

/** Something that a command cannot go on after; its message is the one sentence that the user reads. */
export class CommandFailure extends Error {
  override name = 'CommandFailure'
}

/** An answer of the daemon. */
export interface DaemonAnswer {
  readonly status: number
  readonly body: string
}

/** The sentence for a data directory without a daemon. */
export function notRunning(dataDir: string): CommandFailure {
  return new CommandFailure(`Tollgate is not running for ${dataDir}. Start it with: tollgate serve`)
}

/** One request to the daemon, on a connection of its own. Rejects with the error of the socket. */
export function askDaemon(
  record: Pick<DiscoveryRecord, 'url'>,
  ask: { readonly method: 'GET' | 'POST'; readonly path: string; readonly token?: string; readonly body?: unknown },
): Promise<DaemonAnswer> {
  return new Promise((resolve, reject) => {
    const payload = ask.body === undefined ? null : JSON.stringify(ask.body)
    const outgoing = request(
      new URL(ask.path, record.url),
      {
        method: ask.method,
        agent: false,
        headers: {
          ...(ask.token === undefined ? {} : { authorization: `Bearer ${ask.token}` }),
          ...(payload === null
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
        },
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
        )
      },
    )
    outgoing.setTimeout(answerTimeoutMs, () => outgoing.destroy(new Error('timeout')))
    outgoing.on('error', reject)
    outgoing.end(payload ?? undefined)
  })
}

/**
 * The running daemon of a data directory. Its health is asked before anything that carries the token, so that the token is
 * not handed to another program that has taken the port since. Throws a CommandFailure.
 */
export async function findDaemon(dataDir: string): Promise<DiscoveryRecord> {
  const record = readDiscovery(dataDir)
  if (record === null) throw notRunning(dataDir)
  let health: Partial<Health>
  try {
    const answer = await askDaemon(record, { method: 'GET', path: '/healthz' })
    health = JSON.parse(answer.body) as Partial<Health>
  } catch (error) {
    const timedOut = error instanceof Error && error.message === 'timeout'
    throw timedOut ? new CommandFailure(`Tollgate at ${record.url} does not answer.`) : notRunning(dataDir)
  }
  if (health.name !== 'tollgate' || health.pid !== record.pid) throw notRunning(dataDir)
  if (health.protocol !== protocolVersion) {
    throw new CommandFailure(
      `The daemon at ${record.url} is version ${record.version} and speaks another control protocol: restart it.`,
    )
  }
  return record
}

/** A control call that has to succeed; the parsed answer. Throws a CommandFailure with the daemon's own sentence. */
export async function control(
  record: DiscoveryRecord,
  ask: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: unknown },
): Promise<unknown> {
  let answer: DaemonAnswer
  try {
    answer = await askDaemon(record, { ...ask, token: record.token })
  } catch {
    throw new CommandFailure(`Tollgate at ${record.url} does not answer.`)
  }
  let value: unknown
  try {
    value = JSON.parse(answer.body)
  } catch {
    throw new CommandFailure(`Tollgate at ${record.url} gave an answer that is no JSON (status ${answer.status}).`)
  }
  if (answer.status >= 200 && answer.status < 300) return value
  const said = (value as { error?: { message?: unknown } } | null)?.error?.message
  throw new CommandFailure(typeof said === 'string' ? said : `Tollgate answered with status ${answer.status}.`)
}
