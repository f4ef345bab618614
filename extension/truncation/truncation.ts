import { numberField, textField } from '../ui/eventFields.ts'
import type { DaemonEvent } from '../ui/eventFields.ts'
import { windowFor } from './windowSize.ts'

/** Which ways there are to a larger window: Ollama's own routes, its OpenAI and Anthropic routes, any other server. */
export type WindowRoute = 'ollamaNative' | 'ollamaOther' | 'other'

/** A call that was answered on a part of its prompt. */
export interface Truncation {
  readonly model: string
  readonly route: WindowRoute
  /** Input tokens, estimated before the call. */
  readonly sentTokens: number
  /** Input tokens that the provider reported. */
  readonly readTokens: number
  /** The largest window that the gate asks for by itself, in tokens. */
  readonly largestWindow: number
}

/** `plans.*.truncation.maxNumCtx` where nobody set it. */
export const usualLargestWindow = 32_768

/** The truncation of an event; undefined where it lacks a part. */
export function truncationOf(event: DaemonEvent): Truncation | undefined {
  const model = textField(event, 'model')
  const sentTokens = numberField(event, 'estimated')
  const readTokens = numberField(event, 'reported')
  if (model === undefined || sentTokens === undefined || readTokens === undefined) return undefined
  // A gate that does not say it is an older one.
  const largestWindow = numberField(event, 'maxNumCtx') ?? usualLargestWindow
  return { model, route: routeOf(event), sentTokens, readTokens, largestWindow }
}

/** Whether the gate could ask for a window that holds such a prompt: on a route that has `num_ctx`, up to its largest one. */
export function canBeRaised({ route, sentTokens, largestWindow }: Truncation): boolean {
  return route === 'ollamaNative' && windowFor(sentTokens) <= largestWindow
}

/** `num_ctx` exists on Ollama's own routes only; its other routes silently ignore it. */
export function routeOf(event: DaemonEvent): WindowRoute {
  if (event['ollama'] === true) return 'ollamaNative'
  return textField(event, 'upstream')?.startsWith('ollama') ? 'ollamaOther' : 'other'
}
