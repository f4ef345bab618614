import type { Localiser } from './text.ts'

/** Sentences of the dashboard; a part of `text.ts`, which has no room for them. */
export function createDashboardText(l10n: Localiser) {
  return {
    panelTitle: l10n.t('Tollgate Dashboard'),
    title: l10n.t('Model spend'),
    loading: l10n.t('Reading the figures…'),
    notKnown: l10n.t('Not known now. It is shown as soon as it can be read.'),
    controls: l10n.t('What is shown'),

    // Controls
    period: l10n.t('Period'),
    unit: l10n.t('Per'),
    by: l10n.t('By'),
    measure: l10n.t('Show'),
    task: l10n.t('Task'),
    periods: {
      today: l10n.t('Today'),
      week: l10n.t('Last 7 days'),
      month: l10n.t('Last 30 days'),
      quarter: l10n.t('Last 90 days'),
      year: l10n.t('Last 12 months'),
    },
    units: { hour: l10n.t('Hour'), day: l10n.t('Day'), month: l10n.t('Month') },
    groups: { model: l10n.t('Model'), project: l10n.t('Project') },
    measures: {
      eur: l10n.t('Cost'),
      listPriceEur: l10n.t('List price (subscriptions)'),
      tokens: l10n.t('New tokens'),
      calls: l10n.t('Calls'),
    },
    latestTask: l10n.t('Latest task'),
    taskOf: (id: string, client: string) => l10n.t('{0} · {1}', id, client),

    // Every chart
    showTable: l10n.t('Table'),
    exportCsv: l10n.t('Export CSV'),
    readHint: l10n.t('Point at the chart, or focus it and press the arrow keys, to read its values.'),
    others: (names: number) => (names === 1 ? l10n.t('1 other') : l10n.t('{0} others', names)),
    noProject: l10n.t('no project'),
    total: l10n.t('Total'),

    // Figures above the charts
    spent: (amount: string) => l10n.t('{0} spent', amount),
    floor: (amount: string) => l10n.t('≥ {0}', amount),
    calls: (count: number, shown: string) => (count === 1 ? l10n.t('1 call') : l10n.t('{0} calls', shown)),
    newTokens: (shown: string) => l10n.t('{0} new tokens', shown),
    cachedTokens: (shown: string) => l10n.t('{0} from the cache', shown),
    atListPrice: (amount: string) => l10n.t('subscriptions: {0} at list price, not billed', amount),
    unpriced: (count: number, shown: string) =>
      count === 1 ? l10n.t('1 call without a known price') : l10n.t('{0} calls without a known price', shown),
    unpricedCalls: l10n.t('Unpriced calls'),

    // Spend over time
    spendTitle: l10n.t('Spend over time'),
    bucket: l10n.t('Time'),
    spendSummary: (measure: string, group: string, total: string) =>
      l10n.t('{0} by {1}: {2} in all.', measure, group, total),
    spendNoCalls: l10n.t(
      'No model call was counted in this period. Run an agent in a new terminal, or choose a longer period.',
    ),
    spendNothing: (calls: string) =>
      l10n.t('{0} in this period, and none of them cost anything. Choose “New tokens” or “Calls”.', calls),
    spendUnknown: (unpriced: string) =>
      l10n.t(
        'What was spent in this period is not known: {0}. Add prices to prices.overrides in config.json, or choose “New tokens” or “Calls”.',
        unpriced,
      ),
    spendNoList: l10n.t('No call of a subscription was counted in this period. Choose “Cost”.'),
    hoursKept: (day: string) => l10n.t('Single calls are kept since {0}: hours before are empty.', day),

    // Turns of a task
    turnsTitle: l10n.t('Turns of a task'),
    turnsAbout: (task: string, turns: string, cost: string) => l10n.t('{0}: {1}, {2}', task, turns, cost),
    turnsWhy: l10n.t('Each turn sends the conversation again. The bars are what the model read and wrote.'),
    turns: (count: number, shown: string) => (count === 1 ? l10n.t('1 turn') : l10n.t('{0} turns', shown)),
    turnsCut: (most: string) => l10n.t('Only the newest {0} turns are shown.', most),
    cachedInput: l10n.t('Cached input'),
    newInput: l10n.t('New input'),
    output: l10n.t('Output'),
    spentSoFar: l10n.t('Spent so far'),
    listSoFar: l10n.t('List price so far'),
    turn: l10n.t('Turn'),
    turnAt: (turn: string, time: string, model: string) => l10n.t('Turn {0}, {1}, {2}', turn, time, model),
    time: l10n.t('Time'),
    model: l10n.t('Model'),
    cost: l10n.t('Cost'),
    turnsSummary: (turns: string, first: string, last: string) =>
      l10n.t('{0}. The first read {1} tokens, the last {2}.', turns, first, last),
    turnsNoTask: l10n.t(
      'No task made calls in this period. Run an agent in a new terminal, or choose a longer period.',
    ),
    turnsNone: (task: string) => l10n.t('No finished call of {0} is kept. Choose another task.', task),

    // Estimate
    residualTitle: l10n.t('Estimated and reported input'),
    residualAbout: l10n.t('How much more or less input the provider counts than was estimated. Close to 0 is good.'),
    residual: l10n.t('Difference'),
    ratio: l10n.t('Reported ÷ estimated'),
    residualSummary: (models: number, worst: string, model: string) =>
      models === 1
        ? l10n.t('1 model; {0} for {1}.', worst, model)
        : l10n.t('{0} models; the furthest is {1} for {2}.', models, worst, model),
    residualNone: l10n.t('No provider has reported the tokens of a larger prompt yet. This fills as calls are made.'),

    // Refusals
    refusalsTitle: l10n.t('Refusals by reason'),
    refusalsAbout: (when: string) =>
      l10n.t('Since the gate started ({0}), and earlier ones that are still listed.', when),
    refusalsAboutPlain: l10n.t('Since the gate started, and earlier ones that are still listed.'),
    sinceStart: l10n.t('Since the start'),
    earlier: l10n.t('Earlier (incomplete)'),
    reason: l10n.t('Reason'),
    code: l10n.t('Code'),
    lastTime: l10n.t('Last'),
    refusalsSummary: (count: string, reason: string) => l10n.t('{0} refused calls; most often: {1}.', count, reason),
    refusalsNone: l10n.t('Nothing was refused. Calls that would break a cap will be counted here, with the reason.'),

    // Price drift
    driftTitle: l10n.t('Invoices compared'),
    driftAbout: l10n.t(
      'Invoice compared with what was counted. Beyond ±3% (the band), or below 95% seen, look into it.',
    ),
    provider: l10n.t('Provider'),
    countedIn: l10n.t('In'),
    unitsOfInvoices: { usd: l10n.t('US dollars'), tokens: l10n.t('tokens') },
    from: l10n.t('From'),
    to: l10n.t('To'),
    drift: l10n.t('Difference'),
    seen: l10n.t('Seen'),
    verdict: l10n.t('Verdict'),
    within: l10n.t('within tolerance'),
    beyond: l10n.t('look into it'),
    nothingCounted: l10n.t('nothing counted'),
    driftSummary: (providers: number, beyond: number) =>
      l10n.t('Invoices compared: {0}. Beyond tolerance: {1}.', providers, beyond),
    driftNone: l10n.t('No invoice was compared yet. Run “tollgate reconcile” with the cost export of your provider.'),

    // Notices
    down: l10n.t('The gate is not running, so nothing is counted now. What is shown was counted before.'),
    downUnread: l10n.t('The gate is not running, so nothing is counted now.'),
    starting: l10n.t('The gate is starting…'),
    off: l10n.t('Tollgate is switched off, so nothing is counted now.'),
    problem: (reason: string) => l10n.t('The figures could not be read: {0}', reason),

    // Export
    saveLabel: l10n.t('Export'),
    saved: (file: string) => l10n.t('Exported to {0}.', file),
    open: l10n.t('Open'),
    notSaved: (reason: string) => l10n.t('The file could not be written: {0}', reason),
  } as const
}

/** The dashboard's sentences. */
export type DashboardText = ReturnType<typeof createDashboardText>
