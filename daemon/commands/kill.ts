import type { KillRequest, KillResult } from '../../shared/protocol.ts'
import { plural } from './amounts.ts'
import { acrossSuccession, control, findDaemon } from './daemonClient.ts'
import type { Terminal } from './terminal.ts'

/** `tollgate kill`: stops calls and says how many and how fast. Throws a CommandFailure. */
export async function runKill(dataDir: string, request: KillRequest, terminal: Terminal): Promise<number> {
  const result = (await acrossSuccession(async () =>
    control(await findDaemon(dataDir), { method: 'POST', path: '/api/kill', body: request }),
  )) as KillResult
  terminal.out(`${plural(result.cancelled, 'call')} stopped in ${Math.ceil(result.tookMs)} ms.\n`)
  return 0
}

/** `tollgate resume`: allows calls again. Throws a CommandFailure. */
export async function runResume(dataDir: string, request: KillRequest, terminal: Terminal): Promise<number> {
  const record = await findDaemon(dataDir)
  await control(record, { method: 'POST', path: '/api/resume', body: request })
  const whom = request.ref === undefined ? '' : ` for ${request.scope} ${request.ref}`
  terminal.out(`Calls are allowed again${whom}.\n`)
  return 0
}
