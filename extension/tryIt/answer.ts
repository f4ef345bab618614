/** What came back from the gate. */
export interface TryAnswer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How the one call ended. */
export type TryOutcome =
  | { readonly kind: 'answered'; readonly said: string }
  /** The gate refused it: `code` and the figures `about` it are of docs/refusals.md, `sentence` is what any client is told. */
  | {
      readonly kind: 'refused'
      readonly code: string
      readonly about: Readonly<Record<string, unknown>>
      readonly sentence: string
    }
  /** The provider answered with an error. */
  | { readonly kind: 'upstreamError'; readonly sentence: string }

/** Longest text of an answer or an error that is shown, in characters. */
const mostShown = 400

/** What an answer means. Whatever of `secret` is in its texts is taken out: providers quote keys that they do not know. */
export function outcomeOf({ status, headers, body }: TryAnswer, secret: string | null): TryOutcome {
  const value = parsed(body)
  const clean = (text: string): string => shortened(withoutSecret(text, secret))
  const code = headers['x-tollgate-code']
  if (code !== undefined) {
    const about = Object.entries(refusalFigures(value)).map(
      ([name, field]) => [name, typeof field === 'string' ? clean(field) : field] as const,
    )
    return { kind: 'refused', code, about: Object.fromEntries(about), sentence: clean(errorSentence(value)) }
  }
  if (status < 200 || status > 299) return { kind: 'upstreamError', sentence: clean(errorSentence(value)) }
  return { kind: 'answered', said: clean(saidText(value)) }
}

/** The provider wants a key, and none was given. */
export function wantsKey({ status, headers }: TryAnswer): boolean {
  return (status === 401 || status === 403) && headers['x-tollgate-code'] === undefined
}

/** The sentence in an error of any dialect: `{error:{message}}`, `{error:"…"}`, or a list of them (Gemini). */
function errorSentence(value: unknown): string {
  const { error, message } = recordOf(Array.isArray(value) ? (value as readonly unknown[])[0] : value)
  const sentence = typeof error === 'string' ? error : (recordOf(error)['message'] ?? message)
  return typeof sentence === 'string' ? sentence : ''
}

/** What the gate says of a refusal besides its sentence: `{error:{tollgate}}`, or beside the error where that is a text (Ollama). */
function refusalFigures(value: unknown): Readonly<Record<string, unknown>> {
  const { error, tollgate } = recordOf(value)
  return recordOf(recordOf(error)['tollgate'] ?? tollgate)
}

/** Visible text of an answer of any dialect. */
function saidText(value: unknown): string {
  const { choices, content, candidates, message } = recordOf(value)
  const texts = (parts: unknown): string =>
    typeof parts === 'string'
      ? parts
      : listOf(parts)
          .map((part) => textOf(recordOf(part)['text']))
          .join('')
  if (choices !== undefined) return texts(recordOf(recordOf(listOf(choices)[0])['message'])['content'])
  if (candidates !== undefined) return texts(recordOf(recordOf(listOf(candidates)[0])['content'])['parts'])
  return texts(content ?? recordOf(message)['content'])
}

function withoutSecret(text: string, secret: string | null): string {
  return secret === null || secret === '' ? text : text.replaceAll(secret, '…')
}

function shortened(text: string): string {
  // A notification would make a link of it, even one that runs a command.
  const line = text.replace(/\s+/g, ' ').replaceAll('](', '] (').trim()
  return line.length <= mostShown ? line : `${line.slice(0, mostShown - 1)}…`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
