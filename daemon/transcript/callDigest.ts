import { canonicalArguments } from './canonical.ts'
import type { OpenCall, PendingCall } from './pairing.ts'
import type { TextDigests } from './textDigests.ts'

/** A tool's name as it is shown to people. */
export const toolNameChars = 128

/** A tool call as an answer carries it. Its arguments are text, so that it must not outlive the call that it came with. */
export interface AnswerCall {
  readonly id: string | null
  readonly tool: string
  /** JSON text or, for a tool of free form, whatever the model wrote. */
  readonly argumentsText: string
}

/**
 * The digest by which equal calls are recognised, wherever they stand: in a transcript that carries them, or in the answer
 * that made them. `args` is an object or its text; `chars` is how much the model reads of it.
 */
export function digestCall(
  digests: TextDigests,
  tool: string,
  args: unknown,
): { readonly call: OpenCall; readonly chars: number } {
  const text = argumentsText(args)
  const name = tool.slice(0, toolNameChars)
  const callDigest = digests.noteOf(`call ${name} `, digests.digestOf(text), () =>
    digests.digestOnce(`${name} ${typeof args === 'string' ? canonicalArguments(args) : text}`),
  )
  return { call: { tool: name, callDigest }, chars: text.length }
}

/** What stays of an answer's calls when the answer is over: no text. */
export function digestAnswerCalls(digests: TextDigests, calls: readonly AnswerCall[]): readonly PendingCall[] {
  try {
    return calls.map(({ id, tool, argumentsText }) => ({
      ...digestCall(digests, tool, argumentsText).call,
      id: digestId(digests, id),
    }))
  } finally {
    digests.forgetTexts()
  }
}

/** Digest of a call's id; null for a call without one. */
export function digestId(digests: TextDigests, id: string | null): string | null {
  return id === null ? null : digests.digestOnce(id)
}

/** Arguments as one text, which canonical arguments make the same digest of as of the value. */
export function argumentsText(args: unknown): string {
  return typeof args === 'string' ? args : canonicalArguments(args)
}
