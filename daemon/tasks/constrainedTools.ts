import type { DialectName } from '../call.ts'
import type { JsonObject } from '../dialects/dialect.ts'
import type { EditValue, FieldEdit } from '../dialects/edit.ts'
import { fieldIn, snakeCase } from '../dialects/geminiFields.ts'
import { geminiServerTools } from '../dialects/geminiTools.ts'
import { arrayIn, asArray, isObject, objectIn, stringIn } from '../dialects/read.ts'
import { toolKind } from '../money/tiers.ts'

/** Tools that are taken out of a request. */
export interface ToolRemoval {
  readonly edits: readonly FieldEdit[]
  /** Kinds, as prices name them: `web_search`. Each once, in the order of the request. */
  readonly removed: readonly string[]
}

/** One entry of `tools`. */
interface ListedTool {
  readonly index: number
  readonly kind: string
  readonly tool: JsonObject
}

const nothing: ToolRemoval = { edits: [], removed: [] }

/**
 * Takes the tools of these kinds that the provider runs out of a request, and what names them: a tool choice that asks for
 * one would be answered with an error, and so would a choice without any tool. The client's own tools stay, whatever they
 * are called, and so does a tool that the rest of the request cannot do without.
 */
export function withoutTools(dialect: DialectName, body: JsonObject, kinds: readonly string[]): ToolRemoval {
  if (kinds.length === 0 || isPausedTurn(dialect, body)) return nothing
  if (dialect === 'gemini-generate') return withoutGeminiTools(body, kinds)
  const tools = arrayIn(body, 'tools').flatMap((tool, index): readonly ListedTool[] =>
    isObject(tool) ? [{ index, kind: providerKind(tool), tool }] : [],
  )
  const others = tools.filter(({ kind }) => !kinds.includes(kind))
  const gone = tools.filter(({ kind }) => kinds.includes(kind) && !isNeeded(kind, body, others))
  const edits: FieldEdit[] = []
  const removed = new Set(gone.map(({ kind }) => kind))
  if (gone.length > 0) {
    const kept = arrayIn(body, 'tools').length - gone.length
    edits.push(...(kept === 0 ? withoutToolFields() : editsOfTools(tools, gone, body['tool_choice'])))
  }
  for (const [field, kind] of [
    ['web_search_options', 'web_search'],
    ['mcp_servers', 'mcp'],
  ] as const) {
    if (body[field] === undefined || body[field] === null || !kinds.includes(kind)) continue
    edits.push({ path: [field], remove: true })
    removed.add(kind)
  }
  return { edits, removed: [...removed] }
}

/**
 * Gemini switches its tools on by fields of a tool, which may have the client's functions in it as well. A cache has its own
 * tools, and a request that names one may not say which.
 */
function withoutGeminiTools(body: JsonObject, kinds: readonly string[]): ToolRemoval {
  const { tools } = body
  if (!Array.isArray(tools) || fieldIn(body, 'cachedContent') !== undefined) return nothing
  const edits: FieldEdit[] = []
  const removed = new Set<string>()
  let kept = tools.length
  for (const [index, tool] of (tools as readonly unknown[]).entries()) {
    if (!isObject(tool)) continue
    const fields = Object.keys(tool)
    const gone = fields.filter((name) => kinds.includes(geminiToolKind(name)))
    for (const name of gone) removed.add(geminiToolKind(name))
    if (gone.length > 0 && gone.length === fields.length) {
      kept -= 1
      edits.push({ path: ['tools', index], remove: true })
    } else edits.push(...gone.map((name) => ({ path: ['tools', index, name], remove: true as const })))
  }
  if (kept > 0) return { edits, removed: [...removed] }
  // A choice of functions without any is an error.
  const none = ['tools', 'toolConfig', 'tool_config'].map((name) => ({ path: [name], remove: true as const }))
  return { edits: none, removed: [...removed] }
}

function geminiToolKind(field: string): string {
  for (const [name, kind] of geminiServerTools) if (field === name || field === snakeCase(name)) return kind
  return ''
}

/** Kind of a tool that the provider runs; of any other its type, which is no kind. */
function providerKind(tool: JsonObject): string {
  const type = stringIn(tool, 'type') ?? ''
  if (type === 'mcp_toolset') return 'mcp'
  const environment = stringIn(objectIn(tool, 'environment') ?? {}, 'type') ?? ''
  return type === 'shell' && environment.startsWith('container') ? 'code_interpreter' : toolKind(type)
}

/** Anthropic: the turn was paused while the provider ran a tool, and the request asks to go on with it. */
function isPausedTurn(dialect: DialectName, body: JsonObject): boolean {
  if (dialect !== 'anthropic-messages') return false
  const last = arrayIn(body, 'messages').at(-1)
  if (!isObject(last) || last['role'] !== 'assistant') return false
  return arrayIn(last, 'content').some((block) => isObject(block) && /^(?:server|mcp)_tool_use$/.test(typeOf(block)))
}

/** Anthropic: skills and the tools that are called from code run in code execution. */
function isNeeded(kind: string, body: JsonObject, others: readonly ListedTool[]): boolean {
  if (kind !== 'code_execution') return false
  if (isObject(body['container'])) return true
  return others.some(({ tool }) =>
    arrayIn(tool, 'allowed_callers').some((caller) => typeof caller === 'string' && toolKind(caller) === kind),
  )
}

/** Without tools these are errors. */
function withoutToolFields(): readonly FieldEdit[] {
  return ['tools', 'tool_choice', 'parallel_tool_calls'].map((field) => ({ path: [field], remove: true }))
}

function editsOfTools(
  tools: readonly ListedTool[],
  gone: readonly ListedTool[],
  choice: unknown,
): readonly FieldEdit[] {
  const kept = tools.filter((listed) => !gone.includes(listed))
  const edits: FieldEdit[] = gone.map(({ index }) => ({ path: ['tools', index], remove: true }))
  for (const { index, tool } of gone) {
    // A breakpoint on the last tool is what caches all of them: it moves to the one before.
    const before = kept.findLast((listed) => listed.index < index)
    const mark = tool['cache_control']
    if (mark === undefined || before === undefined || before.tool['cache_control'] !== undefined) continue
    edits.push({ path: ['tools', before.index, 'cache_control'], value: mark as EditValue })
  }
  return [...edits, ...editsOfChoice(choice, kept, gone)]
}

/** What becomes of a choice that asks for one of the tools that go. */
function editsOfChoice(
  choice: unknown,
  kept: readonly ListedTool[],
  gone: readonly ListedTool[],
): readonly FieldEdit[] {
  if (!isObject(choice)) return []
  const isGone = (named: unknown): boolean =>
    isObject(named) && gone.some((tool) => names(named, tool)) && !kept.some((tool) => names(named, tool))
  if (isGone(choice)) return [{ path: ['tool_choice'], remove: true }]
  if (choice['type'] !== 'allowed_tools') return []
  const allowed = asArray(choice['tools'])
  const left = allowed.filter((named) => !isGone(named))
  if (left.length === allowed.length) return []
  if (left.length === 0) return [{ path: ['tool_choice'], remove: true }]
  return allowed.flatMap((named, index) =>
    isGone(named) ? [{ path: ['tool_choice', 'tools', index], remove: true as const }] : [],
  )
}

/** Whether a choice means a tool: by its name, by its server, or by its type alone. */
function names(choice: JsonObject, { kind, tool }: ListedTool): boolean {
  const type = typeOf(choice)
  if (type === 'tool' || type === 'function' || type === 'custom') {
    return choice['name'] !== undefined && choice['name'] === tool['name']
  }
  if (type === 'mcp' && choice['server_label'] !== undefined && kind === 'mcp') {
    return choice['server_label'] === tool['server_label']
  }
  return type !== '' && (type === tool['type'] || toolKind(type) === kind)
}

function typeOf(holder: JsonObject): string {
  return stringIn(holder, 'type') ?? ''
}
