import type { Plan } from '../../shared/config.ts'
import type { CallWarning, ReceivedCall, Refusal } from '../call.ts'
import type { FieldEdit } from '../dialects/edit.ts'
import { readsOllamaOptions } from '../models/effectiveWindow.ts'
import type { EffectiveWindow } from '../models/effectiveWindow.ts'
import type { Guard, GuardedCall, Verdict } from './guard.ts'
import { allow } from './guard.ts'

/** A prompt and the window that it has to fit into, in tokens. */
export interface ContextWindowState {
  readonly window: EffectiveWindow
  /** Low estimate of the prompt, calibrated. Warnings go by it, because a false one costs trust. */
  readonly plainTokens: number
  /** What the prompt has at the very least: lower while nothing is known of the model. Refusals go by it (I07). */
  readonly leastTokens: number
  /** Upper bound of the prompt, calibrated. Room is made for it. */
  readonly upperTokens: number
  /** The shortest answer that is still useful. */
  readonly usefulOutputTokens: number
}

/** A window that is asked for is a power of two, so that a growing conversation does not reload the model each turn. */
const leastRaisedWindow = 2048

const numCtxField = ['options', 'num_ctx'] as const

/**
 * Looks before the call whether the prompt fits into the model's window: what does not fit is cut by the server in silence,
 * and the answer comes with status 200 (I01). By the plan's `truncation.before`:
 *
 * - `warn`: the call goes on and says so.
 * - `refuse`: refused where the window is known. On Ollama's native routes `truncate: false` goes along with every call, so
 *   that the server refuses by its own count what our estimate let through.
 * - `raise`: on the native routes a window is asked for that the prompt fits into, up to `maxNumCtx` and to what the model
 *   takes. That makes the server load the model anew, so that it is done only where the prompt would not fit. Elsewhere
 *   there is nothing to ask with (I03), and the call is warned of.
 */
export const contextWindow: Guard = {
  name: 'contextWindow',
  judge: (call, { contextWindow: known }) => {
    const { truncation } = call.received.identity.plan
    if (truncation === null) return allow
    switch (truncation.before) {
      case 'warn':
        return warned(known)
      case 'refuse':
        return refused(call, known)
      case 'raise':
        return readsOllamaOptions(call.received.dialect) ? raised(truncation, known) : warned(known)
    }
  },
}

/** The window that the changes of a request ask for; null where they ask for none. */
export function raisedNumCtx(edits: readonly FieldEdit[]): number | null {
  const edit = edits.find(({ path }) => path.length === 2 && numCtxField.every((name, at) => name === path[at]))
  return typeof edit?.value === 'number' ? edit.value : null
}

function warned(known: ContextWindowState | undefined): Verdict {
  return change([], [], known === undefined ? [] : warnings(known.window, known.plainTokens))
}

function refused({ received, facts }: GuardedCall, known: ContextWindowState | undefined): Verdict {
  if (known !== undefined && known.window.certainty !== 'assumed' && known.leastTokens > known.window.tokens) {
    return { kind: 'refuse', refusal: refusal(received, facts.model, known) }
  }
  const warning = known === undefined ? [] : warnings(known.window, known.plainTokens)
  if (!readsOllamaOptions(received.dialect) || facts.ollama?.truncate === false) return change([], [], warning)
  return change([{ path: ['truncate'], value: false }], ['truncate=false'], warning)
}

function raised({ maxNumCtx }: NonNullable<Plan['truncation']>, known: ContextWindowState | undefined): Verdict {
  if (known === undefined) return allow
  const { window, plainTokens, upperTokens, usefulOutputTokens } = known
  const wanted = upperTokens + usefulOutputTokens
  if (wanted <= window.tokens) return allow
  const tokens = Math.min(powerOfTwo(wanted), maxNumCtx, window.modelMaximum ?? Infinity)
  // Never lowered: a window that is as large as it may become stays.
  if (tokens <= window.tokens) return warned(known)
  const asked: EffectiveWindow = { ...window, tokens, certainty: 'requested' }
  return change([{ path: numCtxField, value: tokens }], [`num_ctx=${tokens}`], warnings(asked, plainTokens))
}

function change(edits: readonly FieldEdit[], says: readonly string[], warning: readonly CallWarning[]): Verdict {
  if (edits.length === 0 && warning.length === 0) return allow
  return { kind: 'change', edits, says, warnings: warning }
}

function powerOfTwo(tokens: number): number {
  let size = leastRaisedWindow
  while (size < tokens) size *= 2
  return size
}

function warnings({ tokens, certainty }: EffectiveWindow, plainTokens: number): readonly CallWarning[] {
  if (plainTokens <= tokens) return []
  const fields = { estimated: plainTokens, window: tokens, certainty }
  return [{ code: 'over_window', says: `estimated=${plainTokens}; window=${tokens}`, fields }]
}

function refusal(received: ReceivedCall, model: string, { window, plainTokens }: ContextWindowState): Refusal {
  const name = JSON.stringify(model.slice(0, 80))
  const message = `The prompt has about ${plainTokens.toLocaleString('en')} tokens, and ${name} reads ${window.tokens.toLocaleString('en')} at once, ${reason(window)}. Nothing was sent. ${remedy(received, window)}`
  return { code: 'context_overflow', message, unit: 'tokens', limit: window.tokens, requested: plainTokens }
}

function reason({ certainty }: EffectiveWindow): string {
  switch (certainty) {
    case 'loaded':
      return 'as it is loaded now'
    case 'requested':
      return 'as the request asks'
    case 'configured':
      return 'as its Modelfile says'
    case 'model':
      return 'which is its maximum'
    case 'assumed':
      return 'by a guess'
  }
}

function remedy({ dialect, upstream, identity }: ReceivedCall, { tokens, modelMaximum }: EffectiveWindow): string {
  if (modelMaximum !== null && tokens >= modelMaximum) return 'Send a shorter prompt, or use a model that reads more.'
  if (readsOllamaOptions(dialect)) {
    return `Raise options.num_ctx of the request or OLLAMA_CONTEXT_LENGTH of the server, send a shorter prompt, or set plans.${identity.planName}.truncation.before to "raise".`
  }
  if (upstream.dialect === 'ollama') {
    return 'This route ignores options.num_ctx: use /api/chat with it, set num_ctx in the Modelfile or OLLAMA_CONTEXT_LENGTH of the server, or send a shorter prompt.'
  }
  return 'Load the model with more context at the server, or send a shorter prompt.'
}
