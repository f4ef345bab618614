import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { protocolVersion } from '../../shared/build.ts'
import type { DiscoveryRecord, Health } from '../../shared/protocol.ts'
import { readDiscovery } from '../lifecycle/discovery.ts'

/** Longest wait for an answer of the control interface, in milliseconds. */
const answerTimeoutMs = 5000

/** Something that a command cannot go on after; its message is the one sentence that the user reads. */
export class CommandFailure extends Error {
  override name = 'CommandFailure'
}

/** Nobody answers for the data directory: no daemon runs, or one has just made room for another. */
export class DaemonAway extends CommandFailure {
  override name = 'DaemonAway'
}

/** Another daemon answers by now at the address of the one that was meant: it does not know that one's token. Nothing was done. */
export class DaemonReplaced extends DaemonAway {
  override name = 'DaemonReplaced'
}

/** A daemon is there and does not answer in time. */
export class DaemonSilent extends CommandFailure {
  override name = 'DaemonSilent'
}

/** Between two daemons nobody answers for a tenth of a second, longer on a slow disk. In milliseconds. */
const successionMs = 2000
/** Pause between two tries, in milliseconds. */
const retryMs = 100

/**
 * Does something that must not fail only because one daemon takes the place of another just now: as long as nobody answers,
 * it is tried again for two seconds. Throws what the last try threw.
 */
export async function acrossSuccession<Result>(
  act: () => Promise<Result>,
  pause: (ms: number) => Promise<unknown> = wait,
): Promise<Result> {
  for (let waitedMs = 0; ; waitedMs += retryMs) {
    try {
      return await act()
    } catch (failure) {
      if (!(failure instanceof DaemonAway) || waitedMs >= successionMs) throw failure
    }
    await pause(retryMs)
  }
}

/** An answer of the daemon. */
export interface DaemonAnswer {
  readonly status: number
  readonly body: string
}

/** The sentence for a data directory without a daemon. */
export function notRunning(dataDir: string): DaemonAway {
  return new DaemonAway(`Tollgate is not running for ${dataDir}. Start it with: tollgate serve`)
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

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout'
}

/** A daemon, and where the one is found that takes its place. */
export interface FoundDaemon extends DiscoveryRecord {
  readonly dataDir: string
}

/**
 * The running daemon of a data directory. Its health is asked before anything that carries the token, so that the token is
 * not handed to another program that has taken the port since. Throws a CommandFailure.
 */
export async function findDaemon(dataDir: string): Promise<FoundDaemon> {
  const record = readDiscovery(dataDir)
  if (record === null) throw notRunning(dataDir)
  let health: Partial<Health>
  try {
    const answer = await askDaemon(record, { method: 'GET', path: '/healthz' })
    health = JSON.parse(answer.body) as Partial<Health>
  } catch (error) {
    throw isTimeout(error) ? new DaemonSilent(`Tollgate at ${record.url} does not answer.`) : notRunning(dataDir)
  }
  if (health.name !== 'tollgate' || health.pid !== record.pid) throw notRunning(dataDir)
  if (health.protocol !== protocolVersion) {
    throw new CommandFailure(
      `The daemon at ${record.url} is version ${record.version} and speaks another control protocol: restart it.`,
    )
  }
  return { ...record, dataDir }
}

interface ControlAsk {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
}

/**
 * A control call that has to succeed; the parsed answer. Where another daemon has taken the place of one that was found, that
 * one is asked, once. Throws a CommandFailure with the daemon's own sentence.
 */
export async function control(record: DiscoveryRecord | FoundDaemon, ask: ControlAsk): Promise<unknown> {
  try {
    return await controlOnce(record, ask)
  } catch (failure) {
    if (!(failure instanceof DaemonReplaced) || !('dataDir' in record)) throw failure
    return controlOnce(await findDaemon(record.dataDir), ask)
  }
}

async function controlOnce(record: DiscoveryRecord, ask: ControlAsk): Promise<unknown> {
  let answer: DaemonAnswer
  try {
    answer = await askDaemon(record, { ...ask, token: record.token })
  } catch (error) {
    const message = `Tollgate at ${record.url} does not answer.`
    throw isTimeout(error) ? new DaemonSilent(message) : new DaemonAway(message)
  }
  if (answer.status === 401) {
    throw new DaemonReplaced(`Tollgate at ${record.url} is not the one of daemon.json any more. Run the command again.`)
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
