import { listOf, objectOf, textOf } from './json.ts'
import type { Ask, Reply } from './reply.ts'
import { countMessages, tokenIds } from './tokens.ts'

/** What a template puts around each message. */
const frameOf = (role: string, content: string) => `<|im_start|>${role}\n${content}<|im_end|>\n`

/** `POST /apply-template` of llama.cpp: the prompt as its model would read it. */
export function applyTemplate(ask: Ask): Reply {
  const frames = listOf(ask.body['messages']).map((message) => {
    const { role, content } = objectOf(message)
    return frameOf(textOf(role), textOf(content))
  })
  return json({ prompt: `${frames.join('')}<|im_start|>assistant\n` })
}

/** `POST /tokenize`: vLLM's takes messages and states a count, llama.cpp's takes a text and lists its tokens. */
export function tokenize(ask: Ask): Reply {
  const { content, messages } = ask.body
  if (typeof content === 'string') return json({ tokens: tokenIds(content) })
  const count = ask.step.inputTokens ?? countMessages(messages)
  return json({ count, max_model_len: 32_768, tokens: Array.from({ length: count }, () => 1) })
}

function json(body: object): Reply {
  return { kind: 'json', status: 200, headers: {}, body }
}
