import { writeFileSync, readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import type { PersonalCaps } from '../../shared/protocol.ts'
import type { Gate } from '../gate.ts'
import { cappedScope } from '../budget/scopes.ts'
import type { CapOverride, CappedScope, ScopeRef } from '../ledger/ledger.ts'
import { readPersonalCaps } from './requests.ts'
import type { CapChange } from './requests.ts'

/** Caps have changed: calls that wait for room are tried again with those of now. Returns how a window is capped. */
export function recap(gate: Gate): (scope: ScopeRef) => CappedScope {
  const { budgets } = gate.config()
  const granted = gate.grants.inForce(gate.nowMs())
  const capped = (scope: ScopeRef): CappedScope => cappedScope(scope, budgets, granted)
  gate.admission.recap(capped)
  return capped
}

/** Sets caps over the configured ones, for a while or until they are set again, and says so to every window. */
export function changeCaps(gate: Gate, change: CapChange): void {
  const nowMs = gate.nowMs()
  const untilMs =
    change.until === null
      ? null
      : change.until === 'midnight'
        ? gate.calendar.nextDayStartMs(nowMs)
        : Date.parse(change.until)
  for (const [field, value] of Object.entries(change.caps) as [CapOverride['field'], number | null][]) {
    gate.ledger.setCapOverride({ field, value, untilMs })
  }
  gate.configuration.replaceOverrides(gate.ledger.capOverrides(), nowMs)
  recap(gate)
  gate.events.emit('caps_changed', {
    caps: change.caps,
    until: untilMs === null ? null : new Date(untilMs).toISOString(),
  })
}

/** Takes over the personal caps of the VS Code settings and keeps them for a start without VS Code. */
export function takePersonalCaps(gate: Gate, caps: PersonalCaps): void {
  const file = personalCapsFile(gate.dataDir)
  const text = `${JSON.stringify(caps, null, 2)}\n`
  if (readText(file) === text) return
  gate.configuration.replacePersonal(caps, gate.nowMs())
  recap(gate)
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
  gate.events.emit('caps_changed', { caps, until: null })
}

/** The personal caps of the last VS Code that was connected. A damaged file counts as none: the configured caps hold. */
export function storedPersonalCaps(dataDir: string): PersonalCaps {
  const text = readText(personalCapsFile(dataDir))
  if (text === null) return {}
  try {
    const caps = readPersonalCaps(JSON.parse(text))
    return typeof caps === 'string' ? {} : caps
  } catch {
    return {}
  }
}

function personalCapsFile(dataDir: string): string {
  return path.join(dataDir, 'personal-caps.json')
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
