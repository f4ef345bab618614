import { applySteps } from './steps.ts'
import type { Step } from './steps.ts'

/** Clients whose settings can be written. */
export const clientIds = ['codex', 'claude', 'copilot', 'continue', 'cline'] as const

/** A name of `clientIds`. */
export type ClientId = (typeof clientIds)[number]

/**
 * Models or providers that stay outside the gate, for the reader: the name, and in brackets the server, where that is known and
 * is not the name.
 */
export type Left = readonly string[]

/** What has to be done to a client's settings. Only `edit` changes anything. */
export type Plan =
  | {
      readonly kind: 'edit'
      readonly after: string
      readonly steps: readonly Step[]
      readonly left: Left
    }
  | { readonly kind: 'already'; readonly left: Left }
  /** It uses Azure, which is left alone. */
  | { readonly kind: 'azure' }
  /** It uses another server already; its host or name, empty where it cannot be told. */
  | { readonly kind: 'elsewhere'; readonly server: string }
  /** There is nothing in it yet that could be pointed at the gate. */
  | { readonly kind: 'nothing' }
  /** It cannot be parsed, or is written in a way that cannot be changed safely. */
  | { readonly kind: 'malformed' }

/** What is known of one address among several. */
export interface Seen {
  readonly name: string
  /** `direct`: no address is written, so its provider is called past the gate, and none can be written. */
  readonly kind: 'gate' | 'edited' | 'azure' | 'elsewhere' | 'direct'
  /** Host, where it is elsewhere; the provider, where it is direct. */
  readonly server?: string
}

/** The plan of a client with several addresses. */
export function planOf(text: string, steps: readonly Step[], seen: readonly Seen[]): Plan {
  const left = seen.filter(({ kind }) => kind !== 'gate' && kind !== 'edited').map(leftName)
  if (steps.length > 0) return { kind: 'edit', after: applySteps(text, steps), steps, left }
  if (seen.some(({ kind }) => kind === 'gate')) return { kind: 'already', left }
  if (seen.some(({ kind }) => kind === 'azure')) return { kind: 'azure' }
  const other = seen.find(({ kind }) => kind === 'elsewhere')
  return other === undefined ? { kind: 'nothing' } : { kind: 'elsewhere', server: other.server ?? '' }
}

function leftName({ name, kind, server = kind === 'azure' ? 'Azure' : '' }: Seen): string {
  return server === '' || server.toLowerCase() === name.toLowerCase() ? name : `${name} (${server})`
}

/** A text's own line ending. */
export function lineEndOf(text: string): '\r\n' | '\n' {
  return /\r\n/.test(text) ? '\r\n' : '\n'
}

/** First line of what Tollgate wrote into a file that has comments. */
export const blockBegin = '# tollgate begin'

/** Last line of it. */
const blockEnd = '# tollgate end'

/** Lines as a marked block, without the last line's end. */
export function markedBlock(lines: readonly string[], lineEnd: string, indent = ''): string {
  return [blockBegin, ...lines, blockEnd].map((line) => indent + line).join(lineEnd)
}
