import { createClientText } from './clients.ts'
import { createDashboardText } from './dashboard.ts'
import { createDoctorText } from './doctor.ts'
import { lazily } from '../lazily.ts'
import { createNoticeText } from './notices.ts'
import { createSpendText } from './spend.ts'
import { createTerminalText } from './terminal.ts'
import { createTryText } from './tryIt.ts'
import { createWindowText } from './window.ts'

/** What `vscode.l10n` offers of itself; a unit test passes a plain substitution instead. */
export interface Localiser {
  t(message: string, ...args: (string | number | boolean)[]): string
}

/**
 * Every English sentence of the extension's code, in one place and ready to translate. Sentences name numbers and the next
 * step; the daemon sends codes and figures only.
 */
export function createText(l10n: Localiser) {
  const spend = lazily(() => createSpendText(l10n))
  const dashboard = lazily(() => createDashboardText(l10n))
  const terminal = lazily(() => createTerminalText(l10n))
  const tryIt = lazily(() => createTryText(l10n))
  const window = lazily(() => createWindowText(l10n))
  const clients = lazily(() => createClientText(l10n))
  const doctor = lazily(() => createDoctorText(l10n))
  return {
    product: 'Tollgate',
    itemName: l10n.t('Tollgate: model spend'),

    /** The Spend view. */
    get spend() {
      return spend()
    },
    get dashboard() {
      return dashboard()
    },
    get terminal() {
      return terminal()
    },
    get tryIt() {
      return tryIt()
    },
    get window() {
      return window()
    },
    get clients() {
      return clients()
    },
    get doctor() {
      return doctor()
    },

    // Status bar
    starting: l10n.t('Tollgate'),
    startingLabel: l10n.t('Tollgate is starting'),
    gateOff: l10n.t('gate off'),
    gateDown: l10n.t('gate down'),
    gateUnfollowed: l10n.t('gate not shown'),
    bypassed: l10n.t('gate bypassed'),
    killed: l10n.t('model calls stopped'),
    ledgerAway: l10n.t('ledger unavailable'),
    capReached: (cap: string) => l10n.t('cap reached · {0}', cap),
    tokensOf: (used: string, cap: string) => l10n.t('{0}/{1} tokens', used, cap),
    tokenCap: (count: number, shown: string) => (count === 1 ? l10n.t('1 token') : l10n.t('{0} tokens', shown)),

    // Spoken labels
    labelOff: l10n.t('Tollgate is switched off. Model calls are not guarded.'),
    labelDown: (reason: string) => l10n.t('The Tollgate gate is down, so guarded model calls fail. {0}', reason),
    labelKilled: l10n.t('Tollgate has stopped all model calls.'),
    labelLedger: l10n.t('The Tollgate ledger is unavailable. Model calls are refused.'),
    labelReached: (cap: string) => l10n.t('Tollgate cap reached: {0}. Model calls are refused.', cap),
    labelSpend: (spent: string, cap: string, percent: string) =>
      l10n.t('Model spend today {0} of {1}, {2}.', spent, cap, percent),
    labelSpendUnknown: (spent: string, cap: string) => l10n.t('Model spend today {0} of {1}.', spent, cap),
    labelSpendUncapped: (spent: string) => l10n.t('Model spend today {0}, no cap.', spent),
    labelTokens: (tokens: string) => l10n.t('{0} new tokens.', tokens),
    labelRunning: (calls: number) => (calls === 1 ? l10n.t('1 call running.') : l10n.t('{0} calls running.', calls)),
    labelBypassed: l10n.t('New terminals bypass the gate.'),
    labelWarning: l10n.t('A cap is close.'),
    labelNarrowCap: (cap: string) => l10n.t('A cap is used up: {0}.', cap),

    // Tooltip
    thisMachine: l10n.t('this machine'),
    thisHost: (host: string) => l10n.t('this machine ({0})', host),
    headSpent: l10n.t('Spent'),
    headCap: l10n.t('Cap'),
    headUsed: l10n.t('Used'),
    headTokensToday: l10n.t('Tokens today'),
    headNew: l10n.t('New'),
    headCached: l10n.t('Cached'),
    headOutput: l10n.t('Output'),
    headModelToday: l10n.t('Model today'),
    headCalls: l10n.t('Calls'),
    headRunning: (calls: number) => l10n.t('Running ({0})', calls),
    headElapsed: l10n.t('For'),
    headTask: l10n.t('Task'),
    headState: l10n.t('State'),
    stateOk: l10n.t('running'),
    stateWarn: l10n.t('near its ceiling'),
    stateConstrained: l10n.t('constrained, smaller calls'),
    stateHalted: l10n.t('halted'),
    stateLoop: l10n.t('halted, repeats itself'),
    stateLoopOf: (tool: string) => l10n.t('halted, repeats {0}', tool),
    stateForecast: (state: string, left: string) => l10n.t('{0}, {1}', state, left),
    callsLeft: (calls: number) => (calls === 1 ? l10n.t('about 1 call left') : l10n.t('about {0} calls left', calls)),
    today: l10n.t('Today'),
    month: l10n.t('This month'),
    todayTokens: l10n.t('Today, tokens'),
    monthTokens: l10n.t('This month, tokens'),
    noCap: l10n.t('none'),
    andMore: (count: number) => l10n.t('and {0} more', count),
    heldByRunning: (amount: string) => l10n.t('{0} held for running calls', amount),
    allowedOnTop: (window: string, amount: string, when: string) =>
      l10n.t('{0}: {1} allowed on top of the cap until {2}', window, amount, when),
    allowedInParts: (window: string, amount: string, parts: string) =>
      l10n.t('{0}: {1} allowed on top of the cap ({2})', window, amount, parts),
    amountUntil: (amount: string, when: string) => l10n.t('{0} until {1}', amount, when),
    listPriceToday: (amount: string) => l10n.t('Subscription calls today: {0} at list price, not billed.', amount),
    atListPrice: (amount: string) => l10n.t('{0} list', amount),
    sumOf: (one: string, other: string) => l10n.t('{0} + {1}', one, other),
    pacingUsed: (upstream: string, window: string, percent: string) =>
      l10n.t('{0}, window {1}: {2} used', upstream, window, percent),
    pacingAllowed: (upstream: string, window: string) => l10n.t('{0}, window {1}: open', upstream, window),
    pacingWarning: (upstream: string, window: string) => l10n.t('{0}, window {1}: near its limit', upstream, window),
    pacingRejected: (upstream: string, window: string) => l10n.t('{0}, window {1}: used up', upstream, window),
    pacingResets: (usage: string, when: string) => l10n.t('{0}, resets {1}', usage, when),
    unpricedToday: (calls: number) =>
      calls === 1 ? l10n.t('1 call today has no known price.') : l10n.t('{0} calls today have no known price.', calls),
    pricesOf: (prices: string) => l10n.t('Prices of {0}.', prices),
    pricesAndRateOf: (prices: string, rate: string) => l10n.t('Prices of {0}, exchange rate of {1}.', prices, rate),
    pricesOld: (days: string) =>
      l10n.t(
        'The prices are more than {0} days old: `tollgate prices update FILE` takes newer ones from a file.',
        days,
      ),
    rateOld: (days: string) =>
      l10n.t(
        'The rate is more than {0} days old, so calls hold 2 % more: set `currency.usdRate` and `currency.asOf` anew.',
        days,
      ),
    unfollowed: l10n.t('The gate runs, but this window cannot show it.'),
    unfollowedCalls: l10n.t('Calls go through it; they are counted and capped there.'),
    downTitle: l10n.t(
      '**The gate is not running.** Guarded terminals fail closed: model calls there get no connection.',
    ),
    downRetrying: l10n.t('It is being started again.'),
    downGaveUp: l10n.t('It keeps failing and is not started again by itself. Restart it, or look at the log.'),
    startingTitle: l10n.t('Starting the gate…'),
    offTitle: l10n.t('Tollgate is switched off. Terminals opened now are not guarded.'),
    killedTitle: l10n.t('**All model calls are stopped.** New ones are refused until you resume.'),
    partlyKilled: (what: string) => l10n.t('Stopped: {0}', what),
    ledgerTitle: l10n.t(
      '**The ledger cannot be used**, so every call is refused. `tollgate doctor --ledger` says why and repairs it.',
    ),
    reachedTitle: (cap: string) => l10n.t('**Cap reached: {0}.** Calls that would pass it are refused.', cap),
    bypassedTitle: l10n.t('**New terminals bypass the gate.** What runs there is neither counted nor capped.'),
    skippedAzure: (variable: string) =>
      l10n.t('OpenAI clients are not guarded, because {0} points at Azure.', variable),
    skippedElsewhere: (family: string, variable: string) =>
      l10n.t('{0} clients are not guarded, because {1} already points at another server.', family, variable),
    skippedRemote: l10n.t('Terminals are not guarded: the extension runs on your own machine, the terminals do not.'),
    linkStop: l10n.t('Stop all calls'),
    linkResume: l10n.t('Resume'),
    linkStopTask: l10n.t('Stop'),
    linkCaps: l10n.t('Caps'),
    linkRaise: l10n.t('Raise for today'),
    linkDashboard: l10n.t('Dashboard'),
    pickDocument: l10n.t('Which document?'),
    linkLog: l10n.t('Log'),
    linkRestart: l10n.t('Restart'),
    linkBypass: l10n.t('Bypass in new terminals'),
    linkGuard: l10n.t('Guard new terminals'),
    linkEnable: l10n.t('Settings'),
    linkUpdate: l10n.t('Update'),

    // Commands
    menuTitle: l10n.t('Tollgate'),
    menuCopyUrl: l10n.t('Copy a base URL…'),
    menuNewTerminal: l10n.t('New guarded terminal…'),
    menuTryIt: l10n.t('Try one call…'),
    menuSpend: l10n.t('Spend view'),
    menuDocumentation: l10n.t('Documentation…'),
    stopped: (calls: number, tookMs: number) =>
      calls === 0
        ? l10n.t('No call was running. New model calls are refused until you resume.')
        : calls === 1
          ? l10n.t('1 call stopped in {0} ms. New model calls are refused until you resume.', tookMs)
          : l10n.t('{0} calls stopped in {1} ms. New model calls are refused until you resume.', calls, tookMs),
    resumed: l10n.t('Model calls pass the gate again.'),
    stopWhileDown: l10n.t(
      'The gate is not running, so no call passes it. Calls will be refused as soon as it is back, until you resume.',
    ),
    stopUnanswered: l10n.t('The gate does not answer. It will stop all calls as soon as it does, until you resume.'),
    stopNotStored: (reason: string) =>
      l10n.t(
        'The gate does not answer, and the stop cannot be stored: {0}. It holds only while this window stays open.',
        reason,
      ),
    resumeWhileDown: l10n.t(
      'The gate is not running, and no stop waits for it. Restart it; if it still refuses calls, resume once more.',
    ),
    resumeUnanswered: l10n.t(
      'The gate does not answer, and no stop waits for it. If it still refuses calls when it does, resume once more.',
    ),
    pickTaskToStop: l10n.t('Stop which task?'),
    pickTaskToResume: l10n.t('Let which task go on?'),
    noTaskToStop: l10n.t('No task has made calls lately.'),
    noTaskToResume: l10n.t('No task is halted.'),
    pickUpstream: l10n.t('Copy the base URL for which provider?'),
    copiedUrl: (upstream: string) =>
      l10n.t('Base URL for {0} copied. It contains the local key of this machine.', upstream),
    noKeyYet: l10n.t('Tollgate has not been started on this machine yet, so there is no base URL.'),
    confirmRestart: (calls: number) =>
      calls === 1
        ? l10n.t('1 model call is running. Restarting the gate ends it.')
        : l10n.t('{0} model calls are running. Restarting the gate ends them.', calls),
    confirmRestartNewer: (version: string, own: string) =>
      l10n.t('Restarting ends the newer gate ({0}) and starts the older one of this window ({1}).', version, own),
    confirmRestartOlder: (version: string, own: string) =>
      l10n.t('Restarting ends the older gate ({0}). Where {1} cannot start again, none runs then.', version, own),
    restart: l10n.t('Restart'),
    restartNow: l10n.t('Restart Now'),
    settingsWait: (calls: number) =>
      calls === 1
        ? l10n.t('1 model call is running. The gate restarts with its new settings when no call runs any more.')
        : l10n.t(
            '{0} model calls are running. The gate restarts with its new settings when no call runs any more.',
            calls,
          ),
    switchedOff: l10n.t('Tollgate is switched off by the setting tollgate.enabled.'),
    openSettings: l10n.t('Open Settings'),
    nowBypassed: l10n.t(
      'Terminals opened from now on in this workspace bypass the gate: nothing there is counted or capped.',
    ),
    nowGuarded: l10n.t('Terminals opened from now on in this workspace go through the gate.'),

    // Environment
    environment: l10n.t('Sends model calls through the Tollgate gate, which counts and caps them.'),
    environmentCommand: l10n.t('Adds the tollgate command.'),

    ...createNoticeText(l10n),

    // Reasons why the gate is away
    reasonConnectionLost: l10n.t('The connection to it was lost.'),
    reasonKeepsEnding: (times: number, minutes: number) =>
      l10n.t('It ended {0} times within {1} minutes.', times, minutes),
    reasonExit: (code: number | string, detail: string) =>
      detail === ''
        ? l10n.t('It ended with code {0}.', String(code))
        : l10n.t('It ended with code {0}: {1}', String(code), detail),
    reasonSpawn: (detail: string) => l10n.t('It could not be launched: {0}', detail),
    reasonPortTaken: (port: number) =>
      l10n.t(
        'Port {0} is used by another program, for example by the gate of another VS Code edition. Choose another port in the setting tollgate.daemon.port.',
        String(port),
      ),
    reasonPortUnusable: (port: number) =>
      l10n.t(
        'The system does not give port {0} to the gate. Choose another port in the setting tollgate.daemon.port.',
        String(port),
      ),
    reasonTimeout: l10n.t('It did not answer within 8 seconds.'),
    reasonNewerProtocol: (version: string) =>
      l10n.t('A newer Tollgate ({0}) runs on this machine. Update the extension, then reload this window.', version),
    reasonBusyOld: (version: string) =>
      l10n.t('An older Tollgate ({0}) is busy. It is replaced when its calls have ended.', version),
    successorFailed: (version: string) =>
      l10n.t('Tollgate {0} could not start, so the older gate goes on. The log says why.', version),
  } as const
}

/** The extension's sentences. */
export type Text = ReturnType<typeof createText>
