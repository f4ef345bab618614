import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'
import { ok, type Check } from './check.ts'
import type { DoctorWorld } from './world.ts'

/** Rights of everybody but the owner. */
const others = 0o077

/** Files of the data directory that hold a credential, what was spent, or may hold a key. */
const privateFiles = ['key', 'daemon.json', 'ledger.db', 'ledger.db-wal', 'config.json', 'personal-caps.json'] as const

/** The data directory and its rights. */
export function checkFiles({ dataDir, platform, configPath }: DoctorWorld): readonly Check[] {
  const found = statSync(dataDir, { throwIfNoEntry: false })
  if (found === undefined) {
    const says = `The data directory ${dataDir} is not there yet; the first start makes it.`
    return [{ name: 'files.folder', verdict: 'warn', says, next: null }]
  }
  const folder = folderCheck(dataDir, found.isDirectory())
  if (folder.verdict === 'fail' || platform === 'win32') return [folder]
  return [folder, rightsCheck(dataDir, configPath)]
}

function folderCheck(dataDir: string, isFolder: boolean): Check {
  const name = 'files.folder'
  if (!isFolder) {
    return { name, verdict: 'fail', says: `${dataDir} is no folder.`, next: 'Give another one with --data-dir.' }
  }
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return ok(name, `The data directory is ${dataDir}.`)
  } catch {
    return { name, verdict: 'fail', says: `${dataDir} cannot be written.`, next: 'Let this user write the folder.' }
  }
}

function rightsCheck(dataDir: string, configPath: string): Check {
  const files = [...new Set([dataDir, ...privateFiles.map((file) => path.join(dataDir, file)), configPath])]
  const open = files.filter((file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & others) !== 0)
  if (open.length === 0) return ok('files.rights', 'Only this user can read the key, the ledger and the configuration.')
  // The folder of others keeps a stranger out, whatever the rights of what lies in it.
  const isShut = !open.includes(dataDir) && open.every((file) => path.dirname(file) === dataDir)
  return {
    name: 'files.rights',
    verdict: isShut ? 'warn' : 'fail',
    says: 'Other users of this machine may read what is for this user only.',
    details: open,
    next: `Take their rights away: chmod go-rwx ${open.map((file) => `'${file.replaceAll("'", "'\\''")}'`).join(' ')}`,
  }
}
