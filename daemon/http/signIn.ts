import type { IncomingHttpHeaders } from 'node:http'
import type { Upstream } from '../../shared/config.ts'
import type { Billing } from '../../shared/status.ts'

/** Claude's sign-in: the token says by its first letters that it is no API key. */
const claudeToken = /^bearer\s+sk-ant-oat\d*-/i

/** ChatGPT's sign-in: a signed token of three parts instead of an API key. */
const signedToken = /^bearer\s+eyJ[\w-]+\.[\w-]+\.[\w-]+$/i

/** Whose account the signed token speaks for. */
const chatgptAccount = 'chatgpt-account-id'

/**
 * How a call is paid for, told by the form of its credentials at the upstream that it goes to. Nothing of them is kept. An
 * API key beside the token may be the one that is billed, so that such a call is metered, and so is all that is not known.
 */
export function billingOf(headers: IncomingHttpHeaders, upstream: Upstream): Billing {
  const { authorization } = headers
  if (authorization === undefined || upstream.free) return 'metered'
  if (headers['x-api-key'] !== undefined || headers['api-key'] !== undefined) return 'metered'
  switch (upstream.dialect) {
    case 'anthropic':
      return claudeToken.test(authorization) ? 'subscription' : 'metered'
    case 'openai':
      return headers[chatgptAccount] !== undefined && signedToken.test(authorization) ? 'subscription' : 'metered'
    case 'gemini':
    case 'ollama':
      return 'metered'
  }
}
