import type { DialectName } from '../call.ts'
import type { LoadedModel, ShownModel } from './ollamaModels.ts'

/** How a window is known; from `loaded`, which is measured, to `assumed`, which is a guess. */
export type WindowCertainty =
  /** The server says that the model is loaded with it. */
  | 'loaded'
  /** The request asks for it, and the server will load the model with it. */
  | 'requested'
  /** The model's own parameters say it. */
  | 'configured'
  /** The model takes no more, whatever it is loaded with. */
  | 'model'
  /** Nothing is known, and the usual default of a small machine stands in. */
  | 'assumed'

/** How many tokens of a prompt a model reads for one request. */
export interface EffectiveWindow {
  readonly tokens: number
  readonly certainty: WindowCertainty
  /** The most that the model could be loaded with; null where that is not known. */
  readonly modelMaximum: number | null
}

/** Ollama's window on a machine without a large GPU, and about what LM Studio loads a model with. */
export const defaultWindowTokens = 4096

/** Ollama gives a model at least this much, whatever the request asks for. */
const leastWindowTokens = 4
const leastVisionWindowTokens = 2048

/** What is known of a model on an Ollama server. */
export interface OllamaKnowledge {
  /** The request's own `num_ctx`, where its route reads it. */
  readonly requested: number | null
  /** As it is loaded now, where a request without `num_ctx` meets the model as it is. */
  readonly loaded: LoadedModel | null
  readonly shown: ShownModel | null
  /** The window that the model was last seen loaded with when nobody had asked for one. */
  readonly earlier: number | null
}

/**
 * The window of one request at an Ollama server (its scheduler: default, then the Modelfile's `num_ctx`, then the request's;
 * never above the model's own maximum). `OLLAMA_CONTEXT_LENGTH` of the server cannot be asked for, so that a model which is
 * not loaded and has no parameter is a guess, until it is loaded. Null for a model of the cloud that does not say what it takes.
 */
export function ollamaWindow({ requested, loaded, shown, earlier }: OllamaKnowledge): EffectiveWindow | null {
  const modelMaximum = shown?.maximum ?? null
  const least = shown?.hasVision === true ? leastVisionWindowTokens : leastWindowTokens
  const bounded = (tokens: number): number => Math.min(Math.max(tokens, least), modelMaximum ?? Infinity)
  const window = (tokens: number, certainty: WindowCertainty): EffectiveWindow => ({ tokens, certainty, modelMaximum })
  if (requested !== null) return window(bounded(requested), 'requested')
  if (loaded !== null) return window(loaded.window, 'loaded')
  // A model of the cloud is run elsewhere, with all that it takes.
  if (shown?.isRemote === true) return modelMaximum === null ? null : window(modelMaximum, 'model')
  if (shown !== null && shown.numCtx !== null) return window(bounded(shown.numCtx), 'configured')
  const guess = bounded(earlier ?? defaultWindowTokens)
  return window(guess, modelMaximum !== null && guess >= modelMaximum ? 'model' : 'assumed')
}

/** The window of a model at LM Studio; a model that is not loaded gets what its window says, which cannot be asked for. */
export function lmStudioWindow(model: {
  readonly loaded: number | null
  readonly maximum: number | null
}): EffectiveWindow {
  const { loaded, maximum: modelMaximum } = model
  if (loaded !== null) return { tokens: loaded, certainty: 'loaded', modelMaximum }
  if (modelMaximum !== null && modelMaximum <= defaultWindowTokens)
    return { tokens: modelMaximum, certainty: 'model', modelMaximum }
  return { tokens: defaultWindowTokens, certainty: 'assumed', modelMaximum }
}

/** True for the routes that read `options.num_ctx` and `truncate`; Ollama's emulations below `/v1` drop both (I03). */
export function readsOllamaOptions(dialect: DialectName): boolean {
  return dialect.startsWith('ollama-')
}
