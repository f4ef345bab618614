import { join } from 'node:path'
import { planClaudeFile } from '../clients/claude.ts'
import type { FileText } from '../clients/files.ts'
import { isObject, readJson } from '../clients/json.ts'
import type { GateBase } from '../clients/servers.ts'
import { familyVariables } from './surroundings.ts'
import type { ClaudeLead } from './surroundings.ts'

/** One of Claude Code's settings files, with what it holds. */
export interface ClaudeFile {
  /** As a person names it. */
  readonly name: string
  /** It is the user's own, which *Configure Client…* writes. */
  readonly isOwn: boolean
  readonly found: FileText
}

/** The organisation's settings, which win over every other file. */
export function managedClaudeFile(platform: NodeJS.Platform): string {
  if (platform === 'win32') return 'C:\\Program Files\\ClaudeCode\\managed-settings.json'
  if (platform === 'darwin') return '/Library/Application Support/ClaudeCode/managed-settings.json'
  return '/etc/claude-code/managed-settings.json'
}

/** Settings files in a folder of the workspace, the one that wins first. A repository may bring the second one. */
export function claudeFilesIn(folder: string): readonly { readonly name: string; readonly path: string }[] {
  return ['settings.local.json', 'settings.json'].map((name) => ({
    name: `.claude/${name}`,
    path: join(folder, '.claude', name),
  }))
}

/**
 * Where Claude Code goes by its files, which it lays over each other variable by variable. They win over terminals and over the
 * panel's setting. `files` begin with the one that wins. Null where they name no address.
 */
export function claudeLead(files: readonly ClaudeFile[], gate: GateBase): ClaudeLead | null {
  const layers = files.map((file) => ({ file, env: environmentIn(file.found) }))
  const merged = Object.assign({}, ...layers.map(({ env }) => env ?? {}).reverse()) as Readonly<Record<string, unknown>>
  const planned = (env: unknown) => planClaudeFile(JSON.stringify({ env }), gate)
  const plan = planned(merged)
  const by = (test: (env: Readonly<Record<string, unknown>>) => boolean): ClaudeFile | undefined =>
    layers.find(({ env }) => env !== undefined && test(env))?.file
  const lead = (file: ClaudeFile | undefined, to: ClaudeLead['to']): ClaudeLead => ({
    file: file?.name ?? '',
    isOwn: file?.isOwn ?? true,
    to,
  })
  const sayingSo = by((env) => {
    const own = planned(env)
    return own.kind === plan.kind && (own.kind !== 'elsewhere' || JSON.stringify(own) === JSON.stringify(plan))
  })
  if (plan.kind === 'azure' || plan.kind === 'malformed') return lead(sayingSo, { kind: plan.kind })
  if (plan.kind === 'elsewhere') return lead(sayingSo, { kind: 'elsewhere', server: plan.server })
  // An address that the gate forwards to is still not the gate.
  if (plan.kind === 'edit' && address in merged) {
    return lead(
      by((env) => address in env),
      { kind: 'provider' },
    )
  }
  const unread = layers.find(({ env }) => env === undefined)
  if (unread !== undefined) return lead(unread.file, { kind: 'malformed' })
  return plan.kind === 'already' ? lead(sayingSo, { kind: 'gate' }) : null
}

/** The lead that a person has to know of where folders of the workspace differ. */
export function worstLead(leads: readonly (ClaudeLead | null)[]): ClaudeLead | null {
  const rank = (lead: ClaudeLead | null): number =>
    ['elsewhere', 'provider', 'azure', 'malformed', undefined, 'gate'].indexOf(lead?.to.kind)
  return [...leads].sort((left, right) => rank(left) - rank(right))[0] ?? null
}

const [address = ''] = familyVariables.anthropic

/** Variables that a file sets; undefined where it cannot be read. */
function environmentIn(found: FileText): Readonly<Record<string, unknown>> | undefined {
  if (found.kind === 'absent') return {}
  const settings = found.kind === 'text' ? readJson(found.text, {}) : undefined
  if (!isObject(settings)) return undefined
  const env = settings['env'] ?? {}
  return isObject(env) ? env : undefined
}
