import { planClaudeFile, planClaudeSetting } from './claude.ts'
import { planCline } from './cline.ts'
import { planCodex } from './codex.ts'
import { planContinueJson } from './continueJson.ts'
import { planContinueYaml } from './continueYaml.ts'
import { planCopilot } from './copilot.ts'
import type { Files } from './files.ts'
import { isObject, readJson } from './json.ts'
import type { ClientId, Plan } from './plan.ts'
import { copilotOf, profileStorage } from './places.ts'
import type { Places } from './places.ts'
import { profilesIn } from './profiles.ts'
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
  /** The VS Code profile whose file it is, where there are several with one of their own; empty for the default profile. */
  readonly profile?: string
}

/** Reads one client's settings, and plans. Of several targets, the one that most needs a look. */
export async function targetOf(...where: Parameters<typeof targetsOf>): Promise<ClientTarget> {
  const [first, ...others] = await targetsOf(...where)
  return others.reduce((worst, one) => (rank(one) < rank(worst) ? one : worst), first)
}

function rank({ plan }: ClientTarget): number {
  const isWhole = plan.kind === 'already' && plan.left.length === 0
  return isWhole
    ? 5
    : (['edit', 'malformed', 'elsewhere', 'azure', 'already', '', 'nothing'] as const).indexOf(plan.kind)
}

/**
 * Reads one client's settings, and plans. Copilot has one for each VS Code profile with endpoints of its own: which profile a
 * window uses, VS Code does not tell. Every other client has one.
 */
export async function targetsOf(
  client: ClientId,
  gate: GateBase,
  files: Pick<Files, 'read'>,
  places: Places,
  settings: UserSettings,
): Promise<readonly [ClientTarget, ...ClientTarget[]]> {
  const file = async (path: string, planner: (text: string | null) => Plan): Promise<ClientTarget> => {
    const found = await files.read(path)
    const text = found.kind === 'text' ? found.text : null
    const plan: Plan = found.kind === 'unreadable' ? { kind: 'malformed' } : planner(text)
    return { client, target: path, isSetting: false, text, plan }
  }
  switch (client) {
    case 'codex':
      return [await file(places.codex, (text) => planCodex(text, gate))]
    case 'claude': {
      const own = await file(places.claude, (text) => planClaudeFile(text, gate))
      // The panel's setting is preferred, because the file counts in terminals too. Where the file decides, it wins.
      if (!settings.isKnown(claudeSetting) || decides(own)) return [own]
      const text = settings.read(claudeSetting)
      return [{ client, target: claudeSetting, isSetting: true, text, plan: planClaudeSetting(text, gate) }]
    }
    case 'copilot': {
      const { copilot, userDir } = places
      if (copilot === null || userDir === null) {
        return [{ client, target: null, isSetting: false, text: null, plan: { kind: 'nothing' } }]
      }
      const own = await file(copilot, (text) => planCopilot(text, gate))
      const storage = await files.read(profileStorage(userDir))
      const profiles = profilesIn(storage.kind === 'text' ? storage.text : null)
      if (profiles.length === 0) return [own]
      const others = await Promise.all(
        profiles.map(async ({ name, folder }) => ({
          ...(await file(copilotOf(userDir, folder), (text) => planCopilot(text, gate))),
          profile: name,
        })),
      )
      const [first, ...more] = [{ ...own, profile: '' }, ...others].filter(({ plan }) => plan.kind !== 'nothing')
      return first === undefined ? [own] : [first, ...more]
    }
    case 'continue': {
      const newer = await file(places.continueYaml, (text) => planContinueYaml(text, gate))
      // Continue reads the older file only where the newer one is missing.
      if (newer.text !== null || newer.plan.kind === 'malformed') return [newer]
      const older = await file(places.continueJson, (text) => planContinueJson(text ?? '', gate))
      return [older.text === null && older.plan.kind !== 'malformed' ? newer : older]
    }
    case 'cline':
      return [await file(places.cline, (text) => planCline(text, gate))]
  }
}

/** Whether Claude Code's file says where it goes, or cannot be read: then the panel's setting has no effect. */
function decides({ text, plan }: ClientTarget): boolean {
  if (plan.kind !== 'edit') return plan.kind !== 'nothing'
  const settings = readJson(text ?? '', {})
  const env = isObject(settings) ? settings['env'] : undefined
  const address = isObject(env) ? env['ANTHROPIC_BASE_URL'] : undefined
  return typeof address === 'string'
}
