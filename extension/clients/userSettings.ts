import * as vscode from 'vscode'
import type { UserSettings } from './target.ts'

/**
 * The user's settings in VS Code. In a remote window they lie on the machine that shows it and count for every machine, so a
 * setting that names this machine's gate is not written there.
 */
export const userSettings: UserSettings = {
  isKnown: (name) =>
    vscode.env.remoteName === undefined &&
    vscode.workspace.getConfiguration().inspect(name)?.defaultValue !== undefined,
  read: (name) => {
    const value: unknown = vscode.workspace.getConfiguration().inspect(name)?.globalValue
    return value === undefined ? null : JSON.stringify(value, null, 2)
  },
  write: async (name, value) => {
    const parsed: unknown = value === null || value === '' ? undefined : JSON.parse(value)
    await vscode.workspace.getConfiguration().update(name, parsed, vscode.ConfigurationTarget.Global)
  },
}
