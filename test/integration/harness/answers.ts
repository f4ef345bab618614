/** The figures of a refusal, as the object `tollgate` carries them. */
export interface RefusalFigures {
  readonly code: string
  readonly scope?: string
  readonly scopeRef?: string
  readonly window?: string
  readonly unit?: string
  readonly kind?: string
  readonly limit?: number
  readonly spent?: number
  readonly reserved?: number
  readonly requested?: number
  readonly resetsAt?: string
  readonly retryAfterSeconds?: number
  readonly phase?: string
  readonly also?: readonly string[]
}

/** A refusal as the client got it. */
export interface Refused {
  readonly status: number
  readonly code: string | null
  readonly retryAfter: string | null
  readonly body: Readonly<Record<string, unknown>>
  readonly figures: RefusalFigures
}

interface ErrorObject {
  readonly tollgate?: RefusalFigures
}

/** Reads a refused answer, whatever the dialect: the figures stand in the error object, or beside it (Ollama). */
export async function readRefusal(response: Response): Promise<Refused> {
  const body = (await response.json()) as Readonly<Record<string, unknown>>
  return {
    status: response.status,
    code: response.headers.get('x-tollgate-code'),
    retryAfter: response.headers.get('retry-after'),
    body,
    figures: figuresOf(body),
  }
}

/** Figures of a refusal's body, or of a terminal error. */
export function figuresOf(body: Readonly<Record<string, unknown>>): RefusalFigures {
  const { error, tollgate, response } = body
  const inside = typeof error === 'object' && error !== null ? (error as ErrorObject).tollgate : undefined
  const figures = inside ?? (tollgate as RefusalFigures | undefined)
  if (figures !== undefined) return figures
  if (typeof response === 'object' && response !== null) return figuresOf(response as Record<string, unknown>)
  throw new Error(`No figures in ${JSON.stringify(body)}`)
}

/** The last message of a stream, server-sent events or lines of JSON. */
export function lastMessage(text: string): Readonly<Record<string, unknown>> {
  const lines = text.trimEnd().split('\n')
  const data = lines.at(-1)?.replace(/^data: /, '') ?? ''
  return JSON.parse(data) as Record<string, unknown>
}
