import { remembering } from '../memo.ts'

/**
 * What differs between the servers that speak OpenAI's format: one row each, so that no dialect asks for a name. Sources:
 * the vendors' own reference pages. A fact that holds for one and does no harm to the others is not in here: reasoning under
 * another field's name, comments in a stream, a finish reason of its own.
 */
export interface Vendor {
  readonly name: VendorName
  /**
   * Which of the two fields bounds the output of a chat: the servers that know only `max_tokens` ignore or refuse
   * `max_completion_tokens` and then generate without a bound (H07).
   */
  readonly ceilings: 'both' | 'max_tokens'
  /** The field that is put in where the client sent none; OpenAI's reasoning models refuse the older one. */
  readonly addedCeiling: 'max_tokens' | 'max_completion_tokens'
  /** `asked`: a stream reports its usage where `stream_options` asks for it. `always`: it does so by itself (B01). */
  readonly streamUsage: 'asked' | 'always'
  /** Where usage stands besides `usage`. */
  readonly usageIn: readonly UsagePlace[]
  /** Fields of the usage block that hold the cached part of the prompt besides `prompt_tokens_details.cached_tokens`. */
  readonly cachedIn: readonly string[]
  /** `beside`: the completion count leaves reasoning out, and only the total has it (D12). */
  readonly reasoning: 'inside' | 'beside'
  /** llama.cpp's `timings`, for a stream that reports nothing else. */
  readonly timings: boolean
  /** The field of the usage block that says what was charged, and how many of its units a dollar has. */
  readonly cost: { readonly field: string; readonly unitsPerUsd: number } | null
  /** The server writes its prompt cache unasked and may charge for it. */
  readonly writesCacheUnasked: boolean
  /** A server of the user's own, where the model's chat template builds the prompt and a ceiling of 0 means none. */
  readonly isLocal: boolean
  /** What stands before `/v1` in the vendor's own paths; its base URL has it. */
  readonly pathPrefix: string | null
  /** The request may name models to fall back on in `models`. */
  readonly listsModels: boolean
  /** Generates on when the connection closes, and charges for it (C07, C08). */
  readonly billsAfterAbort: boolean
}

/** Places of a usage block: Groq's own object, or inside a choice. */
export type UsagePlace = 'x_groq' | 'choice'

/** A row of the table. */
export type VendorName =
  | 'openai'
  | 'openai-relay'
  | 'azure'
  | 'openrouter'
  | 'groq'
  | 'mistral'
  | 'deepseek'
  | 'xai'
  | 'together'
  | 'fireworks'
  | 'cerebras'
  | 'moonshot'
  | 'gemini'
  | 'bedrock'
  | 'vllm'
  | 'llamacpp'
  | 'lmstudio'
  | 'ollama'
  | 'other'

interface Row {
  /** Names of upstreams that mean this vendor, where the base URL does not tell. */
  readonly names: readonly string[]
  /** Hosts of its API. */
  readonly host: RegExp | null
  readonly facts: Partial<Omit<Vendor, 'name'>>
}

/** What holds unless a row says otherwise. */
const usual: Omit<Vendor, 'name'> = {
  ceilings: 'both',
  addedCeiling: 'max_tokens',
  streamUsage: 'asked',
  usageIn: [],
  cachedIn: [],
  reasoning: 'inside',
  timings: false,
  cost: null,
  writesCacheUnasked: false,
  isLocal: false,
  pathPrefix: null,
  listsModels: false,
  billsAfterAbort: false,
}

const rows: Readonly<Record<Exclude<VendorName, 'other'>, Row>> = {
  openai: {
    names: [],
    host: /(^|\.)api\.openai\.com$/,
    facts: { addedCeiling: 'max_completion_tokens', writesCacheUnasked: true },
  },
  // An upstream of this name at another address may be a relay to OpenAI as well as a server that only imitates it.
  'openai-relay': { names: ['openai'], host: null, facts: { writesCacheUnasked: true } },
  azure: {
    names: ['azure'],
    host: /(^|\.)azure\.com$/,
    facts: { addedCeiling: 'max_completion_tokens', writesCacheUnasked: true, pathPrefix: 'openai' },
  },
  // Usage and cost come with every answer; the options that once asked for them have no effect any more.
  openrouter: {
    names: ['openrouter'],
    host: /(^|\.)openrouter\.ai$/,
    facts: { streamUsage: 'always', cost: { field: 'cost', unitsPerUsd: 1 }, pathPrefix: 'api', listsModels: true },
  },
  groq: { names: ['groq'], host: /(^|\.)groq\.com$/, facts: { usageIn: ['x_groq'], pathPrefix: 'openai' } },
  // Unknown fields are a 422 there, and usage stands on the last choice's own chunk.
  mistral: { names: ['mistral'], host: /(^|\.)mistral\.ai$/, facts: { ceilings: 'max_tokens', streamUsage: 'always' } },
  deepseek: {
    names: ['deepseek'],
    host: /(^|\.)deepseek\.com$/,
    facts: { ceilings: 'max_tokens', cachedIn: ['prompt_cache_hit_tokens'] },
  },
  xai: {
    names: ['xai'],
    host: /(^|\.)x\.ai$/,
    facts: {
      reasoning: 'beside',
      cachedIn: ['cached_prompt_text_tokens'],
      cost: { field: 'cost_in_usd_ticks', unitsPerUsd: 10_000_000_000 },
    },
  },
  together: {
    names: ['together'],
    host: /(^|\.)together\.(xyz|ai)$/,
    facts: { ceilings: 'max_tokens', cachedIn: ['cached_tokens'] },
  },
  fireworks: { names: ['fireworks'], host: /(^|\.)fireworks\.ai$/, facts: {} },
  cerebras: { names: ['cerebras'], host: /(^|\.)cerebras\.ai$/, facts: {} },
  moonshot: {
    names: ['moonshot'],
    host: /(^|\.)moonshot\.(cn|ai)$/,
    facts: { usageIn: ['choice'], cachedIn: ['cached_tokens'] },
  },
  gemini: { names: ['gemini'], host: /(^|\.)googleapis\.com$/, facts: { billsAfterAbort: true } },
  bedrock: {
    names: ['bedrock'],
    host: /^bedrock[a-z-]*\.[a-z0-9-]+\.amazonaws\.com$/,
    facts: { pathPrefix: 'openai', billsAfterAbort: true },
  },
  vllm: { names: ['vllm'], host: null, facts: { isLocal: true } },
  llamacpp: { names: ['llamacpp'], host: null, facts: { ceilings: 'max_tokens', timings: true, isLocal: true } },
  lmstudio: { names: ['lmstudio'], host: null, facts: { ceilings: 'max_tokens', isLocal: true } },
  ollama: { names: ['ollama'], host: null, facts: { ceilings: 'max_tokens', isLocal: true } },
}

const vendors: ReadonlyMap<VendorName, Vendor> = new Map(
  (Object.keys(rows) as Exclude<VendorName, 'other'>[]).map((name) => [name, { ...usual, ...rows[name].facts, name }]),
)

/** A server that nobody knows: usage is looked for in every place, because a gateway may pass on any vendor's answer. */
const otherVendor: Vendor = {
  ...usual,
  name: 'other',
  usageIn: [...new Set([...vendors.values()].flatMap((vendor) => vendor.usageIn))],
  cachedIn: [...new Set([...vendors.values()].flatMap((vendor) => vendor.cachedIn))],
  timings: true,
}

/** The facts of a row; of an unknown server where the name is missing. */
export function vendorNamed(name: VendorName | undefined): Vendor {
  return (name === undefined ? undefined : vendors.get(name)) ?? otherVendor
}

/** Who answers at an upstream: its host says so, else the name that the user gave it. An Ollama server's emulation is Ollama. */
export function vendorOf(upstream: {
  readonly upstreamName: string
  readonly upstreamBaseUrl: string
  readonly ollamaEmulation?: boolean
}): Vendor {
  if (upstream.ollamaEmulation === true) return vendorNamed('ollama')
  return vendorNamed(nameOf(`${upstream.upstreamName}\n${upstream.upstreamBaseUrl}`))
}

const nameOf = remembering<VendorName>(200, (key) => {
  const [upstreamName = '', baseUrl = ''] = key.split('\n')
  const host = /^https?:\/\/([^/:?#]+)/i.exec(baseUrl)?.[1]?.toLowerCase() ?? ''
  const named = Object.entries(rows) as [Exclude<VendorName, 'other'>, Row][]
  const found =
    named.find(([, row]) => row.host?.test(host)) ?? named.find(([, row]) => row.names.includes(upstreamName))
  return found?.[0] ?? 'other'
})

/** True for OpenAI's own API and Azure's, whose reasoning models reject `max_tokens`. */
export function isOpenaiHost(baseUrl: string): boolean {
  const { name } = vendorOf({ upstreamName: '', upstreamBaseUrl: baseUrl })
  return name === 'openai' || name === 'azure'
}
