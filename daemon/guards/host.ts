import type { Refusal } from '../call.ts'

/** Names of the loopback interface that a client may use; anything else is a rebound name (N01). */
const loopbackNames: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Refuses a request whose Host header does not name this gate: a web page whose DNS name was pointed at 127.0.0.1. */
export function judgeHost(host: string | undefined, port: number): Refusal | null {
  const match = /^(\[[0-9a-f:]+\]|[^:]+?)\.?(?::(\d+))?$/i.exec(host ?? '')
  const name = match?.[1]?.toLowerCase()
  if (name !== undefined && loopbackNames.has(name) && Number(match?.[2] ?? 80) === port) return null
  return {
    code: 'forbidden_host',
    message: `The Host header does not name this gate. Use http://127.0.0.1:${port} as the base URL.`,
  }
}
