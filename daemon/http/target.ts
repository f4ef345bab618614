import type { Upstream } from '../../shared/config.ts'
import { upstreamUrl } from '../dialects/routes.ts'

/** Origin and path of one call at a provider. */
export interface UpstreamTarget {
  readonly origin: string
  readonly path: string
}

const mostKept = 200
const kept = new Map<string, UpstreamTarget>()

/** Where a call goes: the configured base URL and the normalised path below it. The few that are in use are kept. */
export function upstreamTarget(upstream: Upstream, path: string): UpstreamTarget {
  const name = `${upstream.dialect} ${upstream.baseUrl} ${path}`
  const known = kept.get(name)
  if (known !== undefined) return known
  const url = new URL(upstreamUrl(upstream.dialect, upstream.baseUrl, path))
  const target = { origin: url.origin, path: `${url.pathname}${url.search}` }
  // A query may hold a key of the client: such a path is not kept.
  if (url.search === '' && kept.size < mostKept) kept.set(name, target)
  return target
}
