import { applyEdits, getLocation, visit } from 'jsonc-parser'
import type { Edit } from 'jsonc-parser'
import type { Config } from '../../../shared/config.ts'
import { pathText } from '../../config/fieldTree.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { setField } from '../../config/setField.ts'
import type { Ceilings } from '../../tasks/calibration.ts'
import { lineDiff } from './lineDiff.ts'

/** Ceilings that a plan is to get. */
export interface PlanCeilings {
  readonly plan: string
  readonly ceilings: Ceilings
}

/** A configuration text with new ceilings, or why it cannot have them. */
export type CeilingsEdit =
  | {
      readonly ok: true
      readonly text: string
      /** Sentences about what does not show in the changed lines. */
      readonly notes: readonly string[]
    }
  | { readonly ok: false; readonly problems: readonly string[] }

const names = ['maxIterations', 'maxInputTokens', 'maxWallSeconds', 'maxEur'] as const satisfies (keyof Ceilings)[]

/**
 * Writes ceilings into a configuration text. A plan without ceilings stays without, and a plan that the text does not have
 * is not made. `agent` comes first, because the others take from it what they leave out. The result is one that `load` has
 * accepted.
 */
export function withCeilings(
  text: string,
  wanted: readonly PlanCeilings[],
  load: (text: string) => LoadedConfig,
): CeilingsEdit {
  const first = load(text)
  if (!first.ok) return first
  const notes: string[] = []
  let loaded = first
  let edited = text
  for (const { plan, ceilings } of [...wanted].sort((one, other) => rank(one) - rank(other))) {
    const task = Object.hasOwn(loaded.config.plans, plan) ? loaded.config.plans[plan]?.task : undefined
    if (task === undefined || task === null) {
      notes.push(task === null ? `Plan ${plan} has no ceilings and gets none.` : `This file has no plan ${plan}.`)
      continue
    }
    for (const name of names) {
      if (task[name] !== ceilings[name]) edited = setField(edited, ['plans', plan, 'task', name], ceilings[name])
    }
    const next = load(edited)
    if (!next.ok) return next
    loaded = next
  }
  const asked = new Set(wanted.map(({ plan }) => plan))
  return { ok: true, text: edited, notes: [...notes, ...moved(first.config, loaded.config, asked)] }
}

/** The lines that change, as a unified diff without context. Keys and addresses in them are hidden. */
export function diffText(file: string, before: string, after: string): string {
  const [old, fresh] = [hideSecrets(before), hideSecrets(after)]
  const lines = [`--- ${file}`, `+++ ${file}`]
  for (const { line, removed, added } of lineDiff(old, fresh)) {
    const path = pathAt(fresh, line)
    lines.push(`@@ line ${line}${path === '' ? '' : `, ${path}`} @@`)
    lines.push(...removed.map((text) => `-${text}`), ...added.map((text) => `+${text}`))
  }
  return `${lines.join('\n')}\n`
}

function rank({ plan }: PlanCeilings): number {
  return plan === 'agent' ? 0 : 1
}

/** Plans that nobody asked to change and that move, because they take their ceilings from `agent`. */
function moved(before: Config, after: Config, asked: ReadonlySet<string>): readonly string[] {
  return Object.entries(after.plans).flatMap(([plan, { task }]) => {
    const old = before.plans[plan]?.task
    if (asked.has(plan) || task === null || old === null || old === undefined) return []
    const changes = names.filter((name) => old[name] !== task[name]).map((name) => `${name} ${String(task[name])}`)
    return changes.length === 0 ? [] : [`Plan ${plan} takes these from agent: ${changes.join(', ')}.`]
  })
}

/** Where in the configuration a line is: `plans.agent.task`. */
function pathAt(text: string, line: number): string {
  const lines = text.split('\n').slice(0, line)
  const last = lines.at(-1) ?? ''
  const offset = lines.join('\n').length - last.length + last.search(/\S|$/)
  return pathText(getLocation(text, offset).path.slice(0, -1))
}

/** A line that changes may hold more than the ceiling: a key in a file that is one line. */
function hideSecrets(text: string): string {
  const edits: Edit[] = []
  visit(text, {
    onLiteralValue: (_value, offset, length, _line, _character, pathSupplier) => {
      const path = pathSupplier()
      const last = path.at(-1)
      if (path[0] === 'keys' || last === 'ledger' || last === 'baseUrl') edits.push({ offset, length, content: '"…"' })
    },
  })
  return applyEdits(text, edits)
}
