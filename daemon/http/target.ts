/** Origin and path of one call at a provider. */
export interface UpstreamTarget {
  readonly origin: string
  readonly path: string
}

const targets = new Map<string, { readonly origin: string; readonly prefix: string }>()

/** Joins a configured base URL and the normalised path below it (`daemon/dialects/routes.ts`). */
export function upstreamTarget(baseUrl: string, path: string): UpstreamTarget {
  let base = targets.get(baseUrl)
  if (base === undefined) {
    const url = new URL(baseUrl)
    base = { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') }
    targets.set(baseUrl, base)
  }
  return { origin: base.origin, path: `${base.prefix}${path}` }
}
