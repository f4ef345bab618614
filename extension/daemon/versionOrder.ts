/** Compares two versions `a.b.c[-pre]`: negative when `left` is older. A part that is no number counts as 0. */
export function compareVersions(left: string, right: string): number {
  const [leftCore = '', leftPre = ''] = left.split(/-(.*)/s)
  const [rightCore = '', rightPre = ''] = right.split(/-(.*)/s)
  const leftParts = numbersOf(leftCore)
  const rightParts = numbersOf(rightCore)
  for (let index = 0; index < 3; index++) {
    const difference = (leftParts[index] ?? 0) - (rightParts[index] ?? 0)
    if (difference !== 0) return difference
  }
  if (leftPre === rightPre) return 0
  if (leftPre === '') return 1
  if (rightPre === '') return -1
  return leftPre < rightPre ? -1 : 1
}

function numbersOf(core: string): readonly number[] {
  return core.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : 0))
}
