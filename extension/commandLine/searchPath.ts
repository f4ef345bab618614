import type { InjectedVariable } from '../env/injection.ts'

/**
 * Puts a folder at the end of the search path of new terminals, so that a `tollgate` of the user's own is found first. `present` is
 * the search path of the extension host: behind an empty one a separator would add the working directory.
 */
export function searchPathVariable(
  folder: string,
  present: string | undefined,
  platform: NodeJS.Platform,
): InjectedVariable {
  const separator = platform === 'win32' ? ';' : ':'
  return { name: 'PATH', value: (present ? separator : '') + folder, action: 'append' }
}
