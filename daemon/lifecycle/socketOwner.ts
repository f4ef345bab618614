import { execFile } from 'node:child_process'
import { ownerOnLinux } from './socketOwnerLinux.ts'
import { nameFromTasklist, ownerFromLsof, pidFromNetstat } from './socketOwnerParsers.ts'
import type { LoopbackConnection, SocketOwner } from './socketOwnerParsers.ts'

export type { LoopbackConnection, SocketOwner } from './socketOwnerParsers.ts'

/** Time after which a tool of the system is stopped, in milliseconds. */
const toolLimitMs = 5000
const mostOutputBytes = 16 * 1024 * 1024

/** Runs a program of the system and resolves with its output, empty where it fails. */
export type RunTool = (file: string, args: readonly string[]) => Promise<string>

const runTool: RunTool = (file, args) =>
  new Promise((resolve) => {
    const options = { timeout: toolLimitMs, maxBuffer: mostOutputBytes, windowsHide: true, encoding: 'utf8' } as const
    // lsof ends with 1 where one of several things is not found, and has printed the others.
    execFile(file, [...args], options, (_, stdout) => resolve(stdout))
  })

/**
 * The process at the client's end of a loopback connection, while it is open. An accepted `net.Socket` may be passed as it is:
 * `localPort` is the gate's and `remotePort` the client's. Null where the process cannot be found: it has ended, belongs to
 * another user, or the system's tools do not say. Never rejects; takes at most some seconds, and blocks nothing meanwhile.
 */
export async function findSocketOwner(
  connection: { readonly localPort?: number | undefined; readonly remotePort?: number | undefined },
  platform: NodeJS.Platform = process.platform,
  tool: RunTool = runTool,
): Promise<SocketOwner | null> {
  const { localPort, remotePort } = connection
  if (localPort === undefined || remotePort === undefined) return null
  const ports: LoopbackConnection = { localPort, remotePort }
  try {
    if (platform === 'linux') return await ownerOnLinux(ports)
    if (platform === 'win32') return await ownerOnWindows(ports, tool)
    return await ownerByLsof(ports, tool)
  } catch {
    return null
  }
}

async function ownerByLsof(ports: LoopbackConnection, tool: RunTool): Promise<SocketOwner | null> {
  // By its full path: what is found first in PATH need not be the system's.
  const file = process.platform === 'darwin' ? '/usr/sbin/lsof' : 'lsof'
  const output = await tool(file, ['-nP', `-iTCP:${ports.remotePort}`, '-F', 'pcn'])
  return ownerFromLsof(output, ports)
}

async function ownerOnWindows(ports: LoopbackConnection, tool: RunTool): Promise<SocketOwner | null> {
  const folder = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32`
  for (const protocol of ['tcp', 'tcpv6']) {
    const pid = pidFromNetstat(await tool(`${folder}\\netstat.exe`, ['-ano', '-p', protocol]), ports)
    if (pid === null) continue
    const list = await tool(`${folder}\\tasklist.exe`, ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'])
    const name = nameFromTasklist(list, pid)
    return name === null ? null : { pid, name }
  }
  return null
}
