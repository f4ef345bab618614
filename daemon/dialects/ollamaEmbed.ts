import type { CallFacts } from '../call.ts'
import type { DescribeContext, Dialect, JsonObject } from './dialect.ts'
import { InvalidRequest } from './dialect.ts'
import { completeFacts } from './facts.ts'
import { ollamaOptions } from './ollamaInput.ts'
import { ollamaReader } from './ollamaReader.ts'
import { countTokenInput, maxVectorsBytes } from './openaiEmbeddings.ts'
import { askModel } from './read.ts'
import { lastMessage, ollamaRefusal } from './refusalShape.ts'

/** `POST /api/embed`, and the older `/api/embeddings` with its `prompt`. */
export const ollamaEmbed: Dialect = {
  name: 'ollama-embed',
  describe,
  reader: (form) => ollamaReader(form, false, { maxDocumentBytes: maxVectorsBytes }),
  refusalBody: (refusal) => ollamaRefusal(refusal),
  terminalError: (refusal, form) => lastMessage(form, null, ollamaRefusal(refusal)),
}

function describe(body: JsonObject, context: DescribeContext): CallFacts {
  const model = askModel(body)
  const input = body['input'] ?? body['prompt'] ?? ''
  if (typeof input !== 'string' && !Array.isArray(input)) {
    throw new InvalidRequest('The field "input" is not a string or an array.')
  }
  countTokenInput(input, context.counter)
  const { ollama } = ollamaOptions(body)
  return completeFacts({
    model,
    stream: false,
    outputField: [],
    requestedOutputTokens: null,
    producesOutput: false,
    ollama,
    estimate: context.counter.estimate(),
  })
}
