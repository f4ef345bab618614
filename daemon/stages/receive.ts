import type { DialectName, Identity, ReceivedCall, Refusal } from '../call.ts'
import { dialectByName } from '../dialects/registry.ts'
import { resolveRoute } from '../dialects/routes.ts'
import { vendorOf } from '../dialects/vendors.ts'
import type { Gate } from '../gate.ts'
import { identify } from '../guards/key.ts'
import { judgeKillSwitch } from '../guards/killSwitch.ts'
import { parseAddress } from '../http/address.ts'
import type { CallAddress } from '../http/address.ts'
import { decodeBody, readBody } from '../http/body.ts'
import type { Exchange } from '../http/exchange.ts'
import { secretEquals } from '../http/secrets.ts'
import { billingOf } from '../http/signIn.ts'
import type { Upstream } from '../../shared/config.ts'

/** A request that is known to come from a local client and to go to a configured upstream. */
export interface Addressed {
  readonly identity: Identity
  readonly address: CallAddress
  readonly upstream: Upstream
  readonly route:
    | { readonly kind: 'metered'; readonly dialect: DialectName; readonly path: string }
    | { readonly kind: 'free'; readonly path: string }
}

/** Characters of an unknown upstream's name that a message repeats. Keys are longer. */
const longestShownUpstream = 16

/** Who calls, and where to. Nothing of the body has been read. */
export function authenticate(gate: Gate, exchange: Exchange): Addressed | Refusal {
  const { request } = exchange
  const config = gate.config()
  const address = parseAddress(request.url ?? '/', (name) => {
    const value = request.headers[name]
    return Array.isArray(value) ? value[0] : value
  })
  if (address === null) return badAddress
  // Tools that use an SDK's own user agent name themselves in the title that OpenRouter's ranking reads.
  const title = request.headers['x-title']
  const userAgent = typeof title === 'string' ? `${exchange.userAgent} ${title}` : exchange.userAgent
  const claim = { key: address.key, user: address.user, project: address.project, userAgent }
  const identity = identify(claim, config, gate.localKey, secretEquals)
  if ('code' in identity) return identity
  const upstream = Object.hasOwn(config.upstreams, address.upstream) ? config.upstreams[address.upstream] : undefined
  if (upstream === undefined) {
    const known = Object.keys(config.upstreams).join(', ')
    // A longer word in this place may be a key that somebody put there, and messages are kept.
    const named = address.upstream.length <= longestShownUpstream ? ` ${JSON.stringify(address.upstream)}` : ''
    const message = `The base URL names an upstream${named} that is not configured. Known: ${known}. Add others to upstreams in config.json.`
    return { code: 'unsupported', message }
  }
  const vendor = vendorOf({ upstreamName: address.upstream, upstreamBaseUrl: upstream.baseUrl })
  if (address.upstream === 'openai' && vendor.name !== 'azure' && request.headers['api-key'] !== undefined) {
    const message =
      'This is an Azure OpenAI request (it has an api-key header), and the base URL leads to OpenAI. Nothing was sent. Add your Azure endpoint to upstreams in config.json and use that name in the base URL.'
    return { code: 'unsupported', message }
  }
  // Its clients read an error of another shape as raw text; a path that is not understood is of this format all the same.
  if (upstream.dialect === 'gemini') exchange.dialect = dialectByName('gemini-generate')
  const route = resolveRoute(
    upstream.dialect,
    address.upstream,
    request.method ?? 'GET',
    address.rest,
    upstream.baseUrl,
  )
  if (route.kind === 'unsupported') return { code: 'unsupported', message: route.reason }
  if (route.kind === 'metered') exchange.dialect = dialectByName(route.dialect)
  const idle = request.method === 'GET' || request.method === 'HEAD'
  return judgeStop(gate, identity, address.task, idle) ?? { identity, address, upstream, route }
}

/** Refuses what arrives while the gate stops, and what a kill switch covers; `idle` requests run no model. */
export function judgeStop(gate: Gate, identity: Identity, task: string | null, idle: boolean): Refusal | null {
  if (gate.stopping())
    return { code: 'shutting_down', message: 'The gate is stopping. Nothing was sent to the provider.' }
  return idle ? null : judgeKillSwitch(gate.kills.current(), { ...identity, task })
}

const badAddress: Refusal = {
  code: 'invalid_request',
  message:
    'The base URL is not one of this gate. It looks like http://127.0.0.1:4141/k/<key>/<upstream>; names may have letters, digits, - and _. Take it from "Tollgate: Copy Base URL" in VS Code or from "tollgate env".',
}

/** Reads the body within the plan's limits. Null when the client left meanwhile. */
export async function receiveBody(exchange: Exchange, identity: Identity): Promise<Buffer | Refusal | null> {
  const { plan } = identity
  const { request, response } = exchange
  const maxBytes = plan.maxBodyBytes
  const declared = Number(request.headers['content-length'] ?? 0)
  const admitted = maxBytes === null || declared <= maxBytes
  // Only now, after key and length were checked, is a waiting client told to send (G04).
  if (admitted && request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
  const read = await readBody(request, { maxBytes, idleMs: plan.timeouts.idleMs, totalMs: plan.timeouts.totalMs })
  if (read.kind === 'gone') return null
  if (read.kind === 'refused') return read.refusal
  const decoded = await decodeBody(read.bytes, request.headers['content-encoding'], maxBytes)
  if (decoded.kind === 'gone') return null
  return decoded.kind === 'refused' ? decoded.refusal : decoded.bytes
}

/** Headers by which clients name their own sessions. */
const sessionHeaders = ['x-claude-code-session-id', 'session_id', 'session-id', 'conversation_id'] as const

/** Claude Code's agents name themselves, and those that another agent started its name too. The session itself has neither. */
const agentHeaders = ['x-claude-code-agent-id', 'x-claude-code-parent-agent-id'] as const

/** The call as it arrived. */
export function receivedCall(
  exchange: Exchange,
  addressed: Addressed & { readonly route: { readonly kind: 'metered' } },
  body: Buffer,
  receivedAtMs: number,
): ReceivedCall {
  const { headers } = exchange.request
  const session = sessionHeaders.map((name) => headers[name]).find((value) => typeof value === 'string' && value !== '')
  return {
    id: exchange.id,
    receivedAtMs,
    identity: addressed.identity,
    upstreamName: addressed.address.upstream,
    upstream: addressed.upstream,
    upstreamPath: addressed.route.path,
    dialect: addressed.route.dialect,
    explicitTask: addressed.address.task,
    userAgent: exchange.userAgent,
    sessionHeader: typeof session === 'string' ? session : null,
    isRetry: Number(headers['x-stainless-retry-count'] ?? 0) > 0,
    isSubAgent: agentHeaders.some((name) => typeof headers[name] === 'string'),
    billing: billingOf(headers, addressed.upstream),
    body,
  }
}
