import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'

/** What tells a process from another one that was given the same id later. */
export interface ProcessIdentity {
  readonly pid: number
  /** Name of its program, without folder and without `.exe`. */
  readonly name: string
  /** When it began, in the system's own words; null where the system does not say it cheaply (Windows). */
  readonly startedAt: string | null
  /** Null where the system does not say it cheaply (Windows). */
  readonly parentPid: number | null
  /** Path of its program, null where it cannot be read. */
  readonly program: string | null
}

/** Runs a program of the system and resolves with its output, empty where it fails. */
export type RunTool = (file: string, args: readonly string[]) => Promise<string>

/** Time after which a tool of the system is stopped, in milliseconds. */
const toolLimitMs = 5000

const runTool: RunTool = (file, args) =>
  new Promise((resolve) => {
    // The start of a process is compared as text, so it has to be in one language.
    const env = { ...process.env, LC_ALL: 'C' }
    execFile(file, [...args], { timeout: toolLimitMs, windowsHide: true, encoding: 'utf8', env }, (_, stdout) =>
      resolve(stdout),
    )
  })

/** A running process; null for one that has ended, also where its parent has not fetched its end yet. Never rejects. */
export async function readProcess(
  pid: number,
  platform: NodeJS.Platform = process.platform,
  tool: RunTool = runTool,
): Promise<ProcessIdentity | null> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null
  if (platform === 'linux') return readOnLinux(pid)
  if (platform === 'win32') {
    const file = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\tasklist.exe`
    return parseTasklist(await tool(file, ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH']), pid)
  }
  return parsePs(await tool('/bin/ps', ['-o', 'ppid=,stat=,lstart=,comm=', '-p', String(pid)]), pid)
}

/** True where both are the same process, and not two that had one id after the other. */
export function isSameProcess(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.name === other.name && one.startedAt === other.startedAt
}

/** Name of a program without its folder: `node` of `/usr/bin/node` and `C:\\node.exe`. */
export function programName(path: string): string {
  const name =
    path
      .replace(/ \(deleted\)$/, '')
      .split(/[\\/]/)
      .at(-1) ?? ''
  return name.replace(/\.exe$/i, '')
}

async function readOnLinux(pid: number): Promise<ProcessIdentity | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const parsed = parseStat(stat)
  if (parsed === null) return null
  const program = await readlink(`/proc/${pid}/exe`).catch(() => null)
  const { parentPid, startedAt } = parsed
  return { pid, name: program === null ? parsed.name : programName(program), startedAt, parentPid, program }
}

/** Reads `/proc/<pid>/stat`. The name stands in brackets and may contain brackets and spaces itself (proc(5)). */
export function parseStat(
  stat: string,
): { readonly name: string; readonly parentPid: number; readonly startedAt: string } | null {
  const match = /^\d+ \((.*)\) (\S) (.+)$/s.exec(stat.trim())
  if (match === null) return null
  const [, name = '', state = '', rest = ''] = match
  if (state === 'Z' || state === 'X') return null
  const cells = rest.split(' ')
  // After the state: ppid is the first field, the start in clock ticks since boot the nineteenth.
  const startedAt = cells[18]
  const parentPid = Number(cells[0])
  return startedAt === undefined || !Number.isSafeInteger(parentPid) ? null : { name, parentPid, startedAt }
}

/** Reads the line of `ps -o ppid=,stat=,lstart=,comm=`, whose start of five words is in English. */
export function parsePs(output: string, pid: number): ProcessIdentity | null {
  const line = output.split('\n').find((one) => one.trim() !== '') ?? ''
  const match = /^\s*(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(\S.*)$/.exec(line.trimEnd())
  if (match === null) return null
  const [, parent = '', state = '', startedAt = '', program = ''] = match
  if (state.startsWith('Z')) return null
  return { pid, name: programName(program), startedAt, parentPid: Number(parent), program }
}

/** Reads `tasklist /FO CSV /NH`, which says in the system's language where there is no such process. */
export function parseTasklist(output: string, pid: number): ProcessIdentity | null {
  for (const line of output.split('\n')) {
    const match = /^"([^"]+)","(\d+)"/.exec(line.trim())
    if (match === null || Number(match[2]) !== pid) continue
    return { pid, name: programName(match[1] ?? ''), startedAt: null, parentPid: null, program: null }
  }
  return null
}
