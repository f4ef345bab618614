/**
 * A stop that was asked for while no daemon answered. It waits as a file in the data directory, so that it holds however
 * windows come and go: the next daemon takes it up before it lets a call pass, and a resume takes it away.
 */

const prefix = 'pending-stop-'
const suffix = '.json'
const draftSuffix = '.new'

/** Name of the file of one stop: `scope` of the `KillRequest` in it, and what tells refs of one scope apart. */
export function pendingStopFile(scope: string, mark = ''): string {
  return `${prefix}${scope}${mark === '' ? '' : `-${mark}`}${suffix}`
}

/** The file that stops everything, and its text: the body of `POST /api/kill`. */
export const globalStop = { file: pendingStopFile('global'), text: '{"scope":"global"}\n' } as const

/** True for the name of a finished file of that kind. */
export function isPendingStop(fileName: string): boolean {
  return fileName.startsWith(prefix) && fileName.endsWith(suffix)
}

/** True for the name of one that is being written, or was when its writer died. */
export function isPendingStopDraft(fileName: string): boolean {
  return fileName.startsWith(prefix) && fileName.includes(`${suffix}.`) && fileName.endsWith(draftSuffix)
}
