import type { Text } from '../text/text.ts'
import type { Figures } from '../ui/figures.ts'
import { canBeRaised } from './truncation.ts'
import type { Truncation } from './truncation.ts'
import { windowFor } from './windowSize.ts'

/** How to get a window that holds the prompt of a call, as Markdown: every place where it can be set, with the value to set. */
export function windowGuide(truncation: Truncation, text: Text, figures: Figures): string {
  const { model, route, sentTokens, readTokens } = truncation
  const { window } = text
  const size = windowFor(sentTokens)
  const why = window.guideWhy(figures.whole(sentTokens), figures.whole(readTokens), figures.whole(size))
  const ways = route === 'other' ? otherWays(size, text) : ollamaWays(truncation, size, text)
  return [`# ${window.guideTitle(oneLine(model))}`, why, ...ways].join('\n\n') + '\n'
}

function ollamaWays(truncation: Truncation, size: number, { window }: Text): readonly string[] {
  const { model, route } = truncation
  const request = { model: oneLine(model), options: { num_ctx: size } }
  const inRequest = [window.inRequestHow, fenced('json', JSON.stringify(request, null, 2))]
  return [
    `## ${window.inRequest}`,
    ...(route === 'ollamaNative' ? inRequest : [window.noRequest]),
    `## ${window.inServer}`,
    window.inServerHow,
    fenced('sh', `OLLAMA_CONTEXT_LENGTH=${size} ollama serve`),
    window.inService,
    fenced('ini', `[Service]\nEnvironment="OLLAMA_CONTEXT_LENGTH=${size}"`),
    window.inApp,
    `## ${window.inModel}`,
    window.inModelHow,
    fenced('dockerfile', `FROM ${oneLine(model)}\nPARAMETER num_ctx ${size}`),
    ...(route === 'ollamaNative' ? [`## ${window.byGate}`, window.byGateHow(policyFor(truncation, size))] : []),
    window.inMemory,
  ]
}

/** What makes the gate ask for such a window; one beyond its largest one has to be allowed as well. */
function policyFor(truncation: Truncation, size: number): string {
  const most = canBeRaised(truncation) ? '' : `, "maxNumCtx": ${size}`
  return `"truncation": { "before": "raise"${most} }`
}

function otherWays(size: number, { window }: Text): readonly string[] {
  const commands = [
    `llama-server --ctx-size ${size} …`,
    `vllm serve … --max-model-len ${size}`,
    `lms load … --context-length ${size}`,
  ]
  return [`## ${window.otherServer}`, window.otherServerHow, fenced('sh', commands.join('\n')), window.otherShorter]
}

function fenced(language: string, code: string): string {
  return ['```' + language, code, '```'].join('\n')
}

/** A name comes from a request: it may not end a heading or a block of code. */
function oneLine(name: string): string {
  return name
    .replace(/[\s`]+/g, ' ')
    .trim()
    .slice(0, 100)
}
