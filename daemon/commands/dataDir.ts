import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'

/**
 * Where the data of the daemon lives when `--data-dir` does not say: `TOLLGATE_DATA_DIR`, else the place that the operating
 * system has for data of one user and one machine. Empty values count as absent, and so does a relative `XDG_DATA_HOME`, as
 * its specification demands. The result of `TOLLGATE_DATA_DIR` may be relative.
 */
export function defaultDataDir(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
  homeDir: string = homedir(),
): string {
  const path = platform === 'win32' ? win32 : posix
  const asked = env['TOLLGATE_DATA_DIR'] ?? ''
  if (asked !== '') return asked
  if (platform === 'win32') {
    const local = env['LOCALAPPDATA'] ?? ''
    return path.join(local === '' ? path.join(homeDir, 'AppData', 'Local') : local, 'Tollgate')
  }
  if (platform === 'darwin') return path.join(homeDir, 'Library', 'Application Support', 'Tollgate')
  const data = env['XDG_DATA_HOME'] ?? ''
  return path.join(path.isAbsolute(data) ? data : path.join(homeDir, '.local', 'share'), 'tollgate')
}
