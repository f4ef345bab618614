import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { PersonalCapName } from '../../shared/personalCaps.ts'
import type { PersonalCaps } from '../../shared/protocol.ts'
import type { Gate } from '../gate.ts'
import { cappedScope } from '../budget/scopes.ts'
import type { CapOverride, CappedScope, ScopeRef } from '../ledger/ledger.ts'
import { replacePrivateFile } from '../lifecycle/privateFile.ts'
import { describeFault } from '../observe/log.ts'
import { goodCaps, isRecord } from './requests.ts'
import type { CapChange, HeardCaps } from './requests.ts'

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

/**
 * Takes over the personal caps of the VS Code settings and stores them for a start without VS Code. For a cap whose setting
 * cannot be used, what is in force stays: dropping it would open the gate by a typing error (M09).
 */
export function takePersonalCaps(gate: Gate, { caps, keep }: Pick<HeardCaps, 'caps' | 'keep'>): void {
  const { configuration, log } = gate
  const inForce = configuration.personal
  const next = goodCaps({ ...pick(inForce, keep), ...caps })
  const file = personalCapsFile(gate.dataDir)
  const text = textOf(next)
  const isNew = text !== textOf(inForce)
  if (isNew) {
    configuration.replacePersonal(next, gate.nowMs())
    recap(gate)
  }
  if (readText(file) !== text) {
    try {
      replacePrivateFile(file, text)
    } catch (fault) {
      log.error('the caps of the settings cannot be stored, so they hold until the gate ends', describeFault(fault))
    }
  }
  if (isNew) gate.events.emit('caps_changed', { caps: next, until: null })
}

/**
 * The personal caps of the last VS Code that was connected. Of a file that holds a bad one, the others hold; a file that is
 * no object counts as none, so that the configured caps hold.
 */
export function storedPersonalCaps(dataDir: string): PersonalCaps {
  try {
    const stored: unknown = JSON.parse(readText(personalCapsFile(dataDir)) ?? '')
    return isRecord(stored) ? goodCaps(stored) : {}
  } catch {
    return {}
  }
}

function pick(caps: PersonalCaps, names: readonly PersonalCapName[]): PersonalCaps {
  return Object.fromEntries(Object.entries(caps).filter(([name]) => names.some((one) => one === name)))
}

function textOf(caps: PersonalCaps): string {
  return `${JSON.stringify(caps, null, 2)}\n`
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
