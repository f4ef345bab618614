import type { AnswerForm } from '../dialects/dialect.ts'

/**
 * What has to be written before an event of our own, when an answer is cut: nothing after a whole event, else the bytes
 * that end the one that was cut in the middle. A JSON array needs more than its last bytes for that: see `arrayEnd`.
 */
export function mark(lastBytes: Uint8Array | null, form: AnswerForm): string {
  if (lastBytes === null || lastBytes.length === 0) return ''
  const tail = Buffer.from(lastBytes.subarray(-4)).toString('latin1')
  switch (form) {
    case 'sse':
      return /(\n\n|\r\n\r\n|\r\r)$/.test(tail) ? '' : '\n\n'
    case 'ndjson':
      return tail.endsWith('\n') ? '' : '\n'
    case 'json':
    case 'json-array':
      return ''
  }
}
