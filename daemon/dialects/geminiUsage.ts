import { noUsage } from '../../shared/usage.ts'
import type { Usage } from '../../shared/usage.ts'
import type { AnswerRecord } from './answerRecord.ts'
import type { JsonObject } from './dialect.ts'
import { arrayIn, countIn, isObject, stringIn } from './read.ts'

/** Counts of `usageMetadata`. */
interface Counts {
  prompt: number
  cached: number
  toolUse: number
  candidates: number
  thoughts: number
  total: number
  audioPrompt: number
  audioCached: number
  audioCandidates: number
  imagePrompt: number
  imageCandidates: number
}

/** Modalities that are pages or pictures for the model. */
const pictures: ReadonlySet<string> = new Set(['IMAGE', 'DOCUMENT'])

/**
 * Usage of a Gemini answer. A stream repeats the block on its chunks, each with the totals so far, so that the latest figure
 * of each field counts and a sum would be many times too much. A zero or a missing field says nothing: early chunks leave
 * out what is not known yet.
 */
export class GeminiUsage {
  readonly #record: AnswerRecord
  readonly #counts: Counts = {
    prompt: 0,
    cached: 0,
    toolUse: 0,
    candidates: 0,
    thoughts: 0,
    total: 0,
    audioPrompt: 0,
    audioCached: 0,
    audioCandidates: 0,
    imagePrompt: 0,
    imageCandidates: 0,
  }

  constructor(record: AnswerRecord) {
    this.#record = record
  }

  merge(usage: JsonObject): void {
    const record = this.#record
    const prompt = countIn(usage, 'promptTokenCount')
    const toolUse = countIn(usage, 'toolUsePromptTokenCount')
    const candidates = countIn(usage, 'candidatesTokenCount') ?? countIn(usage, 'responseTokenCount')
    const total = countIn(usage, 'totalTokenCount')
    const modalities = (name: string): ReadonlyMap<string, number> => byModality(usage, name)
    const promptParts = modalities('promptTokensDetails')
    const toolParts = modalities('toolUsePromptTokensDetails')
    const cachedParts = modalities('cacheTokensDetails')
    const candidateParts =
      usage['candidatesTokensDetails'] === undefined
        ? modalities('responseTokensDetails')
        : modalities('candidatesTokensDetails')
    this.#set('prompt', prompt)
    this.#set('cached', countIn(usage, 'cachedContentTokenCount'))
    this.#set('toolUse', toolUse)
    this.#set('candidates', candidates)
    this.#set('thoughts', countIn(usage, 'thoughtsTokenCount'))
    this.#set('total', total)
    this.#set('audioPrompt', (promptParts.get('AUDIO') ?? 0) + (toolParts.get('AUDIO') ?? 0))
    this.#set('audioCached', cachedParts.get('AUDIO') ?? 0)
    this.#set('audioCandidates', candidateParts.get('AUDIO') ?? 0)
    this.#set('imagePrompt', picturesOf(promptParts) + picturesOf(toolParts) - picturesOf(cachedParts))
    this.#set('imageCandidates', picturesOf(candidateParts))
    record.setTiers(servedTier(usage), ['service_tier'])
    const webSearches = record.usage?.webSearches ?? 0
    record.usage = { ...disjoint(this.#counts), webSearches }
    record.inputReported ||= prompt !== null || toolUse !== null
    // A count that is left out beside the others is 0: nothing was generated, or only thoughts.
    record.outputReported ||= candidates !== null || total !== null
  }

  #set(name: keyof Counts, value: number | null): void {
    if (value !== null && value > 0) this.#counts[name] = value
  }
}

/** Buckets without overlap: the prompt includes its cached part; thoughts stand beside the candidates and are output. */
function disjoint(counts: Counts): Usage {
  const cacheRead = counts.cached
  const input = Math.max(0, counts.prompt - cacheRead) + counts.toolUse
  const output = outputOf(counts)
  const audioCacheRead = Math.min(counts.audioCached, cacheRead)
  const audioInput = Math.min(Math.max(0, counts.audioPrompt - audioCacheRead), input)
  const audioOutput = Math.min(counts.audioCandidates, output)
  return {
    ...noUsage,
    input,
    cacheRead,
    output,
    reasoning: Math.min(counts.thoughts, output),
    audioInput,
    audioCacheRead,
    audioOutput,
    imageInput: Math.min(counts.imagePrompt, input - audioInput),
    imageOutput: Math.min(counts.imageCandidates, output - audioOutput),
  }
}

/**
 * Some servers count the thoughts inside the candidates. The total tells: where it is exactly prompt, tools and candidates,
 * the thoughts are in there already and are not counted twice.
 */
function outputOf({ prompt, toolUse, candidates, thoughts, total }: Counts): number {
  const isInside = total > 0 && thoughts <= candidates && total === prompt + toolUse + candidates
  return isInside ? candidates : candidates + thoughts
}

function byModality(usage: JsonObject, name: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const entry of arrayIn(usage, name)) {
    if (!isObject(entry)) continue
    const modality = stringIn(entry, 'modality')?.toUpperCase() ?? ''
    sums.set(modality, (sums.get(modality) ?? 0) + (countIn(entry, 'tokenCount') ?? 0))
  }
  return sums
}

function picturesOf(parts: ReadonlyMap<string, number>): number {
  let tokens = 0
  for (const name of pictures) tokens += parts.get(name) ?? 0
  return tokens
}

/** Traffic types of Vertex as the tiers that the Gemini API names. */
const trafficTiers: Readonly<Record<string, string>> = {
  ON_DEMAND: 'standard',
  ON_DEMAND_PRIORITY: 'priority',
  ON_DEMAND_FLEX: 'flex',
  ON_DEMAND_OFFPEAK: 'standard',
  PROVISIONED_THROUGHPUT: 'standard',
}

function servedTier(usage: JsonObject): JsonObject {
  const tier = stringIn(usage, 'serviceTier')
  if (tier !== null) return { service_tier: tierValue(tier) }
  const traffic = stringIn(usage, 'trafficType') ?? ''
  return Object.hasOwn(trafficTiers, traffic) ? { service_tier: trafficTiers[traffic] } : {}
}

/** A tier as prices name it; enumerations come in capitals and with a prefix. */
export function tierValue(tier: string): string {
  const word = tier
    .toLowerCase()
    .replace(/^service_tier_/, '')
    .slice(0, 64)
  return word === 'unspecified' || word === '' ? 'standard' : word
}
