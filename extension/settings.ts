import { isCap, largestCap, personalCapNames, personalCapUnits } from '../shared/personalCaps.ts'
import type { CapUnit, PersonalCapName } from '../shared/personalCaps.ts'
import type { PersonalCaps } from '../shared/protocol.ts'
import { defaultPort } from '../shared/build.ts'

/** The extension's settings, parsed once. */
export interface Settings {
  readonly enabled: boolean
  /** Only what the user set: an absent cap leaves the daemon's configuration in force. */
  readonly caps: PersonalCaps
  /** Caps whose setting cannot be used and whose last good value this window does not know: the daemon keeps what it has. */
  readonly keepCaps: readonly PersonalCapName[]
  readonly inject: InjectSettings
  readonly daemon: {
    readonly port: number
    /** Absolute folder, or empty for the extension's own storage. */
    readonly dataDir: string
    /** Runtime for the daemon, or empty for VS Code's own. */
    readonly nodePath: string
  }
  readonly statusBarAlignment: 'left' | 'right'
  readonly statusBarShow: StatusBarShow
  readonly notifyTruncation: boolean
  /** Whether anything is said about what the guards do to tasks. */
  readonly notifyTasks: boolean
}

/** What the status bar can show, the default first. */
export const statusBarShows = ['spendAndTokens', 'spend', 'spendOfCap', 'tokens'] as const

/** What the status bar shows while there is nothing to warn of. */
export type StatusBarShow = (typeof statusBarShows)[number]

/** Which clients are pointed at the gate. */
export interface InjectSettings {
  readonly openai: boolean
  readonly anthropic: boolean
  readonly ollama: boolean
  readonly ollamaHost: boolean
  readonly gemini: boolean
}

/** Reads one setting. `effective` follows VS Code's precedence, `user` is the user's own value or undefined. */
export interface SettingsReader {
  effective(key: string): unknown
  user(key: string): unknown
}

/** What `inspect` of VS Code's configuration tells of the user's own values; the last two are not in its typings. */
interface Inspected {
  readonly defaultValue?: unknown
  readonly globalValue?: unknown
  readonly globalLocalValue?: unknown
  readonly globalRemoteValue?: unknown
}

/**
 * The user's own value of a setting, undefined where there is none. VS Code leaves `globalValue` away where the user wrote null,
 * which for a cap is a decision: that there is none. `effective` can differ from the default only by the user, because no workspace
 * may set a cap.
 */
export function ownValue(inspected: Inspected | undefined, effective: unknown): unknown {
  const { defaultValue, globalValue, globalLocalValue, globalRemoteValue } = inspected ?? {}
  if (globalValue !== undefined) return globalValue
  const isNull =
    globalLocalValue === null || globalRemoteValue === null || (effective === null && defaultValue !== null)
  return isNull ? null : undefined
}

/** A setting that could not be used. */
export interface InvalidSetting {
  /** As the user writes it: `tollgate.caps.dailyEur`. */
  readonly name: string
  /** What it had to be, where it is a cap; null for any other. */
  readonly cap: { readonly unit: CapUnit; readonly largest: number } | null
}

/** Settings with those that could not be used. */
export interface ParsedSettings {
  readonly settings: Settings
  readonly invalid: readonly InvalidSetting[]
}

const capKeys = {
  userDailyEur: 'caps.dailyEur',
  userDailyTokens: 'caps.dailyTokens',
  tenantMonthlyEur: 'caps.monthlyEur',
  tenantMonthlyTokens: 'caps.monthlyTokens',
} as const satisfies Record<PersonalCapName, string>

/** Ports that a user's program may have, as the manifest has them. */
const ports = { least: 1024, most: 65_535 }

/** The setting of a cap, as somebody is told that it cannot be used. */
export function invalidCap(name: PersonalCapName): InvalidSetting {
  const unit = personalCapUnits[name]
  return { name: `tollgate.${capKeys[name]}`, cap: { unit, largest: largestCap[unit] } }
}

/**
 * Settings from what VS Code holds. A settings file is edited by hand, so every value is checked. A cap that is none keeps its
 * value from `before`; where there is none, as in a window that was just opened, the daemon keeps the one that it has: dropping
 * a cap would open the gate by a typing error.
 */
export function parseSettings(reader: SettingsReader, before?: Settings): ParsedSettings {
  const invalid: InvalidSetting[] = []
  const caps: { -readonly [name in PersonalCapName]?: number | null } = {}
  const keepCaps: PersonalCapName[] = []
  for (const name of personalCapNames) {
    const value = reader.user(capKeys[name])
    if (value === undefined) continue
    if (isCap(value, personalCapUnits[name])) {
      caps[name] = value
      continue
    }
    invalid.push(invalidCap(name))
    const last = before?.caps[name]
    if (last === undefined) keepCaps.push(name)
    else caps[name] = last
  }
  /** The value of a setting of the gate; what cannot be used changes nothing, so that a typing error restarts nothing. */
  const checked = <Value>(key: string, isGood: (value: unknown) => value is Value, otherwise: Value): Value => {
    const value = reader.effective(key)
    if (value === undefined) return otherwise
    if (isGood(value)) return value
    invalid.push({ name: `tollgate.${key}`, cap: null })
    return otherwise
  }
  const settings: Settings = {
    enabled: reader.effective('enabled') !== false,
    caps,
    keepCaps,
    inject: {
      openai: reader.effective('inject.openai') !== false,
      anthropic: reader.effective('inject.anthropic') !== false,
      ollama: reader.effective('inject.ollama') !== false,
      ollamaHost: reader.effective('inject.ollamaHost') === true,
      gemini: reader.effective('inject.gemini') === true,
    },
    daemon: {
      port: checked('daemon.port', isPort, before?.daemon.port ?? defaultPort),
      dataDir: checked('daemon.dataDir', isText, before?.daemon.dataDir ?? '').trim(),
      nodePath: checked('daemon.nodePath', isText, before?.daemon.nodePath ?? '').trim(),
    },
    statusBarAlignment: reader.effective('statusBar.alignment') === 'left' ? 'left' : 'right',
    statusBarShow: statusBarShows.find((show) => show === reader.effective('statusBar.show')) ?? statusBarShows[0],
    notifyTruncation: reader.effective('notifications.truncation') !== false,
    notifyTasks: reader.effective('notifications.tasks') !== false,
  }
  return { settings, invalid }
}

/** What a change of settings means for the daemon; null where it means nothing, as while Tollgate is switched off. */
export function daemonStep(before: Settings, after: Settings): 'start' | 'stop' | 'restart' | null {
  if (before.enabled !== after.enabled) return after.enabled ? 'start' : 'stop'
  return after.enabled && JSON.stringify(before.daemon) !== JSON.stringify(after.daemon) ? 'restart' : null
}

function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= ports.least && value <= ports.most
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
