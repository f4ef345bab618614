import type { Status } from '../../shared/status.ts'
import { control, findDaemon } from './daemonClient.ts'
import { statusText } from './statusText.ts'
import type { Terminal } from './terminal.ts'

/** `tollgate status`: the table for a person, or the answer of `/api/status` as it is. Throws a CommandFailure. */
export async function runStatus(dataDir: string, json: boolean, terminal: Terminal): Promise<number> {
  const record = await findDaemon(dataDir)
  const status = await control(record, { method: 'GET', path: '/api/status' })
  terminal.out(json ? `${JSON.stringify(status, null, 2)}\n` : statusText(status as Status, record.url))
  return 0
}
