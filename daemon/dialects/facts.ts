import type { CallFacts } from '../call.ts'
import { noTranscript } from '../transcript/transcript.ts'
import type { DescribeContext } from './dialect.ts'

/** Facts that every format has; the others have a value that means "nothing of the kind". */
type Given = Pick<CallFacts, 'model' | 'stream' | 'requestedOutputTokens' | 'outputField' | 'estimate'> &
  Partial<CallFacts>

/** Completes the facts of a request. */
export function completeFacts(given: Given): CallFacts {
  return {
    producesOutput: true,
    ignoredOutputTokens: null,
    choices: 1,
    choiceAsk: { n: 1, withoutLogprobs: [] },
    thinkingBudgetTokens: null,
    includeUsage: 'not-applicable',
    unsupported: null,
    hiddenInput: null,
    serverTools: [],
    tier: {},
    cacheWrite: 'none',
    ollama: null,
    sessionHint: null,
    transcript: noTranscript,
    ...given,
  }
}

/** An emulation on an Ollama server: it truncates like the native routes, but reads none of their options (I03). */
export function emulationOptions(context: DescribeContext): CallFacts['ollama'] {
  return context.ollamaEmulation ? { numCtx: null, numKeep: null, truncate: true } : null
}
