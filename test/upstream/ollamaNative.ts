import { composeAnswer } from './answer.ts'
import type { Answer } from './answer.ts'
import { listOf, numberOf, objectOf, textOf } from './json.ts'
import { vectorsOf } from './openaiSide.ts'
import { contextFor, modelContext, renderMessages, renderPrompt, windowed } from './ollamaWindow.ts'
import type { Windowed } from './ollamaWindow.ts'
import { chunk, finishOf, frame, line } from './reply.ts'
import type { Ask, Frame, Reply } from './reply.ts'
import { countJson, countTokens } from './tokens.ts'

const jsonType = { 'content-type': 'application/json; charset=utf-8' }

/** Models that can think, and so think unless they are told not to. */
const thinkingModel = /^(qwen3|deepseek-r1|gpt-oss)/

/** An Ollama error answer. */
export function ollamaError(status: number, message: string): Reply {
  return { kind: 'json', status, headers: jsonType, body: { error: message } }
}

function notRunnable(ask: Ask): Reply | null {
  const model = textOf(ask.body['model'])
  if (model === '') return ollamaError(400, 'model is required')
  if (ask.body['think'] === true && !thinkingModel.test(model))
    return ollamaError(400, `"${model}" does not support thinking`)
  return null
}

/** The answer that a local model gives: thinking by habit, `echoWindow`, a ceiling of ten windows without `num_predict`. */
export function localAnswer(ask: Ask, ceiling: number | null, seen: string, context: number): Answer {
  const thinks = thinkingModel.test(textOf(ask.body['model'])) && ask.body['think'] !== false
  const habit = thinks && ask.step.thinking === undefined && ask.step.thinkingTokens === undefined
  const step = {
    ...ask.step,
    ...(ask.step.echoWindow === true ? { text: seen } : {}),
    ...(habit ? { thinking: 'The user wants a short answer.' } : {}),
  }
  return composeAnswer(step, ceiling !== null && ceiling > 0 ? ceiling : 10 * context)
}

/** `POST /api/chat`. Streams unless `stream` is false. */
export function ollamaChat(ask: Ask): Reply {
  return notRunnable(ask) ?? native(ask, renderMessages(ask.body['messages'], false), 'message')
}

/** `POST /api/generate`. */
export function ollamaGenerate(ask: Ask): Reply {
  const { prompt, system, images } = ask.body
  return notRunnable(ask) ?? native(ask, renderPrompt(textOf(prompt), textOf(system), images), 'response')
}

function native(ask: Ask, rendered: Parameters<typeof windowed>[1], form: 'message' | 'response'): Reply {
  const base = { model: textOf(ask.body['model']), created_at: new Date().toISOString() }
  const piece = (text: string, thinking: string, toolCalls?: readonly object[]) =>
    form === 'response'
      ? { response: text, ...(thinking === '' ? {} : { thinking }) }
      : {
          message: {
            role: 'assistant',
            content: text,
            ...(thinking === '' ? {} : { thinking }),
            ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
          },
        }
  if (rendered.length === 0 || (form === 'response' && textOf(ask.body['prompt']) === '')) {
    return {
      kind: 'json',
      status: 200,
      headers: jsonType,
      body: { ...base, ...piece('', ''), done: true, done_reason: 'load' },
    }
  }
  const prompt = windowed(ask, rendered, countJson(ask.body['tools']))
  if (prompt.error !== null) return ollamaError(400, prompt.error)
  const context = ask.memory.loaded.get(base.model) ?? ask.memory.ollamaContext
  const answer = localAnswer(ask, numberOf(objectOf(ask.body['options'])['num_predict']), prompt.seen, context)
  const last = {
    done: true,
    done_reason: finishOf(answer, ask.step, { stop: 'stop', length: 'length', tool: 'stop' }),
    ...counts(ask, answer, prompt),
  }
  const tools =
    answer.callsTool && ask.step.toolCall
      ? [{ function: { name: ask.step.toolCall.name, arguments: ask.step.toolCall.arguments } }]
      : undefined
  if (ask.body['stream'] === false) {
    const whole = { ...base, ...piece(answer.text.join(''), answer.thinking.join(''), tools), ...last }
    return { kind: 'json', status: 200, headers: jsonType, body: whole }
  }
  const frames = function* (): Generator<Frame> {
    for (const thought of answer.thinking) yield chunk(line({ ...base, ...piece('', thought), done: false }))
    for (const text of answer.text) yield chunk(line({ ...base, ...piece(text, ''), done: false }))
    if (tools) yield chunk(line({ ...base, ...piece('', '', tools), done: false }))
    yield frame(line({ ...base, ...piece('', ''), ...last }))
  }
  return {
    kind: 'stream',
    headers: { 'content-type': 'application/x-ndjson' },
    frames: frames(),
    errorFrame: (message) => line({ error: message }),
  }
}

/** The counts of the last line. A count of 0 is left out, as Go's `omitempty` does. */
function counts(ask: Ask, answer: Answer, prompt: Windowed): object {
  const durations = {
    total_duration: 5_000_000,
    load_duration: 1_000_000,
    prompt_eval_duration: 2_000_000,
    eval_duration: 2_000_000,
  }
  const { usage } = ask.step
  if (usage === null || usage === 'missing' || usage === 'zeros') return durations
  return {
    ...durations,
    ...(prompt.promptTokens === 0 ? {} : { prompt_eval_count: prompt.promptTokens }),
    ...(answer.outputTokens === 0 ? {} : { eval_count: answer.outputTokens }),
    ...usage,
  }
}

/** Tokens that `/api/embed` really reads: each input is cut to the window in silence. Null: too long and `truncate: false`. */
export function embedTokens(ask: Ask): number | null {
  const { input, truncate, options, model } = ask.body
  const context = contextFor(ask.memory, textOf(model), numberOf(objectOf(options)['num_ctx']))
  ask.memory.loaded.set(textOf(model), context)
  const lengths = (typeof input === 'string' ? [input] : listOf(input)).map((text) => countTokens(textOf(text)))
  if (truncate === false && lengths.some((length) => length > context)) return null
  return ask.step.inputTokens ?? lengths.reduce((sum, length) => sum + Math.min(length, context), 0)
}

/** `POST /api/embed`. */
export function ollamaEmbed(ask: Ask): Reply {
  const tokens = embedTokens(ask)
  if (tokens === null) return ollamaError(400, 'the input length exceeds the context length')
  const embeddings = vectorsOf(ask.body['input'], 8)
  const body = { model: textOf(ask.body['model']), embeddings, total_duration: 1_000_000, load_duration: 500_000 }
  const counted =
    ask.step.usage === 'missing' || ask.step.usage === null ? body : { ...body, prompt_eval_count: tokens }
  return { kind: 'json', status: 200, headers: jsonType, body: counted }
}

/** `GET /api/tags`, `/api/ps`, `/api/version`, `POST /api/show` and `GET` or `HEAD /`. */
export function ollamaSide(ask: Ask): Reply {
  const path = ask.path.split('?')[0] ?? ''
  const reply = (body: unknown): Reply => ({ kind: 'json', status: 200, headers: jsonType, body })
  if (path.endsWith('/api/version')) return reply({ version: '0.34.4' })
  const details = {
    format: 'gguf',
    family: 'gemma3',
    families: ['gemma3'],
    parameter_size: '4.3B',
    quantization_level: 'Q4_K_M',
  }
  const entry = (name: string) => ({ name, model: name, size: 3_338_801_804, digest: 'a2af6cc3eb7f', details })
  if (path.endsWith('/api/tags')) {
    const models = ['gemma3:4b', 'qwen3:4b', 'nomic-embed-text:latest'].map((name) => ({
      ...entry(name),
      modified_at: '2026-01-01T00:00:00Z',
    }))
    return reply({ models })
  }
  if (path.endsWith('/api/ps')) {
    const models = [...ask.memory.loaded].map(([name, context]) => ({
      ...entry(name),
      size_vram: 0,
      expires_at: '2030-01-01T00:00:00Z',
      context_length: context,
    }))
    return reply({ models })
  }
  if (path.endsWith('/api/show')) {
    const name = textOf(ask.body['model'])
    const numCtx = ask.memory.ollamaModelfiles[name]
    const capabilities = ['completion', ...(thinkingModel.test(name) ? ['tools', 'thinking'] : ['vision'])]
    const modelInfo = { 'general.architecture': 'gemma3', 'gemma3.context_length': modelContext }
    return reply({
      modelfile: '',
      parameters: ['temperature 1', ...(numCtx === undefined ? [] : [`num_ctx ${numCtx}`]), 'top_k 64'].join('\n'),
      template: '{{ .Prompt }}',
      details,
      model_info: modelInfo,
      capabilities,
    })
  }
  return {
    kind: 'json',
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'Ollama is running',
  }
}
