import { gateUrl } from '../../shared/addresses.ts'

/** Where the gate is, for a client's own settings: these hold for all projects, so no project is named. */
export interface GateBase {
  /** `http://127.0.0.1:4141` */
  readonly origin: string
  readonly key: string
}

/** What a client speaks to an address. `openai` stands for everything that is called compatible with it. */
export type Format = 'openai' | 'anthropic' | 'gemini'

/** Where an address in a client's settings leads. */
export type Server =
  | { readonly kind: 'gate' }
  /** A provider that the gate forwards to, or the gate at an address of before; `through` is the same through the gate. */
  | { readonly kind: 'known'; readonly through: string }
  | { readonly kind: 'azure' }
  /** Empty where the address cannot be read. */
  | { readonly kind: 'elsewhere'; readonly host: string }

/** Addresses of the gate's built-in upstreams: what of a path they stand for, and what stands for it at the gate. */
const providers: readonly {
  readonly upstream: string
  readonly host: RegExp
  readonly path: string
  readonly atGate: string
  /** The only format that the gate speaks there, where it is one of its own. */
  readonly format?: Format
  /** What the server offers and the gate refuses. */
  readonly refused?: RegExp
}[] = [
  { upstream: 'openai', host: /^api\.openai\.com$/, path: '', atGate: '' },
  {
    upstream: 'anthropic',
    host: /^api\.anthropic\.com$/,
    path: '',
    atGate: '',
    format: 'anthropic',
    refused: /\/chat(\/|$)/,
  },
  {
    upstream: 'gemini',
    host: /^generativelanguage\.googleapis\.com$/,
    path: '',
    atGate: '',
    format: 'gemini',
    refused: /\/openai(\/|$)/,
  },
  { upstream: 'openrouter', host: /^openrouter\.ai$/, path: '/api/v1', atGate: '/v1' },
  { upstream: 'groq', host: /^api\.groq\.com$/, path: '/openai/v1', atGate: '/v1' },
  { upstream: 'ollama', host: /^(127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1?\]):11434$/, path: '', atGate: '' },
]

const azureHost = /(^|\.)(azure\.com|azure\.us|azure-api\.net|azure\.cn)$/

/**
 * Reads an address. One with a user, a query or a fragment is elsewhere: what they carry belongs to its server. So is one whose
 * calls the gate would refuse: Anthropic's and Gemini's servers also offer OpenAI's format, which the gate does not speak there.
 * `format` is the client's, where it is known.
 */
export function serverOf(address: string, gate: GateBase, format?: Format): Server {
  let url: URL
  try {
    url = new URL(address.trim())
  } catch {
    return { kind: 'elsewhere', host: '' }
  }
  const { host, hostname, pathname } = url
  if (azureHost.test(hostname)) return { kind: 'azure' }
  if (/^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '') {
    const local = /^\/k\/([\w-]+)(?:\/t\/[\w-]+)?(?:\/p\/[\w-]+)?\/([\w-]+)(\/.*)?$/.exec(pathname)
    if (local !== null && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(hostname)) {
      const [, key, upstream = '', rest = ''] = local
      if (key === gate.key && url.port === new URL(gate.origin).port) return { kind: 'gate' }
      return { kind: 'known', through: gateUrl(gate, upstream) + rest }
    }
    for (const { upstream, host: known, path, atGate, format: only, refused } of providers) {
      if (!known.test(host) || !(pathname === path || pathname.startsWith(`${path}/`))) continue
      if ((only !== undefined && format !== undefined && only !== format) || refused?.test(pathname) === true) continue
      // `new URL` gives a bare origin a slash that was not written.
      const rest = pathname === '/' && !address.trim().endsWith('/') ? '' : pathname.slice(path.length)
      return { kind: 'known', through: gateUrl(gate, upstream) + atGate + rest }
    }
  }
  return { kind: 'elsewhere', host }
}
