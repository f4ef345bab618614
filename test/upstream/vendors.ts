import { objectOf, numberOf } from './json.ts'
import type { JsonObject } from './json.ts'
import { openaiChat } from './openaiChat.ts'
import { openaiResponses } from './openaiResponses.ts'
import { frame, sse } from './reply.ts'
import type { Ask, Endpoint, Frame, Reply } from './reply.ts'

/** How a vendor's chat differs from OpenAI's. */
interface Traits {
  /** Its own paths, below which the endpoints stand. */
  readonly root: string
  /** `asked`: a chunk of its own where `stream_options` asks for it. `always`: the same unasked. `last`: on the last choice's. */
  readonly streamUsage: 'asked' | 'always' | 'last'
  /** The vendor's form of OpenAI's usage block. */
  readonly usage?: (usage: JsonObject) => JsonObject
  /** Fields besides usage on the last choice's chunk, and of the whole document. */
  readonly last?: (usage: JsonObject) => JsonObject
  /** What it says of the tier that it served, on every chunk. */
  readonly serviceTier?: string
  /** Request fields that it knows; any other is a 422. */
  readonly fields?: RegExp
}

/** The vendors that are played, by the name that the gate's configuration has for them. Usage comes from the step. */
const vendors: Readonly<Record<string, Traits>> = {
  openrouter: { root: '/openrouter/api/v1', streamUsage: 'always', last: () => ({ provider: 'Playing' }) },
  groq: {
    root: '/groq/openai/v1',
    streamUsage: 'asked',
    serviceTier: 'on_demand',
    last: (usage) => ({ x_groq: { id: 'req_playing', usage } }),
  },
  mistral: {
    root: '/mistral/v1',
    streamUsage: 'last',
    fields:
      /^(?:model|messages|temperature|top_p|max_tokens|stream|stop|random_seed|response_format|tools|tool_choice|n)$/,
  },
  deepseek: {
    root: '/deepseek/v1',
    streamUsage: 'asked',
    usage: ({ prompt_tokens_details: details, ...usage }) => {
      const cached = numberOf(objectOf(details)['cached_tokens']) ?? 0
      const prompt = numberOf(usage['prompt_tokens']) ?? 0
      return { ...usage, prompt_cache_hit_tokens: cached, prompt_cache_miss_tokens: prompt - cached }
    },
  },
  xai: {
    root: '/xai/v1',
    streamUsage: 'asked',
    usage: (usage) => {
      const reasoning = numberOf(objectOf(usage['completion_tokens_details'])['reasoning_tokens']) ?? 0
      return { ...usage, completion_tokens: (numberOf(usage['completion_tokens']) ?? 0) - reasoning }
    },
  },
}

/** The endpoints of all vendors, by method and path. */
export const vendorEndpoints: Readonly<Record<string, readonly [Endpoint, boolean]>> = Object.fromEntries(
  Object.values(vendors).flatMap((traits) => [
    [`POST ${traits.root}/chat/completions`, [vendorChat(traits), true] as const],
    [`POST ${traits.root}/responses`, [openaiResponses, true] as const],
  ]),
)

/** The base URL of a vendor on the playing upstream at `url`. */
export function vendorBaseUrl(url: string, name: string): string {
  const traits = vendors[name]
  if (traits === undefined) throw new Error(`Nobody plays ${name}.`)
  return url + traits.root
}

function vendorChat(traits: Traits): Endpoint {
  return (ask) => {
    const { fields } = traits
    const unknown = fields === undefined ? undefined : Object.keys(ask.body).find((name) => !fields.test(name))
    if (unknown !== undefined) return unknownField(unknown)
    const asked = objectOf(ask.body['stream_options'])['include_usage'] === true
    const reply = openaiChat(reporting(ask))
    if (reply.kind === 'json') {
      const body = objectOf(reply.body)
      const usage = usageIn(body, traits)
      return usage === null ? reply : { ...reply, body: { ...ownChunk(body, traits), usage, ...traits.last?.(usage) } }
    }
    return { ...reply, frames: vendorFrames([...reply.frames], asked, traits) }
  }
}

/** The same request with a wish for its usage, which the vendor's form is made of. */
function reporting(ask: Ask): Ask {
  if (ask.body['stream'] !== true) return ask
  return { ...ask, body: { ...ask.body, stream_options: { include_usage: true } } }
}

function* vendorFrames(frames: readonly Frame[], asked: boolean, traits: Traits): Generator<Frame> {
  const read = frames.map(({ text }) => (text.startsWith('data: {') ? objectOf(JSON.parse(text.slice(6))) : null))
  const usage = read.map((chunk) => (chunk === null ? null : usageIn(chunk, traits))).find((found) => found !== null)
  for (const [at, chunk] of read.entries()) {
    const original = frames[at] ?? frame('')
    if (chunk === null) {
      yield original
      continue
    }
    const choices = chunk['choices']
    const isUsageChunk = Array.isArray(choices) && choices.length === 0
    if (isUsageChunk) {
      const sends = traits.streamUsage === 'always' || (traits.streamUsage === 'asked' && asked)
      if (sends) yield frame(sse({ ...ownChunk(chunk, traits), usage }))
      continue
    }
    const isLast = Array.isArray(choices) && typeof objectOf(choices[0])['finish_reason'] === 'string'
    const own = isLast && usage !== undefined ? traits.last?.(usage) : undefined
    const there = isLast && usage !== undefined && traits.streamUsage === 'last' ? { usage } : {}
    yield { text: sse({ ...ownChunk(chunk, traits), ...own, ...there }), chunk: original.chunk }
  }
}

/** A chunk or document without what only OpenAI says, and without usage. */
function ownChunk(chunk: JsonObject, { serviceTier }: Traits): JsonObject {
  const plain = Object.entries(chunk).filter(([name]) => name !== 'usage' && name !== 'service_tier')
  return { ...Object.fromEntries(plain), ...(serviceTier === undefined ? {} : { service_tier: serviceTier }) }
}

function usageIn(chunk: JsonObject, traits: Traits): JsonObject | null {
  const usage = chunk['usage']
  if (typeof usage !== 'object' || usage === null) return null
  return traits.usage?.(objectOf(usage)) ?? objectOf(usage)
}

/** Mistral's answer to a field that it does not know. */
function unknownField(name: string): Reply {
  const detail = [{ type: 'extra_forbidden', loc: ['body', name], msg: 'Extra inputs are not permitted' }]
  return {
    kind: 'json',
    status: 422,
    headers: {},
    body: { object: 'error', message: { detail }, type: 'invalid_request_error' },
  }
}
