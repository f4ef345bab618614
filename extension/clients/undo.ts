import { createHash } from 'node:crypto'
import { clientIds } from './plan.ts'
import type { ClientId } from './plan.ts'
import { takeBack, takeBackWherever } from './steps.ts'
import type { Step } from './steps.ts'

/**
 * How to take back what was written into one client's settings. Not the file is kept but the changes, because the rest of it
 * may hold keys; the gate's own key in them is replaced by a placeholder.
 */
export interface UndoRecord {
  readonly client: ClientId
  /** Absolute path of the file, or name of the setting. */
  readonly target: string
  /** There was no such file or setting before. */
  readonly isNew: boolean
  readonly steps: readonly Step[]
  /** SHA-256 of the text before and after, as hexadecimal. */
  readonly before: string
  readonly after: string
}

/** What taking back comes to. */
export type Restoring =
  /** Byte for byte what was there before; null: nothing was. */
  | { readonly kind: 'exact'; readonly text: string | null }
  /** Changed since: without Tollgate's part, everything else as it is now. */
  | { readonly kind: 'changed'; readonly text: string }
  | { readonly kind: 'impossible' }

const keyPlace = '{gate key}'

/** The record of one change. A change that continues the one of `last` is taken back together with it. */
export function undoRecord(
  change: Pick<UndoRecord, 'client' | 'target' | 'steps'> & {
    readonly before: string | null
    readonly after: string
    readonly key: string
  },
  last: UndoRecord | undefined,
): UndoRecord {
  const { client, target, before, after, key } = change
  const steps = change.steps.map(({ offset, removed, inserted }) => ({
    offset,
    removed: removed.replaceAll(key, keyPlace),
    inserted: inserted.replaceAll(key, keyPlace),
  }))
  const goesOn = last?.target === target && last.after === digestOf(before ?? '')
  return {
    client,
    target,
    isNew: goesOn ? last.isNew : before === null,
    steps: goesOn ? [...last.steps, ...steps] : steps,
    before: goesOn ? last.before : digestOf(before ?? ''),
    after: digestOf(after),
  }
}

/** How the present text is restored. `key` is the gate's. */
export function restoring(record: UndoRecord, present: string | null, key: string): Restoring {
  if (present === null) return { kind: 'impossible' }
  const steps = record.steps.map(({ offset, removed, inserted }) => ({
    offset,
    removed: removed.replaceAll(keyPlace, key),
    inserted: inserted.replaceAll(keyPlace, key),
  }))
  if (digestOf(present) === record.after) {
    const text = takeBack(present, steps)
    if (text !== undefined && digestOf(text) === record.before) {
      return { kind: 'exact', text: record.isNew ? null : text }
    }
  }
  const text = takeBackWherever(present, steps)
  return text === undefined ? { kind: 'impossible' } : { kind: 'changed', text }
}

/** The records in what the memory kept; what is no record is left out. */
export function parseUndo(kept: unknown): readonly UndoRecord[] {
  if (!Array.isArray(kept)) return []
  return (kept as readonly unknown[]).filter((one): one is UndoRecord => {
    const { client, target, isNew, steps, before, after } = (one ?? {}) as Partial<Record<keyof UndoRecord, unknown>>
    return (
      (clientIds as readonly unknown[]).includes(client) &&
      typeof target === 'string' &&
      typeof isNew === 'boolean' &&
      typeof before === 'string' &&
      typeof after === 'string' &&
      Array.isArray(steps) &&
      (steps as readonly unknown[]).every(isStep)
    )
  })
}

function isStep(value: unknown): boolean {
  const { offset, removed, inserted } = (value ?? {}) as Partial<Record<keyof Step, unknown>>
  return typeof offset === 'number' && typeof removed === 'string' && typeof inserted === 'string'
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
