import type { Upstream } from '../../shared/config.ts'
import type { CallFacts, DialectName, ReceivedCall } from '../call.ts'
import type { AskJson } from '../http/askJson.ts'
import { BoundedMap } from '../transcript/boundedMap.ts'
import { AskedOnce } from './askedOnce.ts'
import { lmStudioWindow, ollamaWindow, readsOllamaOptions } from './effectiveWindow.ts'
import type { EffectiveWindow } from './effectiveWindow.ts'
import { lmStudioModel } from './lmStudioModels.ts'
import type { LmStudioModel } from './lmStudioModels.ts'
import { modelMaximum } from './modelMaximum.ts'
import { loadedModel, modelName, shownModel } from './ollamaModels.ts'
import type { LoadedModel, ShownModel } from './ollamaModels.ts'

/** Whose window is asked for. */
export interface WindowQuestion {
  readonly upstreamName: string
  readonly upstream: Upstream
  readonly dialect: DialectName
  readonly model: string
  /** `options.num_ctx` of the request; the routes that do not read it are told apart here. */
  readonly numCtx: number | null
  /** Whether the model's own maximum is needed although the model is loaded. */
  readonly needsMaximum: boolean
  /** The client's credentials for this upstream, as a flat list; servers behind a proxy want them. */
  readonly credentials: readonly string[]
}

/** A model server answers such questions in milliseconds or is not worth waiting for. */
const timeoutMs = 300

const loadedHoldsMs = 10_000
/** The call that finds its model not loaded loads it. */
const unloadedHoldsMs = 1000
const shownHoldsMs = 600_000
const mostModels = 500

/** What a list of loaded models says of one; null where it is not loaded. */
interface Loaded {
  readonly model: LoadedModel | null
}

/**
 * Learns how many tokens of a prompt a model will read, from the server itself. A loaded Ollama model is not always met as
 * it is: a `num_ctx` that differs from the loaded one makes the server load it anew, and so does a request without one after
 * a request with one. So the last `num_ctx` that went to a model is remembered, and a model that is loaded with just that is
 * not believed for requests without one. Otherwise a prompt that was given room by one call would be cut in the next.
 */
export class ContextWindows {
  readonly #ask: AskJson
  readonly #loaded: AskedOnce<Loaded>
  readonly #shown: AskedOnce<ShownModel>
  readonly #lmStudio: AskedOnce<LmStudioModel>
  readonly #maxima = new BoundedMap<number>(mostModels)
  /** The window of the last `num_ctx` that was sent to a model. */
  readonly #asked = new BoundedMap<number>(mostModels)
  /** The window that a model was last loaded with when no request had asked for one. */
  readonly #unasked = new BoundedMap<number>(mostModels)

  constructor({ ask, nowMs }: { readonly ask: AskJson; readonly nowMs: () => number }) {
    this.#ask = ask
    this.#loaded = new AskedOnce(mostModels, nowMs, ({ model }) => (model === null ? unloadedHoldsMs : loadedHoldsMs))
    this.#shown = new AskedOnce(mostModels, nowMs, () => shownHoldsMs)
    this.#lmStudio = new AskedOnce(mostModels, nowMs, ({ loaded }) =>
      loaded === null ? unloadedHoldsMs : loadedHoldsMs,
    )
  }

  /** The window of a request; null where the server refuses by itself what does not fit, or nothing can be known. */
  async find(question: WindowQuestion): Promise<EffectiveWindow | null> {
    const { upstreamName, upstream } = question
    if (upstream.dialect === 'ollama') return this.#findOllama(question)
    if (upstream.free) return isLmStudio(upstreamName, upstream) ? this.#findLmStudio(question) : null
    const tokens = modelMaximum(question.model)
    return tokens === null ? null : { tokens, certainty: 'model', modelMaximum: tokens }
  }

  /** Notes the window with which a call loads its model, when it goes out. */
  sent({ upstream, dialect }: Pick<ReceivedCall, 'upstream' | 'dialect'>, { model, ollama }: CallFacts): void {
    const numCtx = ollama?.numCtx ?? null
    if (numCtx === null || !readsOllamaOptions(dialect)) return
    const name = nameOf(upstream, model)
    this.#asked.set(name, Math.min(numCtx, this.#maxima.peek(name) ?? Infinity))
  }

  async #findOllama(question: WindowQuestion): Promise<EffectiveWindow | null> {
    const { upstream, dialect, model, needsMaximum } = question
    const requested = readsOllamaOptions(dialect) ? question.numCtx : null
    const name = nameOf(upstream, model)
    if (requested !== null) {
      const shown = await this.#show(question, name)
      return ollamaWindow({ requested, loaded: null, shown, earlier: null })
    }
    if (isOllamaCloud(upstream)) {
      const shown = await this.#show(question, name)
      return shown === null
        ? null
        : ollamaWindow({ requested, loaded: null, shown: { ...shown, isRemote: true }, earlier: null })
    }
    const list = await this.#list(question, name)
    // A server that did not answer one question is not asked another: the call waits for one limit at most.
    if (list === null) return ollamaWindow({ requested, loaded: null, shown: null, earlier: this.#earlier(name) })
    const loaded = list.model !== null && list.model.window !== this.#asked.peek(name) ? list.model : null
    if (loaded !== null) this.#unasked.set(name, loaded.window)
    const shown = loaded === null || needsMaximum ? await this.#show(question, name) : null
    return ollamaWindow({ requested, loaded, shown, earlier: this.#earlier(name) })
  }

  async #findLmStudio(question: WindowQuestion): Promise<EffectiveWindow | null> {
    const { upstream, model } = question
    const found = await this.#lmStudio.find(nameOf(upstream, model), async () =>
      lmStudioModel(await this.#get(question, '/api/v0/models', null), model),
    )
    return found === null ? null : lmStudioWindow(found)
  }

  #earlier(name: string): number | null {
    return this.#unasked.peek(name) ?? null
  }

  #list(question: WindowQuestion, name: string): Promise<Loaded | null> {
    return this.#loaded.find(name, async () => {
      const model = loadedModel(await this.#get(question, '/api/ps', null), question.model)
      return model === undefined ? null : { model }
    })
  }

  async #show(question: WindowQuestion, name: string): Promise<ShownModel | null> {
    const { model } = question
    const shown = await this.#shown.find(name, async () =>
      shownModel(await this.#get(question, '/api/show', { model })),
    )
    if (shown !== null && shown.maximum !== null) this.#maxima.set(name, shown.maximum)
    return shown
  }

  /** The JSON of an answer with status 200, else null. */
  async #get(question: WindowQuestion, path: string, body: object | null): Promise<unknown> {
    const json = body === null ? [] : ['content-type', 'application/json']
    const reply = await this.#ask({
      // These paths stand beside the `/v1` of a base URL, at LM Studio as at Ollama.
      upstream: { ...question.upstream, dialect: 'ollama' },
      path,
      method: body === null ? 'GET' : 'POST',
      headers: [...json, ...question.credentials],
      body: body === null ? null : Buffer.from(JSON.stringify(body)),
      timeoutMs,
    })
    return reply?.status === 200 ? reply.value : null
  }
}

function nameOf(upstream: Upstream, model: string): string {
  return `${upstream.baseUrl}\n${modelName(model)}`
}

/** There is nothing loaded and nothing to configure there. */
function isOllamaCloud({ baseUrl }: Upstream): boolean {
  return /^https:\/\/(?:www\.|api\.)?ollama\.com(?:[:/]|$)/.test(baseUrl)
}

/** By its name or its port: no other server is asked questions that it does not know. */
function isLmStudio(upstreamName: string, upstream: Upstream): boolean {
  return /lm[-_]?studio/i.test(upstreamName) || /:1234(?:\/|$)/.test(upstream.baseUrl)
}
