import type { CallFacts } from '../call.ts'
import type { DescribeContext, Dialect, JsonObject } from './dialect.ts'
import { InvalidRequest } from './dialect.ts'
import { completeFacts } from './facts.ts'
import { countOllamaExtras, countOllamaMessages, ollamaOptions } from './ollamaInput.ts'
import { ollamaReader } from './ollamaReader.ts'
import { arrayIn, askBoolean, askModel } from './read.ts'
import { lastMessage, ollamaRefusal } from './refusalShape.ts'
import { structureOf } from './structure.ts'

/** `POST /api/chat`. Streamed unless the request says otherwise. */
export const ollamaChat: Dialect = {
  name: 'ollama-chat',
  describe,
  reader: (form) => ollamaReader(form, true),
  refusalBody: (refusal) => ollamaRefusal(refusal),
  terminalError: (refusal, form) => lastMessage(form, null, ollamaRefusal(refusal)),
}

function describe(body: JsonObject, context: DescribeContext): CallFacts {
  const model = askModel(body)
  const { messages } = body
  // Without messages the call only loads the model.
  if (messages !== undefined && messages !== null && !Array.isArray(messages)) {
    throw new InvalidRequest('The field "messages" is not an array.')
  }
  const { counter } = context
  const structure = structureOf(context, 'local')
  counter.structure(structure.perRequest)
  countOllamaMessages(arrayIn(body, 'messages'), context, structure)
  countOllamaExtras(body, context, structure)
  return completeFacts({
    model,
    stream: askBoolean(body, 'stream', true),
    ...ollamaOptions(body),
    estimate: counter.estimate(),
    transcript: context.transcript.facts(),
  })
}
