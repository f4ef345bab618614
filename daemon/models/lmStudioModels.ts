import { arrayIn, isObject, stringIn } from '../dialects/read.ts'
import { windowIn } from './ollamaModels.ts'

/** A model as `GET /api/v0/models` of LM Studio lists it. */
export interface LmStudioModel {
  /** Window that it is loaded with, in tokens; null while it is not loaded. */
  readonly loaded: number | null
  readonly maximum: number | null
}

/**
 * The model in the list; null where it is not there, or where this is no such list. LM Studio is asked because it may cut a
 * prompt in silence; llama.cpp and vLLM refuse what does not fit by themselves.
 */
export function lmStudioModel(answer: unknown, model: string): LmStudioModel | null {
  if (!isObject(answer)) return null
  const wanted = model.trim().toLowerCase()
  for (const entry of arrayIn(answer, 'data')) {
    if (!isObject(entry) || stringIn(entry, 'id')?.toLowerCase() !== wanted) continue
    const isLoaded = stringIn(entry, 'state') !== 'not-loaded'
    return {
      loaded: isLoaded ? windowIn(entry, 'loaded_context_length') : null,
      maximum: windowIn(entry, 'max_context_length'),
    }
  }
  return null
}
