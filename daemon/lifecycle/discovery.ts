import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DiscoveryRecord } from '../../shared/protocol.ts'
import { createPrivateFile, replacePrivateFile, restrictToOwner } from './privateFile.ts'

/** The credentials of one daemon. */
export interface Secrets {
  /** Part of the base URL: made once per data directory and never changed, so that a base URL is a constant. */
  readonly key: string
  /** For the control routes: new at each start. */
  readonly token: string
}

const keyBytes = 18
const tokenBytes = 32

/** Path of the discovery record in a data directory. */
export function discoveryPath(dataDir: string): string {
  return join(dataDir, 'daemon.json')
}

/** Tells local clients of the same user where the daemon is. */
export function writeDiscovery(dataDir: string, record: DiscoveryRecord): void {
  replacePrivateFile(discoveryPath(dataDir), `${JSON.stringify(record, null, 2)}\n`)
}

/** The record of the data directory's daemon; null where there is none, or where the file is damaged. */
export function readDiscovery(dataDir: string): DiscoveryRecord | null {
  try {
    return parseDiscovery(JSON.parse(readFileSync(discoveryPath(dataDir), 'utf8')))
  } catch {
    return null
  }
}

/** Removes the record, but not that of a daemon that came after: only where it names `pid`. */
export function removeDiscovery(dataDir: string, pid: number): void {
  if (readDiscovery(dataDir)?.pid === pid) rmSync(discoveryPath(dataDir), { force: true })
}

/** A record from parsed JSON, null for anything else. Fields that are not known are dropped. */
export function parseDiscovery(value: unknown): DiscoveryRecord | null {
  if (typeof value !== 'object' || value === null) return null
  const { url, port, key, token, pid, version, protocol, startedAtMs } = value as Record<string, unknown>
  if (typeof url !== 'string' || typeof key !== 'string' || typeof token !== 'string') return null
  if (typeof version !== 'string' || !isWhole(port, 1) || !isWhole(pid, 1)) return null
  if (!isWhole(protocol, 0) || !isWhole(startedAtMs, 0) || port > 65535) return null
  return { url, port, key, token, pid, version, protocol, startedAtMs }
}

function isWhole(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least
}

/**
 * The data directory's key, made when there is none, and a new token. Throws an Error for a key file that holds something
 * else than a key: replacing it would break every base URL that carries it.
 */
export function loadSecrets(dataDir: string, randomBytes: (count: number) => Buffer): Secrets {
  const path = join(dataDir, 'key')
  createPrivateFile(path, `${randomBytes(keyBytes).toString('base64url')}\n`)
  restrictToOwner(path)
  const key = readFileSync(path, 'utf8').trim()
  if (!/^[A-Za-z0-9_-]{8,}$/.test(key)) {
    throw new Error(`${path} holds no key (letters, digits, _ and -, at least 8). Delete the file to get a new key.`)
  }
  return { key, token: randomBytes(tokenBytes).toString('hex') }
}
