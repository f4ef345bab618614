/**
 * The launcher that the extension keeps for the command line runs it on VS Code's own runtime, which needs some variables set and
 * others out of the way. What `tollgate run` starts must not notice: an Electron program would not open its window, and a
 * debugger would not be attached. So the launcher keeps each value under another name, and the program puts it back first of all.
 */

/** Variables that the launcher sets or takes away. */
export const heldVariables = [
  'NODE_OPTIONS',
  'VSCODE_INSPECTOR_OPTIONS',
  'ELECTRON_RUN_AS_NODE',
  'ELECTRON_NO_ASAR',
] as const

/** Set where the launcher has changed the variables above. */
export const heldMark = 'TOLLGATE_HELD'

/** Name under which the launcher keeps the value of a variable. */
export function heldName(variable: (typeof heldVariables)[number]): string {
  return `${heldMark}_${variable}`
}

/** Makes the environment what it was before the launcher; does nothing where there was none. */
export function putBackHeld(environment: Record<string, string | undefined>): void {
  if (environment[heldMark] === undefined) return
  for (const variable of heldVariables) {
    const held = environment[heldName(variable)]
    if (held === undefined) Reflect.deleteProperty(environment, variable)
    else environment[variable] = held
    Reflect.deleteProperty(environment, heldName(variable))
  }
  Reflect.deleteProperty(environment, heldMark)
}
