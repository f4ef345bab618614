import type { MatchLogic, ModelInfo, Provider } from '@pydantic/genai-prices'

/**
 * Which entry of a provider's table a model name means. A price is only taken for the exact name, for an alias, or for
 * either with a date behind it. The table's own rules also match by prefix, and a prefix once priced a small model like
 * the large one beside it, 17 times too dear (E04), and the other way round let a cap run dry without notice.
 */
export class ModelNames {
  readonly #entries = new Map<string, ModelInfo>()

  constructor(provider: Provider) {
    for (const model of provider.models) this.#add(model.id, model)
    for (const model of provider.models) for (const alias of aliasesOf(model)) this.#add(alias, model)
    for (const model of provider.models) this.#add(model.id.replace(/-latest$/, ''), model)
  }

  /** The entry for a name as a client wrote it, or null. */
  find(model: string): ModelInfo | null {
    for (const name of candidates(model)) {
      const entry = this.#entries.get(name) ?? this.#entries.get(withoutDate(name))
      if (entry !== undefined) return entry
    }
    return null
  }

  /** All names, for suggestions. */
  names(): Iterable<string> {
    return this.#entries.keys()
  }

  #add(name: string, model: ModelInfo): void {
    const key = name.toLowerCase()
    if (!this.#entries.has(key)) this.#entries.set(key, model)
  }
}

/**
 * Ways to read a name: as it stands and without the path in front (`openai/…`, `models/…`), both without a client's label
 * (`[1m]`) and in small letters.
 */
export function candidates(model: string): readonly string[] {
  const name = model
    .trim()
    .toLowerCase()
    .replace(/\[[^\]]*\]$/, '')
  const slash = name.lastIndexOf('/')
  return slash < 0 ? [name] : [name, name.slice(slash + 1)]
}

/** A name without `-2024-07-18`, `-20240718` or `@20240718` at its end. */
export function withoutDate(name: string): string {
  return name.replace(/[-@]20\d\d(-?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])$/, '')
}

/** All names that a row is found by, in small letters: its own first, then the aliases that are written out. */
export function aliasesOf(row: ModelInfo): readonly string[] {
  return [row.id, ...aliasesIn(row.match)].map((name) => name.toLowerCase())
}

function aliasesIn(match: MatchLogic): readonly string[] {
  if ('equals' in match) return [match.equals]
  return 'or' in match ? match.or.flatMap(aliasesIn) : []
}

/** Up to `most` of the names nearest to `model`, none that differs in more than a quarter of its letters. */
export function nearestNames(model: string, names: Iterable<string>, most: number): readonly string[] {
  const wanted = candidates(model).at(-1) ?? model
  const limit = Math.max(2, Math.floor(wanted.length / 4))
  const near: { readonly name: string; readonly distance: number }[] = []
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) > limit) continue
    const distance = editDistance(wanted, name, limit)
    if (distance <= limit) near.push({ name, distance })
  }
  near.sort((one, other) => one.distance - other.distance || (one.name < other.name ? -1 : 1))
  return near.slice(0, most).map(({ name }) => name)
}

/** Letters to insert, delete or replace; `limit + 1` as soon as it is more than `limit`. */
function editDistance(one: string, other: string, limit: number): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 1; at <= one.length; at++) {
    const next = [at]
    for (let to = 1; to <= other.length; to++) {
      const replaced = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1))
    }
    if (Math.min(...next) > limit) return limit + 1
    row = next
  }
  return row[other.length] ?? limit + 1
}
