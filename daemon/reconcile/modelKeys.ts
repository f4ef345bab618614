import type { Provider } from '@pydantic/genai-prices'
import { remembering } from '../memo.ts'
import { candidates, ModelNames, withoutDate } from '../money/modelNames.ts'

/** The name under which figures of a model are put together. */
export interface ModelKey {
  readonly key: string
  /** Whether the price table knows the model. */
  readonly known: boolean
}

/**
 * Puts the names of an export and ours together as pricing does: exact name, alias, or either with a date. Consoles also write
 * the name for people ("Claude Haiku 4.5"), and marketplaces the family at the end ("claude-4-sonnet-20250522"). A name that the
 * table does not know stays as it is, without path and date; nothing is matched by a prefix (E04).
 */
export function createModelKeys(provider: Provider | null): (model: string) => ModelKey {
  const names = provider === null ? null : new ModelNames(provider)
  const displayed = new Map<string, string>()
  for (const { id, name } of provider?.models ?? []) {
    const shown = name?.trim().toLowerCase()
    if (shown !== undefined && !displayed.has(shown)) displayed.set(shown, id)
  }
  return remembering<ModelKey>(10_000, (model) => {
    const plain = model.trim().toLowerCase()
    const found = displayed.get(plain) ?? names?.find(model)?.id ?? names?.find(familyFirst(plain))?.id
    if (found !== undefined) return { key: found, known: true }
    const bare = withoutDate(candidates(plain).at(-1) ?? plain)
    return { key: familyFirst(bare.includes(' ') ? bare.replace(/[\s.]+/g, '-') : bare), known: false }
  })
}

/** `claude-4.5-haiku-…` and `claude-3-7-sonnet` as Anthropic writes newer ones: `claude-haiku-4-5-…`. */
function familyFirst(name: string): string {
  return name.replace(
    /(^|\/)claude-(\d+)(?:[.-](\d{1,2}))?-(opus|sonnet|haiku)(?=$|[-:@])/,
    (_, path: string, major: string, minor: string | undefined, family: string) =>
      `${path}claude-${family}-${major}${minor === undefined ? '' : `-${minor}`}`,
  )
}
