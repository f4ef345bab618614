import type { CallFacts } from '../call.ts'
import { recordChatMessage } from './chatTranscript.ts'
import type { DescribeContext, JsonObject, TokenCounter } from './dialect.ts'
import { arrayIn, askNumber, askObject, isObject, objectIn, stringIn } from './read.ts'
import type { Structure } from './structure.ts'
import { countTools } from './structure.ts'

/** The options that matter here. `truncate` is the server's default unless the request says otherwise. */
export function ollamaOptions(
  body: JsonObject,
): Pick<CallFacts, 'outputField' | 'requestedOutputTokens'> & { readonly ollama: NonNullable<CallFacts['ollama']> } {
  const options = askObject(body, 'options') ?? {}
  const numPredict = askNumber(options, 'num_predict', 'options.num_predict')
  const numCtx = askNumber(options, 'num_ctx', 'options.num_ctx')
  return {
    outputField: ['options', 'num_predict'],
    // -1 and -2 mean "until the model stops" and "until the window is full", 0 is read as either: none is a ceiling.
    requestedOutputTokens: numPredict !== null && numPredict > 0 ? numPredict : null,
    ollama: {
      numCtx: numCtx !== null && numCtx > 0 ? numCtx : null,
      numKeep: askNumber(options, 'num_keep', 'options.num_keep'),
      truncate: body['truncate'] !== false,
    },
  }
}

/** Counts and records the messages of a chat: images are bare base64 beside the text (J04). */
export function countOllamaMessages(
  messages: readonly unknown[],
  { counter, transcript }: DescribeContext,
  structure: Structure,
): void {
  for (const message of messages) {
    counter.structure(structure.perMessage)
    recordChatMessage(message, transcript)
    if (!isObject(message)) continue
    for (const field of ['content', 'thinking', 'tool_name', 'name']) countString(message, field, counter)
    countImages(message, counter)
    for (const call of arrayIn(message, 'tool_calls')) {
      if (!isObject(call)) continue
      counter.structure(10)
      const called = objectIn(call, 'function')
      if (called !== null) counter.json(called)
    }
  }
}

/** Counts `images` of a message or of a generate request. */
export function countImages(holder: JsonObject, counter: TokenCounter): void {
  for (const image of arrayIn(holder, 'images')) {
    counter.media({ kind: 'image', base64: typeof image === 'string' ? image : undefined })
  }
}

/** Counts a string field, if it is there. */
export function countString(holder: JsonObject, field: string, counter: TokenCounter): void {
  const value = stringIn(holder, field)
  if (value !== null && value !== '') counter.text(value)
}

/** Counts tools and the schema of a structured answer. */
export function countOllamaExtras(body: JsonObject, context: DescribeContext, structure: Structure): void {
  countTools(context.counter, arrayIn(body, 'tools'), structure)
  if (isObject(body['format'])) context.counter.json(body['format'])
}
