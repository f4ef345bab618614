import { defaultPort } from '../../../shared/build.ts'
import type { DiscoveryRecord, Health } from '../../../shared/protocol.ts'
import { readDiscovery } from '../../lifecycle/discovery.ts'
import { askDaemon } from '../daemonClient.ts'

/** Who answers where the daemon of a data directory should be. */
export type DaemonState =
  | { readonly kind: 'running'; readonly record: DiscoveryRecord; readonly health: Health }
  /** Something holds the connection open and does not answer. */
  | { readonly kind: 'silent'; readonly record: DiscoveryRecord }
  /** The record names a daemon that is gone; `taken` says that somebody else answers at its port. */
  | { readonly kind: 'stale'; readonly record: DiscoveryRecord; readonly taken: boolean }
  /** No record; who answers at the usual port, if anybody. */
  | { readonly kind: 'none'; readonly usualPort: 'free' | 'tollgate' | 'taken' }

type Answer = Health | 'other' | 'nobody' | 'silent'

/** Looks for the daemon of a data directory: its health is asked, without any credential. */
export async function findDaemonState(dataDir: string, port = defaultPort): Promise<DaemonState> {
  const record = readDiscovery(dataDir)
  if (record === null) {
    const answer = await healthAt(`http://127.0.0.1:${port}`)
    const usualPort = answer === 'nobody' ? 'free' : typeof answer === 'string' ? 'taken' : 'tollgate'
    return { kind: 'none', usualPort }
  }
  const health = await healthAt(record.url)
  if (health === 'silent') return { kind: 'silent', record }
  if (health === 'nobody') return { kind: 'stale', record, taken: false }
  if (health === 'other' || health.pid !== record.pid) return { kind: 'stale', record, taken: true }
  return { kind: 'running', record, health }
}

async function healthAt(url: string): Promise<Answer> {
  try {
    const { body } = await askDaemon({ url }, { method: 'GET', path: '/healthz' })
    const health: unknown = JSON.parse(body)
    return isHealth(health) ? health : 'other'
  } catch (fault) {
    if (fault instanceof Error && fault.message === 'timeout') return 'silent'
    const code = fault instanceof Error && 'code' in fault ? fault.code : null
    return code === 'ECONNREFUSED' ? 'nobody' : 'other'
  }
}

function isHealth(value: unknown): value is Health {
  return typeof value === 'object' && value !== null && 'name' in value && value.name === 'tollgate' && 'pid' in value
}
