import { defaultPort, protocolVersion, version } from '../../../shared/build.ts'
import type { Status } from '../../../shared/status.ts'
import { CommandFailure, control } from '../daemonClient.ts'
import { ok, type Check } from './check.ts'
import type { DoctorWorld } from './world.ts'

/** Whether the daemon of the data directory runs, is this program's, and can work. */
export async function checkDaemon({ daemon, dataDir, command }: DoctorWorld): Promise<readonly Check[]> {
  const name = 'daemon.running'
  const start = `Start it: ${command('serve')}`
  switch (daemon.kind) {
    case 'none':
      return [
        { name, verdict: 'warn', says: `No daemon runs for ${dataDir}.`, next: start },
        ...portCheck(daemon.usualPort),
      ]
    case 'stale': {
      const says = daemon.taken
        ? `The daemon of ${dataDir} is gone, and another program answers at its address ${daemon.record.url}.`
        : `The daemon of ${dataDir} is gone without having said so.`
      const next = daemon.taken ? `Start it at another port: ${command('serve --port 0')}` : start
      return [{ name, verdict: daemon.taken ? 'fail' : 'warn', says, next }]
    }
    case 'silent': {
      const { url, pid } = daemon.record
      const says = `The daemon at ${url} (process ${pid}) does not answer.`
      return [{ name, verdict: 'fail', says, next: 'End that process and start Tollgate again.' }]
    }
    case 'running': {
      const { record, health } = daemon
      const running = ok(name, `The daemon runs at ${record.url} (process ${record.pid}).`)
      const fits = versionCheck(health.version, health.protocol)
      return fits.verdict === 'fail' ? [running, fits] : [running, fits, await workingCheck(daemon.record)]
    }
  }
}

function portCheck(usualPort: 'free' | 'tollgate' | 'taken'): readonly Check[] {
  const name = 'daemon.port'
  switch (usualPort) {
    case 'free':
      return [ok(name, `Port ${defaultPort} is free.`)]
    case 'tollgate': {
      const says = `A daemon of another data directory has port ${defaultPort}.`
      return [{ name, verdict: 'warn', says, next: 'Use that one, or start this one with --port 0.' }]
    }
    case 'taken': {
      const says = `Port ${defaultPort} is used by another program.`
      return [{ name, verdict: 'fail', says, next: 'End that program, or start Tollgate with --port 0.' }]
    }
  }
}

function versionCheck(running: string, protocol: number): Check {
  const name = 'daemon.version'
  const next = 'Restart the daemon.'
  if (protocol !== protocolVersion) {
    const says = `The daemon is version ${running} and speaks control protocol ${protocol}; this program is ${version} and speaks ${protocolVersion}.`
    return { name, verdict: 'fail', says, next }
  }
  if (running === version) return ok(name, `It is version ${running}, as this program.`)
  return { name, verdict: 'warn', says: `The daemon is version ${running}, this program is ${version}.`, next }
}

/** Asks with the token; the health was asked before, so that no stranger is given it. */
async function workingCheck(record: Parameters<typeof control>[0]): Promise<Check> {
  const name = 'daemon.ledger'
  try {
    const { integrity } = (await control(record, { method: 'GET', path: '/api/status' })) as Status
    if (integrity.ledgerAvailable) return ok(name, 'It can record calls.')
    const next = 'See the checks of the ledger; restart the daemon once it is repaired.'
    return { name, verdict: 'fail', says: 'It cannot use its ledger and refuses every call.', next }
  } catch (fault) {
    if (!(fault instanceof CommandFailure)) throw fault
    return { name, verdict: 'fail', says: fault.message, next: 'Restart the daemon.' }
  }
}
