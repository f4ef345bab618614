import type { CallFacts } from '../call.ts'
import { answerReader } from './answerReader.ts'
import type { DescribeContext, Dialect, JsonObject } from './dialect.ts'
import { InvalidRequest } from './dialect.ts'
import { completeFacts, emulationOptions } from './facts.ts'
import { completionText, OpenaiChoices } from './openaiChoices.ts'
import { askCeiling, askChoices, includeUsageOf, tierOf } from './openaiCeiling.ts'
import { countTokenInput } from './openaiEmbeddings.ts'
import { countText } from './openaiInput.ts'
import { asArray, askBoolean, askModel } from './read.ts'
import { lastMessage, openaiRefusal } from './refusalShape.ts'
import { vendorOf } from './vendors.ts'

/** `POST /v1/completions`: the older format, still what code completion tools use. */
export const openaiCompletions: Dialect = {
  name: 'openai-completions',
  describe,
  reader: (form, facts) => {
    const answer = new OpenaiChoices(completionText, facts)
    return answerReader(form, answer.record, answer)
  },
  refusalBody: (refusal) => openaiRefusal(refusal),
  terminalError: (refusal, form) => lastMessage(form, null, openaiRefusal(refusal)),
}

function describe(body: JsonObject, context: DescribeContext): CallFacts {
  const model = askModel(body)
  const stream = askBoolean(body, 'stream', false)
  const { counter } = context
  const prompts = countPrompts(body['prompt'], context)
  countText(body['suffix'], counter)
  // Each prompt of a list is answered n times, and best_of are written and billed even where fewer are returned (H10).
  const choices = prompts * Math.max(askChoices(body, 'n'), askChoices(body, 'best_of'))
  return completeFacts({
    model,
    vendor: vendorOf(context).name,
    stream,
    outputField: ['max_tokens'],
    requestedOutputTokens: askCeiling(body, 'max_tokens', context),
    choices,
    includeUsage: includeUsageOf(body, stream, context),
    tier: tierOf(body),
    ollama: emulationOptions(context),
    estimate: counter.estimate(),
  })
}

/** Counts the prompt and returns how many prompts it is: a list of numbers is one, a list of lists is many. */
function countPrompts(prompt: unknown, context: DescribeContext): number {
  if (prompt === undefined || prompt === null) return 1
  if (typeof prompt !== 'string' && !Array.isArray(prompt)) {
    throw new InvalidRequest('The field "prompt" is not a string or an array.')
  }
  countTokenInput(prompt, context.counter)
  const parts = asArray(prompt)
  return typeof parts[0] === 'number' ? 1 : Math.max(1, parts.length)
}
