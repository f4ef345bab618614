import { isObject, readJson } from './json.ts'

/** A profile of VS Code with a list of Copilot endpoints of its own. */
export interface VsCodeProfile {
  /** As the user calls it. */
  readonly name: string
  /** Its folder in `User/profiles`. */
  readonly folder: string
}

/**
 * The profiles beside the default one, from VS Code's own `storage.json`. One that shares the default profile's language models
 * reads that list and is left out. Empty where there are none; a file that VS Code could not read either counts as that.
 */
export function profilesIn(storage: string | null): readonly VsCodeProfile[] {
  const state = readJson(storage ?? '', {})
  const profiles: unknown = isObject(state) ? state['userDataProfiles'] : undefined
  return (Array.isArray(profiles) ? (profiles as readonly unknown[]) : []).flatMap((profile) => {
    if (!isObject(profile)) return []
    const { name, location, useDefaultFlags } = profile
    // Older versions wrote the whole address of the folder.
    const path = isObject(location) ? location['path'] : location
    const folder = typeof path === 'string' ? (/([^/\\]+)[/\\]*$/.exec(path)?.[1] ?? '') : ''
    if (typeof name !== 'string' || name === '' || folder === '' || folder === '.' || folder === '..') return []
    return isObject(useDefaultFlags) && useDefaultFlags['languageModels'] === true ? [] : [{ name, folder }]
  })
}
