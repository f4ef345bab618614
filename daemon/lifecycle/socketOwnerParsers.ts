/**
 * A connection on the loopback interface as the gate's own socket names it, so that an accepted `net.Socket` fits: `localPort`
 * is the gate's, `remotePort` is the client's.
 */
export interface LoopbackConnection {
  readonly localPort: number
  readonly remotePort: number
}

/** A process and the name of its program, without arguments: those may hold secrets. */
export interface SocketOwner {
  readonly pid: number
  readonly name: string
}

/**
 * Loopback addresses as `/proc/net/tcp` and `tcp6` write them: 127.x, ::1 and ::ffff:127.x as words of 32 bits in the order of
 * the machine, which is little-endian wherever the ledger's binding runs.
 */
const loopbackHex = /^(?:[0-9A-F]{6}7F|0{24}01000000|0{16}FFFF0000[0-9A-F]{6}7F)$/

/**
 * Inode of the client's end in the text of `/proc/net/tcp` or `/proc/net/tcp6`; null where it is not there. A socket that no
 * process holds any more has inode 0 and counts as absent.
 */
export function inodeFromProcNet(table: string, connection: LoopbackConnection): string | null {
  const clientEnd = `:${hexPort(connection.remotePort)}`
  const gateEnd = `:${hexPort(connection.localPort)}`
  for (const line of table.split('\n')) {
    // sl, local_address, rem_address, st, tx:rx, tr:tm->when, retrnsmt, uid, timeout, inode (proc(5))
    const cells = line.trim().split(/\s+/)
    const [, local = '', remote = ''] = cells
    if (!local.endsWith(clientEnd) || !remote.endsWith(gateEnd)) continue
    if (!loopbackHex.test(local.slice(0, -5)) || !loopbackHex.test(remote.slice(0, -5))) continue
    const inode = cells[9] ?? ''
    if (/^[1-9]\d*$/.test(inode)) return inode
  }
  return null
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}

/** Owner of the client's end in the output of `lsof -F pcn`, a field a line: `p<pid>`, `c<command>`, then `n<from>-><to>`. */
export function ownerFromLsof(output: string, connection: LoopbackConnection): SocketOwner | null {
  let pid = 0
  let name = ''
  for (const line of output.split('\n')) {
    const value = line.slice(1).trimEnd()
    switch (line.slice(0, 1)) {
      case 'p':
        pid = Number(value)
        name = ''
        break
      case 'c':
        name = value.replace(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        break
      case 'n': {
        const [from, to] = value.split('->')
        if (isEnd(from, connection.remotePort) && isEnd(to, connection.localPort) && isPid(pid)) {
          return { pid, name: programName(name) }
        }
        break
      }
    }
  }
  return null
}

/** Process id of the client's end in the output of `netstat -ano`, whose heads and states are in the system's language. */
export function pidFromNetstat(output: string, connection: LoopbackConnection): number | null {
  for (const line of output.split('\n')) {
    const cells = line.trim().split(/\s+/)
    const [protocol = '', from, to] = cells
    if (!/^tcp/i.test(protocol)) continue
    if (!isEnd(from, connection.remotePort) || !isEnd(to, connection.localPort)) continue
    const pid = Number(cells.at(-1))
    // A socket in TIME_WAIT belongs to process 0.
    if (isPid(pid)) return pid
  }
  return null
}

/** Name of a process in the output of `tasklist /FO CSV /NH`; null where it lists no such process. */
export function nameFromTasklist(output: string, pid: number): string | null {
  for (const line of output.split('\n')) {
    const match = /^"([^"]+)","(\d+)"/.exec(line.trim())
    if (match !== null && Number(match[2]) === pid) return programName(match[1] ?? '')
  }
  return null
}

/** The last part of a path, without what follows it: ` (deleted)` on Linux, `.exe` on Windows. */
export function programName(path: string): string {
  const name =
    path
      .replace(/ \(deleted\)$/, '')
      .split(/[\\/]/)
      .at(-1) ?? ''
  return name.replace(/\.exe$/i, '')
}

/** `127.0.0.1:4141`, `[::1]:4141` or `[::ffff:127.0.0.1]:4141` with that port. */
function isEnd(address: string | undefined, port: number): boolean {
  const match = /^(?:127(?:\.\d+){3}|localhost|\[::1\]|\[::ffff:127(?:\.\d+){3}\]):(\d+)$/i.exec(address ?? '')
  return match !== null && Number(match[1]) === port
}

function isPid(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0
}
