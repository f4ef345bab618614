import Anthropic from '@anthropic-ai/sdk'

/** One turn of the agent: what its SDK saw, and what the gate says about it in its headers. */
export interface ToolTurn {
  readonly state: string
  /** What the gate changed in the request, as `x-tollgate-changes` names it. */
  readonly changes: readonly string[]
  /** What the model wants: the tool with its argument, or its closing words. */
  readonly says: string
}

/** A tool of one argument: takes a path, gives text. */
export type ReadTool = (path: string) => string

const tools: Anthropic.Tool[] = [
  {
    name: 'read_file',
    description: 'Reads a file of the workspace.',
    input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
]

/** An agent with a tool, as a developer writes it on the plain SDK: its history grows with everything that it reads. */
export class ToolAgent {
  readonly #client: Anthropic
  readonly #tool: ReadTool
  readonly #history: Anthropic.MessageParam[] = []

  constructor(baseURL: string, tool: ReadTool) {
    this.#client = new Anthropic({ apiKey: 'no-key-needed-here', baseURL })
    this.#tool = tool
  }

  say(text: string): void {
    this.#history.push({ role: 'user', content: text })
  }

  /** One call to the model and the tool that it asks for; throws what the SDK throws. */
  async step(): Promise<ToolTurn> {
    const ask = { model: 'claude-opus-5', max_tokens: 3000, tools, messages: this.#history }
    const { data, response } = await this.#client.messages.create(ask).withResponse()
    this.#history.push({ role: 'assistant', content: data.content })
    const said: string[] = []
    const results: Anthropic.ToolResultBlockParam[] = []
    for (const block of data.content) {
      if (block.type === 'text') said.push(block.text)
      if (block.type !== 'tool_use') continue
      const { path } = block.input as { path: string }
      said.push(`read_file ${path}`)
      results.push({ type: 'tool_result', tool_use_id: block.id, content: this.#tool(path) })
    }
    if (results.length > 0) this.#history.push({ role: 'user', content: results })
    const changes = response.headers.get('x-tollgate-changes')
    return {
      state: response.headers.get('x-tollgate-state') ?? 'ok',
      changes: changes === null ? [] : changes.split(','),
      says: said.join(' '),
    }
  }
}
