import { createHash } from 'node:crypto'
import { clientIds } from './plan.ts'
import type { ClientId } from './plan.ts'
import { takeBack } from './steps.ts'
import type { Step } from './steps.ts'
import { isTollgates, takeBackWherever } from './takeBackWherever.ts'

/**
 * How to take back what was written into one file or setting of a client. Not the file is kept but the changes, because the
 * rest of it may hold keys; the gate's own key in them is replaced by a placeholder.
 */
export interface UndoRecord {
  readonly client: ClientId
  /** Absolute path of the file, or name of the setting. */
  readonly target: string
  /** There was no such file or setting before. */
  readonly isNew: boolean
  /** The last change. */
  readonly steps: readonly Step[]
  /** Those before it that are taken back with it, the oldest first. */
  readonly earlier: readonly (readonly Step[])[]
  /** Something that Tollgate wrote before could not be taken back any more, so this leads to the last change only. */
  readonly isLastOnly: boolean
  /** The outermost folder that was made for the file, null where its folder was there. */
  readonly madeFolder: string | null
  /** SHA-256 of the text before the first and after the last change, as hexadecimal. */
  readonly before: string
  readonly after: string
}

/**
 * A text that was taken back. `exact`: byte for byte what was there before; `changed`: changed since, so without Tollgate's
 * part, and everything else as it is now.
 */
export interface Restored {
  readonly kind: 'exact' | 'changed'
  /** Null where nothing was there before. */
  readonly text: string | null
}

/** What taking back comes to. */
export type Restoring = Restored | { readonly kind: 'impossible' }

/** One change, as it was made. `key` is the gate's. */
export interface Change extends Pick<UndoRecord, 'client' | 'target' | 'steps' | 'madeFolder'> {
  /** Null where nothing was there. */
  readonly before: string | null
  readonly after: string
  readonly key: string
}

const keyPlace = '{gate key}'

/**
 * The record of one change. `last` is the one of before: what it knows is taken back together with this change, also where the
 * user changed the file in between.
 */
export function undoRecord(change: Change, last: UndoRecord | undefined): UndoRecord {
  const { client, target, before, after, key } = change
  const record: UndoRecord = {
    client,
    target,
    isNew: before === null,
    steps: change.steps.map((one) => replaced(one, key, keyPlace)),
    earlier: [],
    isLastOnly: false,
    madeFolder: change.madeFolder,
    before: digestOf(before ?? ''),
    after: digestOf(after),
  }
  if (last === undefined || before === null || !isOf(last, record)) return record
  if (last.after !== record.before && withoutRounds(before, last, key, takeBackWherever) === undefined) {
    return { ...record, isLastOnly: isTollgates(before) }
  }
  const { isNew, isLastOnly, madeFolder } = last
  return { ...record, isNew, isLastOnly, madeFolder, before: last.before, earlier: [...last.earlier, last.steps] }
}

/** Whether two records are of the same file or setting. */
export function isOf(one: UndoRecord, { client, target }: Pick<UndoRecord, 'client' | 'target'>): boolean {
  return one.client === client && one.target === target
}

/** How the present text is restored. `key` is the gate's. */
export function restoring(record: UndoRecord, present: string | null, key: string): Restoring {
  if (present === null) return { kind: 'impossible' }
  if (digestOf(present) === record.after) {
    const text = withoutRounds(present, record, key, takeBack)
    if (text !== undefined && digestOf(text) === record.before) {
      return { kind: 'exact', text: record.isNew ? null : text }
    }
  }
  const text = withoutRounds(present, record, key, takeBackWherever)
  if (text === undefined) return { kind: 'impossible' }
  return { kind: 'changed', text: record.isNew && text.trim() === '' ? null : text }
}

/** A text without any of a record's changes, the last one first. */
function withoutRounds(
  text: string,
  { earlier, steps }: UndoRecord,
  key: string,
  without: (text: string, steps: readonly Step[]) => string | undefined,
): string | undefined {
  let present: string | undefined = text
  for (const round of [...earlier, steps].reverse()) {
    const from: string = present
    // The gate's key may be another one by now: what was written has the one of its time.
    const keys = new Set([key, ...Array.from(from.matchAll(/\/k\/([\w-]+)\//g), ([, found]) => found ?? '')])
    present = [...keys]
      .map((one) =>
        without(
          from,
          round.map((step) => replaced(step, keyPlace, one)),
        ),
      )
      .find((found) => found !== undefined)
    if (present === undefined) return undefined
  }
  return present
}

function replaced({ offset, removed, inserted }: Step, from: string, to: string): Step {
  return { offset, removed: removed.replaceAll(from, () => to), inserted: inserted.replaceAll(from, () => to) }
}

/** The records in what the memory kept; what is no record is left out. */
export function parseUndo(kept: unknown): readonly UndoRecord[] {
  return Array.isArray(kept) ? (kept as readonly unknown[]).filter(isRecord) : []
}

function isRecord(one: unknown): one is UndoRecord {
  const { client, target, isNew, steps, earlier, isLastOnly, madeFolder, before, after } = (one ?? {}) as Partial<
    Record<keyof UndoRecord, unknown>
  >
  return (
    (clientIds as readonly unknown[]).includes(client) &&
    typeof target === 'string' &&
    typeof isNew === 'boolean' &&
    areSteps(steps) &&
    Array.isArray(earlier) &&
    (earlier as readonly unknown[]).every(areSteps) &&
    typeof isLastOnly === 'boolean' &&
    (madeFolder === null || typeof madeFolder === 'string') &&
    typeof before === 'string' &&
    typeof after === 'string'
  )
}

function areSteps(value: unknown): boolean {
  return Array.isArray(value) && (value as readonly unknown[]).every(isStep)
}

function isStep(value: unknown): boolean {
  const { offset, removed, inserted } = (value ?? {}) as Partial<Record<keyof Step, unknown>>
  return typeof offset === 'number' && typeof removed === 'string' && typeof inserted === 'string'
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
