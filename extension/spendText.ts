import type { AnomalyKind, RefusalCode } from '../shared/codes.ts'
import type { Localiser } from './text.ts'

/** Sentences of the Spend view and of the document with a task's calls; a part of `text.ts`, which has no room for them. */
export function createSpendText(l10n: Localiser) {
  return {
    // Sections
    byModel: l10n.t('By model'),
    byProject: l10n.t('By project'),
    noProject: l10n.t('no project'),
    tasks: l10n.t('Tasks'),
    blocked: l10n.t('Blocked today'),
    warnings: l10n.t('Warnings'),
    moreRows: (count: number) => l10n.t('{0} more', count),

    stateIdle: l10n.t('idle'),

    // Figures in a row
    calls: (count: number, shown: string) => (count === 1 ? l10n.t('1 call') : l10n.t('{0} calls', shown)),
    times: (shown: string) => l10n.t('{0}×', shown),
    atLeast: (shown: string) => l10n.t('{0}+', shown),
    floor: (amount: string) => l10n.t('≥ {0}', amount),
    unknownCost: l10n.t('€?'),
    newTokens: (shown: string) => l10n.t('{0} new input tokens', shown),
    cachedTokens: (shown: string) => l10n.t('{0} cached input tokens', shown),
    outputTokens: (shown: string) => l10n.t('{0} output tokens', shown),
    listPrice: (amount: string) => l10n.t('{0} at list price for calls of subscriptions, not billed', amount),
    resetsAt: (when: string) => l10n.t('Resets {0}', when),
    unpricedCalls: (count: number) =>
      count === 1 ? l10n.t('1 call has no known price') : l10n.t('{0} calls have no known price', count),

    // Tooltips: one fact a line
    lineProject: (name: string) => l10n.t('Project: {0}', name),
    lineClient: (name: string) => l10n.t('Client: {0}', name),
    lineTask: (name: string) => l10n.t('Task: {0}', name),
    lineSession: (name: string) => l10n.t('Session: {0}', name),
    lineProvider: (name: string) => l10n.t('Provider: {0}', name),
    lineInput: (shown: string) => l10n.t('{0} input tokens over all calls', shown),
    lineSeconds: (shown: string) => l10n.t('{0} seconds from its first to its last call', shown),
    lineNearest: (what: string) => l10n.t('Closest to its ceiling: {0}', what),
    counterIterations: l10n.t('calls'),
    counterInputTokens: l10n.t('input tokens'),
    counterWallSeconds: l10n.t('time'),
    counterEur: l10n.t('euros'),
    lastAt: (when: string) => l10n.t('last at {0}', when),
    timesLastAt: (count: number, shown: string, when: string) =>
      count === 1 ? l10n.t('Once, at {0}', when) : l10n.t('{0} times, last at {1}', shown, when),

    // Spoken labels
    spokenSection: (name: string, count: string) => l10n.t('{0}: {1}.', name, count),
    spokenRemedy: (remedy: string) => l10n.t('What to do: {0}', remedy),

    // Badge and message above the tree
    badge: (count: number) =>
      count === 1
        ? l10n.t('1 model call was blocked since you last looked')
        : l10n.t('{0} model calls were blocked since you last looked', count),

    // Reasons of refusals
    held: (cap: string) => l10n.t('Running calls hold what is left of the budget: {0}.', cap),
    capIsZero: (cap: string) => l10n.t('The budget is 0, so paid calls are off: {0}.', cap),
    severed: (program: string, pid: number) =>
      l10n.t('The halted task still called, so its connection was closed: {0} ({1}).', program, String(pid)),
    severedUnknown: l10n.t('The halted task still called, so its connection was closed.'),
    refusalTitles: {
      forbidden_host: l10n.t('Wrong host name'),
      forbidden_origin: l10n.t('Asked by a web page'),
      invalid_key: l10n.t('Local key missing or wrong'),
      killed: l10n.t('Stopped by a person'),
      invalid_request: l10n.t('Unreadable request'),
      message_too_long: l10n.t('Message too long'),
      body_too_large: l10n.t('Request too large'),
      unsupported_encoding: l10n.t('Unknown encoding'),
      slow_body: l10n.t('Request came too slowly'),
      model_not_allowed: l10n.t('Model not allowed'),
      loop_halted: l10n.t('Task repeats itself'),
      task_halted: l10n.t('Task halted'),
      conversation_too_long: l10n.t('Conversation too long'),
      context_overflow: l10n.t('Prompt larger than the window'),
      unpriced_model: l10n.t('Model without a price'),
      reasoning_exceeds_output: l10n.t('No room for an answer'),
      unsupported: l10n.t('Cannot be counted'),
      budget_exhausted: l10n.t('Budget used up'),
      rate_limited: l10n.t('Too many calls'),
      restart_storm: l10n.t('Started again and again'),
      velocity: l10n.t('Spent too fast'),
      ledger_unavailable: l10n.t('Ledger unavailable'),
      shutting_down: l10n.t('Gate was stopping'),
      upstream_unreachable: l10n.t('Provider not reached'),
      truncated: l10n.t('Prompt cut by the provider'),
      upstream_timeout: l10n.t('Provider too slow'),
      overrun: l10n.t('More output than reserved'),
    } satisfies Record<RefusalCode, string>,
    otherRefusal: l10n.t('Refused'),

    // Warnings
    titleOf: (what: string, model: string) => l10n.t('{0}: {1}', what, model),
    titleTruncated: l10n.t('Truncated prompt'),
    titleEmpty: l10n.t('Empty answer'),
    titleOutputLimit: l10n.t('Cut answer'),
    titleOverWindow: l10n.t('Prompt over the window'),
    titleDegraded: l10n.t('Other answer'),
    titleResidual: l10n.t('Estimate is off'),
    titlePrice: l10n.t('Invoice differs'),
    titleConfig: l10n.t('Configuration rejected'),
    titleUnpriced: l10n.t('Unknown price'),
    titleRate: l10n.t('Old exchange rate'),
    titleLedger: l10n.t('Ledger differs'),
    titlesOfAnomalies: {
      velocity: l10n.t('Fast spending'),
      cost_growth: l10n.t('Calls grow dearer'),
      hour_spend: l10n.t('Dear hour'),
      refusals: l10n.t('Many refusals'),
      cache_unread: l10n.t('Cache is never read'),
      residual_drift: l10n.t('Estimate is off'),
      ledger_drift: l10n.t('Ledger differs'),
    } satisfies Record<AnomalyKind, string>,
    titleUnusual: l10n.t('Unusual'),
    emptyAnswer: (model: string, tokens: string) =>
      l10n.t('{0} used {1} output tokens and wrote no visible text.', model, tokens),
    outputLimit: (model: string, tokens: string) =>
      l10n.t('The answer of {0} ended at its limit of {1} output tokens.', model, tokens),
    overWindow: (model: string, sent: string, window: string) =>
      l10n.t('About {1} tokens were sent to {0}, which reads {2} at once.', model, sent, window),
    configRejected: l10n.t('The changed config.json was rejected. The last good one holds.'),
    rateStale: (date: string) => l10n.t('The exchange rate is of {0}. Reservations hold 2 % more.', date),
    ledgerDiffers: (count: number) =>
      count === 1
        ? l10n.t('1 total differs from the sum of its calls.')
        : l10n.t('{0} totals differ from the sum of their calls.', count),
    remedyWindow: l10n.t("Send a shorter prompt, or raise the server's context length."),
    remedyOllamaWindow: l10n.t(
      'Raise num_ctx on /api/chat, or OLLAMA_CONTEXT_LENGTH of the server. truncation.before: "raise" in config.json does it by itself.',
    ),
    remedyEmpty: l10n.t('Raise max_tokens of the request, or let the model think less.'),
    remedyOutputLimit: l10n.t('Raise max_tokens of the request, or ask for a shorter answer.'),
    remedyDegraded: l10n.t('Raise the cap to get the model that was asked for.'),
    remedyPrice: l10n.t('Correct the price in prices.overrides of config.json.'),
    remedyConfig: l10n.t('Correct config.json. It is read again when it is saved.'),
    remedyUnpriced: l10n.t('Add the price to prices.overrides in config.json.'),
    remedyRate: l10n.t('Set currency.usdRate and currency.asOf in config.json.'),
    remedyLedger: l10n.t('Run tollgate doctor --ledger in a terminal.'),
    priceDrift: (provider: string, ratio: string) =>
      l10n.t('{0} invoiced {1} of what was counted here.', provider, ratio),
    priceUnknownHere: (provider: string) => l10n.t('{0} invoiced calls that were not counted here.', provider),

    // A task's calls
    callsOfTask: (name: string) => l10n.t('{0}, calls', name),
    pickTaskToShow: l10n.t('Show the calls of which task?'),
    noTaskToShow: l10n.t('No task has made calls lately.'),
    gateIsAway: l10n.t('The gate is not running, so the calls of its tasks cannot be read.'),
    taskIsGone: l10n.t('This task is not in the list any more.'),
    noCalls: l10n.t('No call of this task is kept.'),
    callsUnreadable: (reason: string) => l10n.t('The calls could not be read: {0}', reason),
    newestOnly: (shown: string) => l10n.t('The newest {0} calls.', shown),
    columnTime: l10n.t('Time'),
    columnModel: l10n.t('Model'),
    columnNew: l10n.t('New'),
    columnCached: l10n.t('Cached'),
    columnOutput: l10n.t('Output'),
    columnCost: l10n.t('Cost'),
    columnSeconds: l10n.t('Seconds'),
    columnEnd: l10n.t('Ended'),
    columnNotes: l10n.t('Notes'),
    sum: l10n.t('Sum'),
    running: l10n.t('running'),
  } as const
}
