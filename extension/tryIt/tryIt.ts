import * as vscode from 'vscode'
import { version } from '../../shared/build.ts'
import type { UpstreamRow } from '../../shared/upstreams.ts'
import { projectsOfWorkspace } from '../baseUrl.ts'
import { findCall } from '../calls.ts'
import type { TollgateContext } from '../context.ts'
import { readKey } from '../daemon/discovery.ts'
import { reasonOf } from '../log.ts'
import { offer, offerWithoutGate, startActions } from '../offerActions.ts'
import { showText } from '../shownText.ts'
import { readUpstreams } from '../upstreams.ts'
import { outcomeOf, wantsKey } from './answer.ts'
import type { TryAnswer } from './answer.ts'
import { exampleModel, tryRequest } from './request.ts'
import { resultDetails, resultSentence } from './result.ts'
import type { TryResult } from './result.ts'
import { sendTry } from './send.ts'

/** What is asked for: the provider's key lives no longer than the command. */
interface Ask {
  readonly upstream: UpstreamRow
  readonly model: string
  readonly apiKey: string | null
}

/** *Try It…*: one small call through the gate, and what was counted. */
export async function tryIt(context: TollgateContext): Promise<void> {
  const { text, gate } = context
  const key = await readKey(context.dataDir)
  if (gate.kind !== 'up' || key === undefined) return offerWithoutGate(context, text.tryIt.whileDown)
  const upstream = await pickUpstream(context)
  if (upstream === undefined) return
  const model = await askModel(context, upstream)
  if (model === undefined) return
  const apiKey = upstream.free ? null : await askKey(context, text.tryIt.askKey(upstream.name))
  if (apiKey === undefined) return
  let result = await send(context, key, { upstream, model, apiKey })
  if (result !== undefined && apiKey === null && wantsKey(result.answer)) {
    const given = await askKey(context, text.tryIt.keyWanted(upstream.name))
    if (given === undefined) return
    result = await send(context, key, { upstream, model, apiKey: given })
  }
  if (result !== undefined) show(context, result)
}

async function pickUpstream({ text, memory, supervisor }: TollgateContext): Promise<UpstreamRow | undefined> {
  const upstreams = await readUpstreams((path) => supervisor.call('GET', path))
  const models = memory.triedModels
  const tried = Object.keys(models)
  // The one that was tried last stands first; the others keep their order.
  const rank = ({ name }: UpstreamRow): number => tried.length - 1 - tried.indexOf(name)
  const sorted = [...upstreams].sort((left, right) => rank(left) - rank(right))
  const picked = await vscode.window.showQuickPick(
    sorted.map((upstream) => {
      const words = [models[upstream.name], upstream.free ? text.tryIt.free : undefined]
      return { label: upstream.name, description: words.filter((word) => word !== undefined).join(' · '), upstream }
    }),
    { title: text.tryIt.title, placeHolder: text.tryIt.pickUpstream },
  )
  return picked?.upstream
}

async function askModel({ text, memory }: TollgateContext, upstream: UpstreamRow): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: text.tryIt.title,
    prompt: text.tryIt.askModel(upstream.name),
    placeHolder: text.tryIt.exampleModel(exampleModel(upstream)),
    value: memory.triedModels[upstream.name] ?? '',
    validateInput: (value) => (value.trim() === '' ? text.tryIt.noModel : undefined),
  })
  const model = typed?.trim() ?? ''
  if (model === '') return undefined
  await memory.setTriedModel(upstream.name, model)
  return model
}

/** Undefined where none was given. It stays open while the key is fetched from another window. */
async function askKey({ text }: TollgateContext, prompt: string): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: text.tryIt.title,
    prompt,
    password: true,
    ignoreFocusOut: true,
  })
  return typed?.trim() || undefined
}

/** Undefined where it was cancelled or no answer came; the latter has been said then. */
async function send(context: TollgateContext, key: string, ask: Ask): Promise<TryResult | undefined> {
  const { text, log } = context
  const { upstream, model, apiKey } = ask
  const addressFor = (shownKey: string) => ({
    origin: context.gateOrigin,
    key: shownKey,
    project: projectsOfWorkspace()[0] ?? null,
  })
  const startedMs = Date.now()
  const abort = new AbortController()
  let answer: TryAnswer
  try {
    answer = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: text.tryIt.running(model, upstream.name),
        cancellable: true,
      },
      (_, token) => {
        token.onCancellationRequested(() => abort.abort())
        return sendTry(tryRequest({ ...ask, address: addressFor(key) }), `tollgate-try/${version}`, abort.signal)
      },
    )
  } catch (error) {
    if (abort.signal.aborted) return undefined
    log.warn(`Try it: ${reasonOf(error)}`)
    offer(text.tryIt.broken(reasonOf(error)), startActions(context))
    return undefined
  }
  return {
    upstream: upstream.name,
    model,
    address: tryRequest({ ...ask, address: addressFor('…') }).url,
    answer,
    outcome: outcomeOf(answer, apiKey),
    row: await rowOfCall(context, answer, startedMs),
    atMs: startedMs,
  }
}

/** An answer that is no stream is delivered after its settlement, so its row is complete by now. */
async function rowOfCall({ supervisor, log }: TollgateContext, answer: TryAnswer, startedMs: number) {
  const id = answer.headers['x-tollgate-call']
  if (id === undefined) return undefined
  try {
    return await findCall(supervisor, id, startedMs - 1000)
  } catch (error) {
    log.warn(`Try it, the ledger: ${reasonOf(error)}`)
    return undefined
  }
}

function show(context: TollgateContext, result: TryResult): void {
  const { text, figures } = context
  const showDetails = {
    [text.tryIt.showDetails]: () => showText('Tollgate Try It.txt', resultDetails(result, text, figures)),
  }
  const sentence = resultSentence(result, text, figures)
  if (result.outcome.kind === 'answered') return offer(sentence, showDetails)
  void vscode.window
    .showWarningMessage(sentence, text.tryIt.showDetails)
    .then((chosen) =>
      chosen === undefined ? undefined : showText('Tollgate Try It.txt', resultDetails(result, text, figures)),
    )
}
