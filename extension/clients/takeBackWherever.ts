import { isJson, isSeparatedWithout, withoutMember } from './jsonMembers.ts'
import { blockBegin } from './plan.ts'
import type { Step } from './steps.ts'

/** One change, and what it wrote without the white space and the commas around it: those follow from the neighbours. */
interface Part {
  readonly step: Step
  readonly core: string
}

/** Changes that wrote the same, or the same with more around it, in the order of the text. */
interface Alike {
  /** What all of them wrote. */
  readonly core: string
  readonly parts: readonly Part[]
}

/**
 * The text without what `steps` wrote, for a text that was changed since: each insertion is looked for by its content. Changes
 * that wrote the same are taken back together, in the order of the text.
 *
 * Undefined where none is found, where it cannot be told which one is meant, or where a part of what was written would stay.
 */
export function takeBackWherever(text: string, steps: readonly Step[]): string | undefined {
  const wasJson = isJson(text)
  let present = text
  let isAnyTaken = false
  let isAnyMissing = false
  let left = grouped(steps)
  for (const split of [false, true]) {
    // Only where nothing else is found: what was written has been added to, so it is looked for in its parts.
    if (split && wasJson) left = left.flatMap(membersOf)
    for (let at = 0; at < left.length;) {
      const outcome = takeAlike(present, left[at], wasJson)
      if (outcome === 'ambiguous') return undefined
      if (outcome === 'gone') {
        at++
        continue
      }
      present = outcome.text
      isAnyTaken = true
      isAnyMissing ||= outcome.isAnyMissing
      left.splice(at, 1)
      // What it stood in may be whole again.
      at = 0
    }
  }
  if (!isAnyTaken || (wasJson && present.trim() !== '' && !isJson(present))) return undefined
  return (isAnyMissing || left.length > 0) && isTollgates(present) ? undefined : present
}

function coreOf(inserted: string): string {
  return inserted.replace(/^[\s,]+|[\s,]+$/g, '')
}

/** Whether something in a text shows that Tollgate wrote it: its name, or an address of the gate. */
export function isTollgates(text: string): boolean {
  return /tollgate|\/k\/[\w-]+\//i.test(text)
}

/**
 * Blocks first, which cannot be mistaken, and the longest of them, because it may contain others. A mere comma cannot be looked
 * for. An address alone is looked for together with what contains it, such as a whole member with the same address.
 */
function grouped(steps: readonly Step[]): Alike[] {
  const places = placesAfter(steps)
  const parts = steps
    .map((step, at) => ({ step, core: coreOf(step.inserted), place: places[at] ?? 0 }))
    .filter(({ core }) => core !== '')
    .sort((one, other) => one.core.length - other.core.length)
  const groups: { readonly core: string; readonly parts: typeof parts }[] = []
  for (const part of parts) {
    const { core } = part
    const group = groups.find(
      (one) =>
        one.core === core || (!isBlock(core) && gateAddress.test(one.core) && occurrences(core, one.core).length === 1),
    )
    if (group === undefined) groups.push({ core, parts: [part] })
    else group.parts.push(part)
  }
  for (const group of groups) group.parts.sort((one, other) => one.place - other.place)
  const rank = ({ core }: Alike): number => core.length + (isBlock(core) ? Number.MAX_SAFE_INTEGER / 2 : 0)
  return groups.sort((one, other) => rank(other) - rank(one))
}

const gateAddress = /\/k\/[\w-]+\//

/** Between marks, so that nobody else has written it. */
function isBlock(core: string): boolean {
  return core.startsWith(blockBegin)
}

/** Where each step's insertion stood once all of them were made. */
function placesAfter(steps: readonly Step[]): readonly number[] {
  return steps.map(({ offset }, at) =>
    steps
      .slice(at + 1)
      .reduce(
        (place, later) => (later.offset <= place ? place + later.inserted.length - later.removed.length : place),
        offset,
      ),
  )
}

type Outcome = { readonly text: string; readonly isAnyMissing: boolean } | 'gone' | 'ambiguous'

function takeAlike(text: string, alike: Alike | undefined, inJson: boolean): Outcome {
  if (alike === undefined) return 'gone'
  const { core, parts } = alike
  const found = occurrences(text, core)
  const [first] = parts
  if (found.length === 0 || first === undefined) return 'gone'
  const isSame = parts.every(({ step }) => step.removed === first.step.removed && step.inserted === first.step.inserted)
  // A block that was copied is ours all the same. Another value may have been written by the user.
  const isCountGood = found.length === parts.length || (isSame && (found.length < parts.length || isBlock(core)))
  if (!isCountGood) return 'ambiguous'
  let present = text
  let taken = 0
  // From the last to the first, so that what was found in the text stays where it is.
  for (const [index, place] of [...found.entries()].reverse()) {
    const part = parts[index] ?? first
    const without = takeOne(present, place - part.core.indexOf(core), part, inJson)
    if (without === undefined) continue
    present = without
    taken++
  }
  return taken === 0 ? 'gone' : { text: present, isAnyMissing: taken < parts.length }
}

/** Takes back one change whose content stands at `place`; undefined where it does not. */
function takeOne(
  text: string,
  place: number,
  { core, step: { removed, inserted } }: Part,
  inJson: boolean,
): string | undefined {
  if (place < 0 || !text.startsWith(core, place)) return undefined
  const from = place - inserted.indexOf(core)
  const isWhole = from >= 0 && text.startsWith(inserted, from)
  const to = from + inserted.length
  if (isWhole && (removed !== '' || !inJson || isSeparatedWithout(text, from, to))) {
    return text.slice(0, from) + removed + text.slice(to)
  }
  if (removed !== '') return undefined
  if (inJson) return withoutMember(text, place, place + core.length)
  return isBlock(core) ? withoutLines(text, place, place + core.length) : undefined
}

/** Takes out whole lines; what stands beside the range on them is their indentation. */
function withoutLines(text: string, from: number, to: number): string {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const end = text.indexOf('\n', to)
  return text.slice(0, text.startsWith('\uFEFF') ? Math.max(start, 1) : start) + (end < 0 ? '' : text.slice(end + 1))
}

/** Where a content stands for itself, and not as a part of a longer value. */
function occurrences(text: string, core: string): readonly number[] {
  const found: number[] = []
  for (let at = text.indexOf(core); at >= 0; at = text.indexOf(core, at + core.length)) {
    const before = text[at - 1] ?? ' '
    const after = text[at + core.length] ?? ' '
    const begins = !/^[\w/]/.test(core) || !/[\w./:-]/.test(before)
    const ends = !/[\w./:-]$/.test(core) || !/[\w./:?#&=%-]/.test(after)
    if (begins && ends) found.push(at)
  }
  return found
}

/** The single values of an object that was written as a whole. */
function membersOf(alike: Alike): readonly Alike[] {
  const { core, parts } = alike
  if (!/:\s*\{/.test(core) || parts.some(({ step }) => step.removed !== '')) return [alike]
  const members = core.match(/"(?:[^"\\]|\\.)*"\s*:\s*"(?:[^"\\]|\\.)*"/g) ?? []
  return members.map((member) => ({
    core: member,
    parts: parts.map(({ step }) => ({ core: member, step: { ...step, inserted: member } })),
  }))
}
