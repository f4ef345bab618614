import * as vscode from 'vscode'
import { personalCapNames } from '../shared/personalCaps.ts'
import { invalidCap, ownValue, parseSettings } from './settings.ts'
import type { InvalidSetting, Settings } from './settings.ts'
import type { Text } from './text/text.ts'
import type { DaemonEvent } from './ui/eventFields.ts'
import type { Figures } from './ui/figures.ts'

/** Where and in which words it is said that a setting cannot be used. */
interface Saying {
  readonly text: Text
  readonly figures: Figures
  readonly log: vscode.LogOutputChannel
  /** Names of settings of which it is said: it stands there until they are changed, and is not said with each change of another one. */
  readonly invalidSettings: Set<string>
}

/** The settings as VS Code has them now; a value that cannot be used is said, and the one of `before` stays. */
export function readSettings(before: Settings | undefined, saying: Saying): Settings {
  const configuration = vscode.workspace.getConfiguration('tollgate')
  const { settings, invalid } = parseSettings(
    {
      effective: (key) => configuration.get(key),
      user: (key) => ownValue(configuration.inspect(key), configuration.get(key)),
    },
    before,
  )
  for (const name of saying.invalidSettings) {
    if (!invalid.some((one) => one.name === name)) saying.invalidSettings.delete(name)
  }
  sayInvalid(invalid, saying)
  return settings
}

/** Says which caps of this window another version of the daemon cannot use. */
export function sayRefusedCaps({ caps }: DaemonEvent, saying: Saying): void {
  if (Array.isArray(caps)) sayInvalid(personalCapNames.filter((name) => caps.includes(name)).map(invalidCap), saying)
}

function sayInvalid(invalid: readonly InvalidSetting[], { text, figures, log, invalidSettings }: Saying): void {
  for (const { name, cap } of invalid) {
    if (invalidSettings.has(name)) continue
    invalidSettings.add(name)
    const largest = cap === null ? '' : figures.whole(cap.largest)
    const message =
      cap === null
        ? text.invalidSetting(name)
        : cap.unit === 'eur'
          ? text.invalidEuros(name, largest)
          : text.invalidTokens(name, largest)
    log.warn(message)
    // Every window reads the same settings; the one in which somebody types says it.
    if (vscode.window.state.focused) void vscode.window.showWarningMessage(message)
  }
}
