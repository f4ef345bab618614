import { planClaudeFile, planClaudeSetting } from './claude.ts'
import { planCline } from './cline.ts'
import { planCodex } from './codex.ts'
import { planContinueJson } from './continueJson.ts'
import { planContinueYaml } from './continueYaml.ts'
import { planCopilot } from './copilot.ts'
import type { Files } from './files.ts'
import type { ClientId, Plan } from './plan.ts'
import type { Places } from './places.ts'
import type { GateBase } from './servers.ts'

/** The setting of Claude Code's panel. */
export const claudeSetting = 'claudeCode.environmentVariables'

/** VS Code settings of the user, as JSON. */
export interface UserSettings {
  /** Whether an extension has declared the setting, so that it can be written. */
  isKnown(name: string): boolean
  /** Null where the user did not set it. */
  read(name: string): string | null
  /** Null takes it back. */
  write(name: string, value: string | null): Promise<void>
}

/** A client's settings with what has to be done to them. */
export interface ClientTarget {
  readonly client: ClientId
  /** Path of the file or name of the setting; null where it is out of reach. */
  readonly target: string | null
  readonly isSetting: boolean
  /** Null where there is none yet. */
  readonly text: string | null
  readonly plan: Plan
}

/** Reads one client's settings, and plans. The panel's setting is preferred to Claude Code's file, which counts in terminals too. */
export async function targetOf(
  client: ClientId,
  gate: GateBase,
  files: Pick<Files, 'read'>,
  places: Places,
  settings: UserSettings,
): Promise<ClientTarget> {
  const file = async (path: string, planner: (text: string | null) => Plan): Promise<ClientTarget> => {
    const found = await files.read(path)
    const text = found.kind === 'text' ? found.text : null
    const plan: Plan = found.kind === 'unreadable' ? { kind: 'malformed' } : planner(text)
    return { client, target: path, isSetting: false, text, plan }
  }
  switch (client) {
    case 'codex':
      return file(places.codex, (text) => planCodex(text, gate))
    case 'claude': {
      if (!settings.isKnown(claudeSetting)) return file(places.claude, (text) => planClaudeFile(text, gate))
      const text = settings.read(claudeSetting)
      return { client, target: claudeSetting, isSetting: true, text, plan: planClaudeSetting(text, gate) }
    }
    case 'copilot':
      return places.copilot === null
        ? { client, target: null, isSetting: false, text: null, plan: { kind: 'nothing' } }
        : file(places.copilot, (text) => planCopilot(text, gate))
    case 'continue': {
      const newer = await file(places.continueYaml, (text) => planContinueYaml(text, gate))
      // Continue reads the older file only where the newer one is missing.
      if (newer.text !== null || newer.plan.kind === 'malformed') return newer
      const older = await file(places.continueJson, (text) => planContinueJson(text ?? '', gate))
      return older.text === null && older.plan.kind !== 'malformed' ? newer : older
    }
    case 'cline':
      return file(places.cline, (text) => planCline(text, gate))
  }
}
