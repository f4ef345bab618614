import type { DialectName } from '../call.ts'

/** What a path means. The paths of metered and free routes are appended to the upstream's base URL. */
export type Route =
  | { readonly kind: 'metered'; readonly dialect: DialectName; readonly path: string }
  | { readonly kind: 'free'; readonly path: string }
  | { readonly kind: 'unsupported'; readonly reason: string }

/** A request line, taken apart. */
export interface Request {
  readonly upstreamName: string
  /** What the vendor's own paths have before their version, and its base URL has already; null where there is nothing. */
  readonly vendorPrefix: string | null
  /** Upper case. */
  readonly method: string
  /** Non-empty parts of the path, as escaped as they came. */
  readonly parts: readonly string[]
  /** Empty or with its leading `?`. */
  readonly query: string
}

/** A route that is refused, with the sentence that the caller reads. */
export function unsupported(reason: string): Route {
  return { kind: 'unsupported', reason: `${reason} Nothing was sent to the provider.` }
}

/** The parts without the leading ones that are equal to `prefix`: `/v1` is accepted present, missing and doubled. */
export function withoutPrefix(parts: readonly string[], prefix: string): readonly string[] {
  let at = 0
  while (parts[at] === prefix) at += 1
  return parts.slice(at)
}

/** True for the list of models and for one of them, whose id may have slashes. */
export function isModelList(method: string, parts: readonly string[]): boolean {
  return (method === 'GET' || method === 'HEAD') && parts[0] === 'models'
}

/** Endpoint families that cost money, or make something that costs money later, by rules that the gate does not have. */
const uncounted: Readonly<Record<string, string>> = {
  images: 'Image generation',
  audio: 'Audio endpoints',
  realtime: 'The realtime API',
  videos: 'Video generation',
  batches: 'Batches',
  files: 'Files',
  uploads: 'Uploads',
  fine_tuning: 'Fine-tuning',
  'fine-tunes': 'Fine-tuning',
  assistants: 'Assistants',
  threads: 'Assistant threads',
  vector_stores: 'Vector stores',
  containers: 'Containers',
  conversations: 'Stored conversations',
  moderations: 'Moderations',
  evals: 'Evaluations',
}

/** The refusal of an endpoint that has no accounting. It names the endpoint, and no more of the path than two parts. */
export function unknownEndpoint(request: Request, parts: readonly string[]): Route {
  const first = parts[0] ?? ''
  const family = Object.hasOwn(uncounted, first) ? uncounted[first] : undefined
  const shown = parts
    .slice(0, 2)
    .map((part) => part.replace(/[^A-Za-z0-9_.:-]/g, '').slice(0, 40))
    .join('/')
  const endpoint = `${request.method} /${shown} at ${request.upstreamName}`
  return unsupported(
    family === undefined
      ? `${endpoint} is not an endpoint whose cost the gate can account for.`
      : `${family} cannot be accounted for by the gate (${endpoint}).`,
  )
}
