import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiscoveryRecord } from '../../shared/protocol.ts'
import { pathPart } from '../../shared/addresses.ts'

/** The record of the daemon that owns a data directory, or undefined when there is none or it is damaged. */
export async function readRecord(dataDir: string): Promise<DiscoveryRecord | undefined> {
  const text = await readText(join(dataDir, 'daemon.json'))
  return text === undefined ? undefined : parseRecord(text)
}

/** The record in a text; undefined for anything else, because the file may be read while it is replaced. */
export function parseRecord(text: string): DiscoveryRecord | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const record = value as Partial<Record<keyof DiscoveryRecord, unknown>>
  const complete =
    typeof record.url === 'string' &&
    typeof record.port === 'number' &&
    typeof record.key === 'string' &&
    typeof record.token === 'string' &&
    typeof record.pid === 'number' &&
    typeof record.version === 'string' &&
    typeof record.protocol === 'number'
  return complete ? (value as DiscoveryRecord) : undefined
}

/**
 * The local key of a data directory, or undefined before its first start. It is made once and stays, so terminals can be
 * guarded before the daemon answers.
 */
export async function readKey(dataDir: string): Promise<string | undefined> {
  const key = (await readText(join(dataDir, 'key')))?.trim() ?? (await readRecord(dataDir))?.key
  return key !== undefined && pathPart.test(key) ? key : undefined
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    return undefined
  }
}
