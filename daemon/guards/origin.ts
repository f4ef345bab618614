import type { Refusal } from '../call.ts'

/**
 * Refuses everything that a web page sends. Model clients are programs and send no Origin; there are no CORS headers to
 * ask for, so a preflight fails here as well (N02).
 */
export function judgeOrigin(origin: string | undefined, fetchSite: string | undefined): Refusal | null {
  const fromPage = origin !== undefined || (fetchSite !== undefined && fetchSite !== 'none')
  if (!fromPage) return null
  return {
    code: 'forbidden_origin',
    message: 'The gate does not answer web pages. Call it from a program on this machine.',
  }
}
