import type { DialectName } from '../../../daemon/call.ts'
import type { JsonObject } from '../../../daemon/dialects/dialect.ts'

/** One turn of an agent: what the model says and calls, and what comes back; several calls are parallel ones. */
export interface AgentTurn {
  readonly says: string
  readonly calls: readonly { readonly tool: string; readonly args: JsonObject; readonly result: string }[]
}

/** The formats that carry tool results. */
export const agentDialects = [
  'anthropic-messages',
  'openai-chat',
  'openai-responses',
  'ollama-chat',
  'gemini-generate',
] as const

export type AgentDialect = (typeof agentDialects)[number] & DialectName

const system = 'You are a careful engineer. Read before you write, and say what you did. '.repeat(120)
const task = 'The nightly import writes some orders twice. Find out why, and mend it.'

const words =
  'order import row batch queue retry worker index commit cursor offset ledger window parse header stream buffer client price total'.split(
    ' ',
  )

/** Turns of a run that reads files of 1,500 to 9,000 characters; the same ones every time. */
export function agentTurns(count: number): readonly AgentTurn[] {
  let state = 20_261_130
  const upTo = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
  const word = (): string => words[upTo(words.length)] ?? 'row'
  return Array.from({ length: count }, () => {
    const file = `src/${word()}/${word()}${word()}.ts`
    const length = 1500 + upTo(7500)
    let result = ''
    for (let line = 1; result.length < length; line += 1) {
      result += `${line}  const ${word()}${word()} = ${word()}(${word()}, ${upTo(9999)}) // ${word()} ${word()}\n`
    }
    return { says: `Next I look at ${file}.`, calls: [{ tool: 'read_file', args: { path: file }, result }] }
  })
}

/** The request that follows these turns, with system and tools before the messages, as clients write it. */
export function agentRequest(dialect: AgentDialect, turns: readonly AgentTurn[]): JsonObject {
  const numbered = turns.map((turn, index) => ({
    says: turn.says,
    calls: turn.calls.map((call, place) => ({ ...call, id: `call_${index}_${place}` })),
  }))
  const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
  const described = { name: 'read_file', description: 'Reads a file.' }
  switch (dialect) {
    case 'anthropic-messages':
      return {
        model: 'claude-sonnet-5',
        max_tokens: 4096,
        system,
        tools: [{ ...described, input_schema: schema }],
        messages: [
          { role: 'user', content: task },
          ...numbered.flatMap(({ says, calls }) => [
            {
              role: 'assistant',
              content: [
                { type: 'text', text: says },
                ...calls.map(({ id, tool, args }) => ({ type: 'tool_use', id, name: tool, input: args })),
              ],
            },
            {
              role: 'user',
              content: calls.map(({ id, result }) => ({ type: 'tool_result', tool_use_id: id, content: result })),
            },
          ]),
        ],
      }
    case 'openai-responses':
      return {
        model: 'gpt-5',
        instructions: system,
        tools: [{ type: 'function', ...described, parameters: schema }],
        input: [
          { role: 'user', content: task },
          ...numbered.flatMap(({ says, calls }) => [
            { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: says }] },
            ...calls.map(({ id, tool, args }) => ({
              type: 'function_call',
              call_id: id,
              name: tool,
              arguments: JSON.stringify(args),
            })),
            ...calls.map(({ id, result }) => ({ type: 'function_call_output', call_id: id, output: result })),
          ]),
        ],
      }
    case 'gemini-generate':
      return {
        systemInstruction: { parts: [{ text: system }] },
        tools: [{ functionDeclarations: [{ ...described, parameters: schema }] }],
        contents: [
          { role: 'user', parts: [{ text: task }] },
          ...numbered.flatMap(({ says, calls }) => [
            {
              role: 'model',
              parts: [{ text: says }, ...calls.map(({ tool, args }) => ({ functionCall: { name: tool, args } }))],
            },
            {
              role: 'user',
              parts: calls.map(({ tool, result }) => ({
                functionResponse: { name: tool, response: { output: result } },
              })),
            },
          ]),
        ],
      }
    case 'openai-chat':
    case 'ollama-chat': {
      const written = (args: JsonObject): unknown => (dialect === 'ollama-chat' ? args : JSON.stringify(args))
      return {
        model: 'm',
        tools: [{ type: 'function', function: { ...described, parameters: schema } }],
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: task },
          ...numbered.flatMap(({ says, calls }) => [
            {
              role: 'assistant',
              content: says,
              tool_calls: calls.map(({ id, tool, args }) => ({
                id,
                type: 'function',
                function: { name: tool, arguments: written(args) },
              })),
            },
            ...calls.map(({ id, tool, result }) => ({
              role: 'tool',
              tool_call_id: id,
              tool_name: tool,
              content: result,
            })),
          ]),
        ],
      }
    }
  }
}
