import { request } from 'node:http'
import type { TryAnswer } from './answer.ts'
import type { TryRequest } from './request.ts'

/** Largest answer that is read, in bytes; one of 32 tokens has some thousands. */
const maxAnswerBytes = 1 << 20

/** Sends one request to the gate. Rejects where no answer comes, or the signal ends it: then the gate ends the call too. */
export function sendTry(
  { url, headers, body }: TryRequest,
  userAgent: string,
  signal: AbortSignal,
): Promise<TryAnswer> {
  return new Promise((resolve, reject) => {
    const all = { ...headers, 'user-agent': userAgent, 'content-length': String(Buffer.byteLength(body)) }
    const call = request(url, { method: 'POST', headers: all, agent: false, signal })
    call.on('error', reject)
    call.on('response', (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('error', reject)
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxAnswerBytes) response.destroy(new Error('the answer is too large'))
        else chunks.push(chunk)
      })
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(response.headers).flatMap(([name, value]) =>
              value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
            ),
          ),
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    call.end(body)
  })
}
