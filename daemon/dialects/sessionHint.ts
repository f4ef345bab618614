import type { SessionHint } from '../call.ts'
import { isObject, objectIn, stringIn } from './read.ts'
import type { JsonObject } from './dialect.ts'

/** What Claude Code puts into `metadata.user_id`: `user_…_session_…`, or a JSON text with these names. */
const sessionPart = /_session_|"session_id"/

/**
 * The session that an Anthropic request names in `metadata.user_id`. By itself that is a person, who has many conversations;
 * only with a session in it is it one of them.
 */
export function anthropicSession(body: JsonObject): SessionHint | null {
  const name = stringIn(objectIn(body, 'metadata') ?? {}, 'user_id')
  return name === null ? null : { name, isConversation: sessionPart.test(name) }
}

/** The session of a `prompt_cache_key`, which is often the same for everything that an application asks. */
export function cacheKeySession(body: JsonObject): SessionHint | null {
  const name = stringIn(body, 'prompt_cache_key')
  return name === null ? null : { name, isConversation: false }
}

/** The session that a Responses request names: the conversation that OpenAI keeps, else its `prompt_cache_key`. */
export function responsesSession(body: JsonObject): SessionHint | null {
  const { conversation } = body
  const kept = isObject(conversation) ? stringIn(conversation, 'id') : conversation
  return typeof kept === 'string' ? { name: kept, isConversation: true } : cacheKeySession(body)
}
