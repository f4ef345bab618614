import type { PersonalCaps } from '../shared/protocol.ts'
import { defaultPort } from '../shared/build.ts'

/** The extension's settings, parsed once. */
export interface Settings {
  readonly enabled: boolean
  /** Only what the user set: an absent cap leaves the daemon's configuration in force. */
  readonly caps: PersonalCaps
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

/** Settings with the names of those that could not be used. */
export interface ParsedSettings {
  readonly settings: Settings
  readonly invalid: readonly string[]
}

const capKeys = {
  userDailyEur: { key: 'caps.dailyEur', whole: false },
  userDailyTokens: { key: 'caps.dailyTokens', whole: true },
  tenantMonthlyEur: { key: 'caps.monthlyEur', whole: false },
  tenantMonthlyTokens: { key: 'caps.monthlyTokens', whole: true },
} as const satisfies Record<keyof PersonalCaps, { key: string; whole: boolean }>

/**
 * Settings from what VS Code holds. A settings file is edited by hand, so every value is checked: a cap that is no number
 * of at least 0 keeps its value from `before`, because dropping it would open the gate by a typing error.
 */
export function parseSettings(reader: SettingsReader, before?: Settings): ParsedSettings {
  const invalid: string[] = []
  const caps: { -readonly [name in keyof PersonalCaps]: PersonalCaps[name] } = {}
  for (const [name, { key, whole }] of Object.entries(capKeys) as [
    keyof PersonalCaps,
    { key: string; whole: boolean },
  ][]) {
    const value = reader.user(key)
    if (value === undefined) continue
    if (value === null || (isAmount(value) && (!whole || Number.isInteger(value)))) {
      caps[name] = value
      continue
    }
    invalid.push(`tollgate.${key}`)
    const last = before?.caps[name]
    if (last !== undefined) caps[name] = last
  }
  const port = reader.effective('daemon.port')
  const settings: Settings = {
    enabled: reader.effective('enabled') !== false,
    caps,
    inject: {
      openai: reader.effective('inject.openai') !== false,
      anthropic: reader.effective('inject.anthropic') !== false,
      ollama: reader.effective('inject.ollama') !== false,
      ollamaHost: reader.effective('inject.ollamaHost') === true,
      gemini: reader.effective('inject.gemini') === true,
    },
    daemon: {
      port: typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65536 ? port : defaultPort,
      dataDir: textOf(reader.effective('daemon.dataDir')),
      nodePath: textOf(reader.effective('daemon.nodePath')),
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

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
