import { applySteps } from './steps.ts'
import type { Step } from './steps.ts'

/** Clients whose settings can be written. */
export const clientIds = ['codex', 'claude', 'copilot', 'continue', 'cline'] as const

/** A name of `clientIds`. */
export type ClientId = (typeof clientIds)[number]

/** What has to be done to a client's settings. Only `edit` changes anything. */
export type Plan =
  | {
      readonly kind: 'edit'
      readonly after: string
      readonly steps: readonly Step[]
      /** Names of models or providers that stay as they are, because they use a server of their own. */
      readonly left: readonly string[]
    }
  | { readonly kind: 'already' }
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
  readonly kind: 'gate' | 'edited' | 'azure' | 'elsewhere'
  /** Host, where it is elsewhere. */
  readonly server?: string
}

/** The plan of a client with several addresses. */
export function planOf(text: string, steps: readonly Step[], seen: readonly Seen[]): Plan {
  const left = seen.filter(({ kind }) => kind === 'azure' || kind === 'elsewhere')
  if (steps.length > 0) {
    return { kind: 'edit', after: applySteps(text, steps), steps, left: left.map(({ name }) => name) }
  }
  if (seen.some(({ kind }) => kind === 'gate')) return { kind: 'already' }
  if (left.some(({ kind }) => kind === 'azure')) return { kind: 'azure' }
  const [first] = left
  return first === undefined ? { kind: 'nothing' } : { kind: 'elsewhere', server: first.server ?? '' }
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
