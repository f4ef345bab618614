import { run } from '../vscode/host/codeServer.ts'
import type { Profile } from '../vscode/host/profile.ts'

/** Process ids of the gates of a profile that run now. */
export async function gateProcesses({ dataDir }: Pick<Profile, 'dataDir'>): Promise<readonly number[]> {
  const list = await run('ps', ['-eo', 'pid=,args='], '.')
  return list
    .split('\n')
    .filter((line) => line.includes('serve --port') && line.includes(dataDir))
    .map((line) => Number.parseInt(line, 10))
}
