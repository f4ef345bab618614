import type { Localiser } from './text.ts'

/** Sentences of *Try It*; a part of `text.ts`, which has no room for them. */
export function createTryText(l10n: Localiser) {
  return {
    title: l10n.t('Try It'),
    free: l10n.t('free'),
    pickUpstream: l10n.t('Send one small call through which provider?'),
    askModel: (upstream: string) =>
      l10n.t('Model of {0} that answers. At most 32 tokens of output are asked for.', upstream),
    exampleModel: (model: string) => l10n.t('such as {0}', model),
    noModel: l10n.t('Enter the name of a model.'),
    askKey: (upstream: string) =>
      l10n.t('API key of {0}. It goes out with this one call and is kept nowhere.', upstream),
    keyWanted: (upstream: string) =>
      l10n.t('{0} asks for an API key. It goes out with this one call and is kept nowhere.', upstream),
    running: (model: string, upstream: string) => l10n.t('Asking {0} through {1}', model, upstream),
    whileDown: l10n.t('The gate is not running, so no call can go through it. Start it and try again.'),
    broken: (reason: string) => l10n.t('The gate did not answer: {0}', reason),
    showDetails: l10n.t('Show Details'),

    // The result in a sentence
    counted: (model: string, upstream: string, estimated: string, reported: string, output: string, price: string) =>
      l10n.t(
        '{0} through {1}: {2} input tokens estimated, {3} reported, {4} output tokens, {5}.',
        model,
        upstream,
        estimated,
        reported,
        output,
        price,
      ),
    notReported: (model: string, upstream: string, estimated: string, price: string) =>
      l10n.t(
        '{0} through {1}: {2} input tokens estimated, none reported by the provider, {3}.',
        model,
        upstream,
        estimated,
        price,
      ),
    unpriced: l10n.t('price unknown'),
    listPrice: (amount: string) => l10n.t('{0} at list price, not billed', amount),
    refused: (sentence: string) => l10n.t('Tollgate refused the call: {0}', sentence),
    upstreamError: (upstream: string, status: number, sentence: string) =>
      sentence === ''
        ? l10n.t('{0} answered with an error ({1}).', upstream, status)
        : l10n.t('{0} answered with an error ({1}): {2}', upstream, status, sentence),

    // The details
    detailsTitle: (model: string, upstream: string) => l10n.t('One call to {0} through {1}', model, upstream),
    address: l10n.t('Address'),
    status: l10n.t('Answer'),
    answer: l10n.t('What the model said'),
    counts: l10n.t('What was counted'),
    estimatedInput: l10n.t('Input, estimated'),
    reportedInput: l10n.t('Input, reported'),
    output: l10n.t('Output'),
    reasoning: l10n.t('of it thinking'),
    reserved: l10n.t('Held before the call'),
    cost: l10n.t('Cost'),
    price: l10n.t('Price'),
    settlement: l10n.t('Settled'),
    finish: l10n.t('Ended by'),
    duration: l10n.t('Took'),
    milliseconds: (amount: string) => l10n.t('{0} ms', amount),
    warnings: l10n.t('Warnings'),
    headers: l10n.t('Headers of the gate'),
    noRow: l10n.t('The ledger has no row of this call.'),
  } as const
}
