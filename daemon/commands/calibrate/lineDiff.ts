/** A stretch of lines that differ. */
export interface Hunk {
  /** Line of the new text where it begins, from 1. */
  readonly line: number
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/**
 * The lines in which two texts differ, by their longest common subsequence. Made for configuration files: the work grows
 * with the square of the stretch that lies between the first and the last difference.
 */
export function lineDiff(before: string, after: string): readonly Hunk[] {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1
  let same = 0
  while (
    same < old.length - start &&
    same < fresh.length - start &&
    old[old.length - 1 - same] === fresh[fresh.length - 1 - same]
  ) {
    same += 1
  }
  return hunksOf(old.slice(start, old.length - same), fresh.slice(start, fresh.length - same), start)
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
}

function hunksOf(old: readonly string[], fresh: readonly string[], skipped: number): readonly Hunk[] {
  const common = commonLengths(old, fresh)
  const length = (at: number, freshAt: number): number => common[at]?.[freshAt] ?? 0
  const hunks: Hunk[] = []
  let removed: string[] = []
  let added: string[] = []
  let [oldAt, freshAt] = [0, 0]
  const close = (): void => {
    if (removed.length + added.length > 0) hunks.push({ line: skipped + freshAt - added.length + 1, removed, added })
    removed = []
    added = []
  }
  while (oldAt < old.length || freshAt < fresh.length) {
    const [oldLine, freshLine] = [old[oldAt], fresh[freshAt]]
    if (oldLine !== undefined && oldLine === freshLine) {
      close()
      oldAt += 1
      freshAt += 1
    } else if (oldLine !== undefined && length(oldAt + 1, freshAt) >= length(oldAt, freshAt + 1)) {
      removed.push(oldLine)
      oldAt += 1
    } else if (freshLine !== undefined) {
      added.push(freshLine)
      freshAt += 1
    }
  }
  close()
  return hunks
}

/** `[i][j]`: length of the longest common subsequence of what follows from line i and line j. */
function commonLengths(old: readonly string[], fresh: readonly string[]): readonly (readonly number[])[] {
  const table: number[][] = Array.from({ length: old.length + 1 }, () => new Array<number>(fresh.length + 1).fill(0))
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      const row = table[i]
      if (row === undefined) continue
      row[j] =
        old[i] === fresh[j] ? (table[i + 1]?.[j + 1] ?? 0) + 1 : Math.max(table[i + 1]?.[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return table
}
