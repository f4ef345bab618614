import type { AnomalyKind, RefusalCode } from '../../shared/codes.ts'
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
    timesLastAt: (count: number, shown: string, when: string) =>
      count === 1 ? l10n.t('Once, at {0}', when) : l10n.t('{0} times, last at {1}', shown, when),

    // Spoken labels
    spokenSection: (name: string, count: string) => l10n.t('{0}: {1}.', name, count),
    spokenRemedy: (remedy: string) => l10n.t('What to do: {0}', remedy),

    // Badge and message above the tree
    badge: (count: number, shown: string) =>
      count === 1
        ? l10n.t('1 model call was blocked since you last looked')
        : l10n.t('{0} model calls were blocked since you last looked', shown),

    // More for today
    onTop: (amount: string, when: string) => l10n.t('+{0} until {1}', amount, when),
    onTopInParts: (amount: string, parts: string) => l10n.t('+{0}: {1}', amount, parts),
    raiseTitle: (cap: string) => l10n.t('Raise for today: {0}', cap),
    pickCap: l10n.t('Raise which cap for today?'),
    usedOf: (used: string, limit: string, share: string) => l10n.t('{0} of {1} used ({2})', used, limit, share),
    paidCallsOff: l10n.t('0: paid calls are off'),
    hasRefused: l10n.t('refused a call today'),
    howMuchMore: (used: string, when: string) => l10n.t('{0}. How much more until {1}?', used, when),
    inAll: (limit: string) => l10n.t('{0} in all', limit),
    otherAmount: l10n.t('Another amount…'),
    otherCap: l10n.t('Another cap…'),
    askEurForToday: (when: string) => l10n.t('How much more until {0}? Such as 2 or 0.50.', when),
    askTokensForToday: (when: string) => l10n.t('Tokens more until {0}, such as 50000.', when),
    noAmount: l10n.t('Enter an amount above 0.'),
    raisedToday: (amount: string, when: string, cap: string) =>
      l10n.t('{0} more until {1}, on top of {2}.', amount, when, cap),
    stillHolds: (cap: string, left: string) => l10n.t('The cap of {0} still holds: {1} left.', cap, left),
    takeBack: l10n.t('Take Back'),
    takeBackAmount: (amount: string) => l10n.t('Take back {0}', amount),
    pickAllowance: l10n.t('Take back what?'),
    allowanceOf: (cap: string, when: string) => l10n.t('on top of {0}, until {1}', cap, when),
    tookBack: (amount: string, cap: string) => l10n.t('{0} taken back from {1}.', amount, cap),
    nothingAllowed: l10n.t('Nothing is allowed on top of a cap.'),
    noCapIsSet: l10n.t('No cap is set. Set one in the settings.'),
    raiseWhileDown: l10n.t('The gate is not running, so no cap can be changed.'),

    // Reasons of refusals
    held: (cap: string) => l10n.t('Running calls hold what is left of the budget: {0}.', cap),
    capIsZero: (cap: string) => l10n.t('The budget is 0, so paid calls are off: {0}.', cap),
    severed: (program: string, pid: number) =>
      l10n.t(
        'The halted task went on calling, so its connection was closed. Process: {0} ({1}).',
        program,
        String(pid),
      ),
    severedUnknown: l10n.t('The halted task went on calling, so its connection was closed.'),
    atCeiling: (name: string, ceiling: string) => l10n.t('{0} has reached its ceiling: {1}.', name, ceiling),
    heldOf: (name: string, ceiling: string) => l10n.t('{0}: running calls hold what is left of {1}.', name, ceiling),
    haltedByPerson: (name: string) => l10n.t('{0} was stopped by a person.', name),
    repeats: (name: string, repeats: string) =>
      l10n.t('{0} repeats itself: the same step came {1} times.', name, repeats),
    overRate: (name: string, limit: string) => l10n.t('{0} is over the limit of its plan: {1}.', name, limit),
    overContext: (tokens: string, window: string) =>
      l10n.t('About {0} tokens were to be sent, and the model reads {1} at once.', tokens, window),
    longConversation: (tokens: string, most: string) =>
      l10n.t('The conversation has {0} tokens; the plan allows {1}.', tokens, most),
    longMessage: (letters: string, most: string) =>
      l10n.t('A message has {0} characters; the plan allows {1}.', letters, most),
    muchThinking: (tokens: string, most: string) =>
      l10n.t('{0} tokens of thinking leave no room for an answer in {1}.', tokens, most),
    noPriceOf: (model: string) => l10n.t('{0} has no known price, so no cap on its cost could hold.', model),
    unreachable: (provider: string) => l10n.t('{0} could not be reached.', provider),
    noAnswer: (provider: string) => l10n.t('{0} did not answer in time.', provider),
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
    titleDegraded: l10n.t('Answered by another model or the cache'),
    titleResidual: l10n.t('Estimate is off'),
    titlePrice: l10n.t('Invoice differs'),
    titleConfig: l10n.t('Configuration rejected'),
    titleUnpriced: l10n.t('Unknown price'),
    titleRate: l10n.t('Old exchange rate'),
    titleLedger: l10n.t('Ledger differs'),
    titleOrphaned: l10n.t('The gate was cut off'),
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
    fastSpending: (name: string, amount: string, most: string) =>
      l10n.t('{0} spent {1} in one minute; the plan allows {2}.', name, amount, most),
    costGrowth: (name: string, latest: string, first: string) =>
      l10n.t('{0}: a call costs {1} now and cost {2} at first, because the conversation grows.', name, latest, first),
    dearHour: (amount: string, usual: string) =>
      l10n.t('The last hour cost {0}. Half of the active hours of 30 days cost less than {1}.', amount, usual),
    manyRefusals: (count: string, title: string, usual: string) =>
      l10n.t('{0} calls were refused in 5 minutes, most often: {1}. Usually it is {2}.', count, title, usual),
    cacheUnread: (calls: string, tokens: string) =>
      l10n.t(
        '{0} calls in 10 minutes wrote {1} tokens to the cache and read none. That costs more than no cache.',
        calls,
        tokens,
      ),
    residualDrift: (now: string, before: string) =>
      l10n.t('The provider reports {0} of the estimated input now, and {1} on the long average.', now, before),
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
    remedyGrowth: l10n.t('Start a new conversation, or let the client compact this one.'),
    remedyHour: l10n.t('See under Tasks what spends it.'),
    remedyCache: l10n.t('Keep the start of the prompt the same, or leave out cache_control.'),
    remedyResidual: l10n.t('See whether prompts are cut, or the model behind the name has changed.'),
    remedyPrice: l10n.t('Correct the price in prices.overrides of config.json.'),
    remedyConfig: l10n.t('Correct config.json. It is read again when it is saved.'),
    remedyUnpriced: l10n.t('Add the price to prices.overrides in config.json.'),
    remedyRate: l10n.t('Set currency.usdRate and currency.asOf in config.json.'),
    orphaned: (calls: number, amount: string) =>
      calls === 1
        ? l10n.t('1 call was running when the gate ended. It counts with the most it can have cost: {0}.', amount)
        : l10n.t(
            '{0} calls were running when the gate ended. They count with the most they can have cost: {1}.',
            calls,
            amount,
          ),
    remedyOrphaned: l10n.t('The invoice of the provider says what was really charged: tollgate reconcile compares.'),
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
