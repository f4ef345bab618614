import { tierName } from '../../money/servedTier.ts'
import { longestName } from '../invoice.ts'
import type { InvoiceRow } from '../invoice.ts'

/** Kinds of tokens that follow a model's name in a line item. */
const pieces = /^(?:(?:cached |cache )?(?:input|output|writes?|reads?)|long context|audio|image|text)$/

/** Items that the ledger has as well, under its own names. Stored bytes are none of them. */
const toolNames: readonly (readonly [RegExp, string])[] = [
  [/web search/, 'web search'],
  [/file search(?!.*storage)/, 'file search'],
  [/code interpreter|container/, 'code execution'],
]

/** Words between a model's name and the comma: "gpt-audio-mini-2025-12-15 audio, input". */
const modality = /\s+(?:audio|image|text|video)$/

/**
 * What a `line_item` of OpenAI's costs is for. Seen in 2026: "gpt-5.5-2026-04-23, input", "…, cached input", "…, output, long
 * context", "priority | gpt-5.6-sol, output", "gpt-audio-mini-2025-12-15 audio, input", and items without a model: "web search
 * tool calls", "assistants api | file search", "Vector storage". A row without a line item is a total of everything.
 */
export function openaiLineItem(written: string | null): Pick<InvoiceRow, 'model' | 'item' | 'tier'> {
  if (written === null) return { model: null, item: null, tier: null }
  const text = written.slice(0, longestName)
  const [, tier, rest = text] = /^(priority|flex|batch|scale|fast)\s*\|\s*(.+)$/i.exec(text) ?? []
  const [head = '', ...parts] = rest.split(',').map((part) => part.trim())
  const isModel = parts.length > 0 && parts.every((part) => pieces.test(part.toLowerCase()))
  if (isModel) return { model: head.replace(modality, ''), item: null, tier: tierName({ service_tier: tier ?? null }) }
  const item = rest.toLowerCase()
  const tool = toolNames.find(([pattern]) => pattern.test(item))?.[1]
  if (tool !== undefined) return { model: null, item: tool, tier: null }
  // A name with a digit and without a space is a model of an item of its own: "dall-e-3", "whisper-1".
  if (/^[\w.:-]*\d[\w.:-]*$/.test(rest))
    return { model: rest, item: null, tier: tierName({ service_tier: tier ?? null }) }
  return { model: null, item, tier: null }
}
