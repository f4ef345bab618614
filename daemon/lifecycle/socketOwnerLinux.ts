import { opendirSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { inodeFromProcNet, programName } from './socketOwnerParsers.ts'
import type { LoopbackConnection, SocketOwner } from './socketOwnerParsers.ts'

/** Time after which the search gives up, in milliseconds. */
const searchLimitMs = 1000

/** Longest stretch without letting other work in, in milliseconds. */
const sliceMs = 4

/** Links that are read before the clock is asked again. */
const linksPerCheck = 64

/**
 * The owner of the client's end by `/proc`: the connection's inode from the tables of TCP, then the process of this user that
 * has it open. The oldest such process is named, because children may have inherited the socket. Reading links is quick
 * and blocking, so it is done in slices; null where nothing is found within a second.
 */
export async function ownerOnLinux(connection: LoopbackConnection, proc = '/proc'): Promise<SocketOwner | null> {
  const inode = await inodeOf(connection, proc)
  if (inode === null) return null
  const pid = await holderOf(`socket:[${inode}]`, proc)
  return pid === null ? null : { pid, name: nameOf(pid, proc) }
}

async function inodeOf(connection: LoopbackConnection, proc: string): Promise<string | null> {
  for (const table of ['tcp', 'tcp6']) {
    // A system without IPv6 has no second table.
    const text = await readFile(`${proc}/net/${table}`, 'utf8').catch(() => '')
    const inode = inodeFromProcNet(text, connection)
    if (inode !== null) return inode
  }
  return null
}

async function holderOf(link: string, proc: string): Promise<number | null> {
  const endMs = performance.now() + searchLimitMs
  let sliceEndMs = performance.now() + sliceMs
  for (const pid of ownProcesses(proc)) {
    for (const isHeld of descriptors(`${proc}/${pid}/fd`, link)) {
      if (isHeld === true) return pid
      if (performance.now() < sliceEndMs) continue
      await nextTurn()
      if (performance.now() > endMs) return null
      sliceEndMs = performance.now() + sliceMs
    }
  }
  return null
}

/** Processes of this user, in the order of their ids, which is mostly that of their age. */
function* ownProcesses(proc: string): Generator<number> {
  const uid = process.getuid?.()
  const pids = readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  for (const pid of pids.sort((left, right) => left - right)) {
    try {
      if (statSync(`${proc}/${pid}`).uid === uid) yield pid
    } catch {
      // It has ended since.
    }
  }
}

/** Goes through the descriptors of a process: true at the one that is `link`, else null now and then, and at the end. */
function* descriptors(folder: string, link: string): Generator<true | null> {
  try {
    const entries = opendirSync(folder)
    try {
      let read = 0
      for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
        if (linkOf(`${folder}/${entry.name}`) === link) yield true
        read += 1
        if (read % linksPerCheck === 0) yield null
      }
    } finally {
      entries.closeSync()
    }
  } catch {
    // It has ended, or it does not let us look.
  }
  yield null
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

/** The program's file; where it cannot be read, what the process calls itself. Never its arguments. */
function nameOf(pid: number, proc: string): string {
  const path = linkOf(`${proc}/${pid}/exe`)
  if (path !== null) return programName(path)
  try {
    return readFileSync(`${proc}/${pid}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}
