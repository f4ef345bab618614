import type { DescribeContext, MediaPart, TokenCounter } from './dialect.ts'
import { vendorOf } from './vendors.ts'

/** Fixed tokens around the text of a request, as an upper bound. */
export interface Structure {
  readonly perRequest: number
  readonly perMessage: number
  /** Once, as soon as the request has tools. */
  readonly toolsBlock: number
  readonly perTool: number
}

/**
 * OpenAI: 3 tokens and the role for each message, 3 to begin the answer, and a reserve for what Responses adds. Tools are
 * rendered shorter than their JSON, so that the JSON and a little more is a bound.
 */
const openaiStructure: Structure = { perRequest: 8, perMessage: 4, toolsBlock: 16, perTool: 12 }

/** Anthropic: role markup of up to 8, and a hidden system prompt of 300 to 500 tokens as soon as there are tools. */
const anthropicStructure: Structure = { perRequest: 4, perMessage: 8, toolsBlock: 600, perTool: 12 }

/** Local servers: the model's own template decides; this covers ChatML, Llama and Gemma with their preambles. */
const localStructure: Structure = { perRequest: 60, perMessage: 8, toolsBlock: 60, perTool: 16 }

/** Gemini: 2 to 5 tokens around each content; a share for the markup of tools, which the family's margin completes. */
const geminiStructure: Structure = { perRequest: 8, perMessage: 5, toolsBlock: 50, perTool: 12 }

const structures = { openai: openaiStructure, anthropic: anthropicStructure, gemini: geminiStructure } as const

/** Structure of a request in a given format; where the emulation is local, the larger of both. */
export function structureOf(context: DescribeContext, format: keyof typeof structures | 'local'): Structure {
  return format === 'local' || vendorOf(context).isLocal ? localStructure : structures[format]
}

/** Counts tool schemas: their JSON, and what the provider wraps around them. */
export function countTools(counter: TokenCounter, tools: readonly unknown[], structure: Structure): void {
  if (tools.length === 0) return
  counter.structure(structure.toolsBlock + structure.perTool * tools.length)
  for (const tool of tools) counter.json(tool)
}

/** Text that only the provider can read (signed reasoning, compacted history): about four characters to a token. */
export function countSealed(counter: TokenCounter, sealed: unknown): void {
  if (typeof sealed === 'string') counter.structure(Math.ceil(sealed.length / 4))
}

/** Counts media given as a URL: base64 only where it is a data URL, in either case (J04). Other URLs hide their size. */
export function countUrl(
  counter: TokenCounter,
  kind: MediaPart['kind'],
  url: unknown,
  detail?: MediaPart['detail'],
): void {
  const data = typeof url === 'string' ? dataUrl(url) : null
  counter.media({ kind, base64: data?.base64, mimeType: data?.mimeType, detail })
}

function dataUrl(url: string): { readonly base64: string; readonly mimeType: string } | null {
  const head = /^\s*data:([^;,]*)[^,]{0,200},/i.exec(url.slice(0, 512))
  if (head === null) return null
  return { base64: url.slice(head[0].length), mimeType: (head[1] ?? '').toLowerCase() }
}

/** The detail that a client asked for an image, if it is one of the known. */
export function imageDetail(detail: unknown): MediaPart['detail'] {
  return detail === 'low' || detail === 'high' || detail === 'auto' || detail === 'original' ? detail : undefined
}
