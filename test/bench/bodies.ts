/**
 * Request bodies. Deterministic, so that two runs measure the same; made of the words and the code that agents send, since
 * both JSON and tokens cost by content.
 */

const words =
  'the agent reads a file and finds that its test fails because a value is missing so it opens the module changes one line and runs the suite again'.split(
    ' ',
  )
const model = 'gpt-4o-mini'

/** Small generator of numbers in [0, 1), the same in every run (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

function prose(random: () => number, chars: number): string {
  let text = ''
  while (text.length < chars) text += `${words[Math.floor(random() * words.length)] ?? ''} `
  return text.slice(0, chars)
}

function code(random: () => number, chars: number): string {
  let text = ''
  while (text.length < chars) {
    const name = words[Math.floor(random() * words.length)] ?? ''
    text += `  if (${name}.length > ${Math.floor(random() * 100)}) {\n    return read("${name}", { at: ${name}_${Math.floor(random() * 9)} })\n  }\n`
  }
  return text.slice(0, chars)
}

/** Digits in a chat call that `numbered` counts up. */
export const callNumber = '00000000'

/** A chat call of about 1.5 KB without an output ceiling, so that one has to be put in. */
export function chatCall(stream = false): string {
  const random = numbers(1)
  const messages = [
    { role: 'system', content: prose(random, 400) },
    { role: 'user', content: `Task ${callNumber}: ${prose(random, 900)}` },
  ]
  return JSON.stringify({ model, stream, messages, temperature: 0.2 })
}

/** An agent's transcript of about a megabyte that grows by one message a turn. */
export class History {
  readonly #random = numbers(2)
  readonly #messages: object[] = [{ role: 'system', content: prose(this.#random, 6000) }]

  constructor(bytes: number) {
    let size = 0
    while (size < bytes) size += this.#addTurn()
  }

  /** The next turn's body: everything so far and one new message. */
  next(): string {
    this.#messages.push({ role: 'user', content: prose(this.#random, 600) })
    return JSON.stringify({ model, stream: false, messages: this.#messages })
  }

  /** A tool call and its result: most of what agents carry. Returns its size. */
  #addTurn(): number {
    const id = `call_${Math.floor(this.#random() * 1e9)}`
    const args = JSON.stringify({ path: `src/${prose(this.#random, 12).trim()}.ts`, find: prose(this.#random, 60) })
    const call = { id, type: 'function', function: { name: 'search_files', arguments: args } }
    const asked = { role: 'assistant', content: prose(this.#random, 200), tool_calls: [call] }
    const length = 400 + Math.floor(this.#random() * 6000)
    const found = { role: 'tool', tool_call_id: id, content: code(this.#random, length) }
    this.#messages.push(asked, found)
    return JSON.stringify(asked).length + JSON.stringify(found).length
  }
}

/** Bodies of ten megabytes whose contents are the worst that are known for tokenizers and parsers. */
export function largeBodies(bytes = 10_000_000): readonly { readonly name: string; readonly body: Buffer }[] {
  const random = numbers(3)
  const chat = (content: string): Buffer =>
    Buffer.from(JSON.stringify({ model, messages: [{ role: 'user', content }] }))
  const base64 = Buffer.from(Array.from({ length: Math.floor((bytes * 3) / 4) }, () => random() * 256)).toString(
    'base64',
  )
  const cjk = Array.from({ length: Math.floor(bytes / 3) }, () =>
    String.fromCharCode(0x4e00 + Math.floor(random() * 20_000)),
  )
  const depth = Math.floor(bytes / 12)
  const list = Array.from({ length: Math.floor(bytes / 7) }, () => Math.floor(random() * 100_000))
  const tool = (parameters: string): Buffer =>
    Buffer.from(
      `{"model":"${model}","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":${parameters}}}]}`,
    )
  return [
    { name: 'one letter', body: chat('a'.repeat(bytes)) },
    { name: 'base64', body: chat(base64) },
    { name: 'CJK', body: chat(cjk.join('')) },
    { name: 'numbers', body: tool(JSON.stringify({ enum: list })) },
    { name: 'nesting', body: tool(`${'{"a":[1,'.repeat(depth)}0${']}'.repeat(depth)}`) },
    { name: 'small messages', body: manyMessages(bytes) },
  ]
}

function manyMessages(bytes: number): Buffer {
  const one = JSON.stringify({ role: 'user', content: 'go on' })
  return Buffer.from(
    `{"model":"${model}","messages":[${Array(Math.floor(bytes / (one.length + 1)))
      .fill(one)
      .join(',')}]}`,
  )
}
