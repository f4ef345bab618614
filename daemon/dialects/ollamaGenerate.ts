import type { CallFacts } from '../call.ts'
import type { DescribeContext, Dialect, JsonObject } from './dialect.ts'
import { InvalidRequest } from './dialect.ts'
import { completeFacts } from './facts.ts'
import { countImages, countOllamaExtras, countString, ollamaOptions } from './ollamaInput.ts'
import { ollamaReader } from './ollamaReader.ts'
import { arrayIn, askBoolean, askModel } from './read.ts'
import { lastMessage, ollamaRefusal } from './refusalShape.ts'
import { structureOf } from './structure.ts'

/** `POST /api/generate`. Streamed unless the request says otherwise. */
export const ollamaGenerate: Dialect = {
  name: 'ollama-generate',
  describe,
  reader: (form) => ollamaReader(form, true),
  refusalBody: (refusal) => ollamaRefusal(refusal),
  terminalError: (refusal, form) => lastMessage(form, null, ollamaRefusal(refusal)),
}

function describe(body: JsonObject, context: DescribeContext): CallFacts {
  const model = askModel(body)
  const { prompt } = body
  if (prompt !== undefined && prompt !== null && typeof prompt !== 'string') {
    throw new InvalidRequest('The field "prompt" is not a string.')
  }
  const { counter } = context
  const structure = structureOf(context, 'local')
  counter.structure(structure.perRequest + structure.perMessage)
  for (const field of ['prompt', 'suffix', 'system', 'template']) countString(body, field, counter)
  countImages(body, counter)
  // The conversation so far, as the token ids of an earlier answer.
  counter.exact(arrayIn(body, 'context').length)
  countOllamaExtras(body, context, structure)
  return completeFacts({
    model,
    stream: askBoolean(body, 'stream', true),
    ...ollamaOptions(body),
    estimate: counter.estimate(),
  })
}
