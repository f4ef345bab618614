import { existsSync } from 'node:fs'
import type { KillRequest, KillResult } from '../../shared/protocol.ts'
import { pendingStops, StopStays } from '../control/pendingStops.ts'
import { plural } from './amounts.ts'
import { reasonOf } from './attempt.ts'
import {
  acrossSuccession,
  CommandFailure,
  control,
  DaemonAway,
  DaemonReplaced,
  DaemonSilent,
  findDaemon,
} from './daemonClient.ts'
import type { Terminal } from './terminal.ts'

/**
 * `tollgate kill`: stops calls and says how many and how fast. Where no daemon answers, the stop waits in the data directory
 * for the next one. Throws a CommandFailure, then too: no call was stopped.
 */
export async function runKill(dataDir: string, request: KillRequest, terminal: Terminal): Promise<number> {
  const kill = async (): Promise<number> => {
    const order = { method: 'POST', path: '/api/kill', body: request } as const
    const result = (await control(await findDaemon(dataDir), order)) as KillResult
    terminal.out(`${plural(result.cancelled, 'call')} stopped in ${Math.max(1, Math.ceil(result.tookMs))} ms.\n`)
    return 0
  }
  try {
    return await acrossSuccession(kill)
  } catch (failure) {
    // A directory that is not there had no daemon, and its name may be a mistake.
    if (!isAway(failure) || !existsSync(dataDir)) throw failure
    keepStop(dataDir, request, failure)
    try {
      // One that has begun meanwhile may not have seen it. It removes the file itself once the ledger has the stop: where the
      // ledger cannot be written, the file is all that keeps it.
      return await kill()
    } catch (again) {
      if (!isAway(again)) {
        forget(dataDir, request)
        throw again
      }
      throw new CommandFailure(`${saysAway(dataDir, failure)} ${willStop(request)}`)
    }
  }
}

/**
 * `tollgate resume`: allows calls again, and takes back a stop that waits for a daemon. Throws a CommandFailure.
 */
export async function runResume(dataDir: string, request: KillRequest, terminal: Terminal): Promise<number> {
  try {
    const record = await findDaemon(dataDir)
    await control(record, { method: 'POST', path: '/api/resume', body: request })
    withdraw(dataDir, request)
    terminal.out(`Calls are allowed again${whom(request, ' for ')}.\n`)
  } catch (failure) {
    if (!isAway(failure) || withdraw(dataDir, request) === 0) throw failure
    terminal.out(
      `The stop that waited${whom(request, ' for ')} is taken back. Tollgate does not answer for ${dataDir}: ` +
        'where it refuses calls once it does, run this again.\n',
    )
  }
  return 0
}

function keepStop(dataDir: string, request: KillRequest, failure: CommandFailure): void {
  try {
    pendingStops(dataDir).keep(request)
  } catch (fault) {
    throw new CommandFailure(`${saysAway(dataDir, failure)} The stop cannot be stored: ${reasonOf(fault)}.`)
  }
}

/** What stays is one stop too many, which any resume takes away. */
function forget(dataDir: string, request: KillRequest): void {
  try {
    pendingStops(dataDir).settle(request)
  } catch (fault) {
    if (!(fault instanceof StopStays)) throw fault
  }
}

function withdraw(dataDir: string, request: KillRequest): number {
  try {
    return pendingStops(dataDir).withdraw(request)
  } catch (fault) {
    throw fault instanceof StopStays ? new CommandFailure(fault.message) : fault
  }
}

function isAway(failure: unknown): failure is DaemonAway | DaemonSilent {
  return failure instanceof DaemonAway || failure instanceof DaemonSilent
}

/** What a silent daemon did is not known. Another one, of another directory, may let calls pass. */
function saysAway(dataDir: string, failure: CommandFailure): string {
  return failure instanceof DaemonSilent || failure instanceof DaemonReplaced
    ? failure.message
    : `Tollgate is not running for ${dataDir}, so no call was stopped.`
}

function willStop(request: KillRequest): string {
  const whose = request.scope === 'global' ? 'all calls' : `calls${whom(request, ' of ')}`
  const words = request.ref === undefined ? '' : ` --scope ${request.scope} --ref ${request.ref}`
  return `The stop is stored: from its next start on ${whose} are refused, until: tollgate resume${words}`
}

function whom({ scope, ref }: KillRequest, before: string): string {
  return ref === undefined ? '' : `${before}${scope} ${ref}`
}
