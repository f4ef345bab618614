import type { Localiser } from './text.ts'

/** Sentences of messages and of what a click on them did; a part of `text.ts`, which has no room for them. */
export function createNoticeText(l10n: Localiser) {
  return {
    // Notifications
    showLog: l10n.t('Show Log'),
    retry: l10n.t('Retry'),
    raise: l10n.t('Change Cap…'),
    showWhy: l10n.t('Show Why'),
    dontShowAgain: l10n.t("Don't Show Again"),
    shownAgain: l10n.t('Every kind of message is shown again.'),
    noneSilenced: l10n.t('No message was silenced.'),
    couldNotStart: (reason: string) => l10n.t('Tollgate could not start its gate: {0}', reason),
    capNotice: (cap: string, resets: string) =>
      l10n.t('The budget is used up: {0}. Calls are refused until {1}.', cap, resets),
    capNoticeMidnight: (cap: string) => l10n.t('The budget is used up: {0}. Calls are refused until midnight.', cap),
    capNoticeNoReset: (cap: string) => l10n.t('The budget is used up: {0}. Calls are refused.', cap),
    capNeeds: (amount: string) => l10n.t('The refused call can use up to {0}.', amount),
    capForecast: (calls: number, spent: string) =>
      calls === 0
        ? l10n.t('Its task is at its own ceiling as well.')
        : calls === 1
          ? l10n.t('Without this cap, its task could make about 1 more call and would have cost {0} then.', spent)
          : l10n.t(
              'Without this cap, its task could make about {0} more calls and would have cost {1} then.',
              calls,
              spent,
            ),
    capOf: (amount: string, window: string, scope: string) => l10n.t('{0} {1} for {2}', amount, window, scope),
    perDay: l10n.t('a day'),
    perMonth: l10n.t('a month'),
    perTask: l10n.t('in all'),
    scopeUser: l10n.t('you'),
    scopeTenant: l10n.t('the account'),
    scopeNamed: (kind: string, name: string) => {
      switch (kind) {
        case 'tenant':
          return l10n.t('account {0}', name)
        case 'key':
          return l10n.t('key {0}', name)
        case 'model':
          return l10n.t('model {0}', name)
        case 'project':
          return l10n.t('project {0}', name)
        case 'task':
          return l10n.t('task {0}', name)
        case 'user':
          return l10n.t('user {0}', name)
        default:
          return l10n.t('{0} {1}', kind, name)
      }
    },
    truncated: (model: string, sent: string, read: string) =>
      l10n.t('{0} read only {2} of about {1} tokens: the rest of the prompt was dropped.', model, sent, read),
    remedyNumCtx: l10n.t('Raise num_ctx in the request, or set OLLAMA_CONTEXT_LENGTH where Ollama starts.'),
    remedyNoNumCtx: l10n.t(
      'This route cannot set num_ctx: use /api/chat with num_ctx, or raise OLLAMA_CONTEXT_LENGTH of the server.',
    ),
    remedyShorter: l10n.t("Send a shorter prompt, or raise the server's context length."),
    raiseForToday: l10n.t('Raise for Today…'),
    allowToday: (amount: string) => l10n.t('+{0} Today', amount),
    allowedToday: (amount: string) =>
      l10n.t('{0} more are allowed until midnight. The cap itself is unchanged.', amount),

    // What the guards do
    task: (id: string) => l10n.t('Task {0}', id),
    taskOf: (id: string, client: string) => l10n.t('Task {0} ({1})', id, client),
    unnamedTask: (client: string, since: string) => l10n.t('{0}, {1}', client, since),
    unnamedTaskOf: (client: string, since: string) => l10n.t('A task of {0} (since {1})', client, since),
    unnamedTaskSince: (since: string) => l10n.t('A task (since {0})', since),
    unknownClient: l10n.t('unknown client'),
    session: (id: string) => l10n.t('Session {0}', id),
    sessionOf: (id: string, client: string) => l10n.t('Session {0} ({1})', id, client),
    keyNamed: (id: string) => l10n.t('Key {0}', id),
    calls: (count: number, shown: string) => (count === 1 ? l10n.t('1 call') : l10n.t('{0} calls', shown)),
    inputTokens: (count: number, shown: string) =>
      count === 1 ? l10n.t('1 input token') : l10n.t('{0} input tokens', shown),
    seconds: (count: number, shown: string) => (count === 1 ? l10n.t('1 second') : l10n.t('{0} seconds', shown)),
    minutes: (count: number, shown: string) => (count === 1 ? l10n.t('1 minute') : l10n.t('{0} minutes', shown)),
    share: (used: string, ceiling: string) => l10n.t('{0} of {1}', used, ceiling),
    taskConstrained: (name: string, share: string) =>
      l10n.t('{0} is close to its ceiling: {1}. Its next calls are made smaller.', name, share),
    constrainedBriefly: (name: string) => l10n.t('{0} is close to its ceiling', name),
    forecast: (calls: number, spent: string) =>
      calls === 0
        ? l10n.t('The next call may be refused.')
        : calls === 1
          ? l10n.t('About 1 more call fits; the task will have cost {0} then.', spent)
          : l10n.t('About {0} more calls fit; the task will have cost {1} then.', calls, spent),
    taskHalted: (name: string, ceiling: string) =>
      l10n.t('{0} is halted at its ceiling of {1}. May it go on?', name, ceiling),
    haltedBriefly: (name: string) => l10n.t('{0} is halted', name),
    loopHalted: (name: string, tool: string | null, repeats: string, steps: number) => {
      if (steps > 1) {
        return tool === null
          ? l10n.t('{0} is halted: {1} steps came {2} times with the same results. May it go on?', name, steps, repeats)
          : l10n.t(
              '{0} is halted: {1} steps with the tool {2} came {3} times with the same results. May it go on?',
              name,
              steps,
              tool,
              repeats,
            )
      }
      return tool === null
        ? l10n.t('{0} is halted: the same step came {1} times with the same result. May it go on?', name, repeats)
        : l10n.t(
            '{0} is halted: it called the tool {1} {2} times with the same arguments and the same result. May it go on?',
            name,
            tool,
            repeats,
          )
    },
    processStillCalls: (name: string, program: string, pid: number) =>
      l10n.t(
        '{0} is halted, and the process {1} ({2}) still calls. Its connections are closed without an answer.',
        name,
        program,
        String(pid),
      ),
    processIsEditor: l10n.t('That process belongs to VS Code: stop the agent in its own view.'),
    somethingStillCalls: (name: string) =>
      l10n.t(
        '{0} is halted and still calls. Its connections are closed without an answer; the process could not be found.',
        name,
      ),
    callingBriefly: (name: string) => l10n.t('{0} is halted and still calls', name),
    restartStorm: (limit: number, shown: string) =>
      limit === 1
        ? l10n.t(
            'The same task was started once within minutes, so it is not started again for some minutes. Look at what starts the agent.',
          )
        : l10n.t(
            'The same task was started {0} times within minutes, so it is not started again for some minutes. Look at what starts the agent.',
            shown,
          ),
    stormBriefly: l10n.t('a task is started again and again'),
    velocity: (name: string, limit: string) =>
      l10n.t('{0} spends more than {1} a minute. Its paid calls are refused until it is slower.', name, limit),
    velocityZero: l10n.t('Paid calls are refused: rate.eurPerMinute of the plan is 0.'),
    velocityBriefly: (name: string) => l10n.t('{0} spends too fast', name),
    degraded: (model: string, other: string) =>
      l10n.t('A budget is used up: {1} answers instead of {0}. Raise the cap to get {0} back.', model, other),
    degradedToCache: (model: string) =>
      l10n.t('A budget is used up, so calls for {0} get the answers of equal earlier calls.', model),
    degradedBriefly: (model: string) => l10n.t('{0} is answered in another way', model),

    // Going on
    allowEur: (amount: string) => l10n.t('Allow {0} More', amount),
    allowCalls: (calls: number) => l10n.t('+{0} Calls', calls),
    allowMinutes: (minutes: number) => l10n.t('+{0} Minutes', minutes),
    stopTask: l10n.t('Stop Task'),
    allowedEur: (name: string, amount: string) => l10n.t('{0} may spend {1} more.', name, amount),
    allowedCalls: (name: string, calls: number) => l10n.t('{0} may make {1} more calls.', name, calls),
    allowedMinutes: (name: string, minutes: number) => l10n.t('{0} may run {1} minutes longer.', name, minutes),
    taskResumed: (name: string) => l10n.t('{0} may go on.', name),
    taskStopped: (name: string) => l10n.t('{0} is stopped: its calls are refused until it is resumed.', name),
    stepFailed: (reason: string) => l10n.t('Tollgate could not do that: {0}', reason),
    endProcess: l10n.t('End Process'),
    confirmEnd: (program: string, pid: number) => l10n.t('End the process {0} ({1})?', program, String(pid)),
    confirmEndDetail: l10n.t('It is asked to end (SIGTERM). What it has not saved is lost.'),
    processEnded: (program: string, pid: number) => l10n.t('The process {0} ({1}) has ended.', program, String(pid)),
    processGone: (program: string, pid: number) =>
      l10n.t('The process {0} ({1}) does not run any more. Nothing was ended.', program, String(pid)),
    processStays: (program: string, pid: number) =>
      l10n.t('The process {0} ({1}) was asked to end and still runs.', program, String(pid)),
    processDenied: (program: string, pid: number) =>
      l10n.t('The system does not let Tollgate end the process {0} ({1}).', program, String(pid)),

    invalidEuros: (setting: string, largest: string) =>
      l10n.t(
        '{0} has to be a number from 0 to {1}, or null for no cap. The cap before it stays in force.',
        setting,
        largest,
      ),
    invalidTokens: (setting: string, largest: string) =>
      l10n.t(
        '{0} has to be a whole number from 0 to {1}, or null for no cap. The cap before it stays in force.',
        setting,
        largest,
      ),
    invalidSetting: (setting: string) =>
      l10n.t('{0} cannot be used as it is. The value before it, or the default, stays in force.', setting),
  } as const
}
