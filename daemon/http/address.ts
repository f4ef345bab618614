import { pathPart } from '../../shared/addresses.ts'

/** What the path and the `x-tollgate-*` headers of a request say about where it goes and for whom. */
export interface CallAddress {
  /** Local key, null where none was given. */
  readonly key: string | null
  readonly task: string | null
  readonly project: string | null
  readonly user: string | null
  readonly upstream: string
  /** The provider's own path with its query, starting with `/`. */
  readonly rest: string
}

/** Headers that are read here and never forwarded. */
export const tollgateHeaders = ['x-tollgate-key', 'x-tollgate-task', 'x-tollgate-project', 'x-tollgate-user'] as const

type HeaderLookup = (name: (typeof tollgateHeaders)[number]) => string | undefined

/**
 * Splits `/k/<key>/t/<task>/p/<project>/<upstream>/<rest>`; each of the first three may be missing, the order is fixed by
 * the contract but any order is understood. Headers say the same; the path wins. Returns null for what is no address.
 */
export function parseAddress(url: string, header: HeaderLookup): CallAddress | null {
  const queryAt = url.indexOf('?')
  const path = queryAt < 0 ? url : url.slice(0, queryAt)
  const query = queryAt < 0 ? '' : url.slice(queryAt)
  const parts = path.split('/').filter((part) => part !== '')
  const named: { k?: string; t?: string; p?: string } = {}
  let at = 0
  for (;;) {
    const name = parts[at]
    const value = parts[at + 1]
    if ((name !== 'k' && name !== 't' && name !== 'p') || value === undefined || name in named) break
    if (!pathPart.test(value)) return null
    named[name] = value
    at += 2
  }
  const upstream = parts[at]
  if (upstream === undefined || !pathPart.test(upstream)) return null
  const said = {
    key: named.k ?? header('x-tollgate-key') ?? null,
    task: named.t ?? header('x-tollgate-task') ?? null,
    project: named.p ?? header('x-tollgate-project') ?? null,
    user: header('x-tollgate-user') ?? null,
  }
  for (const name of ['task', 'project', 'user'] as const) {
    const value = said[name]
    if (value !== null && !pathPart.test(value)) return null
  }
  return { ...said, upstream, rest: `/${parts.slice(at + 1).join('/')}${query}` }
}
